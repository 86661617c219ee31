"""The samples of every differentiable primal through JAX, in both modes, held to finite
differences.

Some run each time. All of them, one sample of each primal in each dtype, take ten minutes: ``pytest
-m slow`` and this file.
"""

import jax
import numpy as np
import pytest

import chainrules_jax
from chainrules_py import default_rules
from chainrules_py.testing import CheckFailure, Settings, engine_cases, run_engine_case
from chainrules_py.values.identity import qualified_name
from stand_ins import jax_engine as stand_in

EXCEPTIONS = {  # jax.numpy returns another value than NumPy, or none
    "numpy.partition": "the order among entries is the library's own affair",
    "numpy.polydiv": "the remainder is not trimmed",
    "numpy.roots": "the roots of real coefficients are complex",
    "numpy.linalg.lstsq": "the rank is an int64",
    "numpy.histogram": "counts are floating",
    "numpy.histogram2d": "counts are integers",
    "scipy.integrate._quadrature.fixed_quad": "JAX has no tangent of None, its second part",
}
if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # since then NumPy's are complex, too
    EXCEPTIONS |= dict.fromkeys(
        ("numpy.linalg.eig", "numpy.linalg.eigvals"),
        "the eigenvalues of a real matrix are complex",
    )
# how a solver ended, a rank, and a draw
PYTHONS_INTEGERS = (
    *("scipy.sparse.linalg._isolve.", "scipy.linalg._basic.lstsq"),
    "scipy.stats._distn_infrastructure.rv_discrete.rvs",
)
DIFFERENTIABLE = {
    rule.primal
    for rule in default_rules.load_all().rules()
    if rule.differentiable and rule.overwrites is None
}
FIRST = {}  # one sample of each primal in each dtype
for case in engine_cases(settings=Settings(second_order="off")):
    if case.primal in DIFFERENTIABLE:
        FIRST.setdefault((qualified_name(case.primal), case.dtype), case)
UNDETERMINED = "scipy.linalg._decomp_cholesky.cho_factor"  # one triangle holds whatever was there
CASES = [
    case for (name, _), case in FIRST.items() if name not in EXCEPTIONS and name != UNDETERMINED
]
NAMED = (
    "slogdet-3x3-float64",
    "svd-4x2-full_matrices=False-options-float64",
    "meshgrid-2,3,4-float64",
)
# solvers of SciPy's refuse numbers that JAX makes up
NUMPY = [case for case in CASES if "scipy." not in case.name]


def is_named(case):
    return case.name.removesuffix("-reverse").endswith(NAMED)


OFTEN = [case for k, case in enumerate(NUMPY) if k % 60 == 0 or is_named(case)]


class Engine(stand_in.JaxEngine):
    """JAX, where a program calls `to_jax` of a function, and its value is in NumPy's containers:
    there namedtuples and tuples are NumPy's.
    """

    def call(self, primal, args, options):
        y = chainrules_jax.to_jax(primal)(*args, **options)
        if primal in (np.broadcast_arrays, np.meshgrid):
            return tuple(y)
        named = getattr(np.linalg._linalg, type(y).__name__, None)
        return named(*y) if named is not None and isinstance(y, tuple) else y


def run(case):
    with jax.enable_x64(True):
        integer = int if qualified_name(case.primal).startswith(PYTHONS_INTEGERS) else np.int64
        run_engine_case(Engine(integer), case)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", OFTEN, ids=lambda case: case.name)
def test_some_samples(case):
    run(case)


def test_each_name_is_that_of_a_sample():
    names = [case.name.removesuffix("-reverse") for case in NUMPY]
    assert [named for named in NAMED if not any(name.endswith(named) for name in names)] == []


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_samples(case):
    run(case)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", EXCEPTIONS)
def test_the_exceptions_are_exceptions(name):
    with pytest.raises(CheckFailure):
        run(FIRST[name, "float64"])


@pytest.mark.parametrize(
    ("primal", "dtype"),
    [(np.multiply, "float64"), (np.linalg.eigh, "complex128"), (np.linalg.svd, "complex128")],
)
def test_second_order(primal, dtype):
    run(next(engine_cases([primal], dtypes=[dtype])))
