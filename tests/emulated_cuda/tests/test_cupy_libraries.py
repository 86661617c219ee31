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
KINDS = {"dotu": "c", "dotc": "c", "geru": "c", "gerc": "c", "dot": "f", "ger": "f"}
BLAS, SVD, LU = "cupy.cublas", "cupyx.cusolver", "cupyx.scipy.linalg"


# Modules are imported when a test runs: without the libraries of the toolkit they cannot be.


def sizes(x):
    return abs(x.real) + abs(x.imag)


def positive(a):
    return a @ a.conj().swapaxes(-1, -2)


def syrk(op, a, c, alpha, beta, lower):
    inside = np.tri(len(c)) if lower else np.tri(len(c)).T
    return np.where(inside, alpha * OPS[op](a) @ OPS[op](a).T + beta * c, c)


def of_each(function):
    """SciPy's function of a matrix, of a stack of them, which older versions do not take."""
    return np.vectorize(function, excluded={2, 3, 4}, signature="(n,n),(n,m)->(n,m)")


def again(parts):
    """The matrix of which these are the singular values and vectors."""
    u, s, v = parts
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :]) @ v[..., :k].conj().swapaxes(-1, -2)


def of_eigenvectors(parts):
    w, v = parts
    return (v * w[..., None, :]) @ v.conj().swapaxes(-1, -2)


# What each routine gives, in NumPy; those without a return value write into the last argument
PLAIN = {
    "iamax": lambda x: 1 + sizes(x).argmax(),
    "iamin": lambda x: 1 + sizes(x).argmin(),
    "asum": lambda x: sizes(x).sum(),
    "nrm2": np.linalg.norm,
    "axpy": lambda a, x, y: a * x + y,
    "scal": lambda a, x: a * x,
    **dict.fromkeys(("dot", "dotu"), np.dot),
    "dotc": np.vdot,
    **dict.fromkeys(("ger", "geru"), lambda alpha, x, y, a: a + alpha * np.outer(x, y)),
    "gerc": lambda alpha, x, y, a: a + alpha * np.outer(x, y.conj()),
    "gemv": lambda op, alpha, a, x, beta, y: alpha * OPS[op](a) @ x + beta * y,
    "gemm": lambda op, to, a, b, c, alpha, beta: alpha * OPS[op](a) @ OPS[to](b) + beta * c,
    "geam": lambda op, to, alpha, a, beta, b: alpha * OPS[op](a) + beta * OPS[to](b),
    "dgmm": lambda side, a, x, c, step: a * (x[::step] if side == "R" else x[::step, None]),
    "syrk": syrk,
    "batched_gesv": np.linalg.solve,
    "gels": lambda a, b: np.linalg.lstsq(a, b)[0],
    "posv": lambda a, b: np.linalg.solve(positive(a), b),
    "lu_solve": lambda a, b, trans: np.linalg.solve(OPS["NTH"[trans]](a), b),
    "solve_triangular": of_each(scipy_linalg.solve_triangular),
    **dict.fromkeys(("gesvdj", "gesvda"), lambda a, *full: a),
    "syevj": lambda a, uplo: positive(a),
}
CALLS = {
    "gels": lambda a, b: import_module("cupyx.lapack").gels(a, b),
    "posv": lambda a, b: import_module("cupyx.lapack").posv(positive(a), b),
    "lu_solve": lambda a, *b: import_module(LU).lu_solve(import_module(LU).lu_factor(a), *b),
    "solve_triangular": lambda *args: import_module(LU).solve_triangular(*args),
    "gesvdj": lambda *args: again(import_module(SVD).gesvdj(*args)),
    "gesvda": lambda a: again(import_module(SVD).gesvda(a)),
    "syevj": lambda a, uplo: of_eigenvectors(import_module(SVD).syevj(positive(a), uplo)),
}
STEPS, TRIANGLES = (2, -2), [*product((0, 1, 2), (True, False), (True, False))]


def stored(op, rows, columns):
    """The shape of what becomes a matrix of so many rows and columns."""
    return (rows, columns) if op == "N" else (columns, rows)


# the name of a routine and its arguments, of arrays the shapes
ROWS = [
    *((name, (9,)) for name in ("iamax", "iamin", "asum", "nrm2")),
    *(("axpy", 2.0, (7,), (7,)), ("scal", 2.0, (7,))),
    *((name, (7,), (7,)) for name in ("dot", "dotu", "dotc")),
    *((name, 2.0, (4,), (3,), (4, 3)) for name in ("ger", "geru", "gerc")),
    *(("gemv", op, 2.0, stored(op, 4, 3), (3,), 3.0, (4,)) for op in OPS),
    *(
        row
        for op, to in product(OPS, OPS)
        for row in (
            ("gemm", op, to, stored(op, 4, 5), stored(to, 5, 3), (4, 3), 2.0, 3.0),
            ("geam", op, to, 2.0, stored(op, 4, 3), 3.0, stored(to, 4, 3)),
        )
    ),
    *(("dgmm", side, (4, 3), (7,), None, step) for side, step in (("L", 2), ("L", -2))),
    ("dgmm", "R", (4, 3), (3,), None, 1),
    *(("syrk", op, stored(op, 4, 3), (4, 4), 2.0, 3.0, low) for op in "NT" for low in (0, 1)),
    ("batched_gesv", (2, 4, 4), (2, 4, 3)),
    *(("gels", (4, 3), (4, 2)), ("gels", (3, 4), (3, 2))),
    *(("posv", (4, 8), (4, 3)), ("posv", (2, 4, 8), (2, 4, 1))),
    *(("lu_solve", (4, 4), (4, 2), trans) for trans in range(3)),
    *(("solve_triangular", (4, 4), (4, 2), *how) for how in TRIANGLES),
    *(("solve_triangular", (2, 4, 4), (2, 4, 2), *how) for how in TRIANGLES),
    *(("gesvdj", shape, full) for shape in ((5, 3), (3, 5)) for full in (True, False)),
    ("gesvda", (2, 5, 3)),
    *(("syevj", shape, uplo) for shape in ((4, 8), (2, 4, 8)) for uplo in "LU"),
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
    blas, a = import_module(BLAS), cupy.eye(3)
    nothing = cupy.full((3, 3), np.nan, order="F")
    close(blas.geam("N", "N", 2.0, a, 0.0, nothing).get(), 2 * np.eye(3))
    close(blas.gemm("N", "N", a, a, nothing, 1.0, 0.0).get(), np.eye(3))


def test_a_handle_keeps_its_mode():
    cublas, handle = (
        import_module("cupy_backends.cuda.libs.cublas"),
        cupy.cuda.device.get_cublas_handle(),
    )
    before = cublas.getPointerMode(handle)
    cublas.setPointerMode(handle, 1 - before)
    assert cublas.getPointerMode(handle) == 1 - before
    cublas.setPointerMode(handle, before)
