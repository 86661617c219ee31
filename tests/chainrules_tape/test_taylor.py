"""Taylor coefficients: values by mpmath and by nested forward mode, containers, and mistakes."""

import importlib
import math
import sys
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from scipy import special

from chainrules_py import (
    NO_TANGENT,
    Array,
    OptionError,
    RuleTable,
    Scalar,
    default_rules,
    primitive,
)
from chainrules_py.errors import ChainRulesError
from chainrules_tape import (
    EscapedValueError,
    InputError,
    LostGradientError,
    container,
    higher_derivatives,
    jvp,
    seen_through,
    stop_gradient,
    taylor,
    vmap,
)

RNG = np.random.default_rng(3)
ORDER = 8


def nested(f, x, v, order):
    """The coefficients by forward mode of forward mode."""
    found = [f(x)]
    for k in range(1, order + 1):
        f = along(f, v)
        found.append(f(x) / math.factorial(k))
    return found


def along(f, v):
    return lambda x: jvp(f, (x,), (v,))[1]


# Values

EXACT = {
    "sin": (np.sin, mpmath.sin, 0.7),
    "cos": (np.cos, mpmath.cos, 0.7),
    "exp": (np.exp, mpmath.exp, 0.7),
    "sinh": (np.sinh, mpmath.sinh, 0.7),
    "log": (np.log, mpmath.log, 0.7),
    "sqrt": (np.sqrt, mpmath.sqrt, 0.7),
    "reciprocal": (np.reciprocal, lambda x: 1 / x, 0.7),
    "log1p": (np.log1p, lambda x: mpmath.log(1 + x), 0.7),
    "tanh": (np.tanh, mpmath.tanh, 0.7),
    "tan": (np.tan, mpmath.tan, 0.7),
    "arctan": (np.arctan, mpmath.atan, 0.7),
    "arcsin": (np.arcsin, mpmath.asin, 0.3),
    "erf": (special.erf, mpmath.erf, 0.7),
    "gammaln": (special.gammaln, mpmath.loggamma, 2.7),
    "j0": (special.j0, lambda x: mpmath.besselj(0, x), 0.7),
    "x**2.5": (lambda x: x**2.5, lambda x: x ** mpmath.mpf(2.5), 0.7),
    "x**-3": (lambda x: x**-3, lambda x: x**-3, 0.7),
    "x**7": (lambda x: x**7, lambda x: x**7, 0.7),
    "x**x": (lambda x: x**x, lambda x: x**x, 0.7),
    "quotient": (lambda x: np.sin(x) / (1 + x**2), lambda x: mpmath.sin(x) / (1 + x**2), 0.7),
    "arctan2": (lambda x: np.arctan2(x, 1 + x * x), lambda x: mpmath.atan2(x, 1 + x * x), 0.7),
    "logaddexp": (
        lambda x: np.logaddexp(x, x * x),
        lambda x: mpmath.log(mpmath.exp(x) + mpmath.exp(x * x)),
        0.7,
    ),
    "exp(x sin x)": (lambda x: np.exp(x * np.sin(x)), lambda x: mpmath.exp(x * mpmath.sin(x)), 0.7),
}


@pytest.mark.parametrize("name", EXACT)
def test_all_digits_to_order_8(name):
    f, exact, x = EXACT[name]
    with mpmath.workdps(40):
        expected = [float(c) for c in mpmath.taylor(exact, mpmath.mpf(x), ORDER)]
    # of coefficients that are zero, or nearly, the digits of the largest one count
    smallest = 1e-3 * max(map(abs, expected))
    np.testing.assert_allclose(taylor(f, x, ORDER), expected, rtol=1e-12, atol=1e-12 * smallest)


@pytest.mark.parametrize(("p", "z"), [(1.5 + 0.5j, 1 + 1j), (3 + 0j, 0.5j), (3 + 0j, 0j)])
def test_complex_powers(p, z):
    """The binomial series."""
    terms, factor = [], 1.0
    for k in range(ORDER + 1):
        terms.append(0.0 if factor == 0 else factor * z ** (p - k))
        factor *= (p - k) / (k + 1)
    np.testing.assert_allclose(taylor(lambda z: z**p, z, ORDER), terms, rtol=1e-12, atol=1e-15)


def test_a_direction_of_ones_is_the_derivative_of_each_entry():
    x = RNG.normal(size=(2, 3))
    for k, found in enumerate(higher_derivatives(np.sin, x, 5)):
        np.testing.assert_allclose(found, np.sin(x + k * np.pi / 2), atol=1e-15)


def test_a_direction():
    a, x, v = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)
    found = taylor(lambda x: x @ a @ x, x, 3, v)
    np.testing.assert_allclose(found, [x @ a @ x, v @ a @ x + x @ a @ v, v @ a @ v, 0.0])

    found = higher_derivatives(lambda x: x @ a @ x, x, 3, direction=v)
    np.testing.assert_allclose(found, [x @ a @ x, v @ a @ x + x @ a @ v, 2 * v @ a @ v, 0.0])


def test_order_0_is_the_value():
    assert taylor(np.exp, 0.0, 0) == [1.0]


# Linear algebra


def in_b(b):
    return np.eye(3) * 3 + b @ b.T / 4


def test_the_series_of_a_solution_solves_the_equation():
    b, v = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
    a = taylor(in_b, b, ORDER, v)
    x = taylor(lambda b: np.linalg.solve(in_b(b), np.ones(3)), b, ORDER, v)
    products = [sum(a[i] @ x[k - i] for i in range(k + 1)) for k in range(ORDER + 1)]
    np.testing.assert_allclose(products[0], np.ones(3))
    largest = max(np.abs(x[k]).max() for k in range(ORDER + 1))
    np.testing.assert_allclose(products[1:], np.zeros((ORDER, 3)), atol=1e-12 * max(1, largest))


# Programs


def test_constants_may_be_overwritten_afterwards():
    def f(x):
        a = np.array([2.0, 3.0])
        y = x * a * x
        a[...] = 100.0
        return y

    np.testing.assert_allclose(taylor(f, np.ones(2), 2), [[2, 3], [4, 6], [2, 3]])


def test_the_argument_may_be_overwritten_by_its_owner():
    x = np.ones(2)

    def f(z):
        y = z * z
        x[...] = 7.0
        return y

    np.testing.assert_allclose(taylor(f, x, 2), [[1, 1], [2, 2], [1, 1]])


def test_constants_and_stopped_gradients():
    assert taylor(lambda x: 3.0, 1.0, 2) == [3.0, 0.0, 0.0]
    assert taylor(lambda x: stop_gradient(x) * x, 2.0, 2) == [4.0, 2.0, 0.0]


def test_a_rule_of_a_user_is_enough():
    rules = RuleTable(name="one more rule", parent=default_rules)

    @primitive
    def cubed(x):
        return x**3

    @rules.frule.register(cubed)
    def cubed_frule(dots: tuple, x: Array | Scalar):
        return cubed(x), 3 * x * x * dots[0]

    found = taylor(lambda x: cubed(np.sin(x)), 0.4, 6, rules=rules)
    np.testing.assert_allclose(found, taylor(lambda x: np.sin(x) ** 3, 0.4, 6), rtol=1e-13)


FOREIGN = """
import math

def wave(x):
    return math.sin(x) * math.exp(-x) + x ** 2

def cube_root(a):
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle ** 3 < a:
            low = middle
        else:
            high = middle
    return middle
"""


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """A module that knows nothing of traced values."""
    (tmp_path / "foreign_waves.py").write_text(FOREIGN)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("foreign_waves")
    del sys.modules["foreign_waves"]


def test_code_that_is_seen_through(foreign):
    with seen_through("foreign_waves"):
        found = taylor(foreign.wave, 0.4, 6)
    np.testing.assert_allclose(
        found, taylor(lambda x: np.sin(x) * np.exp(-x) + x**2, 0.4, 6), rtol=1e-13
    )


def test_a_search_by_comparisons_is_refused(foreign):
    with seen_through("foreign_waves"), pytest.raises(LostGradientError):
        taylor(foreign.cube_root, 2.0, 2)


# Structures


def test_containers_of_arguments_and_results():
    found = taylor(
        lambda p: {"square": p["w"] ** 2, "rest": (p["n"], np.sin(p["w"]))}, {"w": 2.0, "n": 3}, 2
    )
    assert [c["square"] for c in found] == [4.0, 4.0, 1.0]
    assert [c["rest"][0] for c in found] == [3, NO_TANGENT, NO_TANGENT]
    np.testing.assert_allclose(
        [c["rest"][1] for c in found], [np.sin(2), np.cos(2), -np.sin(2) / 2]
    )


@container
@dataclass
class Model:
    rate: float
    weights: np.ndarray


def test_dataclasses():
    model = Model(2.0, np.array([1.0, 3.0]))
    found = taylor(
        lambda m: Model(m.rate**3, m.rate * m.weights), model, 3, Model(1.0, np.array([0.0, 1.0]))
    )
    assert [c.rate for c in found] == [8.0, 12.0, 6.0, 1.0]
    np.testing.assert_allclose([c.weights for c in found], [[2, 6], [1, 5], [0, 1], [0, 0]])


def test_dtypes_stay():
    x = np.array([1.0, 2.0], "float32")
    for found in taylor(lambda x: np.exp(np.sin(x) / x) ** 2.5 + np.tanh(x), x, 5):
        assert found.dtype == np.float32
    for found in higher_derivatives(lambda x: np.sqrt(x) * np.float32(2.0), x, 5):
        assert found.dtype == np.float32


def test_arrays_without_axes_stay_arrays():
    assert all(isinstance(c, np.ndarray) for c in taylor(np.copy, np.array(0.5), 2))


# Nested in, and around, other derivatives


# Where a derivative ends


def test_zeros_are_as_in_nested_forward_mode():
    def f(x):
        return np.where(x > 0, np.sqrt(x), 0.0) + x**3 + np.abs(x)

    x = np.array([0.0, 2.0])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(taylor(f, x, 4), nested(f, x, np.ones(2), 4))


@pytest.mark.parametrize("power", [1, 2, 3, 5, 2.0, 3.0, np.array([2, 3])])
def test_natural_powers_at_zero_and_nearly_there(power):
    for x in (0.0, 1e-12):
        found = taylor(lambda x, p=power: (x + x * x) ** p, np.full(2, x), 6)
        expected = [
            [math.comb(int(p), k - int(p)) if k >= p else 0.0 for p in np.broadcast_to(power, 2)]
            for k in range(7)
        ]
        np.testing.assert_allclose(found, expected, atol=1e-10)


def test_a_root_at_zero_has_an_infinite_derivative():
    with np.errstate(divide="ignore"):
        assert taylor(np.sqrt, 0.0, 1) == [0.0, np.inf]


# Mistakes


@pytest.mark.parametrize("order", [-1, 1.0, "2", None, True])
def test_an_order_is_a_number_of_derivatives(order):
    with pytest.raises(OptionError, match="an integer from 0 on") as caught:
        taylor(np.sin, 0.3, order)
    assert caught.value.value is order


def test_integers_have_no_series():
    with pytest.raises(InputError, match="pass floats"):
        taylor(np.exp, 0, 3)
    with pytest.raises(InputError, match=r"write 2\.0"):
        taylor(lambda x: x[0] * x[1], [1.0, 2], 3)


def test_a_direction_has_the_structure_of_the_argument():
    with pytest.raises(ChainRulesError):
        taylor(np.sin, np.ones(3), 2, np.ones(2))


def test_conversions_are_refused():
    with pytest.raises(LostGradientError, match="float"):
        taylor(lambda x: math.sin(x), 1.0, 2)


def test_values_that_outlive_the_call_are_refused():
    escaped = []
    taylor(lambda x: (escaped.append(x), x)[1], 1.0, 2)
    with pytest.raises(EscapedValueError):
        escaped[0] * 2


@pytest.mark.parametrize("function", [np.tanh, np.exp])
def test_a_rule_of_ones_own_counts(function):
    """It is of another function, twice as steep."""
    own = RuleTable(parent=default_rules, name="steep")

    @own.frule.register(function)
    def steep_frule(dots, x: Array | Scalar):
        return function(x), 2 * np.cos(x) * dots[0]

    found = taylor(function, 0.3, 2, rules=own)
    expected = [function(0.3), 2 * np.cos(0.3), -np.sin(0.3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)

    found = higher_derivatives(function, 0.3, 2, rules=own)
    expected = [function(0.3), 2 * np.cos(0.3), -2 * np.sin(0.3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_examples_of_which_one_has_a_zero():
    def f(x):
        return np.sqrt(x[0]) + x[1] ** 3 / x[0]

    x = np.array([[1.0, 0.0], [2.0, 3.0]])
    found = vmap(lambda one: taylor(f, one, 3))(x)
    for k in range(4):
        np.testing.assert_allclose(found[k], [taylor(f, one, 3)[k] for one in x], rtol=1e-12)
    roots = vmap(lambda one: taylor(lambda x: (x * x) / (1.0 + x), one, 3))(np.array([0.0, 1.0]))
    np.testing.assert_allclose(roots, np.transpose([[0.0, 0, 1, -1], [0.5, 0.75, 0.125, -0.0625]]))
