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
OPTIONS = "an option that only autograd's `convolve` has"
NUMBERS = "`np.where` gives numbers of NumPy's, as NumPy does"
DEPRECATED = "methods of primitives that autograd has deprecated since 1.2"
TRIANGLE = "the gradient of `eigvalsh` is Hermitian, and not all in one triangle"
REASONS = {
    "tests/test_fft.py::test_rfftn_odd_not_implemented": "has a derivative here",
    "tests/test_linalg.py::test_eigvalh_lower_broadcasting": TRIANGLE,
    "tests/test_linalg.py::test_eigvalh_upper_broadcasting": TRIANGLE,
    "tests/test_linalg.py::test_pinv": "calls a private function of autograd's NumPy",
    "tests/test_logic.py::test_nograd": "a comparison has gradient 0 here, as any constant",
    "tests/test_misc.py::test_const_graph": "`const_graph`: compiled(f) here",
    "tests/test_misc.py::test_const_graph_args": "`const_graph`: compiled(f) here",
    "tests/test_numpy.py::test_cast_to_int": "`np.int64(x)` is refused: x.astype(np.int64)",
    "tests/test_scipy.py::test_convolve_generalization": OPTIONS,
    "tests/test_scipy.py::test_convolve_ignore": OPTIONS,
    "tests/test_scipy.py::test_convolve_ignore_dot": OPTIONS,
    "tests/test_scipy.py::test_mvn_sing_cov": "singular covariances are refused",
    "tests/test_scipy.py::test_odeint": "not looked into",
    "tests/test_wrappers.py::test_custom_where": "`where` by keywords, which NumPy refuses",
    "tests/test_wrappers.py::test_custom_where_dtypes[float-False-1-2.0]": NUMBERS,
    "tests/test_wrappers.py::test_custom_where_dtypes[float-True-3.0-4.0]": NUMBERS,
    "tests/test_wrappers.py::test_custom_where_dtypes[int-True-1-2]": NUMBERS,
    "tests/test_wrappers.py::test_custom_where_dtypes[list-True-x3-y3]": NUMBERS,
    "tests/test_wrappers.py::test_deprecated_defgrad_wrapper": DEPRECATED,
    "tests/test_wrappers.py::test_deprecated_defvjp_is_zero_wrapper": DEPRECATED,
    "tests/test_wrappers.py::test_deprecated_defvjp_wrapper": DEPRECATED,
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
    "autograd": Suite(
        "autograd-1.9.1",
        tuple(f"tests/test_{name}.py" for name in AUTOGRAD),
        migrated=("tests",),
        chosen="of its public names",
        known=REASONS,
    ),
}
