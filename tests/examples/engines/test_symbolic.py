"""The symbolic engine passes the check of engines where rules are expressions."""

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from chainrules_py import NotDifferentiableError, primitive, scalar_rule
from chainrules_py.testing import Sample, Settings
from chainrules_py.testing.cases import Case
from chainrules_py.testing.conformance import run_engine_case

ONE = [
    np.reciprocal,
    np.sqrt,
    np.cbrt,
    np.exp2,
    np.log1p,
    np.tan,
    np.arcsin,
    np.tanh,
    np.arctanh,
    np.deg2rad,
    np.floor,
]
SAMPLES = [
    *((f, (0.3,)) for f in [*ONE, math.erf]),
    *((f, (0.3, 0.7)) for f in (np.subtract, np.divide, np.power, np.fmod)),
]


@primitive
def softplus(x):
    return np.log1p(np.exp(x))


scalar_rule(softplus, "x", "1 / (1 + exp(-x))")


@pytest.fixture
def sympy() -> ModuleType:
    return pytest.importorskip("sympy")


@pytest.fixture
def engine(load: Callable[[str], ModuleType], sympy: ModuleType) -> ModuleType:
    symbolic = load("engines/symbolic")
    symbolic.call = lambda primal, args, options: symbolic.symbolic(primal)(*args, **options)
    return symbolic


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("primal", "args"), SAMPLES, ids=lambda value: getattr(value, "__name__", "")
)
def test_both_modes_to_second_order(primal, args: tuple[float, ...], engine: ModuleType):
    run_engine_case(engine, Case(primal, Sample(*args), "float64", "reverse", Settings()))


def test_a_users_rule_is_an_expression(engine: ModuleType, sympy: ModuleType):
    x = sympy.Symbol("x", real=True)
    f = engine.symbolic(softplus)
    assert sympy.simplify(sympy.diff(f(x), x) - sympy.diff(sympy.log(1 + sympy.exp(x)), x)) == 0
    assert (
        sympy.simplify(sympy.diff(f(x) ** 2, x, 2).subs(f(x), 0) - 2 / (1 + sympy.exp(-x)) ** 2)
        == 0
    )


def test_comparisons_are_refused(engine: ModuleType, sympy: ModuleType):
    x = sympy.Symbol("x", real=True)
    with pytest.raises(NotDifferentiableError, match="comparisons"):
        sympy.diff(engine.symbolic(np.maximum)(x, 1), x)
