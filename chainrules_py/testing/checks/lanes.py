"""Check an engine's `vmap` against the loop: of a function, its pullback and its pushforward.

Lanes lie on all arguments, and on seeds alone; and derivatives are taken of what has lanes.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.rules.rule import Mode
from chainrules_py.testing.checks.batching import REFUSALS, STEP, in_numpy, kinds, lane_of_result
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.trial import Trial
from chainrules_py.values.structure import fields, is_container, mapped, rebuild

Values = tuple[Any, ...]
LANES = 3


def check_lanes(trial: Trial, mode: Mode) -> None:
    """Each lane of `vmap` is the call of that lane, for the function and for its derivatives."""
    if not hasattr(trial.engine, "vmap") or not trial.active:
        return
    function = trial.call_of_active
    points = points_of(trial, function)
    if points is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of arguments that are near those given
        for program in (pullbacks if mode == "reverse" else pushforwards)(trial, function, points):
            compare(trial, mode, *program)


def points_of(trial: Trial, function: Function) -> list[Values] | None:
    """The arguments of each lane; None where the primal refuses some, or other shapes come out."""
    layouts = [trial.layouts[index] for index in trial.active]
    at = [trial.layouts[index].vector(trial.args[index]) for index in trial.active]
    found = [
        tuple(
            [
                in_numpy(layout.restore((1.0 - STEP * number) * vector))
                for layout, vector in zip(layouts, at, strict=True)
            ]
        )
        for number in range(LANES)
    ]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            first, *others = [kinds(function(*point)) for point in found]
    except REFUSALS:
        return None
    return found if all(other == first for other in others) else None


def in_vmap(trial: Trial, function: Function) -> Function:
    """A function of many lanes, given their axes and the lanes: what `vmap` makes of a function."""
    return lambda axes, given: trial.engine.vmap(function, axes)(*given)


def pullbacks(
    trial: Trial, function: Function, points: list[Values]
) -> Iterator[tuple[str, Function, list[Values], Function]]:
    """A function; its pullback, in lanes together with its arguments, and in lanes alone; and the
    pullback of the function in lanes: each with the arguments of lanes, and as it runs on all.
    """
    engine, count, seed = trial.engine, len(trial.active), trial.plain_seed()
    seeds = [(scaled_tangent(seed, number),) for number in range(LANES)]

    def pulled(*given):
        return tuple(engine.vjp(function, *given[:count])[1](given[count]))

    def pulled_through_lanes(axes, given):
        return engine.vjp(engine.vmap(function, axes[:count]), *given[:count])[1](given[count])

    yield "the function", function, points, in_vmap(trial, function)
    both = [(*point, *own) for point, own in zip(points, seeds, strict=True)]
    yield "the pullback", pulled, both, in_vmap(trial, pulled)
    if isinstance(seed, np.ndarray | np.generic | float | complex):
        _, pullback = engine.vjp(function, *points[0])

        def alone(own):
            return tuple(pullback(own))

        yield "the pullback of seeds alone", alone, seeds, in_vmap(trial, alone)
    yield "the pullback of vmap", pulled, both, pulled_through_lanes


def pushforwards(
    trial: Trial, function: Function, points: list[Values]
) -> Iterator[tuple[str, Function, list[Values], Function]]:
    """The pushforward of a function, in lanes together with its arguments, and in lanes alone."""
    count = len(trial.active)
    tangents = [scaled_tangent(trial.plain_dots(), number) for number in range(LANES)]

    def pushed(*given) -> Any:
        return trial.engine.jvp(function, given[:count], given[count:])[1]

    def alone(*own) -> Any:
        return pushed(*points[0], *own)

    both = [(*point, *own) for point, own in zip(points, tangents, strict=True)]
    yield "the pushforward", pushed, both, in_vmap(trial, pushed)
    yield "the pushforward of tangents alone", alone, tangents, in_vmap(trial, alone)


def scaled_tangent(value, number: int) -> Any:
    """A tangent times a factor that tells the lanes apart; numbers become NumPy's."""
    if is_container(value):
        return mapped(lambda part: scaled_tangent(part, number), value)
    array = np.asarray(value) if isinstance(value, float | complex) else value
    if getattr(array, "dtype", np.dtype(object)).kind not in "fc":
        return value
    return (array * array.dtype.type(number - 0.5))[()]


def stacked_with_axes(values: list[Any]) -> tuple[Any, Any]:
    """One value per lane as one with lanes in front, and its axes for `vmap`: 0 or None."""
    first = values[0]
    if is_container(first):
        parts = [fields(value) for value in values]
        own = {key: stacked_with_axes([part[key] for part in parts]) for key in parts[0]}
        axes = rebuild(first, {key: axis for key, (axis, _) in own.items()})
        return axes, rebuild(first, {key: part for key, (_, part) in own.items()})
    if getattr(first, "dtype", np.dtype(object)).kind not in "fc":
        return None, first
    return 0, np.stack(values)


def compare(
    trial: Trial, mode: Mode, name: str, function: Function, lanes: list[Values], in_lanes: Function
) -> None:
    """Raise where a lane of a program is not the function of that lane."""
    with np.errstate(all="ignore"):
        expected = [function(*lane) for lane in lanes]
        try:
            got = in_lanes(*stacked_with_axes(lanes))
        except Exception as error:
            raise failure(trial, mode, name, f"{type(error).__name__}: {error}") from error
    layout = Layout(expected[0])
    for number, own in enumerate(expected):
        try:
            found = layout.vector(lane_of_result(got, number))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise failure(trial, mode, name, f"lane {number} is no such value: {error}") from error
        right = layout.vector(own)
        for first in np.flatnonzero(trial.differs(found, right, 100))[:1]:
            said = f"{found[first]:.6g} instead of {right[first]:.6g}"
            raise failure(trial, mode, f"lane {number} of {name}", said)


def failure(trial: Trial, mode: Mode, name: str, said: str) -> CheckFailure:
    """The error of a program that is wrong in lanes."""
    return trial.failure("lanes", mode, Diagnosis("lanes", f"{name}: {said}"))
