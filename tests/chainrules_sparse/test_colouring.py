"""Colourings: what shares a colour is told apart, on matrices of many kinds."""

import numpy as np
import pytest
from scipy import sparse

from chainrules_sparse import colouring
from chainrules_sparse.colouring import (
    cheaper_colours,
    colours_of_columns,
    colours_of_symmetric,
    count_of,
    greedy_colours_of_columns,
    pattern_of,
    places_of_symmetric,
    rows_of_entries,
    seeds_of,
    star_colours,
    tell_apart,
)
from chainrules_tape import Sparsity


def banded(size, width):
    """A matrix with a diagonal and `width` others on either side."""
    offsets = range(-width, width + 1)
    ones = [np.ones(size - abs(offset)) for offset in offsets]
    return as_pattern(sparse.diags_array(ones, offsets=list(offsets)))


def arrow(size):
    """A matrix with a diagonal, a full row and a full column."""
    others = np.arange(1, size)
    zeros = np.zeros(size - 1, int)
    rows = np.concatenate([np.arange(size), others, zeros])
    columns = np.concatenate([np.arange(size), zeros, others])
    return as_pattern(pattern_of(rows, columns, (size, size)))


def grid(size, corners):
    """The matrix of a five-point stencil on a grid, or of a nine-point one with the corners."""
    line, eye = banded(size, 1).astype(float), sparse.eye_array(size)
    if corners:
        return as_pattern(sparse.kron(line, line))
    return as_pattern(sparse.kron(line, eye) + sparse.kron(eye, line))


def as_pattern(matrix):
    made = sparse.csr_array(matrix).astype(bool)
    made.sort_indices()
    return made


def random_symmetric(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))
    half = sparse.random_array((size, size), density=rng.uniform(0, 0.4), rng=rng)
    diagonal = sparse.diags_array((rng.random(size) < rng.random()).astype(float))
    return as_pattern(half + half.T + diagonal)


def require_columns_apart(pattern, colours):
    """No row has two columns of a colour."""
    keys = rows_of_entries(pattern) * (count_of(colours) + 1) + colours[pattern.indices]
    assert len(np.unique(keys)) == len(keys)


def require_found_again(pattern, colours):
    """A symmetric matrix with random entries is found again from its products with the seeds."""
    rng = np.random.default_rng(0)
    values = pattern.astype(float)
    values.data = rng.normal(size=values.nnz)
    values = sparse.csr_array(values + values.T)
    values.sort_indices()
    along = (values @ seeds_of(colours).T).T
    places = places_of_symmetric(as_pattern(values), colours)
    np.testing.assert_allclose(np.ravel(along)[places], values.data, rtol=1e-12)


MATRICES = {
    "chain": (banded(300, 1), 3, 3),
    "pentadiagonal": (banded(300, 2), 5, 5),
    "arrow": (arrow(300), 300, 2),
    "arrow, head last": (as_pattern(arrow(40)[::-1, ::-1]), 40, 2),
    "arrow on a band": (as_pattern(arrow(12)[::-1, ::-1] + banded(12, 1)), 12, 4),
    "grid": (grid(20, corners=False), 7, 6),
    "grid with corners": (grid(20, corners=True), 9, 12),
}


@pytest.mark.parametrize("name", MATRICES)
def test_numbers_of_colours(name):
    pattern, of_columns, of_stars = MATRICES[name]
    columns, stars = colours_of_columns(pattern), star_colours(pattern)
    require_columns_apart(pattern, columns)
    require_found_again(pattern, stars)
    assert count_of(columns) <= of_columns
    assert count_of(stars) <= of_stars
    best = colours_of_symmetric(pattern)
    require_found_again(pattern, best)
    assert count_of(best) == min(count_of(columns), count_of(stars))


@pytest.mark.parametrize("seed", range(100))
def test_random_matrices(seed):
    pattern = random_symmetric(seed)
    require_found_again(pattern, star_colours(pattern))
    require_found_again(pattern, colours_of_symmetric(pattern))
    require_columns_apart(pattern, colours_of_columns(pattern))
    require_columns_apart(pattern, greedy_colours_of_columns(pattern))


def test_hubs_have_colours_of_their_own():
    """Three full rows and columns in a large chain: six colours, where columns need them all."""
    size, hubs = 5000, [0, 2500, 4999]
    chain = banded(size, 1).tocoo()
    everywhere = np.arange(size)
    rows, columns = [chain.row], [chain.col]
    for hub in hubs:
        rows += [np.full(size, hub), everywhere]
        columns += [everywhere, np.full(size, hub)]
    pattern = as_pattern(pattern_of(np.concatenate(rows), np.concatenate(columns), (size, size)))
    colours = star_colours(pattern)
    assert count_of(colours) <= 6
    assert all(np.count_nonzero(colours == colours[hub]) == 1 for hub in hubs)
    require_found_again(pattern, colours)


def test_rows_are_coloured_where_that_is_cheaper():
    """A full row: by rows two colours, by columns as many as there are columns."""
    pattern = as_pattern(sparse.vstack([np.ones((1, 50)), sparse.eye_array(50)]))
    colours, by_columns, apart = cheaper_colours(pattern)
    assert apart is None
    assert not by_columns
    assert count_of(colours) == 2
    require_columns_apart(as_pattern(pattern.T), colours)
    assert cheaper_colours(as_pattern(pattern.T)).by_columns


def with_full_rows_and_columns(seed):
    """A few full rows and columns in a random matrix of short rows."""
    rng = np.random.default_rng(seed)
    height, width = map(int, rng.integers(30, 60, 2))
    found = rng.random((height, width)) < 0.03
    found[rng.permutation(height)[: rng.integers(1, 4)]] = True
    found[:, rng.permutation(width)[: rng.integers(1, 4)]] = True
    return as_pattern(found)


@pytest.mark.parametrize("seed", range(60))
def test_long_rows_are_found_apart(seed):
    pattern = with_full_rows_and_columns(seed)
    known = Sparsity(pattern)
    assert known.apart is not None
    assert known.directions <= 20 < min(pattern.shape)
    assert tell_apart(pattern, known._colouring, False)

    rng = np.random.default_rng(seed)
    matrix = pattern.toarray() * rng.normal(size=pattern.shape)
    along = known.guarded_seeds @ matrix.T
    entries = known.entries(along, known.seeds_apart @ matrix)
    np.testing.assert_array_equal(known.with_entries(entries).toarray(), matrix)


def test_rows_are_not_found_apart_where_that_costs_more():
    for pattern in (banded(40, 2), np.ones((30, 30)), grid(6, corners=False), np.ones((1, 40))):
        assert Sparsity(pattern).apart is None
    arrow_of = with_full_rows_and_columns(0)
    assert Sparsity(arrow_of).coloured_for("forward").directions == arrow_of.shape[1]
    assert Sparsity(arrow_of).coloured_for("reverse").apart is None


def test_without_the_compiled_function(monkeypatch):
    monkeypatch.setattr(colouring, "group_columns", None)
    pattern = grid(10, corners=False)
    require_columns_apart(pattern, colours_of_columns(pattern))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_without_entries(shape):
    found = cheaper_colours(sparse.csr_array(shape, dtype=bool))
    assert count_of(found.colours) <= 1
