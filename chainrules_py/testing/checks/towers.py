"""Check an engine's derivatives of its own derivative, in every combination of two modes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_py.errors import NoRuleError
from chainrules_py.rules.rule import Mode
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.checks.against_oracle import LARGEST
from chainrules_py.testing.coordinates import Layout, Vector
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.finite_differences import Curve, Derivative, curve_derivative
from chainrules_py.testing.jacobian_report import SHOWN, Discrepancy
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
    expected = _by_differences(trial, inner, first)
    for outer in trial.subject.modes(trial.args):
        wrong: tuple[Discrepancy, ...] | None = None
        try:
            if not _agrees(trial, outer, first, expected):
                wrong = _entries(trial, outer, first, expected)
        except Exception as error:
            may_be_missing = trial.settings.second_order == "where rules exist"
            if may_be_missing and isinstance(error, NoRuleError):
                continue
            raise _failure(trial, outer, inner, f"{type(error).__name__}: {error}") from error
        if wrong is not None:
            sentence = "the second derivative is wrong (out is the first, x_dot random)"
            raise _failure(trial, outer, inner, sentence, wrong)


def _first_derivative(trial: Trial, mode: Mode) -> Function:
    """The engine's first derivative as a function of the active arguments.

    Its results are plain containers, whose parts an engine can differentiate: a `Tangent` is not.
    """
    engine = trial.engine
    function = trial.call_of_active
    dots, seed = trial.plain_dots(), trial.plain_seed()

    def gradients(*xs):
        bars = engine.vjp(function, *xs)[1](seed)
        pairs = zip(bars, trial.point, strict=True)
        return tuple([as_plain_container(bar, x) for bar, x in pairs])

    def tangent(*xs) -> Any:
        return as_plain_container(engine.jvp(function, xs, dots)[1], trial.y)

    return gradients if mode == "reverse" else tangent


def _by_differences(trial: Trial, inner: Mode, first: Function) -> Derivative:
    layout = Layout(trial.point)
    at = layout.vector(trial.point)
    return curve_derivative(
        Curve(lambda xs: first(*xs), layout, at, trial.direction, trial.terms(inner))
    )


def _agrees(trial: Trial, outer: Mode, first: Function, expected: Derivative) -> bool:
    engine = trial.engine
    layout = expected.layout
    if outer == "forward":
        got = layout.tangent_vector(engine.jvp(first, trial.point, trial.plain_dots())[1])
        differs = mismatch(got, expected.value, RELATIVE, 10 * expected.error)
        return not (differs & expected.exists).any()

    random = random_direction(seeded("tower", seed=trial.settings.seed), layout.size)
    seed = np.where(expected.exists, random, 0.0)
    _, pullback = engine.vjp(first, *trial.point)
    bars = _vector(trial, pullback(as_plain_container(layout.tangent(seed), expected.output)))
    value = np.where(expected.exists, expected.value, 0.0)
    slack = 10 * float(np.abs(seed) @ np.where(expected.exists, expected.error, 0.0))
    return not dot_mismatch(seed, value, bars, trial.direction, RELATIVE, slack)


def _entries(
    trial: Trial, outer: Mode, first: Function, expected: Derivative
) -> tuple[Discrepancy, ...]:
    """The largest disagreements, largest first, by the coordinates of the first derivative."""
    exists = np.flatnonzero(expected.exists)
    if outer == "forward":
        _, tangent = trial.engine.jvp(first, trial.point, trial.plain_dots())
        got = expected.layout.tangent_vector(tangent)[exists]
    else:
        exists = exists[:LARGEST]
        got = _by_unit_seeds(trial, first, expected, exists)
    error = np.abs(got - expected.value[exists])
    largest = np.argsort(-np.where(np.isnan(error), np.inf, error), kind="stable")[:SHOWN]
    labels = expected.layout.labels()
    found = [
        (labels[exists[k]], float(got[k]), float(expected.value[exists[k]]), float(error[k]))
        for k in largest
    ]
    return tuple(Discrepancy(label, "x_dot", "", *numbers) for label, *numbers in found)


def _by_unit_seeds(
    trial: Trial, first: Function, expected: Derivative, rows: NDArray[np.intp]
) -> Vector:
    """Compute rows of the first derivative by its pullback, one coordinate at a time."""
    _, pullback = trial.engine.vjp(first, *trial.point)
    units = (1.0 * (np.arange(expected.layout.size) == row) for row in rows)
    seeds = (as_plain_container(expected.layout.tangent(unit), expected.output) for unit in units)
    return np.array([_vector(trial, pullback(seed)) @ trial.direction for seed in seeds])


def _vector(trial: Trial, bars: tuple[Any, ...]) -> Vector:
    return Layout(trial.point).tangent_vector(tuple(bars))


def _failure(
    trial: Trial, outer: Mode, inner: Mode, said: str, wrong: tuple[Discrepancy, ...] = ()
) -> CheckFailure:
    return trial.failure(
        "second order",
        outer,
        Diagnosis("second-order", f"{outer} over {inner}: {said}"),
        entries=wrong,
    )
