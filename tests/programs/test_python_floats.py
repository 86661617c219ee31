"""A traced Python float is a Python float: values, errors and classes bit by bit.

The plain function is the reference for values; for derivatives the complex step or differences are.
"""

import contextlib
import math
import operator
import random
import re
import warnings
import weakref

import numpy as np
import pytest

from chainrules_tape import (
    LostGradientError,
    LostGradientWarning,
    compiled,
    grad,
    jvp,
    taylor,
    value_and_grad,
    vjp,
)
from chainrules_tape.refusals.handles import TracedArray
from slopes import check_slopes

POINTS = [
    *(0.0, -0.0, 0.3, -0.7, 1.0, 2.675, -8.0, 7.0, 5e-324, -1e-300, 1e200, -1e200, 1.7e308),
    *(math.inf, -math.inf, math.nan, 9007199254740992.0),
]
CONSTANTS = [
    *("0", "1", "2", "-3", "7", "10", "(2**53 + 1)", "10**30", "10**400", "True", "0.0", "-0.0"),
    *("0.5", "2.5", "-1.5", "1e200", "1e-200", "(1 / 3)", "1j", "(2 - 3j)", "Fraction(1, 3)"),
]
BINARY = ["+", "-", "*", "/", "//", "%", "**"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


class Writer:
    """Writes a random program of one float, as Python, a statement per line."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = ["x"]

    def operand(self):
        if self.random.random() < 0.3:
            return self.random.choice(CONSTANTS)
        return self.random.choice(self.names[-3:])

    def expression(self):
        a, b = self.random.choice(self.names[-3:]), self.operand()
        if self.random.random() < 0.4:
            a, b = b, a
        kind = self.random.randrange(12)
        if kind < 7:
            sign = self.random.choice(BINARY)
            return f"{a} {sign} {b}" if sign != "**" else f"raised({a}, {b})"
        if kind == 7:
            return f"divmod({a}, {b})[{self.random.randrange(2)}]"
        if kind == 8:
            return f"({self.operand()} if {a} {self.random.choice(COMPARISONS)} {b} else {b})"
        if kind == 9:
            return f"round({a}, {self.random.choice([0, 2, -1, 15])})"
        return self.random.choice(
            [f"-{a}", f"+{a}", f"abs({a})", f"({a}).real", f"({a}).conjugate()", f"({a}).imag"]
        )

    def program(self):
        lines = ["def f(x):"]
        for k in range(self.random.randint(1, 6)):
            line = f"y{k} = {self.expression()}"
            if self.random.random() < 0.3:
                error = self.random.choice(
                    ["ZeroDivisionError", "OverflowError", "ArithmeticError"]
                )
                lines += ["    try:", f"        {line}", f"    except {error}:"]
                lines += [f"        y{k} = {self.operand()}"]
            else:
                lines.append(f"    {line}")
            self.names.append(f"y{k}")
        return "\n".join([*lines, f"    return {self.names[-1]}"])


def raised(a, b):
    """A power, of two integers that of floats: it may have more digits than there is memory."""
    both = type(a) in (int, bool) and type(b) in (int, bool)
    return float(a) ** b if both else a**b


def made(text):
    """The function that a text defines."""
    from fractions import Fraction

    space = {"Fraction": Fraction, "raised": raised}
    exec(text, space)
    return space["f"]


def outcome(compute, *args):
    """The class and the bits of a value; of an error, its class."""
    try:
        with np.errstate(all="ignore"):  # of partials at infinities
            y = compute(*args)
    except (ArithmeticError, TypeError, ValueError) as error:
        return type(error).__name__
    return type(y).__name__, repr(y)


VALUES = {
    "vjp": lambda f, x: vjp(f, x)[0],
    "jvp": lambda f, x: jvp(f, (x,), (1.0,))[0],
    "taylor": lambda f, x: taylor(f, x, 1)[0],
    "second order": lambda f, x: jvp(lambda x: vjp(f, x)[0], (x,), (1.0,))[0],
}


def by_program(f, x, to="numpy", differentiate=lambda f: f):
    """The value of a compiled program that was recorded at other points."""
    run = compiled(differentiate(f), to=to)
    for other in (0.37, 1.21, 0.58):
        with contextlib.suppress(ArithmeticError, TypeError, ValueError):
            run(other)
    return run(x)


VALUES |= {
    "program": by_program,
    "program of math": lambda f, x: by_program(f, x, "math"),
    "program of jvp": lambda f, x: by_program(
        f, x, differentiate=lambda f: lambda x: jvp(f, (x,), (1.0,))[0]
    ),
    "program of vjp": lambda f, x: by_program(f, x, differentiate=lambda f: lambda x: vjp(f, x)[0]),
}


def differences_of(seeds, modes):
    """The programs and points at which a traced float is another than the plain one."""
    found = []
    for seed in seeds:
        text = Writer(seed).program()
        f = made(text)
        x = random.Random(seed).choice(POINTS)
        expected = outcome(f, x)
        for mode in modes:
            got = outcome(VALUES[mode], f, x)
            if got not in (expected, "LostGradientError"):
                found.append((seed, text, x, mode, got, expected))
    return found


IGNORED = pytest.mark.filterwarnings("ignore::chainrules_tape.LostGradientWarning")


@IGNORED
@pytest.mark.parametrize("mode", VALUES)
def test_random_programs_have_the_values_of_plain_floats(mode):
    assert differences_of(range(25 if "program" in mode else 100), [mode]) == []


@IGNORED
def test_derivatives_of_random_programs_are_those_of_differences():
    compared = 0
    for seed in range(600):
        f, x = made(Writer(seed).program()), random.Random(seed).choice([0.3, 1.7, 2.675, -1.3])
        slopes = []
        for step in (1e-4, 1e-5):
            try:
                slopes.append((f(x + step) - f(x - step)) / (2 * step))
            except (ArithmeticError, TypeError, ValueError):
                break
        is_smooth = (
            len(slopes) == 2
            and type(f(x)) is float
            and abs(slopes[0] - slopes[1]) <= 1e-5 * (1 + abs(slopes[1]))
        )
        if not is_smooth or type(slopes[1]) is not float or abs(slopes[1]) > 1e6:
            continue
        # steps, and numbers beside which differences have no digits
        if re.search("round|e200|e-200|2\\*\\*53|10\\*\\*", Writer(seed).program()):
            continue
        try:
            found = jvp(f, (x,), (1.0,))[1]
        except LostGradientError:  # a comparison of a fraction asks for the number
            continue
        compared += 1
        assert found == pytest.approx(slopes[1], rel=1e-4, abs=1e-5), Writer(seed).program()
    assert compared > 150


# The cases that are known by name


RAISING = {
    "quotient": (lambda x: 1.0 / x, 0.0, ZeroDivisionError),
    "remainder": (lambda x: 7.0 % x, 0.0, ZeroDivisionError),
    "whole quotient": (lambda x: 7.0 // x, 0.0, ZeroDivisionError),
    "divmod": (lambda x: divmod(7.0, x)[1], 0.0, ZeroDivisionError),
    "inverse": (lambda x: x**-1, 0.0, ZeroDivisionError),
    "power of zero": (lambda x: 0.0**x, -1.0, ZeroDivisionError),
    "square": (lambda x: x**2, 1e200, OverflowError),
    "exponential": (lambda x: math.e**x, 1000.0, OverflowError),
    "large integer": (lambda x: x * 10**400, 1.5, OverflowError),
}


def guarded(case):
    """A program that goes on where a float raises."""
    compute, _, error = RAISING[case]

    def f(x):
        try:
            compute(x)
        except error:
            return x * 5.0
        return x * 3.0

    return f


@pytest.mark.parametrize("case", RAISING)
@pytest.mark.parametrize("mode", VALUES)
def test_errors_are_caught_as_those_of_floats(mode, case):
    f, x = guarded(case), RAISING[case][1]
    assert outcome(VALUES[mode], f, x) == outcome(f, x) == ("float", repr(x * 5.0))
    assert value_and_grad(f)(x) == (f(x), 5.0)


@pytest.mark.parametrize("to", ["numpy", "math", "jax"])
@pytest.mark.parametrize("case", RAISING)
@pytest.mark.parametrize("first", ["good", "bad"])
def test_programs_go_on_where_a_float_raises(case, first, to):
    if to == "jax":
        pytest.importorskip("jax")
    f, bad = guarded(case), RAISING[case][1]
    if case == "large integer":
        return  # raises at every number
    points = (0.5, 0.6, bad) if first == "good" else (bad, bad, 0.5, 0.6, bad)
    value, both = compiled(f, to=to), compiled(value_and_grad(f), to=to)
    for x in points:
        assert value(x) == f(x)
        assert both(x) == value_and_grad(f)(x)


@pytest.mark.parametrize("to", ["numpy", "math", "jax"])
def test_programs_see_that_a_power_is_complex(to):
    if to == "jax":
        pytest.importorskip("jax")

    def f(x):
        y = x**0.5
        return y.imag * 3 if isinstance(y, complex) else y

    run = compiled(f, to=to)
    assert [run(x) for x in (0.25, 4.0, -4.0)] == [f(x) for x in (0.25, 4.0, -4.0)]


def test_complex_powers_of_negative_floats_have_derivatives():
    def f(x):
        y = (x - 9.0) ** (1 / 3)
        return (y * y.conjugate()).real + y.imag

    assert type(f(1.0)) is float
    check_slopes(f, 1.0)


def test_numbers_of_numpy_are_what_numpy_makes_of_them():
    with np.errstate(all="ignore"):
        for x in (np.float64(0.0), np.array(0.0)):
            assert value_and_grad(lambda x: 1.0 / x)(x)[0] == math.inf
        assert np.isnan(value_and_grad(lambda x: x**0.5)(np.float64(-4.0))[0])
        # what NumPy makes of a float is NumPy's
        assert value_and_grad(lambda x: 1.0 / np.sin(x))(0.0)[0] == math.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.complex64])
def test_a_float_is_weak_beside_arrays(dtype):
    a = np.ones(3, dtype)
    for f in (lambda x: x * a, lambda x: a - (x * 2.0), lambda x: np.where(a == 1, x, a)):
        assert vjp(f, 0.5)[0].dtype == jvp(f, (0.5,), (1.0,))[0].dtype == f(0.5).dtype


def test_partials_do_not_raise_where_the_value_is_finite():
    # x**1.5 has an infinite third derivative at 0, and none raises
    derivative = lambda x: x**1.5  # noqa: E731
    for _ in range(2):
        derivative = grad(derivative)
    with np.errstate(all="ignore"):
        assert derivative(0.0) == math.inf
        assert grad(lambda x: x * 1e308)(1.0) == 1e308


# Methods and attributes

UNARY = {
    "conjugate": lambda x: x.conjugate(),
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "integer": lambda x: round(x),
    "is_integer": lambda x: x.is_integer(),
    "truth": bool,
    "same": lambda x: x == 2.675,
    "none": lambda x: x == None,  # noqa: E711
    "text": lambda x: x == "a",
    "float": lambda x: isinstance(x, float),
    "complex": lambda x: isinstance(x, complex),
    "NumPy's": lambda x: isinstance(x, np.generic),
    "member": lambda x: x in [1.0, 2.675],
    "sorted": lambda x: sorted([x, 1.0, 3.0])[0],
}
# Methods that would give a plain number or a text, and say so.
REFUSED = {
    *("__float__", "__int__", "__complex__", "__floor__", "__ceil__", "__trunc__", "__hash__"),
    "as_integer_ratio",
}
SHOWING = {"__repr__", "__str__", "__format__", "hex"}
OF_OBJECTS = (
    set(dir(object)) - {"__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
) | {"__getnewargs__", "__getformat__", "fromhex", "from_number"}


@IGNORED
@pytest.mark.parametrize("x", [2.675, -0.0, 2.0, 1.5 - 2j, complex(-0.0, 0.0)])
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("mode", ["vjp", "jvp", "taylor", "second order"])
def test_methods_are_those_of_the_number(mode, name, x):
    if mode == "second order" and type(x) is complex:
        return
    if name == "is_integer" and type(x) is complex:
        return
    f = UNARY[name]
    assert outcome(VALUES[mode] if mode != "taylor" else in_series, f, x) == outcome(f, x)


def in_series(f, x):
    """The value that a function has of a power series."""
    found = []
    taylor(lambda x: found.append(f(x)) or x * 1.0, x, 1)
    return stripped(found[0])


def stripped(y):
    """The value of a traced number as its plain class has it."""
    return y.level.strip(y) if issubclass(type(y), TracedArray) else y


@pytest.mark.parametrize("name", sorted((set(dir(float)) | set(dir(complex))) - OF_OBJECTS))
def test_each_method_of_numbers_is_right_or_refused(name):
    x = 2.675 if hasattr(float, name) else 2.675 + 1j
    arguments = [(), (2.0,), (2,)]
    seen = []

    def call(x):
        value = getattr(x, name)
        if not callable(value):
            return value
        if name in REFUSED:
            return value()
        for given in arguments[:-1]:
            with contextlib.suppress(TypeError):
                return value(*given)
        return value(*arguments[-1])

    def f(x):
        if name in REFUSED:
            with pytest.raises(LostGradientError):
                call(x)
        elif name in SHOWING - {"__format__"}:
            assert "2.675" in call(x) or name == "hex"
        elif name == "__format__":
            assert "2.67" in format(x, ".2f")
        else:
            seen.append(stripped(call(x)))
        return x * 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostGradientWarning)
        vjp(f, x)
    if seen:
        expected = call(x)
        got = tuple(map(stripped, seen[0])) if type(seen[0]) is tuple else seen[0]
        assert (type(got), repr(got)) == (type(expected), repr(expected))


@pytest.mark.parametrize("operate", [operator.matmul, operator.lshift, operator.and_])
def test_operators_that_floats_have_not_are_type_errors(operate):
    with pytest.raises(TypeError):
        grad(lambda x: operate(x, x))(0.5)


def test_rounding_by_digits_warns_that_it_is_a_constant():
    with pytest.warns(LostGradientWarning, match="round"):
        assert value_and_grad(lambda x: round(x * x, 2))(1e6) == (1e12, 0.0)
    with pytest.warns(LostGradientWarning, match="round"):
        assert grad(lambda x: np.sum(round(x, 1)))(np.ones(2)).tolist() == [0.0, 0.0]


def test_steps_of_numpy_have_the_derivative_of_a_step():
    for step in (np.floor, np.rint, np.round, lambda x: x // 1, lambda x: divmod(x, 1)[0]):
        assert grad(lambda x, step=step: x * step(x))(2.3) == 2.0
    assert grad(lambda x: x % 1)(2.3) == 1.0


@pytest.mark.parametrize("x", [0.5, np.float64(0.5), np.ones(2)], ids=["float", "number", "array"])
def test_traced_values_are_referred_to_weakly(x):
    def f(x):
        assert weakref.ref(x)() is x
        return np.sum(x)

    grad(f)(x)
    jvp(f, (x,), (x,))
