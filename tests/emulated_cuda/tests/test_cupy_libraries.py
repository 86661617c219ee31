"""What CuPy calls of cuBLAS and cuSOLVER beside `cupy.linalg`, on a device, emulated or not,
against NumPy and SciPy.
"""

from importlib import import_module
from itertools import product

import numpy as np
import pytest

from emulated_cuda.c_calls import DTYPES, TOLERANCES, close, random_array

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
scipy_linalg = pytest.importorskip("scipy.linalg")
OPS = {"N": np.asarray, "T": np.transpose, "H": lambda a: a.conj().T}
KINDS = {"dotu": "c", "dotc": "c", "dot": "f"}
BLAS, LU = "cupy.cublas", "cupyx.scipy.linalg"


# Modules are imported when a test runs: without the libraries of the toolkit they cannot be.


def of_each(function):
    """SciPy's function of a matrix, of a stack of them, which older versions do not take."""
    return np.vectorize(function, excluded={2, 3, 4}, signature="(n,n),(n,m)->(n,m)")


# What each routine gives, in NumPy; those without a return value write into the last argument
PLAIN = {
    "nrm2": np.linalg.norm,
    **dict.fromkeys(("dot", "dotu"), np.dot),
    "dotc": np.vdot,
    "gemv": lambda op, alpha, a, x, beta, y: alpha * OPS[op](a) @ x + beta * y,
    "gemm": lambda op, to, a, b, c, alpha, beta: alpha * OPS[op](a) @ OPS[to](b) + beta * c,
    "geam": lambda op, to, alpha, beta, a, b: alpha * OPS[op](a) + beta * OPS[to](b),
    "lu_solve": lambda a, b, trans: np.linalg.solve(OPS["NTH"[trans]](a), b),
    "solve_triangular": of_each(scipy_linalg.solve_triangular),
}
CALLS = {
    "geam": lambda op, to, alpha, beta, a, b: import_module(BLAS).geam(op, to, alpha, a, beta, b),
    "lu_solve": lambda a, *b: import_module(LU).lu_solve(import_module(LU).lu_factor(a), *b),
    "solve_triangular": lambda *args: import_module(LU).solve_triangular(*args),
}
TRIANGLES = [*product((0, 1, 2), (True, False), (True, False))]


def stored(op, rows, columns):
    """The shape of what becomes a matrix of so many rows and columns."""
    return (rows, columns) if op == "N" else (columns, rows)


# the name of a routine and its arguments, of arrays the shapes
ROWS = [
    ("nrm2", (9,)),
    *((name, (7,), (7,)) for name in ("dot", "dotu", "dotc")),
    *(("gemv", op, 2.0, stored(op, 4, 3), (3,), 3.0, (4,)) for op in OPS),
    *(
        ("gemm", op, to, stored(op, 4, 5), stored(to, 5, 3), (4, 3), 2.0, 3.0)
        for op, to in product(OPS, OPS)
    ),
    *(
        ("geam", op, to, alpha, beta, stored(op, 4, 3), stored(to, 4, 3))
        for op, to in product(OPS, OPS)
        for alpha, beta in ((2.0, 3.0), (1.0, 0.0))
    ),
    *(("lu_solve", (4, 4), (4, 2), trans) for trans in range(3)),
    *(("solve_triangular", (4, 4), (4, 2), *how) for how in TRIANGLES),
    *(("solve_triangular", (2, 4, 4), (2, 4, 2), *how) for how in TRIANGLES),
]


def made(dtype, seed, argument):
    """The argument of a row; what is square can be inverted."""
    if not isinstance(argument, tuple):
        return argument
    numbers = random_array(dtype, *argument, seed=seed)
    return numbers + 3 * np.eye(4, dtype=dtype) if argument[-2:] == (4, 4) else numbers


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_routines(row, dtype):
    name, *shapes = row
    if np.dtype(dtype).kind not in KINDS.get(name, "fc"):
        pytest.skip("for numbers of the other kind")
    args = [made(dtype, seed, each) for seed, each in enumerate(shapes)]
    given = [cupy.asarray(x, order="F") if isinstance(x, np.ndarray) else x for x in args]
    found = (CALLS.get(name) or getattr(import_module(BLAS), name))(*given)
    found = (given[-1] if found is None else found).get()
    digits = TOLERANCES[dtype]
    np.testing.assert_allclose(found, PLAIN[name](*args), rtol=digits, atol=digits)


def test_the_norm_does_not_overflow():
    x = np.full(4, np.sqrt(np.finfo("d").max))
    assert import_module(BLAS).nrm2(cupy.asarray(x)).get() == pytest.approx(2 * x[0])


def test_what_is_multiplied_by_zero_is_not_looked_at():
    a, nothing = cupy.eye(3), cupy.full((3, 3), np.nan, order="F")
    close(import_module(BLAS).gemm("N", "N", a, a, nothing, 1.0, 0.0).get(), np.eye(3))


def test_a_handle_keeps_its_mode():
    cublas, handle = (
        import_module("cupy_backends.cuda.libs.cublas"),
        cupy.cuda.device.get_cublas_handle(),
    )
    before = cublas.getPointerMode(handle)
    cublas.setPointerMode(handle, 1 - before)
    assert cublas.getPointerMode(handle) == 1 - before
    cublas.setPointerMode(handle, before)
