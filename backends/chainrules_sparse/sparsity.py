"""`Sparsity`: which entries of a matrix of derivatives may be other than zero, with its colours.

It is made by `sparsity`, or of a pattern that is known otherwise; kept, saved and passed to
`jacobian` and `hessian`, which then need one direction for each colour.
"""

from contextvars import copy_context
from functools import cached_property
from os import PathLike
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy import sparse

from chainrules_py.rules.rule import Mode
from chainrules_py.strong_zeros.strictness import silently
from chainrules_sparse.colouring import (
    Colouring,
    Colours,
    Matrix,
    cheaper_colours,
    colours_of_columns,
    colours_of_rows,
    colours_of_symmetric,
    count_of,
    places_among,
    places_of_symmetric,
    rows_of_entries,
    seeds_of,
    tell_apart,
)
from chainrules_tape.refusals.errors import SparsityError
from chainrules_tape.whole_files import replaced_file

DETECT_AGAIN = "detect again: sparsity(f, x)"
SAVE_AGAIN = "detect and save again: sparsity(f, x).save(path)"


class Sparsity:
    """The pattern of a matrix of derivatives: a row per entry of the result, a column per entry of
    the argument.

    `pattern` is anything that SciPy or NumPy takes for a matrix; its nonzero entries count.
    `symmetric` says that it belongs to a Hessian: entries then stand for their mirror images, too,
    and fewer colours are needed. `dense_because` has a sentence for each operation that made rows
    dense because nothing is known of what it does with axes.

    >>> tridiagonal = Sparsity([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    >>> tridiagonal
    Sparsity of 3 x 3, 7 entries
    >>> tridiagonal.colours
    array([1, 0, 2])
    """

    __chainrules_guarded__ = True  # a program asks by itself whether the pattern holds
    pattern: Matrix
    symmetric: bool
    dense_because: tuple[str, ...]

    def __init__(
        self, pattern: Any, *, symmetric: bool = False, dense_because: tuple[str, ...] = ()
    ) -> None:
        self.pattern = canonical_pattern(pattern)
        self.symmetric = symmetric
        self.dense_because = tuple(dense_because)
        if symmetric:
            self.pattern = with_mirror_images(self.pattern)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of entries of the result, and of the argument."""
        rows, columns = self.pattern.shape
        return int(rows), int(columns)

    @cached_property
    def _colouring(self) -> Colouring:
        if self.symmetric:
            return Colouring(colours_of_symmetric(self.pattern), True)
        return cheaper_colours(self.pattern)

    @property
    def colours(self) -> Colours:
        """The colour of each column; or of each row, where the rows need fewer (`by_columns`)."""
        return self._colouring.colours

    @property
    def by_columns(self) -> bool:
        """Whether columns are coloured: derivatives are taken forward then, and else in reverse."""
        return self.symmetric or self._colouring.by_columns

    @property
    def apart(self) -> Colours | None:
        """The colour of each row whose entries are found in reverse, beside colours of columns for
        all others, which have -1; None where there are no such rows.
        """
        return self._colouring.apart

    def coloured_for(self, mode: Mode | None) -> "Sparsity":
        """This pattern as that of a Jacobian in a mode: forward has colours of columns, reverse of
        rows. None leaves it to the costs.
        """
        is_known = "_colouring" in vars(self) and self.by_columns == (mode == "forward")
        is_known = is_known and self.apart is None
        if not self.symmetric and (mode is None or is_known):
            return self
        made = Sparsity(self.pattern, dense_because=self.dense_because)
        if mode == "forward":
            made._colouring = Colouring(colours_of_columns(self.pattern), True)
        elif mode == "reverse":
            made._colouring = Colouring(colours_of_rows(self.pattern), False)
        return made

    @property
    def directions(self) -> int:
        """How many directions give the whole matrix."""
        return count_of(self.colours) + len(self.seeds_apart)

    @cached_property
    def places(self) -> np.ndarray:
        """Where each entry stands among the derivatives along the directions, laid out flat; those of
        rows that are found apart come before all others.
        """
        if self.symmetric:
            return places_of_symmetric(self.pattern, self.colours)
        rows, columns = rows_of_entries(self.pattern), self.pattern.indices
        height, width = self.shape
        coloured, others, count = (
            (columns, rows, height) if self.by_columns else (rows, columns, width)
        )
        found = places_among(others, self.colours[coloured], count)
        if self.apart is None:
            return found
        colours = self.apart[rows]
        of_rows = places_among(columns, colours, width)
        places: np.ndarray = np.where(
            colours < 0, found + self.seeds_apart.shape[0] * width, of_rows
        )
        return places

    @cached_property
    def seeds_apart(self) -> np.ndarray:
        """The directions of the result for the colours of the rows that are found apart."""
        return np.zeros((0, self.shape[0])) if self.apart is None else seeds_of(self.apart)

    @cached_property
    def _form(self) -> Matrix:
        """A matrix of this shape without entries, of which others are copies: making one takes
        SciPy ten times as long.
        """
        return sparse.csr_array(self.shape)

    @cached_property
    def guarded_seeds(self) -> np.ndarray:
        """The directions of the colours, and one more behind them: a random one, none of whose
        entries is nearly zero.
        """
        # apart: NumPy sets what it does about errors as it makes one
        rng = copy_context().run(np.random.default_rng)
        size = len(self.colours)
        seeds = seeds_of(self.colours, extra=1)
        seeds[-1] = rng.uniform(0.5, 1.5, size) * rng.choice((-1.0, 1.0), size)
        seeds.flags.writeable = False
        return seeds

    def entries(self, along, apart: Any = None) -> Any:
        """The entries from the derivatives along the directions, a row of `along` for each; and of
        `apart` for each of `seeds_apart`.
        """
        if apart is not None:
            along = np.concatenate([np.ravel(apart), np.ravel(along)])
        # all places are within: they need not be looked at, and it takes three quarters of the time
        return np.take(along, self.places, mode="clip")

    def with_entries(self, entries: np.ndarray) -> Matrix:
        """The matrix with these entries, in the order of the pattern's."""
        made = self._view(entries)
        made.indices, made.indptr = made.indices.copy(), made.indptr.copy()
        return made

    def _view(self, entries: np.ndarray) -> Matrix:
        made = object.__new__(type(self._form))  # `copy` takes 3 us
        made.__dict__.update(vars(self._form))
        made.data, made.indices = entries, self.pattern.indices
        made.indptr = self.pattern.indptr
        return made

    def missing(self, entries: np.ndarray, found: np.ndarray, noise: float) -> np.ndarray:
        """The rows, or columns, in which an entry is missing, given the derivative along the random
        direction, and its roundoff where it is zero.
        """
        matrix = self._view(entries)
        turned = matrix if self.by_columns else matrix.T
        return silently(entries_missing, turned, self.guarded_seeds[-1], found, noise)

    def holds(self, own: tuple[Any, ...]) -> bool:
        """Whether no entry is missing, which a program asks before it returns.

        It need not compute the function for that: where roundoff is larger than that of the
        derivative, the call is the tape's, which knows the size of the values.
        """
        entries, found = own
        return not len(self.missing(entries, found, largest_size(found)))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the pattern and its colours into a file of NumPy's, ``.npz``."""
        with replaced_file(path, "wb") as file:
            np.savez_compressed(
                file,
                shape=self.shape,
                indptr=self.pattern.indptr,
                indices=self.pattern.indices,
                symmetric=self.symmetric,
                colours=self.colours,
                by_columns=self.by_columns,
                apart=() if self.apart is None else self.apart,
                dense_because=np.array(self.dense_because, str),
            )

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Sparsity":
        """Read what `save` wrote."""
        where = f"Sparsity.load({str(path)!r})"
        try:
            with open(path, "rb") as file, np.load(file) as parts:
                saved = {name: parts[name] for name in parts.files}
            shape = tuple(map(int, saved["shape"]))
            ones = np.ones(len(saved["indices"]), bool)
            pattern = sparse.csr_array((ones, saved["indices"], saved["indptr"]), shape)
            pattern.check_format()
            is_symmetric, dense_because = bool(saved["symmetric"]), saved["dense_because"]
            apart = saved.get("apart", np.zeros(0))  # files of before had none
            colouring = Colouring(
                saved["colours"], bool(saved["by_columns"]), apart if len(apart) else None
            )
        except (KeyError, ValueError, TypeError, EOFError, BadZipFile) as error:
            got = f"a file that holds no pattern: {error}"
            raise SparsityError(where, got, SAVE_AGAIN, sparsity=None, shape=None) from error
        made = cls(pattern, symmetric=is_symmetric, dense_because=tuple(map(str, dense_because)))
        if not tell_apart(made.pattern, colouring, is_symmetric):
            got = "colours that do not tell the entries of the pattern apart"
            raise SparsityError(where, got, SAVE_AGAIN, sparsity=made, shape=made.shape)
        made._colouring = colouring
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sparsity):
            return NotImplemented
        if self.shape != other.shape or self.symmetric != other.symmetric:
            return False
        own, others = self.pattern, other.pattern
        same_rows = np.array_equal(own.indptr, others.indptr)
        return same_rows and np.array_equal(own.indices, others.indices)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind = "symmetric " if self.symmetric else ""
        dense = f", dense in {len(self.dense_because)} places" if self.dense_because else ""
        height, width = self.shape
        return f"Sparsity of {kind}{height} x {width}, {self.pattern.nnz} entries{dense}"


class RecordedMatrix:
    """The matrix that a program will return: a pattern, and the recorded entries."""

    def __init__(self, known: Sparsity, entries) -> None:
        self.known, self.entries = known, entries

    def __chainrules_parts__(self) -> dict[str, Any]:
        return {"entries": self.entries}

    def __chainrules_with_parts__(self, parts: dict[str, Any]) -> Any:
        """The matrix, once the entries are numbers."""
        entries = parts["entries"]
        is_known = type(entries) is np.ndarray
        return self.known.with_entries(entries) if is_known else RecordedMatrix(self.known, entries)


def canonical_pattern(pattern) -> Matrix:
    """A pattern as booleans by rows, in the order of columns, each entry once and True."""
    if not sparse.issparse(pattern):
        pattern = np.atleast_2d(np.asarray(pattern))
    made: Matrix = sparse.csr_array(pattern, copy=True)
    if made.dtype != bool:
        made = made.astype(bool)
    made.sum_duplicates()
    if not made.data.all():
        made.eliminate_zeros()
    return made


def with_mirror_images(pattern: Matrix) -> Matrix:
    """A square pattern with the mirror image of each entry."""
    height, width = pattern.shape
    if height != width:
        where, got = "Sparsity(symmetric=True)", f"a pattern of {height} x {width}"
        raise SparsityError(where, got, "pass a square one", sparsity=None, shape=pattern.shape)
    return canonical_pattern(pattern + pattern.T)


# The guard


def entries_missing(
    matrix: Matrix, direction: np.ndarray, found: np.ndarray, noise: float
) -> np.ndarray:
    """The rows where the derivative along a direction is not what the matrix gives, beyond
    roundoff.

    Where it is no finite number, nothing can be said: infinities cancel in one and not in the
    other.
    """
    precision = np.finfo(found.dtype).eps
    least = 100 * precision * noise if np.isfinite(noise) else 0.0
    difference = found - matrix @ direction
    if largest_size(difference) <= least:  # nearly always, and the rest takes as long again
        return np.zeros(0, np.intp)
    difference = np.abs(difference)
    tolerance = np.sqrt(precision) * np.abs(found) + least
    rows = np.flatnonzero((difference > tolerance) & np.isfinite(difference))
    if not len(rows):
        return rows
    terms = abs(matrix[rows]) @ abs(direction)
    unexplained: np.ndarray = rows[difference[rows] > np.sqrt(precision) * terms]
    return unexplained


def noise_of(values: list[Any], points: list[Any]) -> float:
    """The size of derivatives whose roundoff may be there where the true one is zero."""
    return largest(values) / (1 + largest(points))


def largest(leaves: list[Any]) -> float:
    """The largest size of an entry."""
    return max(map(largest_size, leaves), default=0.0)


def largest_size(x) -> float:
    """The largest size of an entry of an array; of reals without an array of sizes."""
    if np.iscomplexobj(x):
        return float(np.max(np.abs(x), initial=0))
    greatest = np.maximum.reduce(x, axis=None, initial=0)  # 1.5 us less than `np.max` takes
    return float(max(greatest, -np.minimum.reduce(x, axis=None, initial=0)))
