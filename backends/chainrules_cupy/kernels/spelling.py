"""How NumPy's functions are written in C++: one table for real numbers, one for complex ones.

Operands arrive in the dtype of the NumPy loop that computes the call, so that each overload is the
one of that precision. What is not in these tables has no kernel, and a rule that needs it runs as
it does for everybody.
"""

from typing import Any

import numpy as np

_SAME_NAME = (
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2"),
    *("expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt"),
    *("floor", "ceil", "trunc", "rint"),
)
_INVERSE = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}
_OPERATORS: dict[Any, str] = {
    np.add: "{0} + {1}",
    np.subtract: "{0} - {1}",
    np.multiply: "{0} * {1}",
    np.negative: "-{0}",
    np.positive: "{0}",
    np.equal: "{0} == {1}",
    np.not_equal: "{0} != {1}",
}
_ORDER: dict[Any, str] = {
    np.less: "{0} < {1}",
    np.less_equal: "{0} <= {1}",
    np.greater: "{0} > {1}",
    np.greater_equal: "{0} >= {1}",
}

BOOLEAN: dict[Any, str] = {
    np.bitwise_and: "{0} && {1}",
    np.bitwise_or: "{0} || {1}",
    np.invert: "!{0}",
    np.logical_and: "{0} && {1}",
    np.logical_or: "{0} || {1}",
    np.logical_not: "!{0}",
    np.equal: "{0} == {1}",
    np.not_equal: "{0} != {1}",
}
INTEGER: dict[Any, str] = {**_OPERATORS, **_ORDER}
REAL: dict[Any, str] = {
    **{getattr(np, name): f"{name}({{0}})" for name in _SAME_NAME},
    **{getattr(np, name): f"{spelt}({{0}})" for name, spelt in _INVERSE.items()},
    **_OPERATORS,
    **_ORDER,
    np.divide: "{0} / {1}",
    np.power: "pow({0}, {1})",
    np.float_power: "pow({0}, {1})",
    np.floor_divide: "whole_part({0}, {1})",
    np.absolute: "fabs({0})",
    np.fabs: "fabs({0})",
    np.sign: "sign_of({0})",
    np.copysign: "copysign({0}, {1})",
    np.square: "{0} * {0}",
    np.reciprocal: "1 / {0}",
    np.conjugate: "{0}",
    np.arctan2: "atan2({0}, {1})",
    np.hypot: "hypot({0}, {1})",
    np.fmod: "fmod({0}, {1})",
    np.fmax: "fmax({0}, {1})",
    np.fmin: "fmin({0}, {1})",
    np.maximum: "larger({0}, {1})",
    np.minimum: "smaller({0}, {1})",
    np.ldexp: "ldexp({0}, (int)({1}))",
    np.isnan: "is_nan({0})",
    np.isfinite: "is_finite({0})",
    np.isinf: "is_infinite({0})",
}
COMPLEX: dict[Any, str] = {
    **{
        getattr(np, name): f"{name}({{0}})"
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")
    },
    **_OPERATORS,
    np.divide: "{0} / {1}",
    np.power: "power_of({0}, {1})",
    np.square: "{0} * {0}",
    np.conjugate: "conj({0})",
    np.absolute: "abs({0})",
    np.sign: "sign_of({0})",
    np.isnan: "is_nan({0})",
    np.isfinite: "is_finite({0})",
    np.isinf: "is_infinite({0})",
}

SPECIAL = {
    name: f"{spelt}({{0}})"
    for name, spelt in {
        "erf": "erf",
        "erfc": "erfc",
        "gammaln": "lgamma",
        "gamma": "tgamma",
    }.items()
}

# Comparisons stand for the functions isnan and isfinite of <cmath>, which are macros to some
# compilers and not to others.
HELPERS = """
template <typename T> __device__ inline bool is_nan(const T x) { return x != x; }
template <typename T> __device__ inline bool is_finite(const T x) { return x - x == x - x; }
template <typename T> __device__ inline bool is_infinite(const T x) { return !is_finite(x) && !is_nan(x); }
template <typename T> __device__ inline bool is_nan(const complex<T>& z) { return is_nan(z.real()) || is_nan(z.imag()); }
template <typename T> __device__ inline bool is_finite(const complex<T>& z) {
  return is_finite(z.real()) && is_finite(z.imag());
}
template <typename T> __device__ inline bool is_infinite(const complex<T>& z) {
  return is_infinite(z.real()) || is_infinite(z.imag());
}
template <typename T> __device__ inline T sign_of(const T x) { return is_nan(x) ? x : (T)((x > 0) - (x < 0)); }
template <typename T> __device__ inline complex<T> sign_of(const complex<T>& z) {
  const T size = abs(z);
  return size == 0 ? complex<T>(0) : complex<T>(z.real() / size, z.imag() / size);
}
template <typename T> __device__ inline complex<T> power_of(const complex<T>& a, const complex<T>& b) {
  return b == complex<T>(0) ? complex<T>(1) : pow(a, b);
}
template <typename T> __device__ inline T larger(const T a, const T b) { return (a >= b || is_nan(a)) ? a : b; }
template <typename T> __device__ inline T smaller(const T a, const T b) { return (a <= b || is_nan(a)) ? a : b; }
template <typename T> __device__ inline T whole_part(const T a, const T b) {
  const T rest = fmod(a, b);
  const T near = (a - rest) / b - (T)(rest != 0 && ((rest < 0) != (b < 0)));
  const T whole = floor(near);
  return b == 0 ? a / b : whole + (T)(near - whole > (T)0.5);
}
"""
