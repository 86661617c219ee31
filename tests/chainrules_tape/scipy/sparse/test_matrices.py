"""What programs read of a sparse matrix of traced entries is what SciPy's has: order and number of
entries, shapes of sums, rows and blocks, for every format, and where positions come twice.
"""

from importlib import import_module

import numpy as np
import pytest
from scipy import sparse

from chainrules_tape import seen_through, value_and_grad, vjp
from chainrules_tape.refusals.errors import LostGradientError
from slopes import quotients

ours = import_module("chainrules_tape.scipy.sparse")

ROWS, COLUMNS = [2, 0, 1, 2, 0], [1, 2, 0, 0, 2]  # in no order, and one position twice
ALONG, STARTS = [2, 0, 0, 0, 1], [0, 2, 4, 5]  # by lines: in no order, and one position twice
ENTRIES = np.array([0.3, 0.7, 1.1, 0.4, 0.9])
W, V = np.arange(1.0, 11.0), np.arange(1.0, 4.0)
DENSE = W[:9].reshape(3, 3)


def weighted(values):
    return np.sum(values * W[: values.size])


def penalised(d):
    d[np.array([0])] = 1e3
    return np.sum(d * V)


def written(matrix):
    copy = matrix.copy()
    copy.data[1] = 5.0 * copy.data[0]
    copy *= 2.0
    return np.sum(copy @ V) * np.sum(matrix @ V)


def by_rows(matrix):
    a = matrix.tocsr()
    parts = [slice(*a.indptr[k : k + 2]) for k in range(3)]
    return sum(np.sum(a.data[part] * V[a.indices[part]]) * V[k] for k, part in enumerate(parts))


def cleaned(matrix):
    copy = matrix.copy()
    copy.sum_duplicates()
    copy.eliminate_zeros()
    return weighted(copy.tocsr().data)


def with_diagonals(matrix):
    copy = matrix.copy()
    copy.setdiag(copy.data[:2] ** 2, 1)
    copy.setdiag(3.0)
    return np.sum(copy @ V) * matrix.sum()


def found(matrix):
    rows, columns, values = sparse.find(matrix)
    return np.sum(values * (rows + 2) * V[columns])


READ = {
    "cleaned": cleaned,
    "by ufuncs": lambda a: np.sum((np.conj(a) + np.abs(a) * 2.0 - np.sqrt(a)) @ V),
    "data": lambda a: weighted(a.tocsr().data) * weighted(a.tocsc().data),
    "own data": lambda a: weighted(a.data),
    "data of the transposed": lambda a: weighted(a.T.tocsr().data) * weighted(a.T.tocsc().data),
    "data beside": lambda a: weighted(sparse.hstack([a, a]).tocsr().data),
    "number of entries": lambda a: a.tocsr().nnz * a.sum() + a.count_nonzero() * a.mean(),
    "rows": by_rows,
    "positions": lambda a: np.sum(a.tocoo().data * a.tocoo().row * (1 + a.tocoo().col)),
    "writes": written,
    "sums of rows": lambda a: np.sum(a.sum(axis=1) + np.arange(3.0)),
    "scaled rows": lambda a: np.sum(a.multiply(1.0 / (1.0 + a.sum(axis=1))) @ V),
    "sums": lambda a: np.sum(a.sum(axis=0) @ V) + np.sum(a.mean(axis=-1)),
    "a sum of several": lambda a: np.sum(sum([a, a]) * V),
    "an entry": lambda a: a[0, 2] ** 2 * a[-1, -3] + a[1, 1],
    "some rows": lambda a: np.sum(a[[2, 0]] @ V) + np.sum(a[np.array([True, False, True])] @ V),
    "a slice": lambda a: np.sum(a[:2] @ V) * np.sum(a[1:, :2] @ V[:2]) + np.sum((a[::-1] @ V)[0]),
    "data of a slice": lambda a: weighted(a[::-1].data) * weighted(a[:, [2, 0, 0]].tocsc().data),
    "a column": lambda a: np.sum(a[:, [2]].T @ V),
    "a block": lambda a: np.sum(a[np.ix_([0, 2], [1, 2])] @ V[:2]),
    "a row": lambda a: np.sum(a.getrow(0) @ V) * np.sum(a.getcol(2).T @ V),
    "line by line": lambda a: sum(np.sum(row @ V) * (k + 1) for k, row in enumerate(a)),
    "a diagonal": lambda a: a.trace(1) + np.sum(a.diagonal(-1) * V[:2]),
    "a diagonal that is written to": lambda a: penalised(a.diagonal()),
    "entry by entry": lambda a: np.sum(a.multiply(a) @ V) + np.sum(a.multiply(a > 0.5) @ V),
    "by constants": lambda a: np.sum(a.multiply(sparse.csc_array(DENSE)) @ V),
    "powers": lambda a: np.sum(a.power(3) @ V) + np.sum(abs(a) @ V) + np.sum((a**2) @ V),
    "of each entry": lambda a: np.sum(a.sqrt() @ V) + np.sum(a.sin() @ V),
    "products": lambda a: np.sum((a @ a) @ V) + np.sum((a * a) @ V) + np.sum((2.0 * a / 3.0) @ V),
    "reshaped": lambda a: np.sum(a.reshape(1, 9) @ W[:9]) + np.sum(a.reshape((9, 1)).T @ W[:9]),
    "beside arrays": lambda a: np.sum(
        (sparse.csr_array(DENSE) * a + a * sparse.csr_array(DENSE) + sparse.csr_array(DENSE)) @ V
    ),
    "beside matrices": lambda a: np.sum(
        (sparse.csc_matrix(DENSE) * a - a * sparse.csc_matrix(DENSE) - sparse.csc_matrix(DENSE)) @ V
    ),
    "dense beside": lambda a: np.sum((DENSE * a) * W[:3]),
    "with diagonals": with_diagonals,
    "found": found,
    "real": lambda a: np.sum(a.real @ V) + np.sum(a.astype(float) @ V),
}
KINDS = [
    *(f"{name}_{kind}" for name in ("csr", "csc", "coo") for kind in ("array", "matrix")),
    "bsr_array",
    *("csr_array by lines", "csc_matrix by lines"),
]
# rows of one axis, and entries of blocks
REFUSED = {("line by line", "array"), ("own data", "array"), ("writes", "array")}


def made(module, kind, v):
    name, _, form = kind.partition(" ")
    positions = (ALONG, STARTS) if form else ((ROWS, COLUMNS),)
    return getattr(module, name)((v, *positions), shape=(3, 3))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READ)
def test_what_is_read(name, kind):
    def plain(v):
        return float(np.sum(READ[name](made(sparse, kind, v.copy()))))

    def seen(v):
        return np.sum(READ[name](made(sparse, kind, v)))

    try:
        expected = plain(ENTRIES)
    except (TypeError, AttributeError, NotImplementedError):  # of some classes SciPy has it not
        return
    try:
        with seen_through(__name__):
            value, gradient = value_and_grad(seen)(ENTRIES)
    except LostGradientError:
        assert (name, kind.split("_")[1][:5]) in REFUSED
        return
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, quotients(plain, ENTRIES, 1e-5), rtol=1e-6, atol=1e-7)
    assert ENTRIES.tolist() == [0.3, 0.7, 1.1, 0.4, 0.9]


def with_zeros_left(a):
    a = 0.0 * a.tocsr()
    a.eliminate_zeros()
    return a


@pytest.mark.parametrize(
    ("read", "instead"),
    [
        (lambda a: a.tolil(), "data, "),
        (lambda a: a.resize(2, 2), "data, "),
        (lambda a: a.max(), "toarray"),
        (lambda a: a[0], r"\[\[i\]\]"),
        (lambda a: made(ours, "csr_matrix", a.data).todense(), "toarray"),
        (lambda a: made(ours, "bsr_array", a.entries).data, "tocsr"),
        (lambda a: a.tobsr().indices, "tocsr"),
        (lambda a: (a - a).data, "toarray"),
        (lambda a: (a.tocsr() - a.tocsr()).reshape((1, 9)).data, "toarray"),
        (lambda a: with_zeros_left(a).indices, "toarray"),
        (lambda a: made(ours, "csr_array by lines", a.data).tobsr().tocsr().data, "sum_dup"),
    ],
)
def test_what_is_not_there_says_what_to_write(read, instead):
    with pytest.raises(LostGradientError, match=instead):
        value_and_grad(lambda v: read(made(ours, "coo_array", v)))(ENTRIES)


def test_entries_of_diagonals_are_counted_with_their_zeros():
    counts = []

    def total(v):
        matrix = ours.coo_array((v, ([0, 1], [1, 0])), shape=(3, 3)).todia()
        counts.append(matrix.nnz)
        return matrix.sum()

    vjp(total, np.ones(2))
    assert counts == [sparse.coo_array((np.ones(2), ([0, 1], [1, 0])), shape=(3, 3)).todia().nnz]
