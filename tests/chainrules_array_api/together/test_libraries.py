"""Libraries of the array API standard: `array_api_strict`, which has nothing else, and PyData's
sparse arrays.
"""

import array_api_strict as strict
import numpy as np
import pytest

import chainrules_array_api
from chainrules_tape import grad, hvp, jvp, vmap

sparse = pytest.importorskip("sparse")

RNG = np.random.default_rng(0)
X, W, LABELS = RNG.normal(size=(8, 3)), RNG.normal(size=3), (RNG.random(8) > 0.5) * 1.0
A = np.where(X > 0, X, 0.0)


def close(got, wanted):
    assert isinstance(got, type(strict.asarray(0.0)))
    np.testing.assert_allclose(np.from_dlpack(got), wanted, rtol=1e-10, atol=1e-12)


def test_linear_algebra_by_the_extension():
    def solved(a):
        return np.sum(np.linalg.solve(a, W)) + np.sum(np.linalg.inv(a)) + np.linalg.slogdet(a)[1]

    close(grad(solved)(strict.asarray(X[:3])), grad(solved)(X[:3]))


def test_lanes_of_arrays_without_an_order_in_memory():
    padded = grad(lambda x: np.sum(np.pad(x * x, 1, "reflect")))
    close(vmap(padded)(strict.asarray(X)), vmap(padded)(X))


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (np.median, r"numpy\.partition|numpy\.median|numpy\.percentile"),
        (lambda w: np.sum(np.convolve(w, w)), r"numpy\.(convolve|correlate)"),
    ],
)
def test_what_the_standard_lacks_is_refused_by_name(function, named):
    with pytest.raises(chainrules_array_api.ArrayApiError, match=named):
        grad(function)(strict.asarray(W))


def dense(x):
    return x.todense() if hasattr(x, "todense") else np.asarray(x)


OF_PATTERNS = {
    "product with a vector": lambda a: np.sum((a @ W) ** 2),
    "entries": lambda a: np.sum(np.sin(a) * a),
    "entries that fill up": lambda a: np.sum(np.exp(a).sum(axis=0) ** 2),
    "sums": lambda a: np.sum(np.tanh(a.sum(axis=1)) ** 2) + np.mean(a * a),
    "product with a dense array": lambda a: np.sum((a * X) ** 2),
    "transpose": lambda a: np.sum((a.T @ LABELS) ** 3),
}


# each product of another format is compiled anew, and is not ours
IN_FORMATS = [(sparse.COO, name) for name in OF_PATTERNS] + [(sparse.GCXS, "entries")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kind", "name"), IN_FORMATS)
def test_gradients_of_sparse_arrays_have_their_pattern(kind, name):
    function, a = OF_PATTERNS[name], kind(sparse.COO.from_numpy(A))
    found = grad(function)(a)
    assert isinstance(found, sparse.SparseArray)
    assert found.nnz <= a.nnz
    np.testing.assert_allclose(found.todense(), grad(function)(A) * (A > 0), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("w", [W, np.array([0.5, 0.0, 2.0])], ids=["dense", "with a zero"])
def test_parameters_next_to_sparse_data(w):
    def loss(w, a):
        return np.sum(np.sin(a * w) * w) + np.sum((a @ w) ** 2)

    found, wanted = grad(loss)(w, sparse.COO.from_numpy(A)), grad(loss)(w, A)
    np.testing.assert_allclose(dense(found), wanted, rtol=1e-10, atol=1e-12)
    second = jvp(lambda w: grad(loss)(w, sparse.COO.from_numpy(A)), (w,), (W,))[1]
    np.testing.assert_allclose(
        dense(second), hvp(lambda w: loss(w, A), w, W), rtol=1e-10, atol=1e-12
    )
