"""Products of vectors, matrices and stacks of them, on tensors and by NumPy, and shapes that do not
fit.
"""

import numpy as np
import pytest

from chainrules_torch.arrays import products
from stand_ins.tensor_calls import call, require_agreement

V, W = np.array([0.3, -1.7, 2.0]), np.array([1.5, 0.2, -0.6])
A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4) - 5
STACK = np.cos(np.arange(24.0)).reshape(2, 4, 3)
Z = V + 1j * W
CALLS = [
    *(
        call("dot", x, y)
        for x, y in (
            (V, W),
            (A, V),
            (V, B),
            (A, B),
            (STACK, B),
            (A, 2.0),
            (B.T, STACK.swapaxes(1, 2)),
            (A, A),
        )
    ),
    *(
        call("matmul", x, y)
        for x, y in (
            (V, W),
            (A, V),
            (V, B),
            (A, B),
            (STACK, B),
            (STACK, V),
            (A, A),
            (A.astype(int), A),
        )
    ),
    *(call("inner", x, y) for x, y in ((V, W), (A, V), (STACK, A), (V, 2.0), (A, B))),
    *(call("outer", x, y) for x, y in ((V, W), (A, B), (V, 2.0))),
    *(
        call(name, Z, W + 1j * V)
        for name in ("dot", "vdot", "vecdot", "inner", "outer", "kron", "matmul")
    ),
    call("vdot", A, A),
    call("vecdot", A, V),
    call("vecdot", STACK, STACK, axis=0),
    call("vecdot", A.T, V, axis=0),
    call("matvec", STACK, V),
    call("vecmat", Z, B),
    *(
        call("tensordot", STACK, x, axes=axes)
        for x, axes in ((B, 1), (STACK, ([0, 2], [0, 2])), (STACK, ([1], [1])), (V, (2, 0)), (V, 0))
    ),
    *(
        call("einsum", *args)
        for args in (
            ("ij,jk->ik", A, B),
            ("ii", A[:, :2]),
            ("i,j", V, W),
            ("aij,jk", STACK, B),
            ("ij->ji", A),
        )
    ),
    *(call("kron", x, y) for x, y in ((V, W), (A, B), (V, A))),
    *(call("cross", V, x) for x in (W, np.stack([V, W]))),
    call("cross", np.stack([V, W], 1), np.stack([W, V], 1), axis=0),
    call("cross", np.stack([V, W], 1), np.stack([W, V]), axisa=0, axisc=0),
    *(
        call("convolve", x, y, mode)
        for x, y in ((V, B[0]), (B[0], V))
        for mode in ("full", "same", "valid")
    ),
    *(
        call("correlate", x, y, mode)
        for x, y in ((Z, B[0]), (B[0], Z))
        for mode in ("full", "same", "valid")
    ),
    call("convolve", V, V[:0]),
    call("linalg.cross", V, W),
    call("linalg.outer", V, W),
    call("linalg.tensordot", A, B, axes=1),
    call("linalg.vecdot", Z, Z),
    call("linalg.matmul", A, B),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "complex64"])
@pytest.mark.parametrize("name", ["dot", "matmul", "inner", "outer", "vdot", "kron", "convolve"])
def test_dtypes_are_numpys(name, dtype):
    require_agreement(call(name, V, W).of_dtype(dtype))


def test_every_function_is_here():
    names = {*products.FUNCTIONS, *(f"linalg.{name}" for name in products.LINALG)}
    assert names <= {made.name for made in CALLS}
