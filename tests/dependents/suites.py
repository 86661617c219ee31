"""The packages of `make test-dependents`: which of their tests run, and what is known of them."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Suite:
    """A package that is built on autograd, with tests in its source distribution."""

    archive: str  # name and version
    tests: tuple[str, ...]
    roots: tuple[str, ...] = (".",)  # what PYTHONPATH has of the source distribution
    migrated: tuple[str, ...] = (".",)  # the folders whose imports are changed
    arguments: tuple[str, ...] = ()  # what else pytest is told
    chosen: str = ""  # why not all tests run
    beyond_imports: str = ""  # what had to be changed by hand
    # what is written in place of what, by file, for both engines or for ours
    changes: tuple[tuple[str, str, str], ...] = ()
    # tests that pass on autograd and not on ours, with the reason
    known: dict[str, str] = field(default_factory=dict)


NO_TENSORFLOW = (
    ("tests/conftest.py", "import tensorflow as tf\n", ""),
    ("tests/conftest.py", "    tf.random.set_seed(seed)\n", ""),
)

LIFELINES = (
    "TestWeibullFitter",
    "TestLogNormalFitter",
    "TestLogLogisticFitter",
    "TestExponentialFitter",
    "TestPiecewiseExponentialFitter",
    "TestWeibullAFTFitter",
)
SURPYVAL = (
    "test_autograd_gamma_compat_shapes",
    "univariate/parametric/test_censored_hessian",
    "univariate/parametric/test_custom_distribution",
    "univariate/parametric/test_fit_cost",
)
AUTOGRAD = (
    "binary_ops",
    "complex",
    "dict",
    "fft",
    "jacobian",
    "linalg",
    "list",
    "logic",
    "misc",
    "numpy",
    "scalar_ops",
    "scipy",
    "systematic",
    "truediv",
    "tuple",
    "wrappers",
)

SUITES = {
    "lifelines": Suite(
        "lifelines-0.30.3",
        ("lifelines/tests/test_estimation.py",),
        arguments=("-k", " or ".join(LIFELINES)),
        chosen="the fitters that differentiate; all tests take more than 5 minutes",
    ),
    "surpyval": Suite(
        "surpyval-0.25",
        tuple(f"surpyval/tests/{name}.py" for name in SURPYVAL),
        chosen="the tests of derivatives and of fits; all tests take more than 5 minutes",
    ),
    "pymanopt": Suite(
        "pymanopt-2.2.1",
        ("tests/backends/test_autograd.py", "tests/optimizers", "tests/test_multi_tools.py"),
        roots=("src",),
        changes=NO_TENSORFLOW,
        chosen="what differentiates; the tests of manifolds are plain NumPy",
    ),
    "mici": Suite(
        "mici-0.4.1",
        ("tests/test_autodiff.py",),
        roots=("src",),
        chosen="what differentiates; the rest is plain NumPy, and takes more than 5 minutes",
    ),
    "legume": Suite(
        "legume_gme-1.0.3",
        ("tests/test_primitives.py", "tests/test_gme_grad.py", "tests/test_shapes.py"),
        chosen="the others read files that the source distribution does not have",
    ),
    "grcwa": Suite("grcwa-0.1.2", ("tests",)),
    "reliability": Suite("reliability-0.9.0", ("tests/test_Fitters.py",)),
    "autograd": Suite(
        "autograd-1.9.1",
        tuple(f"tests/test_{name}.py" for name in AUTOGRAD),
        migrated=("tests",),
        chosen="what is public",
    ),
}
