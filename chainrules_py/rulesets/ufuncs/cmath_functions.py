"""Functions of Python's `cmath`: NumPy's, which of real numbers have complex values, too."""

import cmath
from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, non_differentiable
from chainrules_py.annotations import Function
from chainrules_py.makers.composition import composed

FUNCTIONS: dict[Function, Function] = {
    cmath.exp: np.exp,
    cmath.sqrt: np.sqrt,
    cmath.log10: np.log10,
    cmath.sin: np.sin,
    cmath.cos: np.cos,
    cmath.tan: np.tan,
    cmath.sinh: np.sinh,
    cmath.cosh: np.cosh,
    cmath.tanh: np.tanh,
    cmath.asin: np.arcsin,
    cmath.acos: np.arccos,
    cmath.atan: np.arctan,
    cmath.asinh: np.arcsinh,
    cmath.acosh: np.arccosh,
    cmath.atanh: np.arctanh,
}


def complex_of(x: Any) -> Any:
    """A number as a complex one."""
    return x + 0j


def of_complex(function: Function) -> Function:
    """A function of numbers that may be real, as one of complex numbers."""

    def as_complex(z: Array | Scalar):
        return function(complex_of(z))

    return as_complex


for _name, _function in FUNCTIONS.items():
    composed(_name)(of_complex(_function))


non_differentiable(cmath.isclose, cmath.isfinite, cmath.isinf, cmath.isnan)


@composed(cmath.log)
def log(z: Array | Scalar, base: Array | Scalar | float = np.e) -> Any:
    """The quotient of two logarithms; that of the base is 1 where there is none."""
    return np.log(complex_of(z)) / np.log(complex_of(base))


@composed(cmath.phase)
def phase(z: Array | Scalar) -> Any:
    """The angle, which is real."""
    return np.angle(complex_of(z))


@composed(cmath.rect)
def rect(r: Array | Scalar, phi: Array | Scalar):
    """The point at a distance and an angle."""
    return r * np.exp(complex_of(phi) * 1j)


@composed(cmath.polar)
def polar(z: Array | Scalar):
    """The distance and the angle of a point."""
    return np.abs(complex_of(z)), np.angle(complex_of(z))
