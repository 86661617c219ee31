"""Functions that move entries, on arrays of the standard and by NumPy."""

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError
from stand_ins.standard_calls import namespace, require_numpys, standard

X = np.arange(24.0).reshape(2, 3, 4) - 7
CALLS = {
    "atleast_1d": lambda xp, x: xp.atleast_1d(x[0, 0, 0]),
    "atleast_2d, several": lambda xp, x: xp.atleast_2d(x[0, 0], x),
    "atleast_3d": lambda xp, x: xp.atleast_3d(x[0]),
    "diag, made": lambda xp, x: xp.diag(x[0, 0], 1),
    "diag, read": lambda xp, x: xp.diag(x[0], -1),
    "diagflat": lambda xp, x: xp.diagflat(x[0]),
    "diagonal": lambda xp, x: xp.diagonal(x, 1, 2, 0),
    "split": lambda xp, x: xp.split(x, 2, axis=2),
    "array_split": lambda xp, x: xp.array_split(x, 3, axis=2),
    "unstack": lambda xp, x: xp.unstack(x, axis=1),
    "flipud": lambda xp, x: xp.flipud(x),
    "rot90": lambda xp, x: xp.rot90(x, 1, (0, 2)),
    "delete": lambda xp, x: xp.delete(x, [0, 2], axis=1),
    "tile": lambda xp, x: xp.tile(x, (2, 1, 3)),
    "resize": lambda xp, x: xp.resize(x, (5, 6)),
    "pad": lambda xp, x: xp.pad(x, ((1, 2), (0, 1), (3, 0))),
    "pad, with constants": lambda xp, x: xp.pad(x[0], 1, constant_values=(2.5, -1.0)),
    "pad, with the edge": lambda xp, x: xp.pad(x, 2, mode="edge"),
    "pad, reflected": lambda xp, x: xp.pad(x[0], 1, mode="reflect"),
    "pad, around": lambda xp, x: xp.pad(x[0], 5, mode="wrap"),
    "moved nowhere": lambda xp, x: xp.tile(x[:0], 2),
    "of integers": lambda xp, x: xp.tile(xp.astype(x, np.int64), 2),
}


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_it_is_numpys(function):
    require_numpys(function, X)


@pytest.mark.parametrize("options", [{"mode": "mean"}, {"mode": "reflect", "reflect_type": "odd"}])
def test_padding_that_computes_is_refused(options):
    with pytest.raises(ArrayApiError, match=r"numpy\.pad"):
        namespace.pad(standard(X), 1, **options)


def test_numpys_arrays_are_numpys():
    assert isinstance(namespace.tile(X, 2), np.ndarray)
    assert isinstance(namespace.pad(X, 2), np.ndarray)
