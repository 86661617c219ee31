"""Tangents in lanes that are not computed before somebody asks for them.

Between two operations that move entries, the tangents of a program are sums of products: of arrays
in lanes, the *bases*, with factors that are the same in all lanes. These are a fraction of the size:
of -4v + v - v**3 in seven lanes, the factor of the tangent of v is computed on one of eight arrays'
worth of numbers, where each operation on tangents would go over seven. So a `LaneSum` notes the
factors. It becomes an array when somebody asks for its value: the sum is computed lane by lane,
in the processor's cache, and over itself.

Products of factors may overflow where one product after the other would not; they are noted only
where they are finite. Arrays of values are never changed (a first write copies), so that bases are
what they were; factors may be the program's own arrays, and are copied.

A base may be noted as rolled along an axis. It is added in two pieces, and no rolled array is made.
"""

from collections.abc import Callable
from math import isfinite, prod
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.strong_zeros.strong_contraction import is_quickly_finite
from chainrules_tape.arrays.fast_dispatch import TANGENTS, ufunc_of
from chainrules_tape.arrays.handles import LaneArray
from chainrules_tape.arrays.lane_dispatch import (
    binary_in_lanes,
    function_in_lanes,
    getitem_in_lanes,
    unary_in_lanes,
)
from chainrules_tape.arrays.operators import define_operators
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.core import lanes
from chainrules_tape.core.lanes import Lanes
from chainrules_tape.refusals import handles
from chainrules_tape.unit_lanes import class_of_units

LARGE = 2**17  # entries of all lanes, from which on passes over them take longer than noting them
MANY = 8  # bases of a sum: more are held in memory no longer than they have to
FEW = 2  # bases of a sum that may be noted in several others
NUMBERS = frozenset({float, int, np.float64})

Factor = Any  # a number, or an array with the shape of one lane


class Roll(NamedTuple):
    """How far the entries of each lane are moved along an axis, and come in again at its start."""

    shift: int
    axis: int


class Term(NamedTuple):
    """A base, its factor, and how it is rolled; a factor of None stands for one."""

    base: np.ndarray
    factor: Factor
    roll: Roll | None = None


Terms = dict[tuple[int, Roll | None], Term]  # by the identity of the base, and how it is rolled


class Sum(NamedTuple):
    """The sum that a handle stands for. `used` has an entry once another sum has noted it."""

    terms: Terms
    used: list[bool]


class LanesOfTangents(Lanes):
    """A level all of whose values are tangents: large arrays of them are noted as sums."""

    __slots__ = ()

    def handle(self, y: Any) -> Any:
        """Make the handle on an array with lanes."""
        if type(y) is not np.ndarray or y.dtype != np.float64 or y.size < LARGE or y.ndim == 1:
            return super().handle(y)
        made = noted(self, alone(y))
        made.value = y
        return made


class LaneSum(LaneArray):
    """A handle on an array in lanes, which is a sum of bases times factors.

    What they are is where other handles have their memory after a write, as in `UnitArray`.
    """

    __slots__ = ()
    storage: Sum

    __class__: Any = property(class_of_units)

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.value = y = computed(list(self.storage.terms.values()))
        self.storage = Sum(alone(y), [])
        return y

    @property
    def a_base(self) -> np.ndarray:
        """Some base, all of which have one shape."""
        return next(iter(self.storage.terms.values())).base

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one lane."""
        return self.a_base.shape[1:]

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._set_shape(shape)

    @property
    def ndim(self) -> int:
        """The number of axes of one lane."""
        return self.a_base.ndim - 1

    @property
    def size(self) -> int:
        """The number of entries of one lane."""
        return prod(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of all sums."""
        return self.a_base.dtype


def alone(y: np.ndarray) -> Terms:
    """The terms of an array that has been computed."""
    return {(id(y), None): Term(y, None)}


def noted(level: Lanes, terms: Terms) -> Any:
    """Make the handle on a sum."""
    made: Any = object.__new__(LaneSum)
    made.level, made.storage = level, Sum(terms, [])
    return made


# Operations that are noted; each returns None where it has to be computed


def scaled(x1: Any, x2: Any) -> Any:
    """The product of a sum and a factor."""
    x, factor = (x1, x2) if type(x1) is LaneSum else (x2, x1)
    cls = type(factor)
    if cls is np.ndarray:
        if factor.dtype != np.float64 or factor.shape != x.shape:
            return None
    elif cls not in NUMBERS:
        return None
    if not is_finite(factor):
        return None

    terms = x.storage.terms
    if len(terms) > 1 and any(is_unit(term.factor) for term in terms.values()):
        terms = alone(x.value)  # one product, not several
    found = {key: term._replace(factor=times(term.factor, factor)) for key, term in terms.items()}
    return noted(x.level, found) if are_finite(found) else None


def times(own: Factor, factor: Factor) -> Factor:
    """The product of two factors, which nobody else holds."""
    if own is None:
        return factor.copy() if type(factor) is np.ndarray else float(factor)
    return own * factor


def is_unit(factor: Factor) -> bool:
    """Whether a factor is 1 or -1, so that nothing is to be multiplied."""
    return factor is None or (type(factor) is float and abs(factor) == 1)


def are_finite(terms: Terms) -> bool:
    """Whether all factors are finite."""
    return all(term.factor is None or is_finite(term.factor) for term in terms.values())


def is_finite(factor: Factor) -> bool:
    """Whether a number, or all entries of an array, are finite."""
    return is_quickly_finite(factor) if type(factor) is np.ndarray else isfinite(factor)


def negated(x: Any) -> Any:
    """A sum with all factors negated."""
    terms = terms_of(x)
    return noted(x.level, {key: term._replace(factor=negative(term.factor)) for key, term in terms})


def negative(own: Factor) -> Factor:
    """A factor with the other sign."""
    return -1.0 if own is None else -own


def added(x1: Any, x2: Any) -> Any:
    """The sum of two sums of one shape."""
    if type(x1) is not type(x2) or x1.level is not x2.level or x1.shape != x2.shape:
        return None
    found = dict(terms_of(x1))
    for key, term in terms_of(x2):
        own = found.get(key)
        found[key] = term if own is None else own._replace(factor=plus(own.factor, term.factor))
    return noted(x1.level, found) if len(found) <= MANY and are_finite(found) else None


def subtracted(x1: Any, x2: Any) -> Any:
    """The difference of two sums of one shape."""
    both = type(x1) is type(x2) and x1.level is x2.level
    return added(x1, negated(x2)) if both else None


def plus(own: Factor, factor: Factor) -> Factor:
    """The sum of two factors."""
    return (1.0 if own is None else own) + (1.0 if factor is None else factor)


def terms_of(x: Any) -> Any:
    """The terms of a sum, which is computed where several sums would have to compute it."""
    terms, used = x.storage
    if used and len(terms) > FEW:
        _ = x.value
        terms = x.storage.terms
    used.append(True)
    return terms.items()


def divided(x1: Any, x2: Any) -> Any:
    """The quotient of a sum and a number; of an array, the quotient is another rounding."""
    if type(x1) is not LaneSum or type(x2) not in NUMBERS or not x2:
        return None
    factor = 1.0 / x2
    return scaled(x1, factor) if x2 * factor == 1 and abs(np.frexp(x2)[0]) == 0.5 else None


def rolled(x: Any, shift: Any, axis: Any) -> Any:
    """An array rolled along an axis of each lane."""
    axis = 0 if axis is None and x.ndim == 1 else axis
    if type(shift) is not int or type(axis) is not int or not -x.ndim <= axis < x.ndim:
        return None
    term, *others = x.storage.terms.values()
    is_base = not others and term.factor is term.roll is None
    base = term.base if is_base else x.value
    axis %= x.ndim
    roll = Roll(shift % base.shape[axis + 1], axis)
    return noted(x.level, {(id(base), roll): Term(base, None, roll)})


# Computing a sum


Pieces = list[tuple[Any, Any]]  # where entries of a lane come, and where they are in the base
WHOLE: Pieces = [(..., ...)]


def pieces_of(roll: Roll | None, shape: tuple[int, ...]) -> Pieces:
    """The pieces in which a lane of a base is added."""
    if roll is None or not roll.shift:
        return WHOLE
    before, back = (slice(None),) * roll.axis, shape[roll.axis] - roll.shift
    return [
        ((*before, slice(roll.shift, None)), (*before, slice(None, back))),
        ((*before, slice(None, roll.shift)), (*before, slice(back, None))),
    ]


def computed(terms: list[Term]) -> np.ndarray:
    """Compute a sum, lane by lane."""
    # to begin with what is only added, in one piece
    terms.sort(key=lambda term: (term.factor is not None, term.roll is not None))
    first = terms[0].base
    y = np.empty(first.shape)
    scratch = np.empty(first.shape[1:])
    pieces = [pieces_of(term.roll, scratch.shape) for term in terms]
    for lane in range(len(y)):
        own = [term._replace(base=term.base[lane]) for term in terms]
        try:
            with np.errstate(invalid="raise"):
                sum_into(y[lane], scratch, own, pieces)
        except FloatingPointError:
            y[lane] = sum_of_strong_products(own)
    return y


def sum_into(y: np.ndarray, scratch: np.ndarray, terms: list[Term], pieces: list[Pieces]) -> None:
    """Compute a sum into an array, each term in its pieces."""
    first, *others = terms
    own, *others_pieces = pieces
    both = others and own is others_pieces[0] is WHOLE
    if both and first.factor is others[0].factor is None:
        np.add(first.base, others.pop(0).base, out=y)
        others_pieces.pop(0)
    else:
        for to, at in own:
            np.multiply(first.base[at], factor_at(first.factor, to), out=y[to])
    for (base, factor, _), where in zip(others, others_pieces, strict=True):
        for to, at in where:
            add_piece(
                y[to], base[at], factor if factor is None else factor_at(factor, to), scratch[to]
            )


def factor_at(factor: Factor, place: Any) -> Factor:
    """The factor of a piece."""
    if type(factor) is np.ndarray:
        return factor[place]
    return 1.0 if factor is None else factor


def add_piece(y: np.ndarray, base: np.ndarray, factor: Factor, scratch: np.ndarray) -> None:
    """Add a product to an array."""
    if factor is None:
        np.add(y, base, out=y)
    elif type(factor) is float and factor == -1:
        np.subtract(y, base, out=y)
    else:
        np.add(y, np.multiply(base, factor, out=scratch), out=y)


def sum_of_strong_products(terms: list[Term]) -> np.ndarray:
    """Compute a sum in which zero times infinity is zero."""
    y: Any = 0.0
    for base, factor, roll in terms:
        moved = base if roll is None else np.roll(base, roll.shift, roll.axis)
        with np.errstate(invalid="ignore"):
            product = moved if factor is None else np.where(factor == 0, 0.0, moved * factor)
        y = y + product
    return np.asarray(y)


NOTED: dict[Any, Callable[..., Any]] = {
    np.multiply: scaled,
    np.add: added,
    np.subtract: subtracted,
    np.true_divide: divided,
    np.negative: negated,
}


def unary_of_sums(primal: Any) -> Operation:
    """Make the operation of a primal with one argument, a sum."""
    note, compute = NOTED.get(primal), unary_in_lanes(primal)
    return compute if note is None else note


def binary_of_sums(primal: Any) -> Operation:
    """Make the operation of a primal with two arguments, at least one of them a sum."""
    note, compute = NOTED.get(primal), binary_in_lanes(primal)
    if note is None:
        return compute

    def operation(x1: Any, x2: Any) -> Any:
        found = note(x1, x2)
        return compute(x1, x2) if found is None else found

    return operation


def function_of_sums(
    self: Any, primal: Any, types: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Note a roll; compute all other functions."""
    if primal is np.roll and args and type(args[0]) is LaneSum and args[0].level is self.level:
        given = dict(zip(("shift", "axis"), args[1:], strict=False)) | options
        found = rolled(args[0], given.get("shift"), given.get("axis"))
        if found is not None:
            return found
    return function_in_lanes(self, primal, types, args, options)


LaneSum.__array_function__ = function_of_sums
LaneSum.__array_ufunc__ = ufunc_of(unary_of_sums, binary_of_sums)
define_operators(LaneSum, unary_of_sums, binary_of_sums, getitem_in_lanes)
for _handles in (lanes.HANDLES, handles.HANDLES, TANGENTS):
    _handles.add(LaneSum)
