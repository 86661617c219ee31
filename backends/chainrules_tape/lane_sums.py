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


class Term(NamedTuple):
    """A base, and its factor; None stands for one."""

    base: np.ndarray
    factor: Factor


Terms = dict[int, Term]  # by the identity of the base


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
        made = noted(self, {id(y): Term(y, None)})
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
        self.storage = Sum({id(y): Term(y, None)}, [])
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
        terms = Sum({id(x.value): Term(x.value, None)}, []).terms  # one product, not several
    found = {key: Term(base, times(own, factor)) for key, (base, own) in terms.items()}
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
    return all(factor is None or is_finite(factor) for _, factor in terms.values())


def is_finite(factor: Factor) -> bool:
    """Whether a number, or all entries of an array, are finite."""
    return is_quickly_finite(factor) if type(factor) is np.ndarray else isfinite(factor)


def negated(x: Any) -> Any:
    """A sum with all factors negated."""
    return noted(x.level, {key: Term(base, negative(own)) for key, (base, own) in terms_of(x)})


def negative(own: Factor) -> Factor:
    """A factor with the other sign."""
    return -1.0 if own is None else -own


def added(x1: Any, x2: Any) -> Any:
    """The sum of two sums of one shape."""
    if type(x1) is not type(x2) or x1.level is not x2.level or x1.shape != x2.shape:
        return None
    found = dict(terms_of(x1))
    for key, (base, factor) in terms_of(x2):
        own = found.get(key)
        found[key] = Term(base, factor if own is None else plus(own.factor, factor))
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


# Computing a sum


def computed(terms: list[Term]) -> np.ndarray:
    """Compute a sum, lane by lane."""
    terms.sort(key=lambda term: term.factor is not None)  # to begin with what is only added
    first = terms[0].base
    y = np.empty(first.shape)
    scratch = np.empty(first.shape[1:])
    for lane in range(len(y)):
        own = [(base[lane], factor) for base, factor in terms]
        try:
            with np.errstate(invalid="raise"):
                sum_into(y[lane], scratch, own)
        except FloatingPointError:
            y[lane] = sum_of_strong_products(own)
    return y


def sum_into(y: np.ndarray, scratch: np.ndarray, terms: list[tuple[np.ndarray, Factor]]) -> None:
    """Compute a sum into an array."""
    (base, factor), *others = terms
    if factor is None and others and others[0][1] is None:
        np.add(base, others.pop(0)[0], out=y)
    else:
        np.multiply(base, 1.0 if factor is None else factor, out=y)
    for base, factor in others:
        if factor is None:
            np.add(y, base, out=y)
        elif type(factor) is float and factor == -1:
            np.subtract(y, base, out=y)
        else:
            np.add(y, np.multiply(base, factor, out=scratch), out=y)


def sum_of_strong_products(terms: list[tuple[np.ndarray, Factor]]) -> np.ndarray:
    """Compute a sum in which zero times infinity is zero."""
    y: Any = 0.0
    for base, factor in terms:
        with np.errstate(invalid="ignore"):
            product = base if factor is None else np.where(factor == 0, 0.0, base * factor)
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


LaneSum.__array_ufunc__ = ufunc_of(unary_of_sums, binary_of_sums)
define_operators(LaneSum, unary_of_sums, binary_of_sums, getitem_in_lanes)
for _handles in (lanes.HANDLES, handles.HANDLES, TANGENTS):
    _handles.add(LaneSum)
