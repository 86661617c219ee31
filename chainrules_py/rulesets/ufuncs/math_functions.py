"""Functions of Python's `math` that NumPy does not have, of one number or of a sequence of them.

The others are aliases of NumPy's. Sequences are lists, tuples or arrays; with traced numbers in
them, sums are NumPy's.
"""

import math
import operator
from functools import reduce
from typing import Any

import numpy as np

from chainrules_py import batched, non_differentiable
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.parts import in_one
from chainrules_py.batching.words import in_a_loop
from chainrules_py.makers import Linearised, LinearMap, linearised_rule, scalar_rule
from chainrules_py.makers.composition import composed
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, on_arrays
from chainrules_py.rulesets.formulas.gamma_functions import digamma
from chainrules_py.values.arrays import common_namespace, library_of_types
from chainrules_py.values.identity import existing
from chainrules_py.values.structure import is_container

scalar_rule(math.erf, "x", "1.1283791670955126 * exp(-x * x)")  # 2 / sqrt(pi)
scalar_rule(math.erfc, "x", "-1.1283791670955126 * exp(-x * x)")
scalar_rule(math.gamma, "x", "out * digamma(x)", names={"digamma": digamma})
scalar_rule(math.lgamma, "x", "digamma(x)", names={"digamma": digamma})
scalar_rule(
    math.remainder, "x, y", "1", "-rint((x - out) / y)"
)  # to the nearest multiple: another function than numpy.remainder
non_differentiable(math.isclose, math.ulp, math.comb, math.perm, math.factorial, math.isqrt)
for _function in existing(math, "fma"):  # from Python 3.13 on
    scalar_rule(_function, "x, y, z", "y", "x", "1")


@linearised_rule(math.fsum)
def fsum_linearised(seq: ArrayLike, *, xp) -> Linearised:
    """Every summand receives the whole cotangent."""

    def of_terms(terms, xp) -> Linearised:
        shape = terms.shape
        y = math.fsum(terms) if type(terms) is np.ndarray else xp.sum(terms)
        return y, LinearMap(lambda dot: xp.sum(dot), lambda y_bar: xp.broadcast_to(y_bar, shape))

    return on_arrays(of_terms, (seq,), xp)


@composed(math.prod)
def prod(iterable: Any, *, start: Any = 1):
    """The product of the factors; of a matrix, rows are factors."""
    return reduce(operator.mul, iterable, start)


@linearised_rule(math.dist)
def dist_linearised(p: ArrayLike, q: ArrayLike, *, xp) -> Linearised:
    """The distance moves along the direction between the points.

    Where they are the same it does not move.
    """

    def of_points(p, q, xp) -> Linearised:
        y = math.dist(p, q) if type(p) is type(q) is np.ndarray else xp.linalg.norm(p - q)

        def along(sign: int) -> LinearMap:
            direction = sign * (p - q) / xp.where(y == 0, 1, y)
            return LinearMap(lambda dot: xp.sum(direction * dot), lambda y_bar: direction * y_bar)

        return y, along(1), along(-1)

    return on_arrays(of_points, (p, q), xp)


@composed(math.log)
def log(x: Any, *base: Any) -> Any:
    """The natural logarithm, or its quotient by that of the base."""
    return np.log(x) / np.log(base[0]) if base else np.log(x)


@composed(math.hypot)
def hypot(*coordinates: Any) -> Any:
    """The distance from the origin, a coordinate at a time."""
    return reduce(np.hypot, coordinates, 0.0)


# --- Many examples at once: sequences of numbers are the rows of a matrix ---


def rows_of_sequence(lane, sequence) -> Any:
    """A sequence in each lane as the rows of a matrix; one that is the same in all lanes is one row.

    None where a sequence has no numbers but arrays, or where it is no sequence.
    """
    if lane:
        rows = in_one(lane, sequence) if lane is True or len(sequence) else None
        return rows if rows is not None and rows.ndim == 2 else None
    if is_container(sequence):
        types = map(type, sequence)
        sequence = library_of_types(types).namespace.asarray(sequence)
    return sequence[None] if getattr(sequence, "ndim", 0) == 1 else None


@batched.register(math.dist)
def dist_batched(lanes: Lanes, p, q):
    """The norm of the difference; of plain arrays without overflow, as `math.dist` has it."""
    rows = rows_of_sequence(lanes[0], p), rows_of_sequence(lanes[1], q)
    if any(x is None or x.dtype.kind not in "fiub" for x in rows) or has_two_lengths(*rows):
        return in_a_loop(math.dist, lanes)(p, q)
    if all(type(x) is np.ndarray for x in rows):
        first, second = (x.astype(np.float64) for x in rows)
        return np.hypot.reduce(first - second, axis=1)
    return common_namespace(rows).linalg.norm(rows[0] - rows[1], axis=1)


def has_two_lengths(p, q) -> bool:
    """Whether rows have as many entries as those of another matrix."""
    return bool(p.shape[1] != q.shape[1])
