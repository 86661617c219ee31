"""An engine differentiating its own derivative: every tower of two modes against finite differences of the inner one."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.rule import Mode
from chainrules_py.testing.coordinates import Layout, Vector
from chainrules_py.testing.engine_tangents import as_container
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.finite_differences import Curve, Derivative, curve_derivative
from chainrules_py.testing.random_tangents import random_direction, seeded
from chainrules_py.testing.tolerances import dot_mismatch, mismatch
from chainrules_py.testing.trial import Trial

Function = Callable[..., Any]
RELATIVE = 1e-5


def check_towers(trial: Trial, inner: Mode) -> None:
    """Forward over `inner` and reverse over `inner`."""
    leaves = [leaf for layout in (*trial.layouts, trial.output) for leaf in layout.leaves]
    if not trial.active or any(leaf.dtype not in (np.float64, np.complex128) for leaf in leaves):
        return
    first = _first_derivative(trial, inner)
    at = tuple(trial.args[index] for index in trial.active)
    expected = _by_differences(trial, inner, first, at)
    for outer in trial.subject.modes(trial.args):
        try:
            agrees = _agrees(trial, outer, first, at, expected)
        except Exception as error:
            raise _failure(trial, outer, inner, f"{type(error).__name__}: {error}") from error
        if not agrees:
            raise _failure(trial, outer, inner, "the second derivative is wrong")


def _first_derivative(trial: Trial, mode: Mode) -> Function:
    """The engine's first derivative as a function of the active arguments."""
    engine = _engine_of(trial)
    function = _primal_of_active(trial)
    dots, seed = _dots(trial), as_container(trial.output.tangent(trial.seeds[0]), trial.y)
    if mode == "reverse":
        return lambda *xs: tuple(engine.vjp(function, *xs)[1](seed))
    return lambda *xs: engine.jvp(function, xs, dots)[1]


def _primal_of_active(trial: Trial) -> Function:
    subject: Any = trial.subject

    def function(*xs: Any) -> Any:
        moved = dict(zip(trial.active, xs, strict=True))
        return subject.called(*(moved.get(index, arg) for index, arg in enumerate(trial.args)), **subject.options)

    return function


def _by_differences(trial: Trial, inner: Mode, first: Function, at: tuple[Any, ...]) -> Derivative:
    layout = Layout(at)
    direction = np.concatenate([trial.directions[index] for index in trial.active])
    return curve_derivative(Curve(lambda xs: first(*xs), layout, layout.vector(at), direction, trial.terms(inner)))


def _agrees(trial: Trial, outer: Mode, first: Function, at: tuple[Any, ...], expected: Derivative) -> bool:
    engine = _engine_of(trial)
    layout = expected.layout
    if outer == "forward":
        got = layout.tangent_vector(engine.jvp(first, at, _dots(trial))[1])
        return not (mismatch(got, expected.value, RELATIVE, 10 * expected.error) & expected.exists).any()
    seed = np.where(expected.exists, random_direction(seeded("tower", seed=trial.settings.seed), layout.size), 0.0)
    bars = _vector(trial, engine.vjp(first, *at)[1](as_container(layout.tangent(seed), expected.output)))
    dots_vector = np.concatenate([trial.directions[index] for index in trial.active])
    value = np.where(expected.exists, expected.value, 0.0)
    slack = 10 * float(np.abs(seed) @ np.where(expected.exists, expected.error, 0.0))
    return not dot_mismatch(seed, value, bars, dots_vector, RELATIVE, slack)


def _dots(trial: Trial) -> tuple[Any, ...]:
    return tuple(as_container(trial.layouts[i].tangent(trial.directions[i]), trial.args[i]) for i in trial.active)


def _vector(trial: Trial, bars: tuple[Any, ...]) -> Vector:
    return np.concatenate([trial.layouts[index].tangent_vector(bar) for index, bar in zip(trial.active, bars, strict=True)])


def _failure(trial: Trial, outer: Mode, inner: Mode, said: str) -> CheckFailure:
    return trial.failure("second order", outer, Diagnosis("second-order", f"{outer} over {inner}: {said}"))


def _engine_of(trial: Trial) -> Any:
    subject: Any = trial.subject
    return subject.engine
