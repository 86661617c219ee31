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
    is_compiled: bool = False  # whether its setup.py has extensions to build
    chosen: str = ""  # why not all tests run
    beyond_imports: str = ""  # what had to be changed by hand
    # what is written in place of what, by file, for both engines or for ours
    changes: tuple[tuple[str, str, str], ...] = ()
    # tests that pass on autograd and not on ours, with the reason
    known: dict[str, str] = field(default_factory=dict)


NO_OTHER_ENGINES = (
    ("tests/conftest.py", "import tensorflow as tf\n", ""),
    ("tests/conftest.py", "    tf.random.set_seed(seed)\n", ""),
    ("tests/conftest.py", "import torch\n", ""),
    ("tests/conftest.py", "    torch.manual_seed(seed)\n", ""),
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
PYERRORS = ("correlators", "covobs", "fits", "json_io", "linalg", "mpm", "obs", "roots")
RELIABILITY = ("ALT_fitters", "Fitters", "Other_functions", "Repairable_systems")
MOMI = ("inference", "moran_model", "new_wmatrix", "size_history")

# NumPy 2 does not make a float of an array with one entry and two axes.
ONE_ENTRY = "np.dot(np.transpose(self.grad), np.dot(self.cov, self.grad))"
NUMPY_2 = (("pyerrors/covobs.py", f"float({ONE_ENTRY})", f"{ONE_ENTRY}.item()"),)

# Its callback compares what it has kept of earlier calls, which must be plain values here.
KEPT = "hist.recent_vals += [(x, ret)]"
KEPT_PLAIN = "hist.recent_vals += [(ag.tracer.getval(x), ag.tracer.getval(ret))]"

TIMES = "second derivatives by the times: a difference of what a solver gives to 1e-8 has 5e-6"
OF_CHANCE = "fits other random data in each run; of nine runs four failed on autograd, two on ours"
CALLS = "counts the calls: `const_graph` is `compiled`, which calls a function twice"
TRIANGLE = "the gradient of `eigvalsh` is Hermitian, and not all in one triangle"
STEP = "a result that is a constant where two numbers are equal is refused"
REASONS = {
    "tests/test_binary_ops.py::test_comparison_grads": STEP,
    "tests/test_binary_ops.py::test_comparison_values": STEP,
    "tests/test_fft.py::test_rfftn_odd_not_implemented": "has a derivative here",
    "tests/test_linalg.py::test_eigvalh_lower_broadcasting": TRIANGLE,
    "tests/test_linalg.py::test_eigvalh_upper_broadcasting": TRIANGLE,
    "tests/test_linalg.py::test_pinv": "calls a private function of autograd's NumPy",
    "tests/test_misc.py::test_const_graph": CALLS,
    "tests/test_misc.py::test_const_graph_args": CALLS,
    "tests/test_scipy.py::test_odeint": TIMES,
    "tests/test_wrappers.py::test_wrapped_name_and_docs": "names of wrapped functions",
}
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
    "surpyval": Suite(
        "surpyval-0.25",
        tuple(f"surpyval/tests/{name}.py" for name in SURPYVAL),
        chosen="the tests of derivatives and of fits; all tests take more than 5 minutes",
    ),
    "pymanopt": Suite(
        "pymanopt-2.2.1",
        ("tests/backends/test_autograd.py", "tests/optimizers", "tests/test_multi_tools.py"),
        roots=("src",),
        changes=NO_OTHER_ENGINES,
        chosen="what differentiates; the tests of manifolds are plain NumPy",
    ),
    "mici": Suite(
        "mici-0.4.1",
        ("tests/test_autodiff.py",),
        roots=("src",),
        arguments=("-k", "not jax and not symnum"),
        chosen="what autograd differentiates; the rest takes more than 5 minutes",
    ),
    "legume": Suite(
        "legume_gme-1.0.3",
        ("tests/test_primitives.py", "tests/test_gme_grad.py", "tests/test_shapes.py"),
        chosen="the others read files that the source distribution does not have",
    ),
    "grcwa": Suite("grcwa-0.1.2", ("tests",)),
    "pyerrors": Suite(
        "pyerrors-2.0.0",
        tuple(f"tests/{name}_test.py" for name in PYERRORS),
        arguments=("--deselect", "tests/json_io_test.py::test_json_corr_io"),
        changes=NUMPY_2,
        chosen="what differentiates; the others read and write files",
    ),
    "reliability": Suite(
        "reliability-0.9.0",
        tuple(f"tests/test_{name}.py" for name in RELIABILITY),
        chosen="what fits; the others are plain NumPy",
    ),
    "momi": Suite(
        "momi-2.1.21",
        tuple(f"test/test_{name}.py" for name in MOMI),
        is_compiled=True,
        changes=(("momi/likelihood.py@ours", KEPT, KEPT_PLAIN),),
        beyond_imports="`getval` in one line that keeps values of each call for a callback",
        known={"test/test_inference.py::test_underflow_robustness[True]": OF_CHANCE},
        chosen="the others import a module that the source distribution does not have",
    ),
    "autograd": Suite(
        "autograd-1.9.1",
        tuple(f"tests/test_{name}.py" for name in AUTOGRAD),
        migrated=("tests",),
        chosen="of its public names",
        known=REASONS,
    ),
    "lifelines": Suite(
        "lifelines-0.30.3",
        ("lifelines/tests/test_estimation.py",),
        arguments=("-k", " or ".join(LIFELINES)),
        chosen="the fitters that differentiate; all tests take more than 5 minutes",
    ),
}
