"""Cotangents of sparse arrays keep the pattern of the value, in every format, or become dense where
that is asked for.
"""

import numpy as np
import pytest

from chainrules_py.projection import ProjectTo

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed (extra: scipy)")

FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
CLASSES = [getattr(sparse, f"{name}_{kind}") for name in FORMATS for kind in ("array", "matrix")]
DENSE = np.array([[1.0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]])
ROWS, COLUMNS = DENSE.nonzero()
rng = np.random.default_rng(0)


def x_of(cls):
    return cls(DENSE, blocksize=(1, 1)) if "bsr" in cls.__name__ else cls(DENSE)


def stored(cls):
    """The entries that a matrix of this class stores of DENSE, by the definition of its format."""
    if cls.__name__.startswith("dia"):
        offsets = {c - r for r, c in zip(ROWS, COLUMNS, strict=True)}
        return np.array([[c - r in offsets for c in range(4)] for r in range(3)])
    return DENSE != 0


COTANGENTS = {
    "dense": lambda t: t,
    "complex": lambda t: t + 1j,
    "single": lambda t: t.astype("float32"),
    "transposed": lambda t: np.ascontiguousarray(t.T).T,
    **{cls.__name__: cls for cls in CLASSES},
}


@pytest.mark.parametrize("cotangent", COTANGENTS)
@pytest.mark.parametrize("cls", CLASSES)
def test_keeps_the_pattern(cls, cotangent):
    x = x_of(cls)
    t = rng.integers(1, 9, DENSE.shape).astype(float)
    result = ProjectTo(x)(COTANGENTS[cotangent](t))
    assert (type(result), result.shape, result.dtype, result.format) == (
        type(x),
        x.shape,
        x.dtype,
        x.format,
    )
    np.testing.assert_array_equal(result.toarray(), np.where(stored(cls), t, 0))


def test_explicit_zeros_belong_to_the_pattern():
    x = sparse.csr_array((np.array([1.0, 0.0]), (np.array([0, 1]), np.array([0, 1]))), shape=(2, 2))
    result = ProjectTo(x)(np.full((2, 2), 5.0))
    assert result.nnz == 2
    np.testing.assert_array_equal(result.toarray(), [[5, 0], [0, 5]])
    assert ProjectTo(x)(np.zeros((2, 2))).nnz == 2


def test_blocks_stay_blocks():
    x = sparse.bsr_array(np.kron(np.eye(2), np.ones((2, 2))), blocksize=(2, 2))
    result = ProjectTo(x)(np.full((4, 4), 3.0))
    assert result.blocksize == (2, 2)
    np.testing.assert_array_equal(result.toarray(), 3 * np.kron(np.eye(2), np.ones((2, 2))))


@pytest.mark.parametrize("cls", CLASSES)
def test_or_goes_dense(cls):
    project = ProjectTo(cls(DENSE), "dense")
    t = rng.random(DENSE.shape)
    assert project(t) is t
    np.testing.assert_array_equal(project(cls(t)), t)
    assert type(project(cls(t))) is np.ndarray


@pytest.mark.parametrize("cls", CLASSES)
def test_a_dense_primal_takes_a_sparse_cotangent(cls):
    result = ProjectTo(np.zeros(DENSE.shape, "float32"))(cls(DENSE))
    assert (type(result), result.dtype) == (np.ndarray, np.dtype("float32"))
    np.testing.assert_array_equal(result, DENSE)


def test_keeps_its_own_pattern():
    x = sparse.csr_array(DENSE)
    project = ProjectTo(x)
    x.indices[:] = 0
    np.testing.assert_array_equal(project(np.ones(DENSE.shape)).toarray(), DENSE != 0)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_entries_that_are_stored_twice_and_in_no_order_are_one(kind):
    x = kind((np.ones(4), [2, 0, 1, 2], [0, 2, 3, 4]), shape=(3, 3))
    y = ProjectTo(x)(np.arange(9.0).reshape(3, 3))
    np.testing.assert_array_equal(
        y.toarray(), np.where(x.toarray() != 0, np.arange(9.0).reshape(3, 3), 0)
    )
    assert y.nnz == len(np.unique(x.toarray().nonzero(), axis=1).T)
