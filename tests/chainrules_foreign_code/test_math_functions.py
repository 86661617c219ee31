"""`math` and `cmath` of traced numbers: values and errors as they are of plain ones, derivatives as
differences have them.
"""

import cmath
import math
import sys

import numpy as np
import pytest

from chainrules_foreign_code.math_functions import module_of_numbers
from chainrules_tape import grad, jvp

OURS, COMPLEX = module_of_numbers(math), module_of_numbers(cmath)
POINTS = {"acosh": 1.4, "lgamma": 2.3, "gamma": 2.3}
ONE = [
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt"),
    *("cos", "cosh", "degrees", "erf", "erfc", "exp", "exp2", "expm1"),
    *("fabs", "gamma", "lgamma", "log", "log10", "log1p"),
    *("log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh"),
]
MANY = {
    "atan2": lambda m, x: m.atan2(x, 2.0) * m.atan2(1.0, x),
    "copysign": lambda m, x: m.copysign(x, -1.0),
    "dist": lambda m, x: m.dist([x, 1.0], [0.0, x]),
    "fmod": lambda m, x: m.fmod(5 * x, 2.0),
    "fsum": lambda m, x: m.fsum(v * x for v in (1.0, 2.0)),
    "hypot": lambda m, x: m.hypot(x, 2.0, x * x) + m.hypot(x),
    "log": lambda m, x: m.log(x, 3.0) + m.log(3.0, x),
    "pow": lambda m, x: m.pow(x, 2.5) + m.pow(2.5, x),
    "prod": lambda m, x: m.prod([x, 2.0, x]),
    "floor": lambda m, x: m.floor(5 * x) * x + m.ceil(5 * x) * x + m.trunc(5 * x) * x,
    "a tolerance": lambda m, x: x if m.isclose(1.0, 1.0 + x / 2, rel_tol=x) else 0.0,
    "questions": lambda m, x: x if m.isfinite(x) and not m.isnan(x) and m.isclose(x, x) else 0.0,
    "constants": lambda m, x: m.pi * x + m.e,
}
if sys.version_info >= (3, 12):
    MANY["sumprod"] = lambda m, x: m.sumprod((v * x for v in (1.0, x)), [2.0, x])
if sys.version_info >= (3, 13):
    MANY["fma"] = lambda m, x: m.fma(x, 2.0, x * x) * m.fma(3.0, x, 1.0)
OF_COMPLEX = [
    name
    for name in dir(cmath)
    if name[0] != "_" and callable(getattr(cmath, name)) and not name.startswith("is")
]


def slope(f, x):
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


@pytest.mark.parametrize("name", ONE)
def test_a_function_of_one_number(name):
    x = POINTS.get(name, 0.6)
    f, ours = getattr(math, name), getattr(OURS, name)
    for number in (x, np.float64(x)):
        assert grad(ours)(number) == pytest.approx(slope(f, x), rel=1e-7)
        assert jvp(ours, (number,), (1.0,))[1] == pytest.approx(slope(f, x), rel=1e-7)
    assert ours(x) == f(x)
    assert type(ours(x)) is float


@pytest.mark.parametrize("f", MANY.values(), ids=MANY)
def test_functions_of_several(f):
    assert grad(lambda x: f(OURS, x))(0.7) == pytest.approx(
        slope(lambda x: f(math, x), 0.7), rel=1e-7
    )


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_a_function_of_complex_numbers(name):
    def parts(module, x):
        y = getattr(module, name)(*((x, 0.4) if name == "rect" else (0.3 + x * 1j,)))
        return sum(
            np.real(part) + 2 * np.imag(part) for part in (y if isinstance(y, tuple) else (y,))
        )

    assert grad(lambda x: parts(COMPLEX, x))(0.7) == pytest.approx(
        slope(lambda x: parts(cmath, x), 0.7), rel=1e-7
    )


@pytest.mark.parametrize(("f", "x"), [("sqrt", -1.0), ("log", 0.0), ("exp", 1000.0), ("acos", 2.0)])
def test_where_math_raises_it_raises(f, x):
    with pytest.raises((ValueError, OverflowError)) as before:
        getattr(math, f)(x)
    with pytest.raises(type(before.value)):
        grad(getattr(OURS, f))(x)


@pytest.mark.parametrize("z", [0.5 + 0.3j, np.complex128(0.5 + 0.3j), 0.5 + 0j])
@pytest.mark.parametrize(
    "f",
    [
        OURS.sin,
        OURS.gamma,
        OURS.log,
        lambda z: OURS.log(z, 2.0),
        lambda z: OURS.pow(2.0, z),
        lambda z: OURS.fsum([z, z]),
        lambda z: OURS.dist([z], [0.0]),
        lambda z: OURS.hypot(z, 1.0),
        lambda z: z * OURS.floor(z),
        lambda z: z if OURS.isfinite(z) else 0.0,
    ],
)
def test_complex_numbers_are_refused_as_python_does(f, z):
    with pytest.raises(TypeError, match="must be real number, not complex"):
        grad(lambda z: np.abs(f(z)))(z)


def test_products_of_complex_numbers():
    np.testing.assert_allclose(jvp(lambda z: OURS.prod([z, z]), (2j,), (1.0 + 0j,)), (-4, 4j))


def test_an_array_without_axes_is_a_number():
    assert grad(lambda x: OURS.sin(np.sum(x)))(np.array([0.7])) == pytest.approx(math.cos(0.7))
