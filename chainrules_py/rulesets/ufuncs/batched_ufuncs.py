"""Functions of entries that are no ufuncs, and choices among arrays, of many examples at once."""

from typing import Any

import numpy as np

from chainrules_py import Array, axes_rule, batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import Lanes, laned_values
from chainrules_py.batching.parts import library_of_parts, part_in_lanes, parts_in_lanes
from chainrules_py.batching.words import aligned, in_a_loop
from chainrules_py.ignoring import _ignored
from chainrules_py.rulesets.formulas.without_cancellation import one_minus_square
from chainrules_py.rulesets.ufuncs.sinc_and_i0 import bessel_i1
from chainrules_py.rulesets.ufuncs.ufunc_accumulate import FACTORS
from chainrules_py.rulesets.ufuncs.ufunc_reductions import WEIGHTS

axes_rule(
    *(np.angle, np.real, np.imag, np.nan_to_num, np.round, np.iscomplex, np.isreal),
    *(np.isneginf, np.isposinf),
    kind="elementwise",
    arguments=1,
)
axes_rule(one_minus_square, bessel_i1, kind="elementwise")
axes_rule(np.clip, np.where, kind="elementwise", arguments=3)
axes_rule(_ignored, kind="elementwise", arguments=1)
axes_rule(np.isclose, kind="elementwise", arguments=2)
axes_rule(np.diag_indices_from, np.tril_indices_from, np.triu_indices_from, kind="fact")
axes_rule(np.unravel_index, kind="elementwise", arguments=1)


@batched.register(np.where)
def where_positions_batched(lanes: Lanes, condition: object) -> Any:
    """Positions are as many as values say: lanes with equally many can be stacked."""
    return in_a_loop(np.where, lanes)(condition)


# --- Methods of ufuncs ---


@batched.register(np.ufunc.outer)
def ufunc_outer_batched(lanes: Lanes, ufunc: np.ufunc, a: object, b: object, **options: Any) -> Any:
    """The ufunc of every pair: behind the axes of `a`, axes are added for those of `b`."""
    first, second = np.asarray(a) if not lanes[1] else a, np.asarray(b) if not lanes[2] else b
    arrays: tuple[Any, Any] = first, second
    rank = arrays[1].ndim - bool(lanes[2])
    wide = arrays[0].reshape(arrays[0].shape + (1,) * rank)
    return ufunc(*aligned(lanes[1:], (wide, arrays[1]), [0, 1]), **options)


for _ufunc in WEIGHTS.keys() - {np.maximum, np.minimum}:  # which are numpy.max and numpy.min
    axes_rule(_ufunc.reduce, kind="reduces", default=0, beside=("where",))
for _ufunc in FACTORS:
    axes_rule(_ufunc.accumulate, kind="mixes", default=0)


def reduceat_in_lanes(ufunc: np.ufunc) -> None:
    """Register the rule of a ufunc's `reduceat`."""

    @batched.register(ufunc.reduceat)
    def reduceat_batched(
        lanes: Lanes, array: Array, indices: object, *, axis: int = 0, xp: Any, **options: Any
    ) -> Any:
        if lanes[1]:
            return in_a_loop(ufunc.reduceat, lanes)(array, indices, axis=axis, **options)
        run = getattr(xp, ufunc.__name__).reduceat
        return run(array, indices, axis=from_the_end(axis, array.ndim - 1), **options)


for _ufunc in (*WEIGHTS, np.add, np.multiply):
    reduceat_in_lanes(_ufunc)


# --- Choices ---


@batched.register(np.choose)
def choose_batched(lanes: Lanes, a: object, choices: object, *, mode: str = "raise") -> Any:
    """Align the choices, and the array that says which of them counts."""
    number: Any = a
    own, parts = lanes_and_parts(lanes[1], choices)
    number, *parts = aligned((lanes[0], *own), (number, *parts), list(range(len(parts) + 1)))
    return library_of_parts([number, *parts]).choose(number, parts, mode=mode)


@batched.register(np.select)
def select_batched(lanes: Lanes, condlist: object, choicelist: object, *default: object) -> Any:
    """Align conditions, choices and the default."""
    is_list = bool(default) and isinstance(default[0], list | tuple)
    if lanes[0] is True or lanes[1] is True or is_list:  # arrays for lists, or a list for an array
        return in_a_loop(np.select, lanes)(condlist, choicelist, *default)
    otherwise = default[0] if default else 0
    own_conditions, conditions = lanes_and_parts(lanes[0], condlist)
    own_choices, choices = lanes_and_parts(lanes[1], choicelist)
    own = (*own_conditions, *own_choices, lanes[2] if default else False)
    parts = aligned(own, (*conditions, *choices, otherwise), list(range(len(own))))
    count = len(conditions)
    xp = library_of_parts(parts)
    return xp.select(parts[:count], parts[count:-1], parts[-1])


def lanes_and_parts(lane: Any, arrays: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """The lanes of each part of a list, and the parts; those that are lists are arrays."""
    if lane is True:
        return (True,) * arrays.shape[1], parts_in_lanes(True, arrays)
    if not lane:
        return (False,) * len(arrays), list(arrays)
    count = next(laned_values((lane,), (arrays,))).shape[0]
    pairs = list(zip(lane, arrays, strict=True))
    own = tuple([bool(each) for each, _ in pairs])
    return own, [part_in_lanes(each, part, count) if each else part for each, part in pairs]
