"""Where the entries of an argument are, after functions that do nothing but move them.

The derivative of ``np.roll(x, 1)`` along any direction is that direction, rolled. So a sparse matrix
needs no direction for it: a `Move` says which entry of the argument stands at each place, and with
that which entries of the matrix its factor is. Moves are kept with the pattern: those of a second
call are found by what was called, and nothing is moved again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from chainrules_py.values.arrays import stood_for
from chainrules_sparse.colouring import Matrix, rows_of_entries

MOST = 64  # how many times the entries of the argument moves may hold before they are let go
MISSES = 3  # calls in a row after which none is tried any more
_BY_ITSELF = frozenset({int, NoneType})
_BY_VALUE = frozenset({int, bool, str, NoneType, EllipsisType, np.int64, np.int32})
Numbers = np.ndarray  # of integers
NUMBERS = frozenset({float, int, np.float64})


class Move:
    """Which entry of an argument stands at each place of an array.

    `numbers` counts the entries from 1 on, those of all arrays of the argument one after the other;
    0 stands where there is none. `first` is the number of the array's own first entry, `held` counts
    the entries that all moves of an argument hold, and the sums of such that are kept. `alone` is
    the sum that is this move (`sums.Sum`); `rounds` are those of scatters (`sums.rounds_of`).
    """

    __slots__ = ("after", "alone", "first", "held", "is_empty", "numbers", "places", "rounds")

    def __init__(self, numbers: Numbers, first: int, held: list[int]) -> None:
        self.numbers, self.first, self.held = numbers, first, held
        held[0] += numbers.size if numbers.base is None else 0
        self.is_empty = not numbers.any()
        self.after: dict[Any, Move] = {}
        self.places: dict[int, Places | None] = {}
        self.alone: Any = None
        self.rounds: dict[Any, list[tuple[Numbers, Numbers]]] = {}

    def moved(self, key, function: Callable[[Any], Any]) -> "Move":
        """The move after one more function, which is known by a key."""
        found = self.after.get(key)
        if found is None:
            found = self.after[key] = Move(function(self.numbers), self.first, self.held)
        return found

    def of(self, entries: np.ndarray) -> np.ndarray:
        """The array that entries of the argument are moved to."""
        found: np.ndarray = np.take(entries, self.numbers - self.first, mode="clip")
        found[self.numbers == 0] = 0
        return found


@dataclass(slots=True, eq=False)
class Places:
    """Which entries of a moved array come from an argument, and which of a matrix they are.

    `sources` is None where all do.
    """

    sources: Numbers | None
    entries: Numbers


class Moves:
    """The moves of the arguments of one pattern, and where they are in its matrix.

    A function that does more than move, add and scale entries is computed along directions: each
    such call is a miss, and after a few in a row none is tried any more. So it is where a function
    moves entries otherwise at each call, which would fill the memory.
    """

    def __init__(self, pattern: Matrix, by_columns: bool) -> None:
        self.pattern, self.by_columns = pattern, by_columns
        self.misses = 0
        self.held = [0, 0]
        self.roots: dict[Any, list[Move]] = {}
        self.constant: tuple[list[tuple[Places, float]], np.ndarray] = ([], np.zeros(pattern.nnz))
        self.keys: Numbers | None = None

    def __reduce__(self) -> Any:
        return Moves, (self.pattern, self.by_columns)

    @property
    def serve(self) -> bool:
        """Whether the next call is to be tried."""
        return self.misses < MISSES

    def roots_of(self, shapes: tuple[tuple[int, ...], ...]) -> list[Move]:
        """The arrays of an argument as they are, not moved."""
        known = self.roots.get(shapes)
        if self.held[0] > MOST * self.size:
            self.roots, known, self.misses = {}, None, MISSES
        if known is None:
            self.held = [0, 0]
            known, first = [], 1
            for shape in shapes:
                size = int(np.prod(shape))
                dtype = np.int32 if self.size < 2**31 else np.int64
                numbers = np.arange(first, first + size, dtype=dtype).reshape(shape)
                known.append(Move(numbers, first, self.held))
                first += size
            self.roots = {shapes: known}
        return known

    @property
    def size(self) -> int:
        """The number of entries of the argument."""
        return int(self.pattern.shape[self.by_columns])

    def places_of(self, move: Move, before: int) -> Places | None:
        """Where the entries of a moved array are in the matrix, given the number of entries before
        that array; None where the pattern lacks one of them.
        """
        try:
            return move.places[before]
        except KeyError:
            return move.places.setdefault(before, self.found(move, before))

    def found(self, move: Move, before: int) -> Places | None:
        """Find the entries of a matrix by their rows and columns."""
        flat = np.ravel(move.numbers)
        sources = np.flatnonzero(flat)
        numbers = np.asarray(flat[sources], np.int64) - 1
        others = sources + before
        rows, columns = (others, numbers) if self.by_columns else (numbers, others)
        entries = self.entries_at(rows, columns)
        if entries is None:
            return None
        return Places(None if len(sources) == len(flat) else sources, entries)

    def entries_at(self, rows: Numbers, columns: Numbers) -> Numbers | None:
        """The numbers of entries of the matrix; None where one of them is not there."""
        width = self.pattern.shape[1]
        keys = self.keys
        if keys is None:
            own = rows_of_entries(self.pattern)
            keys = self.keys = own * width + self.pattern.indices
        wanted = rows * width + columns
        found = np.searchsorted(keys, wanted)
        is_there = keys.take(found, mode="clip") == wanted if len(keys) else found < 0
        return found if is_there.all() else None

    def entries(self, terms: Sequence[tuple[Move, int, Any]]) -> Any:
        """The entries of the matrix that is a sum of moves times factors, each with the number of
        entries before it; None where the pattern lacks one of them.
        """
        scaled: list[tuple[Places, float]] = []
        arrays: list[tuple[Places, Any]] = []
        is_recorded = False
        for move, before, factor in terms:
            places = move.places.get(before) or self.places_of(move, before)
            if places is None:
                return None
            if factor is None or type(factor) in NUMBERS:
                scaled.append((places, 1.0 if factor is None else factor))
            else:
                is_recorded |= stood_for(factor) is not None
                arrays.append((places, factor.reshape(-1)))
        if self.constant[0] != scaled:
            self.constant = scaled, self.of_numbers(scaled)
        if is_recorded:
            return gathered(self.constant[1], arrays)
        data = self.constant[1].copy()
        for places, factor in arrays:
            data[places.entries] += factor if places.sources is None else factor[places.sources]
        return data

    def of_numbers(self, terms: list[tuple[Places, float]]) -> np.ndarray:
        """The part of the entries that is the same at each call of most programs."""
        data = np.zeros(self.pattern.nnz)
        for places, factor in terms:
            data[places.entries] += factor
        return data


def gathered(constant: np.ndarray, arrays: list[tuple[Places, Any]]) -> Any:
    """The entries of a matrix whose factors are recorded: all are read at once from an array of the
    numbers and the factors, so that a program has few operations.

    What is added to entries that have a factor already, or several numbers, follows one by one.
    """
    numbers, positions = np.unique(constant, return_inverse=True)
    parts, size = [numbers], len(numbers)
    is_free = np.ones(len(constant), bool)
    others = []
    for places, factor in arrays:
        entries, count = places.entries, len(factor)
        sources = np.arange(count) if places.sources is None else places.sources
        sources = sources if count > 1 else np.zeros(len(entries), int)  # of a number
        before = constant[entries]
        if not is_free[entries].all() or (before != before[:1]).any():
            others.append((entries, factor[sources]))
            continue
        is_free[entries] = False
        positions[entries] = size + sources
        parts.append(before[0] + factor if before.any() else factor)
        size += count
    data = np.take(np.concatenate(parts), positions, mode="clip")
    for entries, added in others:
        data[entries] += added
    return data


# What a call is known by


class Positions:
    """Positions or a mask, known by their entries."""

    __slots__ = ("array", "key")

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        flat = array.reshape(-1)
        ends = (flat[0], flat[-1], flat[len(flat) // 2]) if len(flat) else ()
        self.key = hash((array.shape, array.dtype, *ends))

    def __hash__(self) -> int:
        return self.key

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is Positions
            and self.array.dtype == other.array.dtype
            and np.array_equal(self.array, other.array)
        )


def key_of(x) -> Any:
    """Make the key by which an operand is recognised at a later call; TypeError where none can be."""
    cls = type(x)
    if cls in _BY_ITSELF:
        return x
    if cls in _BY_VALUE:  # and by its class, as True is 1
        return cls, x
    if cls is tuple and _BY_ITSELF.issuperset(map(type, x)):
        return x
    if cls is tuple or cls is list:
        return cls, *map(key_of, x)
    if cls is slice:
        parts = x.start, x.stop, x.step
        return cls, key_of(parts)
    if cls is np.ndarray and x.dtype.kind in "biu":
        return Positions(x.copy())
    raise TypeError
