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


def test_a_condition_alone_is_where_it_holds():
    for found, expected in zip(namespace.where(standard(X > 0)), np.where(X > 0), strict=True):
        np.testing.assert_array_equal(on_host(found), expected)
