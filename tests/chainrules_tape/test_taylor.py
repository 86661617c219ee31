"""Taylor coefficients: orders, directions, containers, powers at zero, rules of one's own, mistakes."""

import math

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    Array,
    OptionError,
    RuleTable,
    Scalar,
    default_rules,
)
from chainrules_py.errors import ChainRulesError
from chainrules_tape import (
    EscapedValueError,
    InputError,
    LostGradientError,
    higher_derivatives,
    seen_through,
    taylor,
)

RNG = np.random.default_rng(3)
ORDER = 8


# Values


@pytest.mark.parametrize(("p", "z"), [(1.5 + 0.5j, 1 + 1j), (3 + 0j, 0.5j), (3 + 0j, 0j)])
def test_complex_powers(p, z):
    """The binomial series."""
    terms, factor = [], 1.0
    for k in range(ORDER + 1):
        terms.append(0.0 if factor == 0 else factor * z ** (p - k))
        factor *= (p - k) / (k + 1)
    np.testing.assert_allclose(taylor(lambda z: z**p, z, ORDER), terms, rtol=1e-12, atol=1e-15)


def test_a_direction():
    a, x, v = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)
    found = taylor(lambda x: x @ a @ x, x, 3, v)
    np.testing.assert_allclose(found, [x @ a @ x, v @ a @ x + x @ a @ v, v @ a @ v, 0.0])

    found = higher_derivatives(lambda x: x @ a @ x, x, 3, direction=v)
    np.testing.assert_allclose(found, [x @ a @ x, v @ a @ x + x @ a @ v, 2 * v @ a @ v, 0.0])


def test_order_0_is_the_value():
    assert taylor(np.exp, 0.0, 0) == [1.0]


# Programs


def test_the_argument_may_be_overwritten_by_its_owner():
    x = np.ones(2)

    def f(z):
        y = z * z
        x[...] = 7.0
        return y

    np.testing.assert_allclose(taylor(f, x, 2), [[1, 1], [2, 2], [1, 1]])


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


def test_dtypes_stay():
    x = np.array([1.0, 2.0], "float32")
    for found in taylor(lambda x: np.exp(np.sin(x) / x) ** 2.5 + np.tanh(x), x, 5):
        assert found.dtype == np.float32
    for found in higher_derivatives(lambda x: np.sqrt(x) * np.float32(2.0), x, 5):
        assert found.dtype == np.float32


def test_arrays_without_axes_stay_arrays():
    assert all(isinstance(c, np.ndarray) for c in taylor(np.copy, np.array(0.5), 2))


# Where a derivative ends


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


def by_comparisons(a):
    """A root that is searched for by plain numbers."""
    low, high = 0.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if middle**3 < a else (low, middle)
    return middle


def outlived():
    escaped = []
    taylor(lambda x: (escaped.append(x), x)[1], 1.0, 2)
    return escaped[0] * 2


REFUSED = {
    **{
        f"order {order!r}": (
            lambda order=order: taylor(np.sin, 0.3, order),
            OptionError,
            "an integer from 0 on",
        )
        for order in (-1, 1.0, "2", None, True)
    },
    "an integer": (lambda: taylor(np.exp, 0, 3), InputError, "pass floats"),
    "an integer in a list": (
        lambda: taylor(lambda x: x[0] * x[1], [1.0, 2], 3),
        InputError,
        r"write 2\.0",
    ),
    "a direction": (lambda: taylor(np.sin, np.ones(3), 2, np.ones(2)), ChainRulesError, "shape"),
    "a conversion": (lambda: taylor(math.sin, 1.0, 2), LostGradientError, "float"),
    "a search in a scope": (
        lambda: taylor(seen_through(by_comparisons), 2.0, 2),
        LostGradientError,
        "the equation that it solves",
    ),
    "what outlived": (outlived, EscapedValueError, "outlived"),
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


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
