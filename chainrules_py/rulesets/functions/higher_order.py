"""NumPy's functions that call a function on pieces of an array.

The engine differentiates each call, and the rule puts the derivatives together.
"""

import inspect
import math
from collections.abc import Sequence
from functools import reduce, wraps
from operator import add
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_py import (
    Array,
    HasForwardsMode,
    HasReverseMode,
    ProjectTo,
    RuleConfig,
    Scalar,
    composed,
    frule,
    rrule,
)
from chainrules_py.errors import NoRuleError
from chainrules_py.makers.joint import Sequences, gatherer
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import Function
from chainrules_py.rulesets.functions.given_functions import (
    frule_of_given,
    rrule_of_given,
    summed,
)
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents import NO_TANGENT, ZERO, Tangent, entries, is_zero, unthunk
from chainrules_py.values.arrays import library_of_types, shape_of
from chainrules_py.values.identity import qualified_name


def dense(t, shape: tuple[int, ...], dtype, xp) -> Any:
    """The tangent of a piece as an array of this shape."""
    return xp.zeros(shape, dtype) if is_zero(t) else unthunk(t)


def sums(pieces: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The cotangents of what all pieces share: the sum of each column."""
    return tuple(reduce(add, column) for column in zip(*pieces, strict=True))


class ByTable(HasReverseMode, HasForwardsMode):
    """A caller without an engine: the function that is called on pieces must have rules itself."""

    def rrule_via_ad(self, function, *args, **options) -> tuple[Any, Pullback]:
        """The function's own rule."""
        value, pullback = rrule(function, *args, **options)
        return value, pullback

    def frule_via_ad(self, dots: tuple[Any, ...], function, *args, **options) -> tuple[Any, Any]:
        """The function's rule in forward mode."""
        value, y_dot = frule(dots, function, *args, **options)
        return value, y_dot


BY_TABLE = ByTable()


def require_no_engine(primal, config: RuleConfig, ability: str) -> None:
    """Raise where an engine calls that has not the ability which it would need."""
    if type(config) is not RuleConfig:
        raise NoRuleError(
            qualified_name(primal),
            f"the config {type(config).__qualname__}, which is not a {ability}",
            "differentiate it by an engine that is one",
            mode="forward" if ability == "HasForwardsMode" else "reverse",
            primal=primal,
            types=(),
            nearest=(),
        )


def register_by_table(primal, reverse: Function, forward: Function) -> None:
    """Register the rules of a primal for callers without an engine, beside those for engines.

    They are the same rules, given `BY_TABLE` in the place of an engine.
    """
    rrule.register(primal)(_by_table(primal, reverse, "HasReverseMode"))
    frule.register(primal)(_by_table(primal, forward, "HasForwardsMode"))


def _by_table(primal, rule, ability: str) -> Any:
    @wraps(rule)
    def rule_by_table(*args, config: RuleConfig, xp, needs=None, **options):
        require_no_engine(primal, config, ability)
        if needs is not None:  # where the rule wants to know
            options["needs"] = needs
        return rule(*args, config=BY_TABLE, xp=xp, **options)

    signature = inspect.signature(rule)
    parameters = [
        parameter.replace(annotation=RuleConfig) if parameter.name == "config" else parameter
        for parameter in signature.parameters.values()
    ]
    rule_by_table.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    stem, _, mode = rule.__name__.rpartition("_")
    rule_by_table.__name__ = rule_by_table.__qualname__ = f"{stem}_by_table_{mode}"
    return rule_by_table


# --- Along one axis ---


def axis_of_lines(shape: tuple[int, ...], axis: int) -> int:
    """The axis, counted from the front; raises NumPy's error where there are no lines along it."""
    axis = normalize_axis_index(axis, len(shape))
    if 0 in (*shape[:axis], *shape[axis + 1 :]):
        np.apply_along_axis(len, axis, np.empty(shape))  # raises, whatever the function is
    return axis


def rows_of(arr, axis: int, xp) -> Any:
    """The lines along an axis, as the rows of a matrix."""
    count = math.prod((*arr.shape[:axis], *arr.shape[axis + 1 :]))
    return xp.reshape(xp.moveaxis(arr, axis, -1), (count, arr.shape[axis]))


def array_of(result, xp) -> Any:
    """A function's result as NumPy takes it, which makes an array of a list of numbers."""
    return xp.stack(list(result)) if isinstance(result, list | tuple) else result


def bar_of(line, kind) -> Any:
    """The cotangent of a result of a class, given that of the array that was made of it."""
    return Tangent[kind](*line) if issubclass(kind, list | tuple) else line


def dot_of(dot, result, dtype, xp) -> Any:
    """The tangent of the array that is made of a result, given that of the result."""
    if is_zero(dot) or not isinstance(result, list | tuple):
        return dense(dot, shape_of(array_of(result, xp)), dtype, xp)
    dots = entries(unthunk(dot)).values()
    return xp.stack(
        [dense(each, shape_of(part), dtype, xp) for each, part in zip(dots, result, strict=True)]
    )


def from_rows(results: Sequence[Any], shape: tuple[int, ...], axis: int, xp) -> Any:
    """The results for the lines of an array, whose `axis` their own axes replace."""
    others, own = shape[:axis] + shape[axis + 1 :], getattr(results[0], "shape", ())
    y = xp.reshape(xp.stack(list(results)), (*others, *own))
    return xp.moveaxis(y, tuple(range(len(others), y.ndim)), tuple(range(axis, axis + len(own))))


@rrule.register(np.apply_along_axis)
def apply_along_axis_rrule(
    func1d: Function,
    axis: int,
    arr: Array,
    *args: object,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    xp,
    **kwargs,
) -> tuple[Any, Pullback]:
    """Each line has a pullback of its own."""
    axis = axis_of_lines(arr.shape, axis)
    shape = arr.shape
    dtype = arr.dtype
    project = ProjectTo(arr)
    run = rrule_of_given(config, func1d, needs[0])
    answers = [run(row, *args, **kwargs) for row in rows_of(arr, axis, xp)]
    y = from_rows([array_of(result, xp) for result, _ in answers], shape, axis, xp)
    kinds, pullbacks = zip(*[(type(result), pullback) for result, pullback in answers], strict=True)
    own = y.ndim - arr.ndim + 1

    def apply_along_axis_pullback(y_bar) -> tuple[Any, ...]:
        lines = xp.moveaxis(y_bar, tuple(range(axis, axis + own)), tuple(range(-own, 0)))
        lines = xp.reshape(lines, (len(pullbacks), *lines.shape[lines.ndim - own :]))
        bars = [
            pullback(bar_of(line, kind))
            for pullback, kind, line in zip(pullbacks, kinds, lines, strict=True)
        ]
        rows = [dense(bar[1], shape[axis : axis + 1], dtype, xp) for bar in bars]
        return (
            summed([bar[0] for bar in bars]),
            NO_TANGENT,
            project(from_rows(rows, shape, axis, xp)),
            *sums([bar[2:] for bar in bars]),
        )

    return y, apply_along_axis_pullback


@frule.register(np.apply_along_axis)
def apply_along_axis_frule(
    dots: tuple[Any, ...],
    func1d: Function,
    axis: int,
    arr: Array,
    *args: object,
    config: HasForwardsMode,
    xp,
    **kwargs,
) -> tuple[Any, Any]:
    """Each line has a tangent of its own."""
    axis = axis_of_lines(arr.shape, axis)
    rows = rows_of(arr, axis, xp)
    row_dots = [ZERO] * len(rows) if is_zero(dots[2]) else rows_of(dots[2], axis, xp)
    run = frule_of_given(config, func1d, dots[0])
    pairs = [
        run((row_dot, *dots[3:]), row, *args, **kwargs)
        for row, row_dot in zip(rows, row_dots, strict=True)
    ]
    y = from_rows([array_of(result, xp) for result, _ in pairs], arr.shape, axis, xp)
    y_dots = [dot_of(dot, result, y.dtype, xp) for result, dot in pairs]
    return y, from_rows(y_dots, arr.shape, axis, xp)


register_by_table(np.apply_along_axis, apply_along_axis_rrule, apply_along_axis_frule)


# --- One axis after the other ---


@composed(np.apply_over_axes)
def apply_over_axes(func: Function, a: Array, axes: object, *, xp):
    """One axis after the other, of which those stay that the function drops."""
    y = a
    for axis in np.ravel(np.asarray(axes)).tolist():
        axis += a.ndim * (axis < 0)
        result = func(y, axis)
        y = result if result.ndim == a.ndim else xp.expand_dims(result, axis)
    return y


# --- By cases ---


def cases_of(x, condlist, funclist, xp) -> list[tuple[Any, Any]]:
    """Pairs of a mask and a function (or value), as `piecewise` reads its arguments.

    Where masks overlap, the last one counts.
    """
    if np.isscalar(condlist) or (x.ndim and is_number(condlist[0])):
        condlist = [condlist]  # a single condition
    masks = [mask_of(condition) for condition in condlist]
    if len(masks) == len(funclist) - 1:
        masks.append(xp.logical_not(reduce(xp.logical_or, masks)))
    return list(zip(masks, funclist, strict=True))


def is_number(x) -> bool:
    """Whether a condition is one number: neither a list nor an array with axes."""
    return not isinstance(x, list) and getattr(x, "ndim", 0) == 0


def mask_of(condition) -> Any:
    """A condition as an array of booleans."""
    if not hasattr(condition, "dtype"):
        return np.asarray(condition, bool)
    return condition if condition.dtype == bool else condition != 0


def covering(mask: Any, ndim: int) -> Any:
    """A mask over the first of this many axes, with the others at length one."""
    return mask.reshape((*mask.shape, *(1,) * (ndim - mask.ndim)))


def selected_entries(x: Any, mask: Any, elsewhere: Any = None) -> Any:
    """The entries where a mask holds, along one axis.

    A library that cannot leave the others out puts `elsewhere` in their place or, where that is
    None, one of the selected entries.
    """
    own = library_of_types((type(x), type(mask))).implementation(selected_entries)
    return x[mask] if own is selected_entries else own(x, mask, elsewhere)


@rrule.register(np.piecewise)
def piecewise_rrule(
    x: Array,
    condlist: object,
    funclist: Sequences,
    *args: object,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    xp,
    **kw,
) -> tuple[Any, Pullback]:
    """Each function sees the entries of its case, and has a pullback of its own.

    A value in its place receives their sum.
    """
    cases = cases_of(x, condlist, funclist, xp)
    shape, dtype = x.shape, x.dtype
    project, project_values = ProjectTo(x), ProjectTo(funclist)
    gather = gatherer(funclist)

    y, pullbacks = xp.zeros(shape, dtype), []
    for mask, function in cases:
        own_entries = selected_entries(x, mask) if callable(function) else None
        if own_entries is None:
            value, pullback = function, _constant_pullback(function, len(args), xp)
        elif own_entries.size == 0:  # NumPy does not call the function, which may need an entry
            value, pullback = 0.0, _zero_pullback(len(args))
        else:
            run = rrule_of_given(config, function, needs[2])
            value, pullback = run(own_entries, *args, **kw)
            pullback = _pullback_of_sum(value, pullback, xp)
        pullbacks.append(pullback)
        y = overwritten(y, mask, value, xp)

    def piecewise_pullback(y_bar) -> tuple[Any, ...]:
        value_bars, shared_bars = [], []
        x_bar = xp.zeros(shape, dtype)
        last_first = reversed(list(zip(cases, pullbacks, strict=True)))
        for (mask, _), pullback in last_first:
            value_bar, own_bar, *others = pullback(selected_entries(y_bar, mask, 0))
            value_bars.append(value_bar)
            shared_bars.append(tuple(others))
            if not is_zero(own_bar):
                place = {"index": mask, "shape": shape, "dtype": dtype}
                x_bar = x_bar + scatter_add(unthunk(own_bar), **place)
            y_bar = xp.where(covering(mask, y_bar.ndim), 0, y_bar)  # what a later case overwrote

        values_bar = project_values(gather(value_bars[::-1], xp))
        return project(x_bar), NO_TANGENT, values_bar, *sums(shared_bars)

    return y, piecewise_pullback


def _constant_pullback(value, shared: int, xp) -> Pullback:
    """The pullback of writing one value to many entries, which `shared` arguments do not move."""
    shape = shape_of(value)
    return lambda entries_bar: (unbroadcast(entries_bar, shape, xp), ZERO, *(ZERO,) * shared)


def _pullback_of_sum(value, pullback: Pullback, xp) -> Pullback:
    """The pullback of a function whose result may be one number for all entries."""
    shape = shape_of(value)
    return lambda entries_bar: pullback(unbroadcast(entries_bar, shape, xp))


def _zero_pullback(shared: int) -> Pullback:
    """The pullback of a function of entries and `shared` arguments that was not called."""
    return lambda entries_bar: (ZERO,) * (2 + shared)


def overwritten(y, mask, value, xp) -> Any:
    """`y` with the entries where the mask holds replaced: by one value, or by one each."""
    if getattr(value, "ndim", 0):
        value = scatter_add(value, index=mask, shape=y.shape, dtype=y.dtype)
    return xp.astype(xp.where(covering(mask, y.ndim), value, y), y.dtype)


@frule.register(np.piecewise)
def piecewise_frule(
    dots: tuple[Any, ...],
    x: Array,
    condlist: object,
    funclist: Sequences,
    *args: object,
    config: HasForwardsMode,
    xp,
    **kw,
) -> tuple[Any, Any]:
    """Each function sees the entries of its case, and has a tangent of its own."""
    y = y_dot = xp.zeros(x.shape, x.dtype)
    x_dot = dense(dots[0], x.shape, x.dtype, xp)
    values_dot = entries(dots[2]) if isinstance(dots[2], Tangent) else {}
    for k, (mask, function) in enumerate(cases_of(x, condlist, funclist, xp)):
        value, value_dot = function, values_dot.get(k, ZERO)
        if callable(function):
            own_entries = selected_entries(x, mask)
            if own_entries.size == 0:  # NumPy does not call the function
                continue
            run = frule_of_given(config, function, value_dot)
            own_dots = (selected_entries(x_dot, mask), *dots[3:])
            value, value_dot = run(own_dots, own_entries, *args, **kw)
        value_dot = 0.0 if is_zero(value_dot) else unthunk(value_dot)
        y = overwritten(y, mask, value, xp)
        y_dot = overwritten(y_dot, mask, value_dot, xp)
    return y, y_dot


register_by_table(np.piecewise, piecewise_rrule, piecewise_frule)


@rrule.register(np.piecewise)
def piecewise_of_number_rrule(
    x: Scalar,
    condlist: object,
    funclist: Sequences,
    *args: object,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    xp,
    **kw,
) -> tuple[Any, Pullback]:
    """A number is an array of one entry."""
    entry, condlist = xp.reshape(x, (1,)), conditions_of_one(condlist, xp)
    y, pullback = piecewise_rrule(
        entry, condlist, funclist, *args, config=config, needs=needs, xp=xp, **kw
    )

    def piecewise_of_number_pullback(y_bar) -> tuple[Any, ...]:
        x_bar, *others = pullback(xp.reshape(y_bar, (1,)))
        return xp.reshape(x_bar, ()), *others

    return xp.reshape(y, ()), piecewise_of_number_pullback


@frule.register(np.piecewise)
def piecewise_of_number_frule(
    dots: tuple[Any, ...],
    x: Scalar,
    condlist: object,
    funclist: Sequences,
    *args: object,
    config: HasForwardsMode,
    xp,
    **kw,
) -> tuple[Any, Any]:
    """A number is an array of one entry."""
    x_dot, *others = dots
    x_dot = x_dot if is_zero(x_dot) else xp.reshape(unthunk(x_dot), (1,))
    entry, condlist = xp.reshape(x, (1,)), conditions_of_one(condlist, xp)
    y, y_dot = piecewise_frule(
        (x_dot, *others), entry, condlist, funclist, *args, config=config, xp=xp, **kw
    )
    return xp.reshape(y, ()), xp.reshape(y_dot, ())


def conditions_of_one(condlist, xp) -> list[Any]:
    """The conditions on a number as masks of one entry."""
    is_one = np.isscalar(condlist) or getattr(condlist, "ndim", 1) == 0
    conditions: Any = [condlist] if is_one else condlist
    return [xp.reshape(mask_of(condition), (1,)) for condition in conditions]


register_by_table(np.piecewise, piecewise_of_number_rrule, piecewise_of_number_frule)
