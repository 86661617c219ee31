"""Choosing among arrays entry by entry: linear in all that may be chosen, by a choice that has no derivative."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py import NO_TANGENT, ZERO, Array, ProjectTo, Scalar, Space, Tangent, frule, is_zero, rrule
from chainrules_py.arrays import library_of_types
from chainrules_py.entry_points import Pullback
from chainrules_py.makers.joint import Sequences, densified, gatherer
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.entries.indexing import as_index, within
from chainrules_py.tangents import entries


def namespace_of_all(arrays: Any) -> Any:
    """The namespace that computes on all of these."""
    return library_of_types(map(type, arrays)).namespace


def specs_of(arrays: Any) -> tuple[Space, ...]:
    """The shape and dtype of each."""
    return tuple(map(ProjectTo, arrays))


def dense_choices(dot: Any, choices: Any, dtype: Any) -> Any:
    """The tangents of the choices, with zeros where there are none."""
    dots = entries(dot) if isinstance(dot, Tangent) else {} if is_zero(dot) else dict(enumerate(dot))
    return list(densified(dots, choices, dtype))


@rrule.register(np.choose)
def choose_rrule(a: object, choices: Sequences | Array, *, mode: str = "raise") -> tuple[Any, Pullback]:
    """Entry k of `a` says which of the choices counts there."""
    xp, specs = namespace_of_all(choices), specs_of(choices)
    project, gather = ProjectTo(choices), gatherer(choices)

    def choose_pullback(y_bar: Any) -> tuple[Any, Any]:
        chosen = within(as_index(a), len(specs), mode)
        bars = [unbroadcast(xp.where(chosen == k, y_bar, 0), spec.shape, xp) for k, spec in enumerate(specs)]
        return NO_TANGENT, project(gather(bars, xp))

    return xp.choose(a, choices, mode=mode), choose_pullback


@frule.register(np.choose)
def choose_frule(
    dots: tuple[Any, Any],
    a: object,
    choices: Sequences | Array,
    *,
    mode: str = "raise",
) -> tuple[Any, Any]:
    """Chooses among the tangents as `a` chooses among the arrays."""
    xp = namespace_of_all(choices)
    y = xp.choose(a, choices, mode=mode)
    return y, xp.choose(a, dense_choices(dots[1], choices, y.dtype), mode=mode)


# --- The first of several conditions that holds ---


def first_true(conditions: Sequence[Any], xp: Any) -> list[Any]:
    """For each condition where it is the first that holds; then where none does."""
    masks, free = [], True
    for condition in conditions:
        masks.append(xp.logical_and(condition, free))
        free = xp.logical_and(xp.logical_not(condition), free)
    return [*masks, free]


@rrule.register(np.select)
def select_rrule(condlist: Sequences, choicelist: Sequences) -> tuple[Any, Pullback]:
    """Zero where no condition holds."""
    y, pullback = _select_rrule(condlist, choicelist, 0)

    def select_pullback(y_bar: Any) -> tuple[Any, ...]:
        return pullback(y_bar)[:2]

    return y, select_pullback


@rrule.register(np.select)
def select_default_rrule(condlist: Sequences, choicelist: Sequences, default: Array | Scalar) -> tuple[Any, Pullback]:
    """Each choice, and the default, receives the cotangent where it was chosen."""
    return _select_rrule(condlist, choicelist, default)


def _select_rrule(condlist: Sequences, choicelist: Sequences, default: Any) -> tuple[Any, Pullback]:
    parts = (*choicelist, default)
    xp, specs, gather = namespace_of_all(parts), specs_of(parts), gatherer(choicelist)
    project, project_default = ProjectTo(choicelist), ProjectTo(default)

    def select_pullback(y_bar: Any) -> tuple[Any, ...]:
        masks = first_true(condlist, xp)
        *bars, default_bar = (
            unbroadcast(xp.where(mask, y_bar, 0), spec.shape, xp) for mask, spec in zip(masks, specs, strict=True)
        )
        return NO_TANGENT, project(gather(bars, xp)), project_default(default_bar)

    return xp.select(condlist, choicelist, default), select_pullback


@frule.register(np.select)
def select_frule(dots: tuple[Any, Any], condlist: Sequences, choicelist: Sequences) -> tuple[Any, Any]:
    """Zero where no condition holds."""
    return _select_frule((*dots, ZERO), condlist, choicelist, 0)


@frule.register(np.select)
def select_default_frule(
    dots: tuple[Any, Any, Any],
    condlist: Sequences,
    choicelist: Sequences,
    default: Array | Scalar,
) -> tuple[Any, Any]:
    """Takes the tangent of each value that was selected."""
    return _select_frule(dots, condlist, choicelist, default)


def _select_frule(dots: tuple[Any, Any, Any], condlist: Sequences, choicelist: Sequences, default: Any) -> tuple[Any, Any]:
    xp = namespace_of_all((*choicelist, default))
    y = xp.select(condlist, choicelist, default)
    default_dot: Any = 0  # a number, where the default is one
    if hasattr(default, "dtype") or not is_zero(dots[2]):
        (default_dot,) = densified({0: dots[2]}, (default,), y.dtype)
    return y, xp.select(condlist, dense_choices(dots[1], choicelist, y.dtype), default_dot)
