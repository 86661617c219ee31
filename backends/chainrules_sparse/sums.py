"""Tangents in lanes that are not computed before somebody asks for them.

Between two operations that move entries, the tangents of a program are sums of products: of arrays
in lanes, the *bases*, with factors that are the same in all lanes. A factor has as many entries as
one lane. The tangent of -4v + v - v**3 is that of v times -3 - 3v**2: to compute this factor costs a
few operations on one lane, where operations on the tangents would go over all lanes each time. So a
`LaneSum` notes the factors. It becomes an array when somebody asks for its value: the sum is computed
lane by lane, in the processor's cache.

Products of factors may overflow where one product after the other would not; they are noted only
where they are finite. Arrays of values are never changed (a first write copies), so that bases are
what they were; factors may be the program's own arrays, and are copied.

The directions themselves are bases whose moves are noted, too (`moves`): a sum of moved directions
times factors is a matrix, and no direction is needed to read its entries.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isfinite, prod
from operator import getitem
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.rulesets.entries.scatter import hits_nothing_twice, scatter_add
from chainrules_py.strong_zeros.strong_contraction import is_quickly_finite
from chainrules_py.values.arrays import as_known, is_numpys, stood_for
from chainrules_py.values.python_numbers import in_numpys_form
from chainrules_sparse.moves import NUMBERS, Move, key_of
from chainrules_sparse.patterns.steps import MOVE_EXACTLY
from chainrules_tape.arrays.fast_dispatch import TANGENTS, ufunc_of
from chainrules_tape.arrays.handles import LaneNumber
from chainrules_tape.arrays.operators import define_operators
from chainrules_tape.arrays.protocols import Operation, chainrules_call
from chainrules_tape.core.plans import Engine
from chainrules_tape.lanes.behaviour import class_of_number
from chainrules_tape.lanes.dispatch import (
    binary_in_lanes,
    function_in_lanes,
    getitem_in_lanes,
    unary_in_lanes,
)
from chainrules_tape.lanes.level import HANDLES, Lanes
from chainrules_tape.lanes.units import PostponedArray, apparent_class
from chainrules_tape.refusals import handles

PLAIN = NUMBERS | {np.ndarray}
DOUBLE = np.dtype(float)
LARGE = 2**17  # entries of all lanes, from which on passes over them take longer than noting them
MANY = 8  # bases of a sum: more are held in memory no longer than they have to
FEW = 2  # bases of a sum that may be noted in several others
MOST_KEPT = 2**12  # sums that a pattern keeps: numbers may be others at each call
MOST_MOVES = 64  # of a sum of moved directions, which takes no memory but that of its factors

Factor = Any  # a number, or an array with the shape of one lane


class Term(NamedTuple):
    """A base and its factor, which is one where it is None.

    The base is an array, or a direction whose entries a `Move` tells; the level has its array.
    """

    base: Any
    factor: Factor


Terms = dict[int, Term]  # by the identity of the base


@dataclass(slots=True, eq=False)
class Sum:
    """The sum that a handle stands for, of a shape.

    `used` has an entry once another sum has noted it. `is_moved` says that all terms are directions,
    of which it is known where their entries are. Where their factors are all numbers, `after` has
    what operations have made of the sum: a pattern keeps that from one call to the next.
    """

    terms: Terms
    shape: tuple[int, ...]
    used: list[bool]
    is_moved: bool
    after: Any = None  # a dict of sums, by the operation and its other operands


class LanesOfTangents(Lanes):
    """A level all of whose values are tangents: large arrays of them are noted as sums.

    Where a `recording` writes down what is done, it does with all of them: a program writes into
    some, and adds recorded values there.
    """

    __slots__ = ("directions", "held", "recording")
    held: list[int]  # that of the moves

    def __init__(self, engine: Engine, size: int, recording: Any = None) -> None:
        super().__init__(engine, size)
        self.recording = recording
        self.directions: dict[int, np.ndarray] = {}  # by the numbers of their first entries

    def seen(self, y) -> Any:
        """An array with lanes, as the recording has it."""
        if self.recording is None or type(y) is not np.ndarray:
            return y
        return self.recording.call(np.copy, (y,), {})

    def handle(self, y) -> Any:
        """Make the handle on an array with lanes."""
        y = self.seen(y)
        if type(y) is not np.ndarray or y.dtype != np.float64 or y.size < LARGE or y.ndim == 1:
            return super().handle(y)
        made = noted(self, alone(y), y.shape[1:])
        made.value = y
        return made

    def direction(self, y, move: Move) -> Any:
        """Make the handle on directions, of which it is noted where their entries are moved."""
        if type(y) is not np.ndarray or y.dtype != np.float64 or y.ndim == 1:
            return super().handle(y)
        self.directions[move.first], self.held = y, move.held
        if move.alone is None:
            move.alone = Sum({id(move): Term(move, None)}, y.shape[1:], [], True, {})
        made = standing_for(move.alone, self)
        if self.recording is None:
            made.value = y
        return made

    def lane_of(self, base, lane: int) -> np.ndarray:
        """One lane of a base, where its entries are moved to."""
        if type(base) is Move:
            return base.of(self.directions[base.first][lane])
        own: np.ndarray = base[lane]
        return own


class LaneSum(PostponedArray):
    """A handle on an array in lanes, which is a sum of bases times factors."""

    __slots__ = ()
    storage: Sum

    __class__: Any = property(apparent_class)

    @property
    def is_noted(self) -> bool:
        """Whether it is a sum of moved directions, which is not to be written into an array."""
        return self.storage.is_moved

    def __getattr__(self, name: str) -> Any:
        if name == "storage":  # of a copy, which has a value alone
            self.storage = made = sum_of_one(object.__getattribute__(self, "value"))
            return made
        if name != "value":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        own = self.storage
        self.value = y = self.level.seen(computed(self.level, list(own.terms.values()), own.shape))
        if not own.is_moved:
            self.storage = sum_of_one(y)
        return y

    @property
    def dtype(self) -> Any:
        """The dtype of all sums."""
        return DOUBLE


class PostponedNumber(LaneNumber):
    """A handle on a number in lanes that is computed when somebody asks for its value.

    Nobody does for the tangent of a function whose gradient is differentiated. In its slot `storage`
    is what gives the handle on the number.
    """

    __slots__ = ()
    storage: Callable[[], Any]

    __class__: Any = property(class_of_number)

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.value = y = self.storage().value
        return y

    def resolved(self, level: Any = None) -> Any:
        """The number as it is: nobody writes into it."""
        return self

    dtype: Any = DOUBLE
    shape: Any = ()
    ndim: Any = 0
    size: Any = 1


def postponed(level: Lanes, compute: Callable[..., Any], *args) -> Any:
    """Make the handle on a number that is computed when somebody asks for it."""
    made: Any = object.__new__(PostponedNumber)
    made.level, made.storage = level, partial(compute, *args)
    return made


def alone(y: np.ndarray) -> Terms:
    """The terms of an array that has been computed."""
    return {id(y): Term(y, None)}


def sum_of_one(y: np.ndarray) -> Sum:
    """The sum that an array is which has been computed."""
    return Sum(alone(y), y.shape[1:], [], False)


def noted(level: Lanes, terms: Terms, shape: tuple[int, ...], is_moved: bool = False) -> Any:
    """Make the handle on a sum."""
    return standing_for(Sum(terms, shape, [], is_moved), level)


def standing_for(storage: Sum, level: Lanes) -> Any:
    """Make the handle of a level on a sum that may be another handle's, too."""
    made: Any = object.__new__(LaneSum)
    made.level, made.storage = level, storage
    return made


# Sums of moved directions times numbers are the same at each call


def operand_key(x, level: Lanes) -> Any:
    """What an operand is known by: a sum of directions times numbers, or a number; else None."""
    if type(x) is LaneSum:
        return x.storage if x.storage.after is not None and x.level is level else None
    return x if type(x) in NUMBERS and x else None  # 0.0 and -0.0 are equal


def kept(after, key, made) -> Any:
    """What an operation has made of sums of directions times numbers, kept for the next call."""
    if is_noted(made) and made.storage.after is None and made.level.held[1] < MOST_KEPT:
        made.level.held[1] += 1
        made.storage.after = {}
        after[key] = made.storage
    return made


# Operations that are noted; each returns None where it has to be computed


def scaled(x1, x2) -> Any:
    """The product of a sum and a factor."""
    x, factor = (x1, x2) if type(x1) is LaneSum else (x2, x1)
    if not is_factor_of(factor, x):
        return None
    if is_numpys(factor):
        x = broadcast(x, factor.shape)
        factor = as_factor(factor, x.storage.shape)
    if factor is None or not is_finite(factor):
        return None

    terms, shape, is_moved = x.storage.terms, x.storage.shape, x.storage.is_moved
    has_units = any(is_unit(term.factor) for term in terms.values())
    if has_units and len(terms) > 1 and not is_moved:
        terms = alone(x.value)  # one product, not several
    if has_units:
        factor = own_factor(factor)
    found = {key: Term(base, times(own, factor)) for key, (base, own) in terms.items()}
    return noted(x.level, found, shape, is_moved) if are_finite(found, factor) else None


def is_factor_of(x, own) -> bool:
    """Whether an operand is a number or an array that a sum may be multiplied by.

    What is recorded is one for moved directions, whose entries are finite: a program hands a call
    over where zero has met an infinity.
    """
    if type(x) is np.ndarray or type(x) in NUMBERS:
        return True
    return own.storage.is_moved and stood_for(x) is not None and x.dtype.kind in "biuf"


def own_factor(x) -> Factor:
    """A factor that stays as it is, whatever the program does with the array that it is now."""
    if is_numpys(x):
        return x.copy()
    return float(x) if type(x) in NUMBERS else in_numpys_form(x)


def as_factor(x: np.ndarray, shape: tuple[int, ...]) -> Any:
    """An array as a factor of one of a shape; None where it is none."""
    if x.dtype != np.float64:
        if x.dtype.kind not in "biuf" or x.dtype.itemsize > 8:
            return None
        x = x.astype(np.float64)
    if x.shape == shape:
        return x
    return np.broadcast_to(x, shape) if x.ndim and fits(x.shape, shape) else None


def fits(shape: tuple[int, ...], own: tuple[int, ...]) -> bool:
    """Whether an array of a shape is broadcast to another one."""
    pairs = zip(reversed(shape), reversed(own), strict=False)
    return len(shape) <= len(own) and all(n in (1, wanted) for n, wanted in pairs)


def times(own: Factor, factor: Factor) -> Factor:
    """The product of two factors."""
    return factor if own is None else own * factor


def is_unit(factor: Factor) -> bool:
    """Whether a factor is 1 or -1, so that nothing is to be multiplied."""
    return factor is None or (type(factor) is float and abs(factor) == 1)


def are_finite(terms: Terms, known: Factor = None) -> bool:
    """Whether all factors are finite, of which one is known to be."""
    factors = [factor for _, factor in terms.values() if factor is not known]
    return all(factor is None or is_finite(factor) for factor in factors)


def is_finite(factor: Factor) -> bool:
    """Whether a number, or all entries of an array, are finite; nobody records the question."""
    known = factor if type(factor) in PLAIN else as_known(factor)
    return is_quickly_finite(known) if type(known) is np.ndarray else isfinite(known)


def negated(x) -> Any:
    """A sum with all factors negated."""
    found = {key: Term(base, negative(own)) for key, (base, own) in terms_of(x).items()}
    return noted(x.level, found, x.storage.shape, x.storage.is_moved)


def negative(own: Factor) -> Factor:
    """A factor with the other sign."""
    return -1.0 if own is None else -own


def added(x1, x2) -> Any:
    """The sum of two sums of one shape."""
    if type(x1) is not type(x2) or x1.level is not x2.level:
        return None
    x1, x2 = broadcast(x1, x2.shape), broadcast(x2, x1.shape)
    shape = x1.storage.shape
    is_moved = x1.storage.is_moved and x2.storage.is_moved
    if x2.storage.shape != shape:
        return None
    found = dict(terms_of(x1))
    for key, term in terms_of(x2).items():
        own = found.get(key)
        if own is not None:
            term = Term(own.base, plus(own.factor, term.factor))
            if not is_finite(term.factor):
                return None
        found[key] = term
    is_short = len(found) <= (MOST_MOVES if is_moved else MANY)
    return noted(x1.level, found, shape, is_moved) if is_short else None


def subtracted(x1, x2) -> Any:
    """The difference of two sums of one shape."""
    both = type(x1) is type(x2) and x1.level is x2.level
    return added(x1, negated(x2)) if both else None


def plus(own: Factor, factor: Factor) -> Factor:
    """The sum of two factors."""
    return (1.0 if own is None else own) + (1.0 if factor is None else factor)


def terms_of(x) -> Terms:
    """The terms of a sum, which is computed where several sums would have to compute it."""
    own: Sum = x.storage
    if own.is_moved:
        return own.terms
    if own.used and len(own.terms) > FEW:
        _ = x.value
        own = x.storage
    own.used.append(True)
    return own.terms


def divided(x1, x2) -> Any:
    """The quotient of a sum and a number, and that of moved directions and an array.

    Of other sums and an array, the product with the reciprocal is another rounding.
    """
    if type(x1) is not LaneSum:
        return None
    if x1.storage.is_moved and is_numpys(x2):
        x1 = broadcast(x1, x2.shape)
        return moved_quotient(x1, as_factor(x2, x1.storage.shape))
    if stood_for(x2) is not None and is_factor_of(x2, x1):
        return moved_quotient(x1, in_numpys_form(x2))
    if type(x2) not in NUMBERS or not x2:
        return None
    factor = 1.0 / x2
    return scaled(x1, factor) if x2 * factor == 1 and abs(np.frexp(x2)[0]) == 0.5 else None


def moved_quotient(x, divisor) -> Any:
    """Moved directions, divided by an array."""
    if divisor is None or not np.all(as_known(divisor)) or not is_finite(divisor):
        return None
    terms, shape = x.storage.terms, x.storage.shape
    found = {
        key: Term(base, (1.0 if own is None else own) / divisor)
        for key, (base, own) in terms.items()
    }
    return noted(x.level, found, shape, True) if are_finite(found) else None


def chosen(mask, x1, x2) -> Any:
    """Entries of two sums of moved directions, or of one and zeros, where a mask says."""
    if not is_numpys(mask) or mask.dtype != bool:
        return None
    is_known = type(mask) is np.ndarray
    if is_known and not mask.any() and is_noted(x2) and x2.shape == mask.shape:
        return x2
    parts = []
    for x, where in ((x1, mask), (x2, ~mask)):
        if is_noted(x) and x.shape == mask.shape:
            parts.append(scaled(x, where.astype(float)))
        elif not is_nothing(x) or np.shape(x) not in ((), mask.shape):
            return None
    if any(part is None for part in parts):
        return None
    return added(*parts) if len(parts) == 2 else parts[0]


def is_noted(x) -> bool:
    """Whether an operand is a sum of moved directions."""
    return type(x) is LaneSum and x.storage.is_moved


def are_noted(tangents: list[Any]) -> bool:
    """Whether all of some tangents are sums of moved directions."""
    return bool(tangents) and all(map(is_noted, tangents))


def has_noted(x) -> bool:
    """Whether an operand is a sum of moved directions, or a list with one."""
    return any(map(is_noted, x)) if type(x) in (list, tuple) else is_noted(x)


def is_nothing(x) -> bool:
    """Whether an operand is a number or an array of zeros."""
    cls = type(x)
    return (cls is np.ndarray and not x.any()) or (cls in NUMBERS and x == 0)


# Moves of directions


def moved(x, key, function: Callable[[Any], Any]) -> Any:
    """Directions whose entries a function moves; `key` is what that is known by."""
    storage = x.storage
    after = storage.after
    if after is not None and key in after:
        return standing_for(after[key], x.level)
    if not storage.is_moved:
        return None
    found: Terms = {}
    shape = add_moved(found, storage.terms, key, function)
    if not found or not shape:
        return None
    made = noted(x.level, found, shape, True)
    return made if after is None else kept(after, key, made)


def add_moved(found: Terms, terms: Terms, key, function: Callable[[Any], Any]) -> tuple[int, ...]:
    """Add the terms of a sum after a function that moves entries; returns the shape that they have."""
    shape: tuple[int, ...] = ()
    for move, factor in terms.values():
        after = move.moved(key, function)
        shape = tuple(after.numbers.shape)
        if not after.is_empty:
            found[id(after)] = Term(after, function(factor) if is_numpys(factor) else factor)
    return shape


def broadcast(x, shape: tuple[int, ...]) -> Any:
    """Moved directions in the shape that they have together with an array; others as they are."""
    own = x.storage.shape
    if shape == own or not x.storage.is_moved or fits(shape, own):
        return x
    try:
        common = np.broadcast_shapes(own, shape)
    except ValueError:  # which NumPy says in the words of the operation
        return x
    if common == own:
        return x
    return moved(x, (np.broadcast_to, common), lambda a: np.broadcast_to(a, common))


def moved_by(primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A sum after a function of NumPy's that moves entries."""
    x, *others = args
    if primal is np.pad and (len(others) != 1 or options):  # by zeros
        return None
    if options.get("order") not in (None, "C", "F"):  # as they stand in memory
        return None
    if "dtype" in options:  # which the numbers of entries would have, too
        return None
    try:
        key = key_of(others), *options, *map(key_of, options.values())
    except TypeError:
        return None
    if type(x) is LaneSum:
        return moved(x, (primal, key), lambda a: primal(a, *others, **options))
    return joined(x, primal, key, lambda parts: primal(parts, *others, **options))


def joined(parts, primal, key, function: Callable[[Any], Any]) -> Any:
    """A sum after a function that joins arrays, all of them sums or zeros."""
    if type(parts) not in (list, tuple):
        return None
    first = next(part for part in parts if is_noted(part))
    level, after = first.level, first.storage.after
    keys = [operand_key(part, level) for part in parts] if after is not None else [None]
    if None in keys:
        after = None
    elif after is not None and (primal, key, *keys) in after:
        return standing_for(after[primal, key, *keys], level)
    for part in parts:
        is_own = type(part) is LaneSum and part.storage.is_moved and part.level is level
        if not is_own and not is_nothing(part):
            return None
    shapes = [part.shape for part in parts]
    found: Terms = {}
    shape: Any = add_at_once(found, parts, (primal, *shapes, key), function)
    if shape is None:
        shape = ()
        for k, part in enumerate(parts):
            if type(part) is LaneSum:
                among_zeros = partial(joined_with_zeros, function, shapes, k)
                terms = part.storage.terms
                shape = add_moved(found, terms, (primal, k, *shapes, key), among_zeros)
    if len(found) > MOST_MOVES:
        return None
    made = noted(level, found, shape, True)
    return made if after is None else kept(after, (primal, key, *keys), made)


def joined_with_zeros(function: Callable[[Any], Any], shapes: list[tuple[int, ...]], k: int, a):
    """An array, joined with zeros in the place of all others."""
    return function([a if k == n else np.zeros(shape, a.dtype) for n, shape in enumerate(shapes)])


def add_at_once(found: Terms, parts, key, function: Callable[[Any], Any]) -> tuple[int, ...] | None:
    """Add arrays that are joined, if each is one moved direction times the same number; returns
    their shape, or None.
    """
    if not all(type(part) is LaneSum and len(part.storage.terms) == 1 for part in parts):
        return None
    terms = [next(iter(part.storage.terms.values())) for part in parts]
    moves: list[Any] = [term.base for term in terms]
    factor = terms[0].factor
    for move, own in terms:
        is_number = own is None or type(own) in NUMBERS
        if move.first != moves[0].first or not is_number or own != factor:
            return None
    after: Move = moves[0].moved(
        (*key, *moves), lambda _: function([move.numbers for move in moves])
    )
    found[id(after)] = Term(after, factor)
    shape: tuple[int, ...] = after.numbers.shape
    return shape


def differences(x, n: Any = 1, axis: Any = -1) -> Any:
    """Differences of neighbours along an axis."""
    if type(n) is not int or type(axis) is not int:
        return None
    for _ in range(n):
        before = (slice(None),) * (axis % x.ndim)
        x = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
    return x


def scattered(values, index, shape: tuple[int, ...], dtype) -> Any:
    """The entries of a sum, added to zeros; where several go to one place, one after the other."""
    try:
        key = scatter_add, key_of(index), shape
    except TypeError:
        return None
    if not shape or dtype != DOUBLE:
        return None
    if hits_nothing_twice(index):
        return moved(values, key, lambda a: scatter_add(a, index, shape, a.dtype))

    first = next(iter(values.storage.terms.values())).base
    rounds = first.rounds.get(key)
    if rounds is None:
        rounds = first.rounds[key] = rounds_of(index, shape)
    if len(rounds) * len(values.storage.terms) > MOST_MOVES:
        return None
    found = None
    for number, (sources, places) in enumerate(rounds):
        part = moved(values, (*key, number), partial(put_among_zeros, sources, places, shape))
        if part is None:
            return None
        found = part if found is None else added(found, part)
    return found


def rounds_of(index, shape: tuple[int, ...]) -> list[tuple[Any, Any]]:
    """Which entries go to which places, in as many rounds as entries go to one place at most; none
    where these are very many.
    """
    places = np.ravel(np.arange(prod(shape)).reshape(shape)[index])
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    before = np.arange(len(order)) - np.searchsorted(ordered, ordered)  # that go there, too
    count = int(before.max(initial=-1)) + 1
    rounds = [order[before == number] for number in range(count if count <= MOST_MOVES else 0)]
    return [(sources, places[sources]) for sources in rounds]


def put_among_zeros(sources, places, shape: tuple[int, ...], a) -> Any:
    """Some entries of an array at places of their own, with zeros in all others."""
    entries = a.reshape(-1)[sources]
    if type(a) is not np.ndarray:
        return scatter_add(entries, places, (prod(shape),), a.dtype).reshape(shape)
    made = np.zeros(shape, a.dtype)
    made.reshape(-1)[places] = entries
    return made


# Computing a sum


def computed(level: LanesOfTangents, terms: list[Term], shape: tuple[int, ...]) -> Any:
    """Compute a sum, lane by lane."""
    if any(stood_for(term.factor) is not None for term in terms):
        return sum_of_recorded(level, terms)
    terms.sort(key=lambda term: term.factor is not None)  # to begin with what is only added
    y = np.empty((level.size, *shape))
    scratch = np.empty(shape)
    for lane in range(len(y)):
        own = [(level.lane_of(base, lane), factor) for base, factor in terms]
        try:
            with np.errstate(invalid="raise"):
                sum_into(y[lane], scratch, own)
        except FloatingPointError:
            y[lane] = sum_of_strong_products(own)
    return y


def sum_into(y: np.ndarray, scratch: np.ndarray, terms: list[tuple[Any, Factor]]) -> None:
    """Compute a sum into an array."""
    (first, own), *others = terms
    if own is None and others and others[0][1] is None:
        np.add(first, others.pop(0)[0], out=y)
    else:
        np.multiply(first, 1.0 if own is None else own, out=y)
    for base, factor in others:
        if factor is None:
            np.add(y, base, out=y)
        elif type(factor) is float and factor == -1:
            np.subtract(y, base, out=y)
        else:
            np.add(y, np.multiply(base, factor, out=scratch), out=y)


def sum_of_recorded(level: LanesOfTangents, terms: list[Term]) -> Any:
    """Compute a sum of moved directions times factors, some of which are recorded: all at once."""
    y: Any = 0.0
    for base, factor in terms:
        lanes = np.stack([level.lane_of(base, lane) for lane in range(level.size)])
        y = y + (lanes if factor is None else lanes * factor)
    return y


def sum_of_strong_products(terms: list[tuple[Any, Factor]]) -> np.ndarray:
    """Compute a sum in which zero times infinity is zero."""
    y: Any = 0.0
    for base, factor in terms:
        with np.errstate(invalid="ignore"):
            product = base if factor is None else np.where(factor == 0, 0.0, base * factor)
        y = y + product
    return np.asarray(y)


def all_finite(x):
    """Which entries of moved directions are finite: all, as these and their factors are."""
    return np.ones(x.shape, bool) if x.storage.is_moved else None


NOTED: dict[Any, Callable[..., Any]] = {
    np.isfinite: all_finite,
    np.multiply: scaled,
    np.add: added,
    np.subtract: subtracted,
    np.true_divide: divided,
    np.negative: negated,
}


def unary_of_sums(primal) -> Operation:
    """Make the operation of a primal with one argument, a sum."""
    note, compute = NOTED.get(primal), unary_in_lanes(primal)
    if note is None:
        return compute

    def operation(x) -> Any:
        after = x.storage.after
        if after is not None and note in after:
            return standing_for(after[note], x.level)
        found = note(x)
        if found is None:
            return compute(x)
        return found if after is None else kept(after, note, found)

    return operation


def binary_of_sums(primal) -> Operation:
    """Make the operation of a primal with two arguments, at least one of them a sum."""
    note, compute = NOTED.get(primal), binary_in_lanes(primal)
    if note is None:
        return compute

    def operation(x1, x2) -> Any:
        x, other = (x1, x2) if type(x1) is LaneSum else (x2, x1)  # of a number, its product alone
        after, key = x.storage.after, None
        if after is not None and (own := operand_key(other, x.level)) is not None:
            key = (note, own)
            if key in after:
                return standing_for(after[key], x.level)
        found = note(x1, x2)
        if found is None:
            return compute(x1, x2)
        return found if key is None else kept(after, key, found)

    return operation


def getitem_of_sums(x, index):
    """Read entries."""
    try:
        key = getitem, key_of(index)
    except TypeError:
        return getitem_in_lanes(x, index)
    found = moved(x, key, lambda a: a[index])
    return getitem_in_lanes(x, index) if found is None else found


def unary_of_postponed(primal) -> Operation:
    """Make the operation of a primal with one argument, a postponed number."""
    compute = unary_in_lanes(primal)
    if primal is not np.negative:
        return compute
    return lambda x: postponed(x.level, compute, x)


def binary_of_postponed(primal) -> Operation:
    """Make the operation of a primal with two arguments, at least one of them a postponed number."""
    compute = binary_in_lanes(primal)
    if primal not in NOTED:
        return compute

    def operation(x1, x2) -> Any:
        are_numbers = is_number(x1) and is_number(x2)
        if not are_numbers or (primal is np.true_divide and type(x1) is not PostponedNumber):
            return compute(x1, x2)
        return postponed((x1 if type(x1) is PostponedNumber else x2).level, compute, x1, x2)

    return operation


def is_number(x) -> bool:
    """Whether an operand is a number, computed or postponed."""
    return type(x) in NUMBERS or type(x) is PostponedNumber


# functions that move entries, whatever these are, and put zeros in other places
JOINING = (np.vstack, np.hstack, np.dstack, np.column_stack)
PLACING = (np.pad, np.diag, np.diagflat, np.triu, np.tril)
READING = (np.take, np.delete, np.diagonal, np.rot90, np.fliplr, np.flipud)
METHODS = (np.ndarray.ravel, np.ndarray.reshape)
MOVING = frozenset({*MOVE_EXACTLY, *JOINING, *PLACING, *READING, *METHODS})


def function_of_sums(self, primal, types, args: tuple[Any, ...], options: dict[str, Any]):
    """Note a function that moves entries; compute all others."""
    found = None
    if primal in MOVING:
        if has_noted(args[0]):
            found = moved_by(primal, args, options)
    elif primal is np.diff and is_noted(args[0]):
        is_plain = len(args) <= 3 and options.keys() <= {"n", "axis"}
        found = differences(*args, **options) if is_plain else None
    elif primal is np.where and len(args) == 3:
        found = chosen(*args)
    elif primal is np.sum and is_noted(args[0]) and len(args) == 1 and is_of_all(options):
        return postponed(self.level, function_in_lanes, self, primal, types, args, options)
    return function_in_lanes(self, primal, types, args, options) if found is None else found


def is_of_all(options: dict[str, Any]) -> bool:
    """Whether a reduction with these options gives a number."""
    return options.get("axis") is None and options.keys() <= {"axis"}


def primitive_of_sums(self, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Note where a scatter moves entries; compute all other functions marked with `primitive`."""
    found = scattered(*args, **options) if primal is scatter_add and is_noted(args[0]) else None
    return chainrules_call(self, primal, args, options) if found is None else found


LaneSum.__array_function__ = function_of_sums
LaneSum.__chainrules_call__ = primitive_of_sums
LaneSum.__array_ufunc__ = ufunc_of(unary_of_sums, binary_of_sums)
define_operators(LaneSum, unary_of_sums, binary_of_sums, getitem_of_sums)
PostponedNumber.__array_ufunc__ = ufunc_of(unary_of_postponed, binary_of_postponed)
define_operators(PostponedNumber, unary_of_postponed, binary_of_postponed, getitem_in_lanes)
for _handles in (HANDLES, handles.HANDLES, TANGENTS):
    _handles |= {LaneSum, PostponedNumber}
