"""Set operations: the result holds values of the arguments, each once, sorted.

An entry of the result moves with the entries of the arguments that it equals; where there are
several, they share equally, as ties do everywhere here. Which values are kept does not change with
small changes, except where values meet.
"""

from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, ignore_derivatives, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import NO_CHANGE


def members(y: Any, x: Any, xp: Any) -> tuple[Any, Any]:
    """Which entries of the flat `x` are in `y`, and where in `y` they are."""
    order = xp.argsort(y)
    found = xp.minimum(xp.searchsorted(xp.take(y, order), x), y.size - 1)
    places = xp.take(order, found)
    same = xp.nonzero(xp.equal(xp.take(y, places), x))[0]
    return same, xp.take(places, same)


def sharing(y: Any, arguments: tuple[Any, ...], xp: Any) -> list[LinearMap]:
    """The maps from the arguments to their values in `y`."""
    if not y.size:
        return [NO_CHANGE for _ in arguments]
    values = ignore_derivatives(y)
    found = [members(values, xp.reshape(ignore_derivatives(x), (-1,)), xp) for x in arguments]
    counts = sum(xp.bincount(places, minlength=values.size) for _, places in found)
    return [
        share(counts, chosen, places, x, xp)
        for (chosen, places), x in zip(found, arguments, strict=True)
    ]


def share(counts: Any, chosen: Any, places: Any, x: Any, xp: Any) -> LinearMap:
    """Entries `chosen` of `x` are equal to those at `places` of the result, each of which is the
    mean of `counts` entries.
    """
    shape, dtype = x.shape, x.dtype

    def set_pushforward(x_dot: Any) -> Any:
        moved = xp.take(xp.reshape(x_dot, (-1,)), chosen) / xp.take(counts, places)
        return scatter_add(moved, index=places, shape=counts.shape, dtype=dtype)

    def set_pullback(y_bar: Any) -> Any:
        return xp.reshape(
            scatter_add(
                xp.take(y_bar / counts, places), index=chosen, shape=(x.size,), dtype=dtype
            ),
            shape,
        )

    return LinearMap(set_pushforward, set_pullback)


@linearised_rule(np.union1d)
def union1d_linearised(ar1: Array, ar2: Array, *, xp: Any) -> Linearised:
    y = xp.union1d(ar1, ar2)
    return y, *sharing(y, (ar1, ar2), xp)


@linearised_rule(np.intersect1d)
def intersect1d_linearised(
    ar1: Array, ar2: Array, *, assume_unique: bool = False, xp: Any
) -> Linearised:
    y = xp.intersect1d(ar1, ar2, assume_unique=assume_unique)
    return y, *sharing(y, (ar1, ar2), xp)


@linearised_rule(np.setxor1d)
def setxor1d_linearised(
    ar1: Array, ar2: Array, *, assume_unique: bool = False, xp: Any
) -> Linearised:
    y = xp.setxor1d(ar1, ar2, assume_unique=assume_unique)
    return y, *sharing(y, (ar1, ar2), xp)


@linearised_rule(np.setdiff1d)
def setdiff1d_linearised(
    ar1: Array, ar2: Array, *, assume_unique: bool = False, xp: Any
) -> Linearised:
    y = xp.setdiff1d(ar1, ar2, assume_unique=assume_unique)
    return y, *sharing(y, (ar1,), xp), NO_CHANGE  # no entry of ar2 is in the result
