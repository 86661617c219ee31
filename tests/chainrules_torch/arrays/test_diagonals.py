"""Diagonals and triangles of matrices, on tensors and by NumPy, above and below the main one."""

import numpy as np
import pytest

from chainrules_torch.arrays import diagonals
from stand_ins.tensor_calls import call, require_agreement

X = np.arange(6.0).reshape(2, 3)
CUBE = np.arange(24.0).reshape(2, 3, 4)
CALLS = [
    *(
        call(name, x, k)
        for name in ("diag", "diagflat", "tril", "triu")
        for x in (X, X[0])
        for k in (0, 1, -1)
    ),
    *(
        call(name, CUBE)
        for name in ("diagonal", "trace", "tril", "triu", "linalg.diagonal", "linalg.trace")
    ),
    *(call(name, CUBE, 1, 2, 0) for name in ("diagonal", "trace")),
    *(call(name, CUBE, offset=-1) for name in ("linalg.diagonal", "linalg.trace")),
    call("trace", X, dtype=np.float32),
    call("trace", X.astype(int)),
    call("diag", CUBE),
    call("trace", X[0]),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


def test_every_function_is_here():
    names = {*diagonals.FUNCTIONS, *(f"linalg.{name}" for name in diagonals.LINALG)}
    assert names <= {made.name for made in CALLS}
