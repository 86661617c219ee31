"""Functions of `xp` and of arrays of `array_api_strict`, held against NumPy, for tests of
`chainrules_array_api`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("array_api_compat")
pytest.importorskip("array_api_strict")

import array_api_strict

from chainrules_array_api import strict
from chainrules_array_api.standard_array import StandardArray, on_host
from chainrules_py.values.structure import fields, is_container

namespace = strict.library.namespace


def standard(x: Any) -> StandardArray:
    """NumPy's array as one of the strict library."""
    return StandardArray(array_api_strict.asarray(x))


def require_numpys(function: Callable[..., Any], *arrays: Any) -> None:
    """Raise unless ``function(xp, *arrays)`` of arrays of the standard is NumPy's, in dtypes,
    shapes, numbers and errors.
    """
    try:
        with np.errstate(all="ignore"):
            expected = function(np, *arrays)
    except Exception:
        expected = None
    found, error = None, None
    try:
        with np.errstate(all="ignore"):
            found = function(namespace, *map(standard, arrays))
    except Exception as refusal:
        error = refusal
    if expected is None:
        assert error is not None, f"{found!r} in the place of an error"
    elif error is not None:
        raise AssertionError("refused on arrays of the standard") from error
    else:
        require_equal(found, expected)


def require_equal(found: Any, expected: Any) -> None:
    """Raise unless a value, or each part of one, is NumPy's, as an array of the standard."""
    if is_container(expected):
        assert is_container(found)
        for one, other in zip(fields(found).values(), fields(expected).values(), strict=True):
            require_equal(one, other)
    elif isinstance(expected, np.ndarray | np.generic):
        assert isinstance(found, StandardArray), repr(found)
        got = on_host(found)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        tolerance = 1e-5 if expected.dtype.name in ("float32", "complex64") else 1e-12
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    else:
        assert found == expected
