"""Products, linear algebra and transforms on arrays of the standard and by NumPy, and extensions
that a library lacks.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError, products
from stand_ins.standard_calls import namespace, require_numpys, standard

A = np.array([[2.0, 0.5, -1.0], [0.3, 1.5, 0.7], [0.1, -0.4, 3.0]])
V = np.array([1.0, -2.0, 0.5])
STACK = np.stack([A, A.T])
CALLS = {
    "matmul": lambda xp, a, v: xp.matmul(a, v),
    "matmul, of two dtypes": lambda xp, a, v: xp.matmul(a, np.arange(9).reshape(3, 3)),
    "dot": lambda xp, a, v: xp.dot(a, v),
    "dot, by a number": lambda xp, a, v: xp.dot(a, 2.0),
    "dot, of stacks": lambda xp, a, v: xp.dot(a, STACK),
    "tensordot": lambda xp, a, v: xp.tensordot(a, a, axes=((0, 1), (1, 0))),
    "tensordot, outer": lambda xp, a, v: xp.tensordot(a, v, axes=0),
    "inner": lambda xp, a, v: xp.inner(a, v),
    "inner, by a number": lambda xp, a, v: xp.inner(a, 2.0),
    "outer": lambda xp, a, v: xp.outer(a, v),
    "vecdot": lambda xp, a, v: xp.vecdot(a * 1j, v),
    "vecdot, an axis from the front": lambda xp, a, v: xp.vecdot(a * 1j, v, axis=0),
    "vdot": lambda xp, a, v: xp.vdot(v * 1j, v + 1j),
    "matvec": lambda xp, a, v: xp.matvec(a, v),
    "vecmat": lambda xp, a, v: xp.vecmat(v * 1j, a),
    "diagonal": lambda xp, a, v: xp.diagonal(a, 1),
    "trace": lambda xp, a, v: xp.trace(a, offset=-1),
    "diagonals of a stack": lambda xp, a, v: xp.diagonal(xp.stack([a, a + 1]), 0, 1, 2),
    "traces of a stack": lambda xp, a, v: xp.trace(xp.stack([a, a + 1, a * 2])),
    "traces over other axes": lambda xp, a, v: xp.trace(xp.stack([a, a + 1]), 0, 1, 2),
    "norm": lambda xp, a, v: xp.linalg.norm(a),
    "norm, along an axis": lambda xp, a, v: xp.linalg.norm(a * 1j, axis=1, keepdims=True),
    "norm of small integers": lambda xp, a, v: xp.linalg.norm(xp.astype(100 * v, np.int8)),
    **{
        f"norm {ord} of a matrix": lambda xp, a, v, ord=ord: xp.linalg.norm(a, ord)
        for ord in ("nuc", "fro", 1, -2, np.inf)
    },
    "norm of a matrix, with axes": lambda xp, a, v: xp.linalg.norm(
        v * a[:, :, None], 1, axis=(2, 0), keepdims=True
    ),
    "norm of vectors, by the largest": lambda xp, a, v: xp.linalg.norm(a, np.inf, axis=0),
    **{
        f"condition number {p}": lambda xp, a, v, p=p: xp.linalg.cond(a, p)
        for p in (None, -2, 1, "fro")
    },
    **{
        f"least squares, {name}": lambda xp, a, v, name=name: xp.linalg.lstsq(a[:, :2], v)[name]
        for name in (0, 1, 3)
    },
    "least squares of several": lambda xp, a, v: xp.linalg.lstsq(a * 1j, a, 0.3)[0],
    "norm of a vector": lambda xp, a, v: xp.linalg.norm(v, 2),
    "solve": lambda xp, a, v: xp.linalg.solve(a, v),
    "inv": lambda xp, a, v: xp.linalg.inv(a),
    "inverse of integers": lambda xp, a, v: xp.linalg.inv(
        np.array([[2, 1], [1, 1]]) + xp.astype(a[:2, :2] * 0, np.int64)
    ),
    "det": lambda xp, a, v: xp.linalg.det(a),
    "slogdet": lambda xp, a, v: xp.linalg.slogdet(a),
    "cholesky": lambda xp, a, v: xp.linalg.cholesky(a @ a.T),
    "eigh": lambda xp, a, v: xp.abs(xp.linalg.eigh(a @ a.T).eigenvectors),
    "svd": lambda xp, a, v: xp.linalg.svd(a, full_matrices=False)[1],
    "qr": lambda xp, a, v: xp.linalg.qr(a).R,
    "qr, the triangular factor": lambda xp, a, v: xp.linalg.qr(a, mode="r"),
    "qr, complete": lambda xp, a, v: xp.linalg.qr(a[:, :2], mode="complete").R,
    "pinv": lambda xp, a, v: xp.linalg.pinv(a),
    "matrix_power": lambda xp, a, v: xp.linalg.matrix_power(a, 3),
    "cross": lambda xp, a, v: xp.linalg.cross(a, a[::-1] + 1.0),
    "vector_norm": lambda xp, a, v: xp.linalg.vector_norm(a, axis=1),
    "fft": lambda xp, a, v: xp.fft.fft(a * 1j, axis=0),
    "rfft": lambda xp, a, v: xp.fft.rfft(a),
    "irfft": lambda xp, a, v: xp.fft.irfft(a * 1j, n=4),
    "fftshift": lambda xp, a, v: xp.fft.fftshift(v),
}


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS)
def test_it_is_numpys(function):
    require_numpys(function, A, V)


def test_every_product_is_here():
    assert set(products.FUNCTIONS) <= {name.partition(",")[0] for name in CALLS}


def test_an_extension_that_a_library_lacks_is_refused_by_name(monkeypatch):
    bare = SimpleNamespace(__name__="bare")
    monkeypatch.setattr(products, "namespace_of", lambda values: bare)
    with pytest.raises(
        ArrayApiError, match=r"numpy\.linalg\.inv .*bare does not have the extension linalg"
    ):
        namespace.linalg.inv(standard(A))


def test_on_arrays_of_numpy_they_are_numpys():
    assert namespace.linalg.norm(A, "nuc") == np.linalg.norm(A, "nuc")
    np.testing.assert_array_equal(namespace.matmul(A, V), A @ V)
    np.testing.assert_array_equal(namespace.diagonal(A), np.diagonal(A))
    np.testing.assert_array_equal(namespace.linalg.inv(A), np.linalg.inv(A))
