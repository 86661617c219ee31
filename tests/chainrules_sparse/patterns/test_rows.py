"""`Rows` against matrices of booleans."""

import numpy as np
import pytest

from chainrules_sparse.patterns.rows import (
    Rows,
    is_run,
    own_columns,
    require_few,
    same_columns,
)

WIDTH = 7


def rows_of(matrix):
    """The rows of a matrix of booleans."""
    columns = np.nonzero(matrix)[1].astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))]).astype(np.int32)
    return Rows(columns, ends=ends)


def matrix_of(rows):
    """Rows as a matrix of booleans."""
    found = np.zeros((rows.count, WIDTH), bool)
    found[np.repeat(np.arange(rows.count), rows.lengths), rows.columns] = True
    return found


def random_matrix(seed, count=6):
    return np.random.default_rng(seed).random((count, WIDTH)) < 0.3


def even_matrix(seed, count=6):
    """A matrix with two entries in each row."""
    rng = np.random.default_rng(seed)
    return np.array([np.isin(np.arange(WIDTH), rng.choice(WIDTH, 2, False)) for _ in range(count)])


def both(seed):
    """Rows of one length, known as such, which may all be the same, and rows of several."""
    even = even_matrix(seed)
    for matrix in (even, np.tile(even[0], (6, 1)), even[:, ::-1]):
        columns = np.nonzero(matrix)[1].astype(np.int32)
        yield matrix, Rows(columns, length=2)
    yield (uneven := random_matrix(seed)), rows_of(uneven)


@pytest.mark.parametrize("seed", range(8))
def test_uniting(seed):
    for one, rows in both(seed):
        for other, others in (*both(seed + 100), *both(seed)):
            united = rows.united_with(others)
            np.testing.assert_array_equal(matrix_of(united), one | other)
            assert united.count == len(one)
            for row in range(united.count):
                own = united.columns[united.ends[row] : united.ends[row + 1]]
                assert list(own) == sorted(set(own.tolist()))


def test_uniting_with_itself_costs_nothing():
    rows = own_columns(0, 4)
    assert rows.united_with(rows) is rows
    assert rows.united_with(own_columns(0, 4)) is rows


def test_a_dense_pattern_that_no_memory_holds_is_refused():
    with pytest.raises(MemoryError, match="dense"):
        require_few(10**12)
    with pytest.raises(MemoryError):
        same_columns(np.arange(10**5), 10**6)


def uniform(columns):
    """Rows of as many columns each."""
    columns = np.array(columns, np.int32)
    return Rows(columns.ravel(), length=columns.shape[1])


@pytest.mark.parametrize("made", [random_matrix, even_matrix])
@pytest.mark.parametrize("bounds", [(0, 6), (0, 2), (2, 5), (5, 6)])
def test_runs_of_rows_share_memory(made, bounds):
    matrix = made(1)
    rows = rows_of(matrix)
    found = rows.taken(np.arange(*bounds))
    assert np.array_equal(matrix_of(found), matrix[slice(*bounds)])
    assert found is rows or np.shares_memory(found.columns, rows.columns)


def test_runs_are_consecutive():
    assert is_run(np.array([2, 3, 4]))
    assert is_run(np.array([7]))
    for numbers in ([], [-1, 0], [2, 2], [2, 4, 3, 5], [3, 2], [0, 2]):
        assert not is_run(np.array(numbers, int))
