"""Functions of entries that are no ufuncs, and choices among arrays, of many examples at once."""

from typing import Any

import numpy as np

from chainrules_py import axes_rule, batched
from chainrules_py.batching.lanes import Lanes, laned_values
from chainrules_py.batching.parts import library_of_parts, part_in_lanes, parts_in_lanes
from chainrules_py.batching.words import aligned

axes_rule(
    *(np.angle, np.real, np.imag, np.nan_to_num, np.round, np.iscomplex, np.isreal),
    *(np.isneginf, np.isposinf),
    kind="elementwise",
    arguments=1,
)
axes_rule(np.clip, np.where, kind="elementwise", arguments=3)
axes_rule(np.isclose, kind="elementwise", arguments=2)


# --- Methods of ufuncs ---


@batched.register(np.ufunc.outer)
def ufunc_outer_batched(lanes: Lanes, ufunc: np.ufunc, a: object, b: object, **options: Any) -> Any:
    """The ufunc of every pair: behind the axes of `a`, axes are added for those of `b`."""
    first, second = np.asarray(a) if not lanes[1] else a, np.asarray(b) if not lanes[2] else b
    arrays: tuple[Any, Any] = first, second
    rank = arrays[1].ndim - bool(lanes[2])
    wide = arrays[0].reshape(arrays[0].shape + (1,) * rank)
    return ufunc(*aligned(lanes[1:], (wide, arrays[1]), [0, 1]), **options)


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
