"""Sums, products, extremes, statistics and orders on arrays of the standard: NumPy's options,
dtypes and errors.
"""

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError
from stand_ins.standard_calls import namespace, require_numpys, standard

X = np.array([[0.3, -1.7, 0.0], [2.5, 0.9, -0.4]])
MASK = np.array([[True, False, True], [True, True, False]])
ALL = ("sum", "prod", "max", "min", "amax", "amin", "mean", "var", "std", "any", "all")


@pytest.mark.parametrize("name", ALL)
def test_over_axes_and_of_all_dtypes(name):
    for options in ({}, {"axis": 0}, {"axis": (0, 1)}, {"axis": -1, "keepdims": True}, {"axis": 2}):
        require_numpys(lambda xp, x, options=options: getattr(xp, name)(x, **options), X)
    for dtype in ("float32", "int64", "bool"):
        require_numpys(lambda xp, x: getattr(xp, name)(x, axis=1), np.abs(X).astype(dtype))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "any", "all"])
def test_of_some_entries(name):
    initial = {} if name in ("mean", "any", "all") else {"initial": 0.5}
    require_numpys(lambda xp, x: getattr(xp, name)(x, axis=1, where=MASK, **initial), X)
    require_numpys(lambda xp, x, mask: getattr(xp, name)(x, where=mask, **initial), X, MASK)
    single = X.astype("float32")
    require_numpys(lambda xp, x: getattr(xp, name)(x, axis=1, where=MASK, **initial), single)
    # an error of the extremes
    require_numpys(lambda xp, x: getattr(xp, name)(x, axis=1, where=MASK), X)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all"])
def test_of_no_entries(name):
    for axis in (None, 0, 1):
        require_numpys(lambda xp, x, axis=axis: getattr(xp, name)(x, axis=axis), X[:, :0])
    if name not in ("any", "all"):
        require_numpys(lambda xp, x: getattr(xp, name)(x, axis=1, initial=2.0), X[:, :0])


CALLS = {
    "sum, of a dtype": lambda xp, x: xp.sum(x, dtype=np.float32),
    "sum of complex numbers": lambda xp, x: xp.sum(x * 1j, axis=0),
    "mean of complex numbers": lambda xp, x: xp.mean(x * 1j, axis=0),
    "mean, of a dtype": lambda xp, x: xp.mean(x, dtype=np.float32),
    "var with fewer degrees of freedom": lambda xp, x: xp.var(x, axis=1, ddof=1),
    "std by the standard's name for it": lambda xp, x: xp.std(x, axis=1, correction=1),
    "cumsum": lambda xp, x: xp.cumsum(x, axis=1),
    "cumsum of all": lambda xp, x: xp.cumsum(x),
    "cumsum of booleans": lambda xp, x: xp.cumsum(x > 0, axis=0),
    "cumprod": lambda xp, x: xp.cumprod(x, axis=0),
    "sort": lambda xp, x: xp.sort(x, axis=0),
    "sort of all": lambda xp, x: xp.sort(x, axis=None),
    "argsort": lambda xp, x: xp.argsort(x, axis=-1),
    "argmax": lambda xp, x: xp.argmax(x, axis=1, keepdims=True),
    "argmin of all": lambda xp, x: xp.argmin(x),
}


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_other_options_and_functions(function):
    require_numpys(function, X)


def test_on_arrays_of_numpy_they_are_numpys_with_all_options():
    assert namespace.sum(X, where=MASK, initial=1.0) == np.sum(X, where=MASK, initial=1.0)
    assert namespace.mean(X, where=MASK) == np.mean(X, where=MASK)
    np.testing.assert_array_equal(namespace.sort(X, axis=0), np.sort(X, axis=0))


@pytest.mark.parametrize("x", [X * 1j, X], ids=["complex", "mask"])
def test_a_spread_that_the_standard_lacks_is_refused(x):
    with pytest.raises(ArrayApiError, match=r"numpy\.var .* numpy\.mean"):
        namespace.var(standard(x), **({} if x.dtype.kind == "c" else {"where": MASK}))
