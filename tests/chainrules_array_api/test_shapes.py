"""Shapes, joined and repeated arrays, and arrays of nothing, on arrays of the standard and by
NumPy.
"""

import numpy as np
import pytest

from chainrules_array_api import shapes
from chainrules_array_api.standard_array import on_host
from stand_ins.standard_calls import namespace, require_numpys, standard

X = np.arange(24.0).reshape(2, 3, 4) - 7
CALLS = {
    "reshape": lambda xp, x: xp.reshape(x, (4, -1)),
    "reshape, flat": lambda xp, x: xp.reshape(x, -1),
    "transpose": lambda xp, x: xp.transpose(x),
    "transpose, in an order": lambda xp, x: xp.transpose(x, (1, 0, 2)),
    "permute_dims": lambda xp, x: xp.permute_dims(x, (2, 0, 1)),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 1),
    "expand_dims, several": lambda xp, x: xp.expand_dims(x, (0, -1)),
    "squeeze": lambda xp, x: xp.squeeze(x[:1, :, :1]),
    "squeeze, one axis": lambda xp, x: xp.squeeze(x[:1, :, :1], axis=-1),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, -1),
    "swapaxes": lambda xp, x: xp.swapaxes(x, 0, -1),
    "flip": lambda xp, x: xp.flip(x, axis=(0, 2)),
    "flip, all": lambda xp, x: xp.flip(x),
    "roll": lambda xp, x: xp.roll(x, 2, axis=1),
    "repeat": lambda xp, x: xp.repeat(x, 2, axis=1),
    "repeat, all": lambda xp, x: xp.repeat(x[0, 0], [1, 0, 2, 1]),
    "take": lambda xp, x: xp.take(x, [2, 0, -1], axis=1),
    "take, of all": lambda xp, x: xp.take(x, [[0, 23], [-1, 5]]),
    "take, out of range": lambda xp, x: xp.take(x, [3], axis=1),
    "take, around": lambda xp, x: xp.take(x, [3, -4], axis=1, mode="wrap"),
    "take, at the end": lambda xp, x: xp.take(x, [9], axis=1, mode="clip"),
    "take, along no axis": lambda xp, x: xp.take(x, [0], axis=5),
    "expand_dims, out of range": lambda xp, x: xp.expand_dims(x, (0, 9)),
    "take_along_axis": lambda xp, x: xp.take_along_axis(x, np.array([[[0], [1], [3]]] * 2), axis=2),
    "searchsorted": lambda xp, x: xp.searchsorted(x[0, 0], np.array([-6.5, -5.0]), side="right"),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x[0, 0], (3, 4)),
    "tril": lambda xp, x: xp.tril(x, -1),
    "triu": lambda xp, x: xp.triu(x, k=1),
    "ravel": lambda xp, x: xp.ravel(x),
    "matrix_transpose": lambda xp, x: xp.matrix_transpose(x),
    "copy": lambda xp, x: xp.copy(x),
    "concatenate": lambda xp, x: xp.concatenate([x, np.ones((2, 3, 1))], axis=2),
    "concatenate, flat": lambda xp, x: xp.concatenate([x, x], axis=None),
    "concatenate, of a dtype": lambda xp, x: xp.concatenate([x, x], dtype=np.float32),
    "concat": lambda xp, x: xp.concat([x, x]),
    "stack of numbers": lambda xp, x: xp.stack([xp.astype(x, np.float32)[0, 0], 2.5]),
    "stack": lambda xp, x: xp.stack([x[0], x[1]], axis=1),
    "zeros_like": lambda xp, x: xp.zeros_like(x),
    "ones_like": lambda xp, x: xp.ones_like(x, dtype=np.float32, shape=(2,)),
    "full_like": lambda xp, x: xp.full_like(x, 3.0),
    "empty_like": lambda xp, x: xp.empty_like(x[:0]),
    "broadcast_arrays": lambda xp, x: xp.broadcast_arrays(x[0], x[0, 0]),
    "ndim": lambda xp, x: xp.ndim(x),
    "shape": lambda xp, x: xp.shape(x),
    "size": lambda xp, x: (xp.size(x), xp.size(x, 1)),
}


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_it_is_numpys(function):
    require_numpys(function, X)


def test_every_function_is_here():
    assert set(shapes.FUNCTIONS) <= {name.partition(",")[0] for name in CALLS}


def test_the_order_of_fortran():
    for shape in (-1, (2, -1), X.shape[::-1]):
        found = namespace.reshape(standard(X), shape, order="F")
        np.testing.assert_array_equal(on_host(found), X.reshape(shape, order="F"))


def test_on_arrays_of_numpy_they_are_numpys():
    np.testing.assert_array_equal(namespace.reshape(X, -1, order="F"), X.reshape(-1, order="F"))
    np.testing.assert_array_equal(
        namespace.concatenate([X, X], axis=1), np.concatenate([X, X], axis=1)
    )
    np.testing.assert_array_equal(namespace.full_like(X, 2.0), np.full_like(X, 2.0))
    assert (namespace.ndim(2.0), namespace.shape([1, 2]), namespace.size(X, 2)) == (0, (2,), 4)
