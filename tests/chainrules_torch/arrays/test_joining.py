"""Arrays joined, split, repeated and padded, on tensors and by NumPy, and what does not fit
together.
"""

import numpy as np
import pytest

from chainrules_torch.arrays import joining
from stand_ins.tensor_calls import both, call, require_agreement

X = np.arange(6.0).reshape(2, 3)
V = np.array([1.0, -2.0, 0.5])
SINGLE = X.astype("float32")
JOINS = ("concatenate", "concat", "stack", "hstack", "vstack", "dstack", "column_stack")
CALLS = [
    *(call(name, [X, X]) for name in JOINS),
    *(call(name, (V, V)) for name in JOINS),
    *(call(name, [SINGLE, np.arange(6).reshape(2, 3)]) for name in JOINS),
    *(call(name, [X, V]) for name in JOINS),
    call("concatenate", [X, X], axis=1),
    call("concatenate", [X, V], axis=None),
    call("concatenate", [X, V[:0]]),
    call("concatenate", [X, X], dtype=np.float32),
    call("stack", [X, X], axis=-1, dtype=np.complex128),
    call("hstack", [X, X], dtype=np.float32),
    call("append", X, V),
    call("append", X, X, axis=0),
    *(
        call("split", X, sections, axis)
        for sections, axis in ((3, 1), ([1], 1), ([1, 2], -1), (2, 0), (2, 1))
    ),
    *(call("array_split", V, sections) for sections in (2, [1], [0, 2], 4)),
    call("hsplit", X, 3),
    call("hsplit", V, 3),
    call("vsplit", X, 2),
    call("dsplit", X[None], [1]),
    call("unstack", X),
    call("unstack", X, axis=1),
    *(call("tile", X, reps) for reps in (2, (2, 1), (2, 1, 2))),
    *(
        call("repeat", X, repeats, **options)
        for repeats, options in ((2, {}), (2, {"axis": 1}), ([1, 0, 2], {"axis": 1}), ([2], {}))
    ),
    *(
        call("pad", X, 1, mode=mode)
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap")
    ),
    call("pad", X, ((1, 0), (0, 2)), constant_values=5.0),
    call("pad", X, -1),
    *(call("resize", X, shape) for shape in ((2, 2), (3, 4), 4)),
    call("resize", X[:0], (2, 2)),
    call("block", [[X, X], [X, X]]),
    call("block", [V, V]),
    call("block", X),
    call("block", [[X], [V[None]]]),
]
REFUSED = [  # by NumPy they are computed
    (call("pad", X, 1, mode="linear_ramp"), "linear_ramp"),
    (call("pad", X, {0: 1}), "pad with mode 'constant'"),
    (call("pad", X, {0: 1}, mode="edge"), "dict"),
    (call("pad", X, 1, constant_values=(1.0, 2.0)), "several constants"),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize(("made", "reason"), REFUSED, ids=str)
def test_it_is_refused(made, reason):
    assert reason in str(both(made)[0])


def test_every_function_is_here():
    assert set(joining.FUNCTIONS) <= {made.name for made in CALLS}
