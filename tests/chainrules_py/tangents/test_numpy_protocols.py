"""NumPy's functions of special tangents give tangents again, or refuse by name what is not linear."""

import inspect

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions

from chainrules_py.tangents import NO_TANGENT, ZERO

X = np.arange(1.0, 4.0)


@pytest.mark.parametrize("zero", [ZERO, NO_TANGENT], ids=repr)
def test_out_is_filled_and_returned(zero):
    buffer = np.full(3, 7.0)
    assert np.add(X, zero, out=buffer) is buffer
    assert buffer.tolist() == X.tolist()
    assert np.multiply(X, zero, out=buffer) is buffer
    assert buffer.tolist() == [0.0, 0.0, 0.0]
    assert np.subtract(zero, X, out=buffer) is buffer
    assert buffer.tolist() == (-X).tolist()
    assert np.add(1.0, zero, out=buffer).tolist() == [1.0, 1.0, 1.0]


def test_out_casts_as_numpy_does():
    with pytest.raises(TypeError):
        np.add(X, ZERO, out=np.zeros(3, int))


def test_in_place_products():
    x = X.copy()
    y = x
    y *= ZERO
    assert y is x
    assert not x.any()


def test_equality_is_a_plain_bool():
    for result, expected in (
        (np.equal(X, ZERO), False),
        (np.not_equal(ZERO, X), True),
        (np.equal(ZERO, ZERO), True),
    ):
        assert result is expected


def callable_with_one_array(function):
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # functions in C that make arrays from strings
        return False
    required = [
        p for p in parameters.values() if p.default is p.empty and p.kind is not p.VAR_KEYWORD
    ]
    # `like=` marks the functions that make arrays from something else: files, strings, shapes.
    return len(required) == 1 and "like" not in parameters


OVERRIDABLE = sorted(
    get_overridable_numpy_array_functions(), key=lambda f: (f.__module__, f.__qualname__)
)


@pytest.mark.parametrize(
    "function", list(filter(callable_with_one_array, OVERRIDABLE)), ids=lambda f: f.__qualname__
)
def test_every_overridable_function_answers_with_the_zero_or_an_error(function):
    try:
        result = function(ZERO)
    except TypeError:  # ours, or NumPy's own where it wants a list of arrays
        return
    assert result is ZERO
