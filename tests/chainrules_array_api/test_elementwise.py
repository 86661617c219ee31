"""Functions of entries on arrays of the standard: NumPy's numbers, and NumPy's dtypes, also where
integers become floating.
"""

import numpy as np
import pytest

from chainrules_array_api import elementwise
from chainrules_array_api.standard_array import on_host
from stand_ins.standard_calls import namespace, require_numpys, standard

X, Y = np.array([0.3, -0.7, 0.9, 0.0]), np.array([0.5, 2.0, -0.4, 1.0])
ABOVE_ONE = ("arccosh", "acosh")
WHOLE = ("invert", "bitwise_and", "bitwise_or", "bitwise_xor")
ORDERED = (
    "floor",
    "ceil",
    "trunc",
    "isnan",
    "signbit",
    "rint",
    "maximum",
    "minimum",
    "hypot",
    "logaddexp",
    "copysign",
)
ORDERED += (
    "nextafter",
    "arctan2",
    "atan2",
    "remainder",
    "mod",
    "floor_divide",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
)
ORDERED += ("cbrt", "logical_and", "logical_or", "logical_xor", "logical_not")


def first(name):
    return X + 2 if name in ABOVE_ONE else np.arange(4) if name in WHOLE else X


@pytest.mark.parametrize("name", elementwise.ONE)
def test_functions_of_one_array(name):
    for dtype in (
        "float64",
        "float32",
        *(["int64"] if name != "reciprocal" else []),
        *(["complex128"] if name not in (*ORDERED, *WHOLE) else []),
    ):
        require_numpys(lambda xp, x: getattr(xp, name)(x), np.abs(first(name)).astype(dtype))


@pytest.mark.parametrize("name", ["isnan", "isfinite", "signbit", "logical_not", "invert"])
def test_functions_of_truth_values(name):
    require_numpys(lambda xp, x: getattr(xp, name)(x), X > 0)


@pytest.mark.parametrize("name", elementwise.TWO)
def test_functions_of_two_arrays(name):
    x, y = (np.arange(1, 5), np.arange(4, 0, -1)) if name in WHOLE else (X, Y)
    function = lambda xp, x, y: getattr(xp, name)(x, y)  # noqa: E731
    require_numpys(function, x, y)
    if name not in WHOLE:
        require_numpys(function, x.astype("float32"), y)
        require_numpys(function, np.arange(1, 5), y)
        require_numpys(function, np.arange(1, 5), np.arange(4, 0, -1))
        require_numpys(lambda xp, x: getattr(xp, name)(x, 2.0), x.astype("float32"))
        require_numpys(lambda xp, x: getattr(xp, name)(2, x), x)
        require_numpys(lambda xp, x: getattr(xp, name)(x, np.float64(2)), x.astype("float32"))


CALLS = {
    "where": lambda xp, x: xp.where(x > 0, x, 2.0),
    "where, of two numbers": lambda xp, x: xp.where(x > 0, 1.0, 2.0),
    "where, with an array of NumPy's": lambda xp, x: xp.where(
        np.array([True, False, True, False]), x, Y.astype("float32")
    ),
    "clip": lambda xp, x: xp.clip(x, -0.5, 0.5),
    "clip, below": lambda xp, x: xp.clip(x, 0.1, None),
    "clip, by the standard's names": lambda xp, x: xp.clip(x, min=-0.1, max=Y),
    "real": lambda xp, x: xp.real(x) + xp.imag(x),
    "imag, of what is not finite": lambda xp, x: xp.imag(x / 0.0),
    "parts of complex numbers": lambda xp, x: xp.real(x + 1j * x) * xp.imag(x + 2j * x),
    "conj": lambda xp, x: xp.conj(x * (1 + 2j)) + xp.conjugate(x),
    "astype": lambda xp, x: xp.astype(x, np.float32),
    "kinds": lambda xp, x: (xp.iscomplexobj(x), xp.isrealobj(x), xp.iscomplexobj(x * 1j)),
}


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_other_functions(function):
    require_numpys(function, X)


def test_on_arrays_of_numpy_they_are_numpys():
    for name in ("real", "imag", "conj", "sin", "abs"):
        np.testing.assert_array_equal(getattr(namespace, name)(X), getattr(np, name)(X))
    np.testing.assert_array_equal(namespace.add(X, Y), X + Y)
    np.testing.assert_array_equal(namespace.where(X > 0, X, Y), np.where(X > 0, X, Y))
    assert namespace.astype(X, np.float32).dtype == np.float32


def test_a_condition_alone_is_where_it_holds():
    for found, expected in zip(namespace.where(standard(X > 0)), np.where(X > 0), strict=True):
        np.testing.assert_array_equal(on_host(found), expected)
