"""Choosing among arrays entry by entry.

The result is linear in all that may be chosen; the choice has no derivative.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, Tangent, is_zero, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.makers.joint import Sequences, array_of, bar_of, dense_dot, densified, gatherer
from chainrules_py.projection import unbroadcast
from chainrules_py.rulesets.entries.indexing import as_index, within
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.tangents import entries
from chainrules_py.values.arrays import library_of_types, shape_of


def entries_of(dot) -> dict[Any, Any]:
    """The tangents of choices by their positions."""
    return entries(dot) if isinstance(dot, Tangent) else dict(enumerate(dot))


def among(
    choices,
    choose: Callable[[Any], Any],
    masks: Callable[[], Sequence[Any]],
    dtype,
    xp,
) -> LinearMap:
    """The map from the choices to what `choose` makes of them; `masks` say where each is chosen."""
    gather, shapes = gatherer(choices), [shape_of(array_of(choice)) for choice in choices]

    def choices_pushforward(dot):
        dots = {} if is_zero(dot) else entries_of(dot)
        return choose(list(densified(dots, choices, dtype)))

    def choices_pullback(y_bar):
        pairs = zip(masks(), shapes, strict=True)
        return gather(
            [unbroadcast(xp.where(mask, y_bar, 0), shape, xp) for mask, shape in pairs], xp
        )

    return LinearMap(choices_pushforward, choices_pullback)


@linearised_rule(np.choose)
def choose_linearised(a: object, choices: Sequences | Array, *, mode: str = "raise") -> Linearised:
    """Entry k of `a` says which of the choices counts there."""
    arrays: Any = choices
    xp, count = library_of_types(map(type, arrays)).namespace, len(arrays)
    y = xp.choose(a, choices, mode=mode)

    def masks() -> list[Any]:
        chosen = within(as_index(a), count, mode)
        return [chosen == k for k in range(count)]

    return y, None, among(choices, lambda dots: xp.choose(a, dots, mode=mode), masks, y.dtype, xp)


@linearised_rule(np.select)
def select_linearised(
    condlist: Sequences, choicelist: Sequences, default: ArrayLike = 0
) -> Linearised:
    """Each choice counts where its condition is the first that holds, the default where none does."""
    *choices, otherwise = map(array_of, (*choicelist, default))
    xp = library_of_types(map(type, (*choices, otherwise))).namespace
    shape = shape_of(otherwise)
    is_plain_number = issubclass(type(otherwise), int | float | complex | np.generic)
    if is_plain_number or type(otherwise) in map(type, choices):
        y = xp.select(condlist, choices, otherwise)
    else:  # it may be the only traced value, and NumPy looks for these among the choices
        y = xp.select([*condlist, xp.asarray(True)], [*choices, otherwise])
    of_choices = among(
        choicelist,
        lambda dots: xp.select(condlist, dots, 0),
        lambda: first_true(condlist, xp)[:-1],
        y.dtype,
        xp,
    )

    def where_none_holds(values):
        return xp.where(first_true(condlist, xp)[-1], values, 0)

    def default_pushforward(dot):
        return where_none_holds(dense_dot(dot, default, y.dtype))

    def default_pullback(y_bar):
        return bar_of(default, unbroadcast(where_none_holds(y_bar), shape, xp))

    return y, None, of_choices, LinearMap(default_pushforward, default_pullback)


def first_true(conditions: Sequence[Any], xp) -> list[Any]:
    """For each condition where it is the first that holds; then where none does."""
    masks, free = [], True
    for condition in conditions:
        masks.append(xp.logical_and(condition, free))
        free = xp.logical_and(xp.logical_not(condition), free)
    return [*masks, free]
