"""Sparse matrices of traced entries: their classes, order of entries and dtypes are SciPy's; their
derivatives are cells of `product.sampling`.
"""

import numpy as np
import pytest
from scipy import sparse as scipys
from scipy.sparse import linalg

from chainrules_tape import (
    LostGradientError,
    grad,
    jacobian,
    seen_through,
    vjp,
)
from chainrules_tape.scipy import sparse as ours
from product.sampling import AT, CONSTANT, ENTRIES, X
from slopes import quotients

ROWS, COLUMNS = AT


def test_positions_from_a_traced_table():
    """Branches of a network, of which a table has both ends and a value in each row."""
    table = np.stack([ROWS, COLUMNS, ENTRIES], axis=1)

    def product(module, table):
        places = table[:, 0], table[:, 1]
        return module.csr_matrix((table[:, 2], places), shape=(4, 4)) @ X

    expected = quotients(lambda v: product(scipys, np.stack([ROWS, COLUMNS, v], axis=1)), ENTRIES)
    for found in (lambda t: product(ours, t), seen_through(lambda t: product(scipys, t))):
        slopes = jacobian(found)(table)
        np.testing.assert_allclose(slopes[..., 2], expected, rtol=1e-7, atol=1e-8)
        assert not slopes[..., :2].any()


@pytest.mark.parametrize("product", [lambda a, k: a * k, lambda a, k: a.multiply(k)])
def test_constants_times_a_number_say_in_which_order_to_write_it(product):
    with pytest.raises(LostGradientError, match=r"write k \* a for a \* k and a\.multiply\(k\)"):
        grad(lambda k: product(scipys.csr_matrix(CONSTANT), k).sum())(2.0)
    assert grad(lambda k: (k * scipys.csr_matrix(CONSTANT)).sum())(2.0) == pytest.approx(
        CONSTANT.sum()
    )


def one(m, kind, v):
    return getattr(m, kind)((v, (ROWS, COLUMNS)), shape=(4, 4))


def diagonal_written(a):
    a = a.copy()
    a.setdiag([2.0, 3.0], 1)
    return a


# what is made of a matrix of some class, and in some format or dtype
PLACED = {
    "hstack": lambda m, a, **o: m.hstack([a, CONSTANT[:, :2], a], **o),
    "hstack of one class": lambda m, a, **o: m.hstack([a, a], **o),
    "vstack": lambda m, a, **o: m.vstack((a, np.eye(4), a), **o),
    "vstack of one class": lambda m, a, **o: m.vstack([a, a], **o),
    "bmat": lambda m, a, **o: m.bmat([[a, None], [None, 2 * a]], **o),
    "block_array": lambda m, a, **o: m.block_array([[None, a], [a, None]], **o),
    "block_diag, one matrix twice": lambda m, a, **o: m.block_diag([a, a, 3.0], **o),
    "tril": lambda m, a, **o: m.tril(a, 1, **o),
    "triu": lambda m, a, **o: m.triu(a, **o),
    "kron": lambda m, a, **o: m.kron(a, np.eye(2), **o),
    "kron with entries at one position": lambda m, a, **o: m.kron(a, a, **o),
    "diags": lambda m, a, **o: m.diags([a.data[:3], 2.0, a.data[:2]], [1, 0, -2], (4, 4), **o),
    **{
        name: lambda m, a, f=f, **o: f(a).asformat(o.get("format"))
        for name, f in {
            "product": lambda a: a @ a.T,
            "sum": lambda a: a + a.T,
            "product of entries": lambda a: (a + a.T).multiply(a),
            "product with an array": lambda a: a.multiply(np.arange(1.0, 5.0)),
            "blocks": lambda a: a.tobsr((2, 2)).tocsr(),
            "blocks of any size": lambda a: a.tocsc().tobsr().tocoo(),
            "diagonals": lambda a: a.todia().tocoo(),
            "diagonal": diagonal_written,
            "cut": lambda a: a.tocsr()[[2, 0]].tocsc()[:, [3, 1]],
        }.items()
    },
}
OPTIONS = {"as it is": {}, "by rows": {"format": "csr"}, "by columns": {"format": "csc"}}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array", "coo_matrix"])
@pytest.mark.parametrize("name", PLACED)
def test_class_and_order_of_entries_are_scipys(name, kind, options):
    make = lambda m, v: PLACED[name](m, one(m, kind, v), **OPTIONS[options])  # noqa: E731
    expected = make(scipys, ENTRIES)
    found = []

    def made(v):
        matrix = make(ours, v)
        found.append((matrix.made_by, matrix.coords if has_data else ()))
        return matrix.data if has_data else matrix.toarray().reshape(-1)

    has_data = expected.format in ("csr", "csc", "coo")
    value = vjp(made, ENTRIES)[0]
    np.testing.assert_allclose(
        value, expected.data if has_data else expected.toarray().reshape(-1), rtol=1e-12
    )
    cls, coords = found[0]
    assert cls is type(expected)
    if has_data:
        np.testing.assert_array_equal(coords, expected.tocoo().coords)


def test_products_with_older_classes_are_those_of_matrices():
    def squares(m, v):
        halves = one(m, "csc_matrix", v)
        return np.sum((m.bmat([[halves, None], [None, halves]]) * np.append(X, X)) ** 2)

    np.testing.assert_allclose(
        vjp(lambda v: squares(ours, v), ENTRIES)[0], squares(scipys, ENTRIES)
    )


DTYPES = {
    "hstack": lambda m, a: m.hstack([a, a], dtype=np.float32),
    "diags": lambda m, a: m.diags([a.data[:4]], [0], dtype=np.float32),
    "dense": lambda m, a: m.csr_array(a.toarray(), dtype=np.float32),
    "powers": lambda m, a: a.power(2, np.float32),
    "positions": lambda m, a: m.csr_array((a.data, (ROWS, COLUMNS)), dtype=np.float32),
}


@pytest.mark.parametrize("name", DTYPES)
def test_a_dtype_that_is_asked_for(name):
    made = lambda v: DTYPES[name](ours, one(ours, "coo_array", v)).toarray()  # noqa: E731
    value, pullback = vjp(made, ENTRIES)
    assert value.dtype == np.float32
    assert pullback(value)[0].dtype == np.float64


IN_SINGLE = {
    "sums of entries at one position": lambda a: a.data,
    "powers": lambda a: a.power(2).toarray(),
    "an entry": lambda a: a[0, 2],
    "sums of columns": lambda a: a.sum(0),
    "means of rows": lambda a: a.mean(1),
    "products": lambda a: (a @ a).toarray(),
}


@pytest.mark.parametrize("name", IN_SINGLE)
def test_single_precision_stays(name):
    entries, positions = ENTRIES[:3].astype(np.float32), ([0, 0, 1], [2, 2, 0])
    made = lambda v: ours.csr_array((v, positions), shape=(3, 3))  # noqa: E731
    assert vjp(lambda v: IN_SINGLE[name](made(v)), entries)[0].dtype == np.float32


def test_products_without_entries():
    nothing = scipys.csr_array((4, 4))
    found = grad(lambda v: np.sum((one(ours, "csr_array", v) @ nothing).toarray()) + v[0])(ENTRIES)
    np.testing.assert_array_equal(found, np.eye(8)[0])


def test_plain_entries_make_scipys_matrices():
    made = ours.csr_array(np.eye(3))
    assert type(made) is scipys.csr_array
    assert isinstance(made, ours.csr_array)
    assert not isinstance(made, ours.csc_array)
    assert ours.issparse(made)
    assert type(ours.diags_array(np.ones(3))) is scipys.dia_array


def stiffness(v):
    a = scipys.diags_array([v[:3], v[:2]], offsets=[0, 1]).tocsc()
    return np.sum(linalg.spsolve(a, np.ones(3))) + np.sum(
        scipys.csr_array((v[:2], ([0, 1], [1, 1]))) @ np.ones(2)
    )


def test_in_the_scope():
    with seen_through(__name__):
        found = grad(stiffness)(ENTRIES[:3])
    np.testing.assert_allclose(found, quotients(stiffness, ENTRIES[:3]), rtol=1e-6)
