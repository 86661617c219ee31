"""Check an engine's Taylor coefficients against its own forward mode, nested."""

import math
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.testing.coordinates import Layout, Vector
from chainrules_py.testing.failures import Diagnosis
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.testing.trial import Trial

ORDER = 3
# of sums in another order, at the third derivative; the floor is relative to the largest entry
RELATIVE, FLOOR = 1e-8, 1e-10


def check_coefficients(trial: Trial) -> None:
    """Compare ``engine.taylor(f, x, ORDER, direction)``, times k!, with `engine.jvp` of `engine.jvp`.

    All arguments move at once, along the trial's random directions.
    """
    if not trial.active:
        return
    engine, at, dots = trial.engine, trial.point, trial.plain_dots()
    function = trial.call_of_active
    expected = [_nested(engine, function, at, dots, k) for k in range(1, ORDER + 1)]

    def expanded():
        return engine.taylor(lambda xs: function(*xs), at, ORDER, dots)

    coefficients = trial.guarded("forward", expanded)
    layout = Layout(trial.y)
    _require(trial, 0, layout, layout.vector(coefficients[0]), layout.vector(trial.y))
    for k, derivative in enumerate(expected, 1):
        got = math.factorial(k) * layout.tangent_vector(coefficients[k])
        _require(trial, k, layout, got, layout.tangent_vector(derivative))


def _nested(engine, function: Function, at, dots, order: int) -> Any:
    """The derivative of an order along the directions, by forward mode of forward mode."""
    if order == 0:
        return function(*at)

    def lower(*xs):
        return _nested(engine, function, xs, dots, order - 1)

    with np.errstate(all="ignore"):
        return engine.jvp(lower, at, dots)[1]


def _require(trial: Trial, order: int, layout: Layout, got: Vector, expected: Vector) -> None:
    """Raise where a derivative differs from the expected one."""
    largest = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    wrong = mismatch(got, expected, RELATIVE, FLOOR * max(1.0, largest))
    if not wrong.any():
        return
    index = int(np.flatnonzero(wrong)[0])
    sentence = (
        f"the derivative of order {order} at {layout.labels()[index]} is {got[index]:.6g} by Taylor"
        f" coefficients, and {expected[index]:.6g} by forward mode"
    )
    raise trial.failure("series", "forward", Diagnosis("series", sentence))
