"""Check an engine's `vmap` against the loop: of a function, its pullback and its pushforward.

Lanes lie on all arguments, and on seeds alone; and derivatives are taken of what has lanes.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules_py.rules.rule import Mode
from chainrules_py.testing.checks.batching import REFUSALS, STEP, in_numpy, kinds, lane_of_result
from chainrules_py.testing.coordinates import Layout, Vector
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.trial import Trial
from chainrules_py.values.structure import fields, is_container, mapped, rebuild

Function = Callable[..., Any]
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
        for name, mapped, lanes in programs(trial, mode, function, points):
            compare(trial, mode, name, mapped, lanes)
        if mode == "reverse":
            check_derivative_of_lanes(trial, function, points)


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


def programs(
    trial: Trial, mode: Mode, function: Function, points: list[Values]
) -> Iterator[tuple[str, Function, list[Values]]]:
    """Functions of one lane with the arguments of each: their names are for failures."""
    if mode == "reverse":
        yield "the function", function, points
        yield from pullbacks(trial, function, points)
    else:
        yield from pushforwards(trial, function, points)


def pullbacks(
    trial: Trial, function: Function, points: list[Values]
) -> Iterator[tuple[str, Function, list[Values]]]:
    """The pullback of a function, in lanes together with its arguments, and in lanes alone."""
    engine, count, seed = trial.engine, len(trial.active), trial.plain_seed()
    seeds = [(scaled_tangent(seed, number),) for number in range(LANES)]

    def pulled(*given):
        _, pullback = engine.vjp(function, *given[:count])
        return tuple(pullback(given[count]))

    both = [(*point, *own) for point, own in zip(points, seeds, strict=True)]
    yield "the pullback", pulled, both
    if isinstance(seed, np.ndarray | np.generic | float | complex):
        _, pullback = engine.vjp(function, *points[0])
        yield "the pullback of seeds alone", lambda own: tuple(pullback(own)), seeds


def pushforwards(
    trial: Trial, function: Function, points: list[Values]
) -> Iterator[tuple[str, Function, list[Values]]]:
    """The pushforward of a function, in lanes together with its arguments, and in lanes alone."""
    count = len(trial.active)
    tangents = [scaled_tangent(trial.plain_dots(), number) for number in range(LANES)]

    def pushed(*given) -> Any:
        return trial.engine.jvp(function, given[:count], given[count:])[1]

    both = [(*point, *own) for point, own in zip(points, tangents, strict=True)]
    yield "the pushforward", pushed, both
    yield "the pushforward of tangents alone", lambda *own: pushed(*points[0], *own), tangents


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


def compare(trial: Trial, mode: Mode, name: str, function: Function, lanes: list[Values]) -> None:
    """Raise where a lane of `vmap` of a function is not the function of that lane."""
    axes, given = stacked_with_axes(lanes)
    with np.errstate(all="ignore"):
        expected = [function(*lane) for lane in lanes]
        layout = Layout(expected[0])
        got = guarded(trial, mode, name, lambda: trial.engine.vmap(function, axes)(*given))
    for number, own in enumerate(expected):
        try:
            found = layout.vector(lane_of_result(got, number))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise failure(trial, mode, name, f"lane {number} is no such value: {error}") from error
        compare_vectors(trial, mode, f"lane {number} of {name}", found, layout.vector(own))


def compare_vectors(trial: Trial, mode: Mode, name: str, got: Vector, expected: Vector) -> None:
    """Raise where numbers differ that would be equal in exact arithmetic."""
    wrong = np.flatnonzero(trial.differs(got, expected, 100))
    if wrong.size:
        first = wrong[0]
        said = f"{got[first]:.6g} instead of {expected[first]:.6g}"
        raise failure(trial, mode, name, said)


def check_derivative_of_lanes(trial: Trial, function: Function, points: list[Values]) -> None:
    """The gradient of what `vmap` gives is that of each lane in its place."""
    engine = trial.engine
    axes, given = stacked_with_axes(points)
    seeds = [scaled_tangent(trial.plain_seed(), number) for number in range(LANES)]
    name = "the pullback of vmap"

    def pulled():
        return engine.vjp(engine.vmap(function, axes), *given)[1](stacked_with_axes(seeds)[1])

    with np.errstate(all="ignore"):
        bars = guarded(trial, "reverse", name, pulled)
        pairs_of_lanes = zip(points, seeds, strict=True)
        expected = [engine.vjp(function, *point)[1](own) for point, own in pairs_of_lanes]
    for position, index in enumerate(trial.active):
        layout = trial.layouts[index]
        for number in range(LANES):
            compare_vectors(
                trial,
                "reverse",
                f"lane {number} of {name}",
                layout.tangent_vector(lane_of_result(bars[position], number)),
                layout.tangent_vector(expected[number][position]),
            )


def guarded(trial: Trial, mode: Mode, name: str, run: Callable[[], Any]) -> Any:
    """The result of a program in lanes; what it raises becomes a failure."""
    try:
        return run()
    except CheckFailure:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise failure(trial, mode, name, said) from error


def failure(trial: Trial, mode: Mode, name: str, said: str) -> CheckFailure:
    """The error of a program that is wrong in lanes."""
    return trial.failure("lanes", mode, Diagnosis("lanes", f"{name}: {said}"))
