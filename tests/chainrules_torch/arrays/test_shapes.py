"""Other shapes of the same entries, on tensors and by NumPy, and the axes that neither knows."""

import numpy as np
import pytest

from chainrules_torch.arrays import shapes
from stand_ins.tensor_calls import call, require_agreement

X = np.arange(6.0).reshape(2, 3)
CUBE = np.arange(24.0).reshape(2, 3, 4)
CALLS = [
    *(call("reshape", X, shape) for shape in ((3, 2), 6, (-1, 2), (6, 1), (4, 2))),
    call("reshape", X, (3, 2), order="F"),
    *(
        call("ravel", x, **options)
        for x in (X, X[:0], X[0, 0:1])
        for options in ({}, {"order": "F"}, {"order": "K"})
    ),
    *(
        call(name, CUBE)
        for name in (
            "transpose",
            "permute_dims",
            "matrix_transpose",
            "copy",
            "ndim",
            "shape",
            "size",
        )
    ),
    *(call(name, CUBE, (2, 0, 1)) for name in ("transpose", "permute_dims")),
    call("swapaxes", CUBE, 0, -1),
    call("moveaxis", CUBE, 0, -1),
    call("moveaxis", CUBE, (0, 1), (-1, 0)),
    *(call("rollaxis", CUBE, axis, start) for axis, start in ((2, 0), (0, 3), (-1, -2))),
    *(call("expand_dims", X, axis) for axis in (0, -1, (0, 2), (0, 0))),
    *(
        call("squeeze", X[:, None, :1], **options)
        for options in ({}, {"axis": 1}, {"axis": (1, -1)}, {"axis": 0})
    ),
    call("broadcast_to", X[0], (4, 3)),
    call("broadcast_to", np.array(2.0), 3),
    call("broadcast_to", X, (2, 2)),
    call("broadcast_arrays", X, X[0], np.array(1.0)),
    *(call("flip", X, **options) for options in ({}, {"axis": 0}, {"axis": (0, -1)}, {"axis": 2})),
    call("fliplr", X),
    call("flipud", X),
    *(
        call("roll", X, shift, **options)
        for shift, options in (
            (2, {}),
            (1, {"axis": 1}),
            ((1, -1), {"axis": (0, 1)}),
            (7, {"axis": 0}),
        )
    ),
    *(call("rot90", X, k) for k in (1, 2, -1)),
    call("rot90", CUBE, axes=(1, 2)),
    *(
        call("meshgrid", X[0], X[1, :2], **options)
        for options in ({}, {"indexing": "ij"}, {"sparse": True})
    ),
    call("meshgrid", X[0], X[1], X[0, :1]),
    *(call(f"atleast_{n}d", x) for n in (1, 2, 3) for x in (np.array(1.0), X[0], X)),
    call("atleast_2d", X[0], np.array(1.0)),
    call("size", CUBE, 1),
    call("linalg.matrix_transpose", CUBE),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize("dtype", ["float16", "complex128", "bool"])
@pytest.mark.parametrize("made", CALLS[:20], ids=str)
def test_entries_of_other_dtypes_stay(made, dtype):
    require_agreement(made.of_dtype(dtype))


def test_every_function_is_here():
    assert set(shapes.FUNCTIONS) <= {made.name for made in CALLS}
