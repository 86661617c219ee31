"""Order, search, and entries at positions, on tensors and by NumPy."""

import numpy as np
import pytest

from chainrules_torch.arrays import ordering
from stand_ins.tensor_calls import both, call, require_agreement

X = np.array([[0.3, -1.7, 0.3], [2.5, np.nan, -0.4]])
V = np.array([-1.0, 0.5, 0.5, 2.0])
HITS = np.array([[1, 0, 2], [0, 1, 1]])
CALLS = [
    *(call(name, X, axis) for name in ("sort", "argsort") for axis in (-1, 0, None)),
    call("argsort", V[::-1], stable=True),
    *(call("take", V, indices) for indices in (1, [0, -1], HITS)),
    *(call("take", X, HITS, axis) for axis in (1, -1)),
    *(call("take", V, np.array([-7, 9]), mode=mode) for mode in ("clip", "wrap", "raise")),
    *(call("take", X, indices, axis) for indices, axis in ((HITS, 5), (V[1:2], 0), ([], 0))),
    call("take_along_axis", X, HITS, 3),
    call("bincount", np.array([0, -1, 1]), V[:3]),
    call("take_along_axis", X, HITS, 1),
    call("take_along_axis", X, -HITS[:1], 1),
    call("take_along_axis", X, HITS[0], None),
    *(
        call("searchsorted", V, values, side)
        for values in (X[0], 0.5)
        for side in ("left", "right")
    ),
    call("searchsorted", V[::-1], X[0], sorter=np.array([3, 2, 1, 0])),
    *(
        call("digitize", x, bins, right)
        for x in (X[0], V)  # V itself is on the edges
        for bins in (V, V[::-1])
        for right in (False, True)
    ),
    *(call(name, X > 0) for name in ("nonzero", "flatnonzero", "argwhere", "where")),
    call("where", X > 0, X, 0.0),
    *(call("compress", np.array([True, False]), X, axis) for axis in (0, None)),
    call("compress", np.array([True, False, True]), X, axis=1),
    call("extract", X > 0, X),
    call("choose", HITS, [X, 2 * X, 3 * X]),
    *(call("choose", HITS * 3 - 2, [X, 2 * X, 3 * X], mode=mode) for mode in ("wrap", "clip")),
    call("isin", X, V[:2]),
    call("isin", HITS, np.array([0, 2]), invert=True),
    *(
        call("bincount", HITS[0], **options)
        for options in ({}, {"minlength": 5}, {"weights": V[:3]})
    ),
    call("bincount", HITS),
    *(
        call("diff", X, **options)
        for options in ({}, {"n": 2}, {"n": 0}, {"axis": 0}, {"prepend": 0.0}, {"append": X})
    ),
    call("diff", V, prepend=V[:2], append=V[:1]),
    call("diff", V, 0, prepend=V[:2]),
    *(call("ediff1d", X, **options) for options in ({}, {"to_end": 9.0}, {"to_begin": V[:2]})),
    *(
        call("trapezoid", X[:1], **options)
        for options in ({}, {"dx": 0.5}, {"x": V[:3]}, {"axis": 0})
    ),
    call("polyval", V, X),
    call("polyval", V, 0.5),
    call("interp", np.linspace(-2, 3, 7), np.array([-1.0, 0.0, 2.0]), V[:3]),
    call(
        "interp",
        np.linspace(-2, 3, 7),
        np.array([-1.0, 0.0, 2.0]),
        V[:3] * 1j,
        left=9.0,
        right=-9.0,
    ),
    call("interp", np.linspace(-2, 3, 7), np.array([1.0]), np.array([5.0])),
    call("interp", V, V, V, period=2.0),
    *(
        call("delete", X, obj, axis)
        for obj, axis in ((1, 1), ([0, -1], 1), (slice(1, None), 0), (2, None))
    ),
]
REFUSED = [  # by NumPy they are computed
    (call("bincount", HITS[0, :0], weights=V[:0]), "bincount of nothing"),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64"])
@pytest.mark.parametrize("name", ["sort", "argsort", "diff", "nonzero", "ediff1d", "trapezoid"])
def test_dtypes_are_numpys(name, dtype):
    require_agreement(call(name, 4 * V).of_dtype(dtype))


@pytest.mark.parametrize(("made", "reason"), REFUSED, ids=str)
def test_it_is_refused(made, reason):
    assert reason in str(both(made)[0])


def test_every_function_is_here():
    assert set(ordering.FUNCTIONS) <= {made.name for made in CALLS}
