"""`derivative_rule`: both rules from the derivative at a point, where the value is the primal's own.

    @derivative_rule(np.max, np.min)
    def extreme_derivative(y, a, *, axis=None, keepdims=False, xp):
        ...
        return LinearMap(a_pushforward, a_pullback)

For functions whose derivative reads their arguments and the value `y`, and shares no other work with the value. A tape keeps
these, and nobody makes a map before a cotangent comes. Where value and derivative share work, or the derivative can do without
an argument, `linearised_rule` keeps less.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from chainrules_py.decorating import require_primals
from chainrules_py.makers import linearised
from chainrules_py.makers.linear_maps import LinearMap
from chainrules_py.makers.linearised import add_rules
from chainrules_py.makers.map_errors import LIKELY_ERRORS, blame_maps
from chainrules_py.makers.staging import Stage, closed, fitted
from chainrules_py.projection import ProjectTo
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.tangents import NO_TANGENT

F = TypeVar("F", bound=Callable[..., Any])


def derivative_rule(*primals: Any, table: RuleTable = default_rules) -> Callable[[F], F]:
    """Decorator: register both rules of `primals` from a function ``(y, *args, **options) -> maps``.

    One map per positional argument, None for one without a tangent space; of a single argument the map itself.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def root(x):
    ...     return np.sqrt(x)
    >>> @derivative_rule(root)
    ... def root_derivative(y, x):
    ...     return LinearMap(lambda x_dot: x_dot / (2 * y), lambda y_bar: y_bar / (2 * y))
    >>> rrule(root, np.array([4.0, 1.0]))[1](np.array([1.0, 5.0]))
    (array([0.25, 2.5 ]),)
    """
    require_primals("derivative_rule", primals)

    def register(derivative: F) -> F:
        # As in a forward rule, the first parameter is none of the primal's.
        add_rules(table, primals, derivative, "forward", (_reverse, _forward))
        return derivative

    return register


def _reverse(
    derivative: Callable[..., Any], primal: Callable[..., Any], types: tuple[type, ...], needed: tuple[int, ...]
) -> Callable[..., Any]:
    if len(needed) == 1 and ProjectTo.is_dense(types[needed[0]]):
        return closed(_stage_of_one(derivative, primal, types, *needed))
    return closed(_stage_of_several(derivative, primal, needed))


def _stage_of_one(derivative: Callable[..., Any], primal: Callable[..., Any], types: tuple[type, ...], index: int) -> Stage:
    cls, before, after = types[index], (NO_TANGENT,) * index, (NO_TANGENT,) * (len(types) - index - 1)
    alone = len(types) == 1

    def derivative_stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        y = primal(*args, **options)
        return y, derivative_pull, (y, args, options)

    def derivative_pull(residuals: Any, y_bar: Any) -> tuple[Any, ...]:
        y, args, options = residuals
        maps, x = derivative(y, *args, **options), args[index]
        try:
            chosen = maps if alone and type(maps) is LinearMap else maps[index]
            x_bar = NO_TANGENT if chosen is None else fitted(chosen.pull(y_bar), cls, x.shape, x.dtype)
        except LIKELY_ERRORS as error:
            blame_maps(derivative, maps, len(types), error)
            raise
        return (*before, x_bar, *after)

    return derivative_stage


def _stage_of_several(derivative: Callable[..., Any], primal: Callable[..., Any], needed: tuple[int, ...]) -> Stage:
    def derivative_stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        y = primal(*args, **options)
        return y, derivative_pull, (y, args, options)

    def derivative_pull(residuals: Any, y_bar: Any) -> tuple[Any, ...]:
        y, args, options = residuals
        maps = derivative(y, *args, **options)
        bars: list[Any] = [NO_TANGENT] * len(args)
        try:
            for i in needed:
                chosen: Any = maps if type(maps) is LinearMap and len(args) == 1 else maps[i]
                if chosen is not None:
                    bars[i] = ProjectTo(args[i])(chosen.pull(y_bar))
        except LIKELY_ERRORS as error:
            blame_maps(derivative, maps, len(args), error)
            raise
        return tuple(bars)

    return derivative_stage


def _forward(
    derivative: Callable[..., Any], primal: Callable[..., Any], types: tuple[type, ...], needed: tuple[int, ...]
) -> Callable[..., Any]:
    def linearise(*args: Any, **options: Any) -> tuple[Any, ...]:
        y = primal(*args, **options)
        maps = derivative(y, *args, **options)
        if type(maps) is LinearMap:
            return y, maps
        try:
            return y, *maps
        except TypeError as error:
            blame_maps(derivative, maps, len(args), error)
            raise

    linearise.__wrapped__ = derivative  # type: ignore[attr-defined]  # whose name and place an error is to say
    return linearised.forward(linearise, primal, types, needed)
