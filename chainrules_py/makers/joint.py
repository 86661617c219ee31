"""Linear functions of several arrays together: joining (a sequence in, one array out) and matching (as many out as in).

    jointly_linear_rule(np.concatenate)      one argument, a tuple or list of arrays (or one array, read row by row)
    entrywise_linear_rule(np.meshgrid)       any number of arguments; output k is linear in argument k alone

Both decorate the adjoint. Forward is the same call on the tangents, with zeros in the place of those that are zero; reverse is
the adjoint, which sees shapes and dtypes only.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from chainrules_py.arrays import Array, Scalar, library_of_types
from chainrules_py.decorating import require_primals
from chainrules_py.makers.staging import Stage, closed
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.dense import dense_space
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.rule import ENTRY_POINTS, MODES, Rule, rule_from_function
from chainrules_py.structure import fields, is_container
from chainrules_py.tangents import ZERO, AbstractZero, Tangent, entries, has_tangent, is_zero, unthunk, with_entries

if TYPE_CHECKING:
    Sequences = list[Any] | tuple[Any, ...]
else:
    Sequences = list | tuple  # what rules dispatch on: bare classes

F = TypeVar("F", bound=Callable[..., Any])
Answer = tuple[Any, Any]
_FLOAT = np.dtype(float)  # of a Python number, as good as any: it has tangents


def jointly_linear_rule(primal: Any, *, table: RuleTable = default_rules) -> Callable[[F], F]:
    """Register both rules of a function that is linear in all arrays of a sequence together; decorates the adjoint.

    The adjoint is called as ``adjoint(y_bar, specs, **options)`` with one `Space` per array, and returns one cotangent for
    each. Its keyword-only parameters are the options of the rule, and `xp`.

    >>> from chainrules_py import rrule
    >>> def total(arrays):
    ...     return arrays[0] + arrays[1]
    >>> @jointly_linear_rule(total)
    ... def total_adjoint(y_bar, arrays, *, xp):
    ...     return [y_bar, y_bar]
    >>> rrule(total, [np.ones(2), np.ones(2)])[1](np.array([1.0, 5.0]))
    (Tangent[list](array([1., 5.]), array([1., 5.])),)
    """
    require_primals("jointly_linear_rule", (primal,))

    def decorate(adjoint: F) -> F:
        joint_rrule = closed(_stage(primal, _taking_xp(primal, adjoint)))

        def joint_frule(dots: tuple[Any], arrays: Any, **options: Any) -> Answer:
            return _join_tangents(primal, dots[0], arrays, options)

        _register(table, primal, adjoint, joint_rrule, joint_frule, types=(Sequences | Array,))
        return adjoint

    return decorate


def _taking_xp(primal: Any, adjoint: Callable[..., Any]) -> Callable[..., Any]:
    """The adjoint as a function that takes `xp`, whether it asks for that or not."""
    if "xp" in rule_from_function("forward", primal, adjoint).wants:
        return adjoint

    @wraps(adjoint)
    def adjoint_without_xp(*args: Any, xp: Any, **options: Any) -> Any:
        return adjoint(*args, **options)

    return adjoint_without_xp


def _stage(primal: Any, adjoint: Callable[..., Any]) -> Stage:
    @lru_cache(maxsize=1024)
    def known(classes: tuple[type, ...]) -> tuple[Callable[..., Any], bool]:
        """What computes the value for parts of these classes, and whether all of them are arrays."""
        return library_of_types(classes).implementation(primal), all(map(ProjectTo.is_dense, classes))

    def joint_stage(arrays: Any, **options: Any) -> tuple[Any, Any, Any]:
        implementation, dense = known(tuple(map(type, arrays)))
        y = implementation(arrays, **options)
        if dense and type(arrays) in (list, tuple) and has_tangent(getattr(y, "dtype", _FLOAT)):
            return y, dense_pull, (type(arrays), tuple([dense_space(type(x), x.shape, x.dtype) for x in arrays]), options)
        specs = tuple(ProjectTo(array_of(array)) for array in arrays)
        return y, joint_pull, (specs, ProjectTo(arrays), gatherer(arrays), options)

    def dense_pull(residuals: Any, y_bar: Any) -> tuple[Any]:
        """Compute the cotangents of a sequence of which all parts are arrays: their shapes and dtypes are enough."""
        primal_type, spaces, options = residuals
        xp = library_of_types((type(y_bar),)).namespace
        bars = adjoint(y_bar, spaces, **options, xp=xp)
        return (Tangent.__class_getitem__(primal_type)(*[space(bar) for space, bar in zip(spaces, bars, strict=True)]),)

    def joint_pull(residuals: Any, y_bar: Any) -> tuple[Any]:
        specs, project, gather, options = residuals
        xp = library_of_types((type(y_bar),)).namespace
        return (project(gather(adjoint(y_bar, specs, **options, xp=xp), xp)),)

    return joint_stage


def _join_tangents(primal: Any, dot: Any, arrays: Any, options: dict[str, Any]) -> Answer:
    y = _implementation(primal, arrays)(arrays, **options)
    if is_zero(dot):
        return y, ZERO
    dense = list(densified(entries(dot), arrays, getattr(y, "dtype", _FLOAT))) if isinstance(dot, Tangent) else dot
    return y, ProjectTo(y)(_implementation(primal, dense)(dense, **options))


def densified(dots: dict[int, Any], arrays: Iterable[Any], dtype: Any) -> Iterable[Any]:
    """The tangents of the arrays of a sequence, each as an array: zeros of its shape where it is zero by its type."""
    arrays = tuple(arrays)
    xp = library_of_types(map(type, arrays)).namespace  # of all of them: a number next to device arrays has its zero there
    for position, array in enumerate(arrays):
        yield dense_dot(unthunk(dots.get(position, ZERO)), array, dtype, xp)


def dense_dot(dot: Any, array: Any, dtype: Any, xp: Any = None) -> Any:
    """The tangent of one array, or of a list of numbers in its place, as an array; zeros are those of `xp`, or of its own."""
    if isinstance(dot, AbstractZero):
        like = array_of(array)
        own = library_of_types((type(like),)).namespace if xp is None else xp
        return own.zeros(getattr(like, "shape", ()), dtype)
    if not is_container(array):
        return dot
    parts = fields(array).items()
    return stacked([dense_dot(unthunk(entries(dot).get(key, ZERO)), part, dtype, xp) for key, part in parts])


def array_of(array: Any) -> Any:
    """An array, or the one that NumPy makes of a list of numbers in its place."""
    return stacked([array_of(part) for part in fields(array).values()]) if is_container(array) else array


def stacked(parts: list[Any]) -> Any:
    """Numbers or arrays of one shape, along a new first axis."""
    xp = library_of_types(map(type, parts)).namespace
    return xp.stack(parts) if parts else xp.zeros(0)


def bar_of(array: Any, bar: Any) -> Any:
    """The cotangent of one array; entry by entry, where a list of numbers is in its place."""
    if not is_container(array):
        return bar
    return with_entries(type(array), {key: bar_of(part, bar[key]) for key, part in fields(array).items()})


def _implementation(primal: Any, arrays: Iterable[Any]) -> Callable[..., Any]:
    found: Callable[..., Any] = library_of_types(map(type, arrays)).implementation(primal)
    return found


def gatherer(arrays: Any) -> Callable[[Any, Any], Any]:
    """How the cotangents of a sequence make one of its own: a `Tangent` of its class; rows of an array are stacked."""
    if not is_container(arrays):
        return lambda bars, xp: xp.stack(bars)
    # Lists of numbers are kept, for their structure; arrays are not.
    parts = {key: part if is_container(part) else None for key, part in fields(arrays).items()}
    primal_type = type(arrays)
    return lambda bars, xp: with_entries(
        primal_type, {key: bar_of(part, bar) for (key, part), bar in zip(parts.items(), bars, strict=True)}
    )


def entrywise_linear_rule(*primals: Any, table: RuleTable = default_rules) -> Callable[[F], F]:
    """Register both rules of functions with as many outputs as arguments, each output linear in its own; decorates the adjoint.

    The adjoint is called as ``adjoint(y_bar, spec, position, **options)`` for each output that has a cotangent. With one
    argument, the output may be bare.

    >>> from chainrules_py import rrule
    >>> def negated(*arrays):
    ...     return tuple(-array for array in arrays)
    >>> @entrywise_linear_rule(negated)
    ... def negated_adjoint(y_bar, spec, position, *, xp):
    ...     return -y_bar
    >>> rrule(negated, np.ones(2), np.ones(1))[1]((np.ones(2), ZERO))
    (array([-1., -1.]), ZERO)
    """
    require_primals("entrywise_linear_rule", primals)

    def decorate(adjoint: F) -> F:
        for primal in primals:
            _register_entrywise(table, primal, _taking_xp(primal, adjoint))
        return adjoint

    return decorate


def _register_entrywise(table: RuleTable, primal: Any, adjoint: Callable[..., Any]) -> None:
    def entrywise_rrule(*arrays: Any, **options: Any) -> Answer:
        spaces = tuple(map(ProjectTo, arrays))
        y = _implementation(primal, arrays)(*arrays, **options)
        bare = not is_container(y)

        def entrywise_pullback(y_bar: Any) -> tuple[Any, ...]:
            y_bars = (y_bar,) if bare else tuple(y_bar)
            xp = library_of_types(map(type, y_bars)).namespace
            return tuple(
                ZERO if is_zero(bar) else space(adjoint(unthunk(bar), space, position, **options, xp=xp))
                for position, (bar, space) in enumerate(zip(y_bars, spaces, strict=True))
            )

        return y, entrywise_pullback

    def entrywise_frule(dots: tuple[Any, ...], *arrays: Any, **options: Any) -> Answer:
        y = _implementation(primal, arrays)(*arrays, **options)
        # An argument whose tangent is zero stands in for it: its shape matters to the others, its output is not used.
        moved = tuple(array if is_zero(dot) else dot for dot, array in zip(dots, arrays, strict=True))
        y_dots = _implementation(primal, moved)(*moved, **options)
        if not is_container(y):
            return y, ZERO if is_zero(dots[0]) else y_dots
        kept = (ZERO if is_zero(dot) else y_dot for dot, y_dot in zip(dots, y_dots, strict=True))
        return y, with_entries(type(y), dict(zip(fields(y), kept, strict=True)))

    _register(table, primal, adjoint, entrywise_rrule, entrywise_frule, variadic=Array | Scalar)


def _register(
    table: RuleTable,
    primal: Any,
    adjoint: Callable[..., Any],
    reverse: Callable[..., Any],
    forward: Callable[..., Any],
    types: tuple[Any, ...] = (),
    variadic: Any = None,
) -> None:
    def make_rules() -> Iterator[Rule]:
        read = rule_from_function("forward", primal, adjoint)
        name = getattr(primal, "__name__", "linear")
        for mode, function in zip(MODES, (reverse, forward), strict=True):
            function.__name__ = function.__qualname__ = f"{name}_{ENTRY_POINTS[mode]}"
            function.__rule_location__ = read.where  # type: ignore[attr-defined]
            yield replace(read, mode=mode, types=types, variadic=variadic, function=function, wants=frozenset())

    table.declare(primal, make_rules)
