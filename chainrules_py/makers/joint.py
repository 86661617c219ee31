"""Linear functions of several arrays together: joining (a sequence in, one array out) and matching (as many out as in).

    jointly_linear_rule(np.concatenate, ...)       one argument, a tuple or list of arrays (or an array, read row by row)
    entrywise_linear_rule(np.meshgrid, ...)        any number of arguments; output k is linear in argument k alone

Forward is the same call on the tangents, with zeros in the place of those that are zero. Reverse is the declared adjoint, which
sees shapes and dtypes only.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from chainrules_py.arrays import Array, Scalar, library_of_types
from chainrules_py.identity import location
from chainrules_py.makers.linear import ArraySpec
from chainrules_py.projection import ProjectTo
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.rule import Mode, Rule, rule_from_function
from chainrules_py.structure import fields, is_container
from chainrules_py.tangents import ZERO, AbstractZero, unthunk, with_entries

F = TypeVar("F", bound=Callable[..., Any])


def filled(dot: Any, like: Any, dtype: Any, xp: Any) -> Any:
    """A tangent of `like` as an array: zeros of its shape where it is zero by its type."""
    dot = unthunk(dot)
    return xp.zeros(getattr(like, "shape", ()), dtype) if isinstance(dot, AbstractZero) else dot


def jointly_linear_rule(primal: Any, *, table: RuleTable = default_rules) -> Callable[[F], F]:
    """Decorate the adjoint of a function that is linear in all arrays of a sequence together; registers both rules.

    The adjoint is called as ``adjoint(y_bar, specs, **options)`` with one `ArraySpec` per array, and returns one cotangent for
    each. Its keyword-only parameters are the options of the rule, and `xp`.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def total(arrays):
    ...     return arrays[0] + arrays[1]
    >>> @jointly_linear_rule(total)
    ... def total_adjoint(y_bar, arrays, *, xp):
    ...     return [y_bar, y_bar]
    >>> rrule(total, [np.ones(2), np.ones(2)])[1](np.array([1.0, 5.0]))
    (Tangent[list](array([1., 5.]), array([1., 5.])),)
    """

    def decorate(adjoint: F) -> F:
        reverse, forward = _joint_rules(primal, adjoint)
        _register(primal, adjoint, reverse, forward, table, types=(tuple | list | Array,))
        return adjoint

    return decorate


def _joint_rules(primal: Any, adjoint: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def joint_rrule(arrays: Any, **options: Any) -> tuple[Any, Callable[..., Any]]:
        parts = tuple(arrays)
        library = library_of_types(map(type, parts))
        y = library.implementation(primal)(arrays, **options)
        specs, project, kind = tuple(map(ArraySpec.of, parts)), ProjectTo(arrays), _kind(arrays)

        def joint_pullback(y_bar: Any) -> tuple[Any]:
            xp = library_of_types((type(y_bar),)).namespace
            bars = adjoint(y_bar, specs, xp=xp, **options)
            return (project(xp.stack(bars) if kind is None else with_entries(kind[0], dict(zip(kind[1], bars, strict=True)))),)

        return y, joint_pullback

    def joint_frule(dots: tuple[Any], arrays: Any, **options: Any) -> tuple[Any, Any]:
        y_dots = dots[0]
        moving = [y_dots] if _kind(arrays) is None else [y_dots] * 0 or list(_each(y_dots, arrays))
        library = library_of_types((*map(type, arrays), *map(type, moving)))
        run = library.implementation(primal)
        y = run(arrays, **options)
        if all(isinstance(dot, AbstractZero) for dot in moving):
            return y, ZERO
        dense = y_dots if _kind(arrays) is None else [
            filled(dot, part, y.dtype, library.namespace) for dot, part in zip(moving, arrays, strict=True)
        ]
        return y, ProjectTo(y)(run(dense, **options))

    return joint_rrule, joint_frule


