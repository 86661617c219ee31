"""The roots and the fits of `numpy.polynomial` for many examples at once."""

from functools import partial
from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.batching.parts import as_laned
from chainrules_py.rulesets.formulas.array_likes import array_of_list, as_floats
from chainrules_py.rulesets.polynomial.factors import of_one_degree
from chainrules_py.rulesets.polynomial.families import FAMILIES, Family
from chainrules_py.rulesets.polynomial.roots import eigenvalues
from chainrules_py.values.arrays import call, library_of_types, shape_of
from chainrules_py.values.structure import fields, is_container


def array_in_lanes(lane, x) -> tuple[bool, Any]:
    """Whether an argument has lanes, and an array in the place of a list of which parts have some."""
    if not is_container(x):
        return lane, x
    if lane is False:
        return False, array_of_list(x, as_array)
    parts = [array_in_lanes(own, part) for own, part in zip(lane, fields(x).values(), strict=True)]
    count = next(part.shape[0] for has_lanes, part in parts if has_lanes)
    whole = [as_laned(has_lanes, part, count) for has_lanes, part in parts]
    return True, library_of_types(map(type, whole)).namespace.stack(whole, axis=1)


def as_array(x) -> Any:
    """An array in the place of a number."""
    return x if hasattr(x, "ndim") else np.asarray(x)


def arrays_in_lanes(lanes: Lanes, args: tuple[Any, ...]) -> tuple[tuple[bool, ...], list[Any]]:
    """Which arguments have lanes, and all of them as arrays."""
    pairs = [array_in_lanes(lane, arg) for lane, arg in zip(lanes, args, strict=True)]
    return tuple([lane for lane, _ in pairs]), [arg for _, arg in pairs]


def rank(lane: bool, x) -> int:
    """How many axes an argument has without its lanes."""
    return len(shape_of(x)) - lane


def roots_in_lanes(family: Family) -> None:
    """Register the roots of one family: the eigenvalues of companion matrices."""
    primal = family.function("roots")

    @batched.register(primal)
    def roots_batched(lanes: Lanes, c: object):
        (lane,), (series,) = arrays_in_lanes(lanes, (c,))
        if rank(lane, series) != 1 or not series.shape[0]:
            return looped(partial(call, primal), lanes, (c,), {})
        xp = library_of_types((type(series),)).namespace
        series = of_one_degree(as_floats(series), xp)
        return series[..., :0] if series.shape[-1] == 1 else eigenvalues(series, family, xp)


for _family in FAMILIES:
    roots_in_lanes(_family)
