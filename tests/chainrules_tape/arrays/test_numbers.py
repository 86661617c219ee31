"""Operations of single numbers, which record partial derivatives, at the ends of what they take:
the general path, which `debug_mode` takes, finds the same, raises the same and warns of the same. Code
that is seen finds it, too.
"""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import special

import chainrules_tape.numpy as tnp
from chainrules_py import RuleTable, debug_mode, default_rules, scalar_rule
from chainrules_tape import grad, hessian, jacobian, jvp, seen_through, taylor, vmap


def branches(x):
    y = x
    for k in range(5):
        y = y * 0.9 + x if y < 1.0 else abs(y - 2.0) ** 1.5 + k
    return max(y, x) - min(0.3, y) + y // 0.4 + y % 0.7


class Half(float):
    """A float that is none of Python's own class."""


def entries(x):
    y = np.stack([x, x * x, x + 1.0])
    first = y[0] * y[0] + y[-1]
    y[0] = x * 3.0
    return first * y[0] + y[0] * y[1]


PROGRAMS = {
    "branches": branches,
    "all operators": lambda x: +x - (-x) / 3 + 2 // x + 5 % x + 2**x + x**2 + x**x - 1 + (1 - x),
    "whole numbers": lambda x: x * 3 + 2 * x - True * x + x**0 + x ** (-2),
    "large whole numbers": lambda x: x * 10**300 + 10**20 - x / 10**5,
    "a root of a negative number": lambda x: abs((x - 2.0) ** 0.5) + abs((-x) ** x),
    "complex": lambda x: abs(x * (1.0 + 2.0j) / (x + 1j)),
    "complex operators": lambda x: abs((2 * x * 1j) ** 2 / (x + 1j) - 1j * x) + (x * 1j * x).imag,
    "functions of complex numbers": lambda x: np.real(np.exp(x * 1j) * x) + np.imag(np.sin(x + 1j)),
    "complex beside NumPy's": lambda x: abs(x * np.complex128(1j) + x * np.complex64(1.0)),
    "zero times infinity": lambda x: np.sqrt(x - x) * 0.0 + x,
    "an infinite slope": lambda x: np.sqrt(x - x),
    "an infinite slope of Python": lambda x: (x - x) ** 0.5,
    "nothing to the power nothing": lambda x: (x - x) ** (x - x) + x,
    "overflow": lambda x: np.exp(x * 1e3),
    "overflow of partials": lambda x: x * 1e200 * 1e200 * 0.0,
    "not a number": lambda x: x * float("nan") + x,
    "infinity": lambda x: np.minimum(x * math.inf, 2.0) + x,
    "negative zero": lambda x: np.copysign(x, -0.0) * np.arctan2(x * 0.0, -x) + (-0.0 * x),
    "nan in all operators": lambda x: (
        (x * math.nan) ** 2 / x - abs(x + math.nan) + np.sin(x * math.nan)
    ),
    "nan and infinity": lambda x: x * math.inf * 0.0 + np.exp(-x * math.inf) * x,
    "division by zero of NumPy": lambda x: x / np.float64(0.0),
    "division by zero": lambda x: 1.0 / (x - x),
    "logarithm of zero": lambda x: np.log(x - x),
    "NumPy's functions": lambda x: np.hypot(x, 2.0) * np.arctan2(1.0, x) + np.fmod(5.0, x),
    "ties": lambda x: np.maximum(x, x) + np.minimum(x, 0.7) + np.fmax(0.7, x) + np.abs(x - x),
    "not a number, passed over": lambda x: np.fmax(x, math.nan) * np.fmin(math.nan, x),
    "functions with partials of arrays": lambda x: np.float_power(x, 2.0) + np.logaddexp(x, 1.0),
    "exponents": lambda x: (x * 2.0) ** x + x ** (x * x) + x**-1.5 + (x - x) ** 2,
    "divmod": lambda x: sum(divmod(x * 3.0, 0.4)) * x + divmod(2, x)[1] + np.divmod(x, 0.3)[1],
    "a subclass of float": lambda x: x * Half(0.5) + Half(0.25) / x,
    "truth values": lambda x: x * True + x * np.True_ + (x > 0.5) * x,
    "NumPy's numbers beside": lambda x: (
        x * np.float64(2.0) + np.int64(3) * x + x ** np.float64(2.0)
    ),
    "an argument called y": lambda x: special.xlogy(x, 2.4) + special.rel_entr(x, 0.4),
    "no derivative": lambda x: x * np.sign(x) + np.floor(x * 3.0) * x + (x > 0.5) * x,
    "beside an array": lambda x: np.sum(x * np.arange(3.0) + x**2),
    "an entry": lambda x: (np.ones(3) * x)[1] * x,
    "entries": entries,
    "choices": lambda x: (
        np.where(x > 0.5, x * x, 1.0 / x)
        * (np.where(x > 0.8, x, 2.0 * x) + np.where(x < 0.5, x, 3.0) * x)
        * np.where(True, x, 1) ** 2
    ),
    "choices of what is no number": lambda x: (
        np.where(x > 0.5, x, np.log(x - x)) * np.where(x > 0.5, math.inf, x) * 0.0
    ),
    "choices of complex numbers": lambda x: abs(np.where(x > 0.5, x * 1j, x + 2j) * (x + 1j)),
    "choices of two precisions": lambda x: np.where(x > 0.5, x, np.float32(0.5)) * x,
    "lists": lambda x: (
        np.sum(tnp.array([x, 2.0, x * x, 3]) ** 2) * tnp.max([x, 0.1]) + tnp.array([x, x])[-1]
    ),
    "stacks": lambda x: np.sum(np.stack((x, 2.0, x * x)) * np.stack([1j * x, x, 3]).imag),
    "lists of other numbers": lambda x: np.sum(
        tnp.array([x, np.float32(0.5)]) + tnp.array([[x, 1.0], [x, x]]) * abs(tnp.mean([x, x * 1j]))
    ),
    "an entry of a list that is not finite": lambda x: np.sum(
        tnp.array([x, math.inf, np.log(x - x)]) * np.array([1.0, 0.0, 0.0])
    ),
    "single precision": lambda x: x * np.float32(2.0) + np.float32(0.5) * x,
    "math": seen_through(lambda x: math.sin(x) * math.log(x) + math.atan2(1.0, x) + math.pow(x, 3)),
    "two numbers of math": seen_through(lambda x: math.hypot(x, x * x) + math.copysign(x, -x)),
    "counts of numbers of math": seen_through(
        lambda x: math.log(x, 2) + math.log(x * x) + math.hypot(x, 1) + math.hypot(x, x, 2.0)
    ),
    "a pole of math": seen_through(lambda x: math.pow(x - x, -1)),
    "overflow of math": seen_through(lambda x: math.pow(x * 1e30, 20.0) + math.atan2(x, x - x)),
    "domains of math": seen_through(lambda x: math.sqrt(x - 1.0)),
}
DERIVATIVES = {
    "grad": grad,
    "jvp": lambda f: lambda x: jvp(f, (x,), (x / x,)),
    "hessian": hessian,
    "third": lambda f: grad(grad(grad(f))),
    "forward of forward": lambda f: lambda x: jvp(lambda x: jvp(f, (x,), (1.0,))[1], (x,), (1.0,)),
}


def outcome(derivative, x) -> tuple[Any, set[Any]]:
    """What a derivative finds, or the class of its error; and the kinds of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = derivative(x)
        except ArithmeticError as error:
            found = type(error)
        except ValueError as error:
            found = str(error)
    return found, {str(each.message).partition(" encountered")[0] for each in caught}


@pytest.mark.parametrize("number", [float, np.float64, np.float32])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
def test_the_general_path_and_code_that_is_seen_find_the_same(derivative, program, number):
    found, warned = outcome(derivative(program), number(0.7))
    with debug_mode():
        known, warned_there = outcome(derivative(program), number(0.7))
    with seen_through(__name__):
        in_seen_code = outcome(derivative(program), number(0.7))[0]
    if isinstance(known, type | str):
        assert found == in_seen_code == known
        return
    digits = 2e-6 if number is np.float32 else 1e-14
    for each in (found, in_seen_code):
        np.testing.assert_allclose(each, known, rtol=digits, atol=1e-300)
    assert np.asarray(found).dtype == np.asarray(known).dtype
    # rules in debug mode multiply zeros by the infinite slope of a length, too
    assert warned in (warned_there, warned_there - {"invalid value"})


def test_a_table_with_another_rule_is_asked():
    table = RuleTable(parent=default_rules)
    scalar_rule(np.sin, "x", "2 * cos(x)", table=table)
    assert grad(np.sin)(0.0) == 1.0
    assert grad(np.sin, rules=table)(0.0) == 2.0
    assert grad(grad(np.sin, rules=table))(0.7) == pytest.approx(-2 * math.sin(0.7))
    scalar_rule(np.hypot, "cls, y", "cls / out", "y / out", table=table)
    np.testing.assert_allclose(grad(np.hypot, (0, 1), rules=table)(3.0, 4.0), (0.6, 0.8))


@pytest.mark.parametrize("x", [2.0, np.float32(2.0), np.ones(2)], ids=["float", "float32", "array"])
@pytest.mark.parametrize(
    "way",
    [
        lambda f, x: jacobian(f)(x),
        lambda f, x: jvp(f, (x,), (x,)),
        lambda f, x: taylor(f, x, 3),
        lambda f, x: vmap(f)(np.array([x, x])),
    ],
    ids=["jacobian", "jvp", "taylor", "vmap"],
)
def test_a_power_with_a_modulus_is_refused_by_pow(x, way):
    with pytest.raises(TypeError, match=r"^pow\(\)"):
        way(lambda x: pow(x, 2, 3), x)
