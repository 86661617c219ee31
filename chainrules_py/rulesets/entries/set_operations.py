"""Distinct values and set operations: programs of sorting, after which equal values are neighbours.

An entry of the result moves with the entries of the arguments that it equals. These share equally,
as sorting does it. Which values are kept does not change with small changes, except where values
meet; of many examples, as many have to be kept.
"""

from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    BatchingError,
    OptionError,
    Scalar,
    composed,
    ignore_derivatives,
    primitive,
)
from chainrules_py.batching.failures import note_handled
from chainrules_py.rulesets.entries.sorting import starts_group
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.values.arrays import call, library_of_types, shape_of
from chainrules_py.values.identity import qualified_name


def sorted_in_groups(flat, xp, *, equal_nan: bool = False) -> tuple[Any, Any]:
    """The entries of a vector in order, and where each group of equal ones begins."""
    values = xp.sort(flat)
    has_nan = np.dtype(values.dtype).kind in "fc"
    return values, starts_group(ignore_derivatives(values), xp, equal_nan and has_nan)


def kept(primal, values, mask) -> Any:
    """The values where a mask holds: of many examples, as many of each."""
    try:
        return values[mask]
    except BatchingError as error:
        note_handled(error)
        got = "results whose number of values differs from lane to lane"
        instead = "call it on one example after the other, outside of vmap"
        raise BatchingError(f"vmap({qualified_name(primal)})", got, instead) from error


@composed(np.unique)
def unique(
    ar: Array | Scalar,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    equal_nan: bool = True,
    axis: int | None = None,
    xp,
) -> Any:
    """The first of each group."""
    if axis is not None:
        instead = (
            "take what it finds: index = numpy.unique(stop_gradient(x), axis=axis,"
            " return_index=True)[1], numpy.take(x, index, axis)"
        )
        got = "the option has no rule"
        raise OptionError(
            "numpy.unique: axis", got, instead, primal=np.unique, option="axis", value=axis
        )
    flat = xp.reshape(ar, (-1,))
    values, starts = sorted_in_groups(flat, xp, equal_nan=equal_nan)
    found = [kept(np.unique, values, starts)]
    order: Any = None
    if return_index or return_inverse:
        order = xp.argsort(ignore_derivatives(flat), stable=True)
    if return_index:
        found.append(order[starts])
    if return_inverse:
        number = xp.cumsum(starts) - 1
        found.append(xp.reshape(xp.take_along_axis(number, xp.argsort(order), 0), shape_of(ar)))
    if return_counts:
        count = flat.shape[0]
        first = xp.flatnonzero(starts)
        found.append(xp.diff(xp.concatenate([first, xp.full(1, count)])))
    return tuple(found) if len(found) > 1 else found[0]


def with_flags(primal, *flags: str) -> None:
    """Give a body to a function that is `unique` with flags, whose result has names."""
    named = type(primal(np.zeros(1)))

    @composed(primal)
    def with_names(x: Array | Scalar, *, xp):
        return named(*unique(x, equal_nan=False, **dict.fromkeys(flags, True), xp=xp))


with_flags(np.unique_counts, "return_counts")
with_flags(np.unique_inverse, "return_inverse")
with_flags(np.unique_all, "return_index", "return_inverse", "return_counts")


@composed(np.unique_values)
def unique_values(x: Array | Scalar, *, xp):
    """In the order in which the library returns them."""
    return unique(x, equal_nan=False, xp=xp)[places_in_order(ignore_derivatives(x))]


@primitive
def places_in_order(x) -> Any:
    """The places in order of the distinct values that a library returns."""
    found = call(np.unique_values, x)
    xp = library_of_types((type(found),)).namespace
    return xp.argsort(xp.argsort(found))


# --- Sets of two ---


@composed(np.union1d)
def union1d(ar1: Array, ar2: Array, *, xp):
    both = xp.concatenate([xp.reshape(ar, (-1,)) for ar in (ar1, ar2)])
    return kept(np.union1d, *sorted_in_groups(both, xp, equal_nan=True))


def of_both(primal, chosen) -> None:
    """Give a body to a set of values of two arrays, which `chosen` marks in sorted order.

    It is given where groups of equal entries begin, and whether an entry is from the first array:
    within a group, those are in front.
    """

    @composed(primal)
    def set_of_both(ar1: Array, ar2: Array, *, assume_unique: bool = False, xp):
        pair = [xp.reshape(ar, (-1,)) for ar in (ar1, ar2)]
        if not assume_unique and any(any_at_hand(ar != ar) for ar in pair):
            pair = [unique(ar, xp=xp) for ar in pair]  # in each, one nan
        both = xp.concatenate(pair)
        values, starts = sorted_in_groups(both, xp)
        order = xp.argsort(ignore_derivatives(both), stable=True)
        is_last = xp.concatenate([starts[1:], xp.ones_like(starts[:1])])
        return kept(primal, values, chosen(starts, is_last, order < pair[0].shape[0], xp))


def of_first_and_second(starts, is_last, is_of_first, xp):
    """An entry of the first array before an equal one of the second."""
    before_second = xp.concatenate([~is_of_first[1:], xp.zeros_like(starts[:1])])
    return is_of_first & ~is_last & before_second


def of_one_alone(starts, is_last, is_of_first, xp):
    """The last entry of a group from the first array, the first one of a group from the second."""
    return xp.where(is_of_first, is_last, starts)


of_both(np.intersect1d, of_first_and_second)
of_both(np.setxor1d, of_one_alone)


@composed(np.setdiff1d)
def setdiff1d(ar1: Array, ar2: Array, *, assume_unique: bool = False, xp):
    """Values that are known to be different stay in their order."""
    one = xp.reshape(ar1, (-1,))
    if not assume_unique:
        one = unique(one, xp=xp)
    return kept(np.setdiff1d, one, xp.isin(*ignore_derivatives((one, ar2)), invert=True))
