"""Rules of `np.vectorize`.

Each call of the function that a vectorised one was made from is differentiated by itself.

Everything passed by position is differentiated, what is `excluded` included: its cotangent is the
sum over the calls. What is passed by keyword is broadcast as NumPy does it, and is a constant, as
options are.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chainrules_py import (
    HasForwardsMode,
    HasReverseMode,
    ProjectTo,
    frule,
    frule_via_ad,
    rrule,
    rrule_via_ad,
)
from chainrules_py.makers.joint import stacked
from chainrules_py.projection.dense import namespace_of
from chainrules_py.rulesets.formulas.vectorized_calls import Calls
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    Tangent,
    has_tangent,
    is_zero,
    unthunk,
    with_entries,
)


@rrule.register(np.vectorize.__call__)
def vectorize_rrule(
    vectorized: np.vectorize, *args: object, config: HasReverseMode, **options
) -> tuple[Any, Pullback]:
    """Each call has a pullback of its own."""
    calls, projects = Calls(vectorized, args, options), [ProjectTo(arg) for arg in args]
    answers = [rrule_via_ad(config, vectorized.pyfunc, *own, **named) for own, named in calls]
    results = [result for result, _ in answers]
    pullbacks = [pullback for _, pullback in answers]
    seeds, nothing = seeder(calls, results), (ZERO,) * len(args)

    def vectorize_pullback(y_bar) -> tuple[Any, ...]:
        bars = [
            nothing if is_zero(t) else call(t)
            for call, t in zip(pullbacks, seeds(y_bar), strict=True)
        ]
        columns = [[own[position] for own in bars] for position in range(len(args))]
        return NO_TANGENT, *[
            projects[k](calls.gathered(k, column)) for k, column in enumerate(columns)
        ]

    return calls.result(results), vectorize_pullback


def seeder(calls: Calls, results: Sequence[Any]) -> Callable[[Any], list[Any]]:
    """Make the function from the cotangent of the vectorised result to those of the results of the
    calls, each in its own space.
    """
    spaces = [ProjectTo(result) for result in results]
    are_several = bool(results) and isinstance(results[0], tuple)
    several: Any = Tangent[type(results[0])] if are_several else None  # type: ignore[misc]

    def of_one(y_bar) -> list[Any]:
        return [space(own) for space, own in zip(spaces, calls.output_rows(y_bar), strict=True)]

    def of_several(y_bar) -> list[Any]:
        columns = zip(*map(calls.output_rows, y_bar), strict=True)
        return [space(several(*own)) for space, own in zip(spaces, columns, strict=True)]

    if calls.is_bare:
        return lambda y_bar: [y_bar]
    return of_several if several else of_one


@frule.register(np.vectorize.__call__)
def vectorize_frule(
    dots: tuple[Any, ...],
    vectorized: np.vectorize,
    *args: object,
    config: HasForwardsMode,
    **options,
) -> tuple[Any, Any]:
    """Each call has a tangent of its own."""
    calls = Calls(vectorized, args, options)
    columns = [calls.row_dots(position, dot) for position, dot in enumerate(dots[1:])]
    pairs = [
        frule_via_ad(
            config, tuple([column[k] for column in columns]), vectorized.pyfunc, *own, **named
        )
        for k, (own, named) in enumerate(calls)
    ]
    y = calls.result([result for result, _ in pairs])
    return y, result_dot(calls, y, [y_dot for _, y_dot in pairs])


def result_dot(calls: Calls, y, dots: Sequence[Any]) -> Any:
    """The tangents of the results of the calls as that of the vectorised result."""
    if calls.is_bare:
        return dots[0]
    if not isinstance(y, tuple):
        return output_dot(calls, y, dots)
    columns = [[ZERO if is_zero(dot) else dot[k] for dot in dots] for k in range(len(y))]
    return with_entries(
        tuple, {k: output_dot(calls, y[k], column) for k, column in enumerate(columns)}
    )


def output_dot(calls: Calls, y, dots: Sequence[Any]) -> Any:
    """The tangent of one output."""
    if not has_tangent(y.dtype) or all(map(is_zero, dots)):
        return ZERO if has_tangent(y.dtype) else NO_TANGENT
    own = y.shape[len(calls.loop) :]
    rows = stacked([np.zeros(own, y.dtype) if is_zero(dot) else unthunk(dot) for dot in dots])
    xp = namespace_of(rows)
    return ProjectTo(y)(xp.reshape(rows, y.shape))
