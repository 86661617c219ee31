"""`Rows`: which columns each row has, as the rows of a sparse matrix of booleans.

Rows are never changed, so that several tangents can share them.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import compress, pairwise
from typing import Any

import numpy as np
from scipy import sparse

Numbers = np.ndarray

# a pattern of more entries is refused: they take gigabytes, and derivatives are as good as dense
MOST_ENTRIES = 2**30

# rows of so few columns together are merged column by column, which takes a quarter of the time
FEW = 6


class Rows:
    """The columns of each row, in order and without repetition.

    `length` is the number of columns that every row has, None where they may differ.
    """

    def __init__(
        self, columns: np.ndarray, *, length: int | None = None, ends: np.ndarray | None = None
    ) -> None:
        self.columns = columns
        self.length = length
        if ends is not None:
            self.ends = ends

    @cached_property
    def ends(self) -> np.ndarray:
        """Where each row begins among the columns; and, at last, where the last one ends."""
        assert self.length is not None, "rows that may differ have ends"
        return np.arange(0, len(self.columns) + 1, self.length, dtype=np.int32)

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.ends) - 1 if not self.length else len(self.columns) // self.length

    @property
    def lengths(self) -> np.ndarray:
        """The number of columns of each row."""
        return np.diff(self.ends)

    def taken(self, numbers: Numbers) -> "Rows":
        """The rows of these numbers; -1 is a row without columns."""
        if is_run(numbers):
            return self.between(int(numbers[0]), int(numbers[-1]) + 1)
        if self.length and numbers.min(initial=0) >= 0:
            columns = np.take(self.columns.reshape(-1, self.length), numbers, axis=0)
            return Rows(columns.ravel(), length=self.length)

        # the row of number -1 is the last one, which is empty
        starts = self.ends
        lengths = np.append(np.diff(starts), 0)[numbers]
        ends = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(lengths, out=ends[1:])
        require_few(int(ends[-1]))
        shift = np.repeat(starts[numbers] - ends[:-1], lengths)
        columns = self.columns[shift + np.arange(ends[-1])]
        return Rows(columns, ends=ends.astype(np.int32))

    def between(self, first: int, end: int) -> "Rows":
        """The rows from one on, before another, with the same memory."""
        if first == 0 and end == self.count:
            return self
        if self.length:
            return Rows(self.columns[first * self.length : end * self.length], length=self.length)
        ends = self.ends[first : end + 1]
        return Rows(self.columns[ends[0] : ends[-1]], ends=ends - ends[0])

    def united_with(self, other: "Rows") -> "Rows":
        """The columns of either."""
        if self.has_columns_of(other):
            return self
        if self.length and other.length and self.length + other.length <= FEW:
            return merged_rows(self, other)
        width = max(width_of(self.columns), width_of(other.columns))
        found = self.matrix(width) + other.matrix(width)
        return Rows(found.indices, ends=found.indptr)

    def has_columns_of(self, other: "Rows") -> bool:
        """Whether these are the columns of other rows, in as many rows."""
        if self is other:
            return True
        if self.length is not None and self.length == other.length:
            return np.array_equal(self.columns, other.columns)
        return np.array_equal(self.columns, other.columns) and np.array_equal(self.ends, other.ends)

    def grouped(self, ends: np.ndarray) -> "Rows":
        """Unite each run of rows to one row with the columns of all of them."""
        # a copy: SciPy sums in place, and rows are shared
        made = Rows(self.columns.copy(), ends=self.ends[ends])
        found = made.matrix(width_of(self.columns), is_sorted=False)
        found.sum_duplicates()
        return Rows(found.indices, ends=found.indptr)

    def matrix(self, width: int, is_sorted: bool = True) -> Any:
        """The rows as a matrix of SciPy's, made without its checks."""
        form = empty_matrix(self.count, width)
        made: Any = object.__new__(type(form))
        vars(made).update(vars(form))
        made.indices = self.columns
        made.indptr = self.ends
        made.data = np.ones(len(self.columns), bool)
        if is_sorted:
            made.has_sorted_indices = made.has_canonical_format = True
        return made


def merged_rows(one: Rows, other: Rows) -> Rows:
    """The union of rows that have few columns each.

    One column after the other is put where it belongs, in all rows at once; then those that a row
    has twice are left out.
    """
    columns = list(one.columns.reshape(-1, one.length or 0).T)
    for column in other.columns.reshape(-1, other.length or 0).T:
        for place, own in enumerate(columns):  # insertion sort
            columns[place], column = np.minimum(own, column), np.maximum(own, column)
        columns.append(column)

    # in which rows each column differs from the one before; in none, it is left out
    first, *others = columns
    differs = [left != right for left, right in pairwise(columns)]
    in_rows = list(map(np.count_nonzero, differs))
    merged = np.stack([first, *compress(others, in_rows)], axis=1)
    count = len(first)
    if all(number in (0, count) for number in in_rows):
        return Rows(merged.ravel(), length=merged.shape[1])

    is_new = list(compress(differs, in_rows))
    kept = np.stack([np.ones(count, bool), *is_new], axis=1)
    ends = np.zeros(count + 1, np.int32)
    np.cumsum(np.add.reduce(is_new, axis=0, dtype=np.int32) + 1, out=ends[1:])
    return Rows(merged[kept], ends=ends)


@lru_cache(maxsize=32)
def empty_matrix(count: int, width: int) -> Any:
    """A matrix of booleans without entries, of which others of its shape are copies: making one
    takes SciPy ten times as long.
    """
    made: Any = sparse.csr_array((count, width), dtype=bool)
    made.indptr = made.indptr[:1].copy()  # the others have their own
    return made


def width_of(columns: np.ndarray) -> int:
    """A power of two that is larger than all columns: there are few different ones."""
    return 1 << int(columns.max(initial=0)).bit_length()


def is_run(numbers: Numbers) -> bool:
    """Whether numbers, of which -1 stands for no row, are consecutive ones."""
    if not len(numbers):
        return False
    first, last = int(numbers[0]), int(numbers[-1])
    if first < 0 or last - first != len(numbers) - 1:
        return False
    return np.array_equal(numbers, np.arange(first, last + 1))


def require_few(entries: int) -> None:
    """Raise where a pattern has so many entries that no memory holds it."""
    if entries > MOST_ENTRIES:
        raise MemoryError(f"a sparsity pattern of {entries} entries: the derivatives are dense")


def own_columns(start: int, count: int) -> Rows:
    """Rows of which each has one column, its own, from a first one on."""
    return Rows(np.arange(start, start + count, dtype=np.int32), length=1)


def no_columns(count: int) -> Rows:
    """Rows without columns."""
    return Rows(np.zeros(0, np.int32), ends=np.zeros(count + 1, np.int32))


def same_columns(columns: np.ndarray, count: int) -> Rows:
    """Rows that have the same columns."""
    if not len(columns):
        return no_columns(count)
    require_few(len(columns) * count)
    return Rows(np.tile(columns.astype(np.int32), count), length=len(columns))


def one_after_the_other(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts."""
    if len(parts) == 1:
        return parts[0]
    columns = np.concatenate([part.columns for part in parts])
    lengths = {part.length for part in parts if part.count}
    if len(lengths) == 1 and None not in lengths:
        return Rows(columns, length=lengths.pop())
    ends = np.zeros(1 + sum(part.count for part in parts), np.int32)
    np.cumsum(np.concatenate([part.lengths for part in parts]), out=ends[1:])
    return Rows(columns, ends=ends)


def all_columns(parts: Sequence[Rows]) -> np.ndarray:
    """The columns that any row of the parts has."""
    return np.unique(np.concatenate([part.columns for part in parts]))
