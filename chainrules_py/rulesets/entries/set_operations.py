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


def members(y, x, xp) -> tuple[Any, Any]:
    """Which entries of the flat `x` are in `y`, and where in `y` they are; anywhere for others."""
    order = xp.argsort(y)
    found = xp.minimum(xp.searchsorted(xp.take(y, order), x), y.size - 1)
    places = xp.take(order, found)
    return xp.equal(xp.take(y, places), x), places


def sharing(y, arguments: tuple[Any, ...], xp) -> list[LinearMap]:
    """The maps from the arguments to their values in `y`."""
    if not y.size:
        return [NO_CHANGE for _ in arguments]
    values = ignore_derivatives(y)
    found = [members(values, xp.reshape(ignore_derivatives(x), (-1,)), xp) for x in arguments]
    counts = sum(
        xp.bincount(places, weights=xp.where(same, 1.0, 0.0), minlength=values.size)
        for same, places in found
    )
    return [
        share(counts, same, places, x, xp)
        for (same, places), x in zip(found, arguments, strict=True)
    ]


def share(counts, same, places, x, xp) -> LinearMap:
    """The entries of `x` where `same` holds are equal to those at `places` of the result, each of
    which is the mean of `counts` entries.

    No number of entries depends on the values, which examples in lanes may differ in.
    """
    shape, dtype = x.shape, x.dtype

    def set_pushforward(x_dot) -> Any:
        moved = xp.where(same, xp.reshape(x_dot, (-1,)), 0) / xp.take(counts, places)
        return scatter_add(moved, index=places, shape=counts.shape, dtype=dtype)

    def set_pullback(y_bar) -> Any:
        x_bar = xp.where(same, xp.take(y_bar / counts, places), 0)
        return xp.reshape(x_bar, shape).astype(dtype)

    return LinearMap(set_pushforward, set_pullback)


@linearised_rule(np.union1d)
def union1d_linearised(ar1: Array, ar2: Array, *, xp) -> Linearised:
    y = xp.union1d(ar1, ar2)
    return y, *sharing(y, (ar1, ar2), xp)


def shared_rule(name: str) -> None:
    """Register the rule of a set of two, in which equal entries share a derivative."""

    @linearised_rule(getattr(np, name))
    def set_linearised(ar1: Array, ar2: Array, *, assume_unique: bool = False, xp) -> Linearised:
        y = getattr(xp, name)(ar1, ar2, assume_unique=assume_unique)
        return y, *sharing(y, (ar1, ar2), xp)


shared_rule("intersect1d")
shared_rule("setxor1d")


@linearised_rule(np.setdiff1d)
def setdiff1d_linearised(ar1: Array, ar2: Array, *, assume_unique: bool = False, xp) -> Linearised:
    y = xp.setdiff1d(ar1, ar2, assume_unique=assume_unique)
    # no entry of ar2 is in the result
    if assume_unique:
        return y, entries_not_in(ar1, ar2, xp), NO_CHANGE
    return y, *sharing(y, (ar1,), xp), NO_CHANGE


def entries_not_in(ar1, ar2, xp) -> LinearMap:
    """The map to the entries of an array that are not in another, in their order: each moves by
    itself, even if there are equal ones.
    """
    shape, size, dtype = ar1.shape, ar1.size, ar1.dtype
    values, others = [xp.reshape(ignore_derivatives(ar), (-1,)) for ar in (ar1, ar2)]
    is_other = xp.isin(values, others, assume_unique=True, invert=True)
    places = xp.nonzero(is_other)[0]

    def entries_pushforward(x_dot) -> Any:
        return xp.take(xp.reshape(x_dot, (-1,)), places)

    def entries_pullback(y_bar) -> Any:
        x_bar = scatter_add(y_bar, index=places, shape=(size,), dtype=dtype)
        return xp.reshape(x_bar, shape)

    return LinearMap(entries_pushforward, entries_pullback)
