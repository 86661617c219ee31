"""Letters of products, against what the products depend on."""

import numpy as np
import pytest

from chainrules_sparse.patterns.contractions import letters_of_einsum, letters_of_outer
from chainrules_tape import sparsity

CALLS = {
    "matmul": (np.matmul, (3, 4), (4, 2)),
    "matmul, vectors": (np.matmul, (4,), (4,)),
    "matmul, matrix and vector": (np.matmul, (3, 4), (4,)),
    "matmul, vector and matrix": (np.matmul, (4,), (4, 2)),
    "matmul, stacks": (np.matmul, (5, 1, 3, 4), (2, 4, 2)),
    "dot": (np.dot, (2, 3, 4), (5, 4, 2)),
    "dot, number": (np.dot, (), (3,)),
    "dot, vectors": (np.dot, (4,), (4,)),
    "inner": (np.inner, (2, 4), (3, 4)),
    "vecdot, stacks": (np.vecdot, (2, 1, 4), (3, 4)),
    "vecdot, an axis from the front": (lambda a, b: np.vecdot(a, b, axis=0), (4, 4), (4,)),
    "outer": (np.outer, (3,), (2,)),
    "tensordot": (np.tensordot, (2, 3, 4), (3, 4, 2)),
    "einsum": (lambda a, b: np.einsum("ij,kj->ik", a, b), (2, 3), (4, 3)),
    "einsum, implicit": (lambda a, b: np.einsum("ij,jk", a, b), (2, 3), (3, 4)),
    "einsum, diagonal": (lambda a, b: np.einsum("ii,i->i", a, b), (3, 3), (3,)),
    "einsum, stacks": (lambda a, b: np.einsum("...i,...i->...", a, b), (2, 1, 3), (4, 3)),
}


def dependence(f, *args):
    """Which entries of the result change when one of the arguments does."""
    y = f(*args)
    columns = []
    for position, x in enumerate(args):
        for index in np.ndindex(x.shape):
            others = [np.array(arg) for arg in args]
            others[position][index] += 1.0
            columns.append(np.ravel(f(*others) != y))
    return np.array(columns).T


@pytest.mark.parametrize("name", CALLS)
def test_products(name):
    product, *shapes = CALLS[name]
    rng = np.random.default_rng(0)
    args = [rng.uniform(1, 2, shape) for shape in shapes]
    expected = dependence(product, *args)
    found = sparsity(product, *args, argnums=(0, 1))
    np.testing.assert_array_equal(found.pattern.toarray(), expected)
    assert found.dense_because == ()
    one = sparsity(product, *args, argnums=0)
    np.testing.assert_array_equal(one.pattern.toarray(), expected[:, : args[0].size])


def test_letters_that_nobody_wrote():
    assert letters_of_einsum([0, 1], np.ones(2)) is None
    assert letters_of_outer(np.ones((2, 2)), np.ones(2)) is None
