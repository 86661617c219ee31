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

SUITES = {
    "lifelines": Suite(
        "lifelines-0.30.3",
        ("lifelines/tests/test_estimation.py", "lifelines/tests/utils"),
        arguments=("-k", "Weibull or AFT or Parametric or Piecewise or Spline or LogLogistic"),
        chosen="the fitters that differentiate; all tests take more than 5 minutes",
    ),
    "surpyval": Suite(
        "surpyval-0.25",
        ("surpyval/tests/univariate/parametric/test_fit_cost.py",),
        chosen="a part",
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
    "reliability": Suite("reliability-0.9.0", ("tests",)),
    "autograd": Suite("autograd-1.9.1", ("tests",), migrated=("tests",)),
}
