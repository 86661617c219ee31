"""Right: both modes against finite differences along random directions, and against each other exactly.

Where the directional comparison fails, the full Jacobians of every argument are computed to say which, where and why.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from chainrules_py.rule import Mode
from chainrules_py.testing.checks.forward import ForwardRun
from chainrules_py.testing.checks.reverse import ReverseRun
from chainrules_py.testing.coordinates import Vector
from chainrules_py.testing.diagnosis import diagnose
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.finite_differences import Derivative, Verdict
from chainrules_py.testing.jacobian_report import JacobianPair, Matrix, by_columns, by_rows
from chainrules_py.testing.random_tangents import random_direction, seeded
from chainrules_py.testing.tolerances import dot_mismatch, mismatch
from chainrules_py.testing.trial import Trial

LARGEST = 400  # coordinates: beyond these a full Jacobian takes longer than anybody waits, and the first ones say enough


def check_forward(trial: Trial, run: ForwardRun) -> None:
    """The tangent agrees with the oracle in every output coordinate where a derivative exists."""
    y_dot = run(trial.dots())
    if trial.settings.conventions:
        _check_between(trial, y_dot)
    oracle = _oracle(trial)
    wrong = mismatch(y_dot, oracle.value, trial.tolerance.oracle, 4 * oracle.error) & oracle.exists
    if wrong.any():
        raise explain(trial, "forward", lambda index: _forward_jacobian(trial, run, index))
    _check_not_nan(trial, "forward", y_dot[~oracle.exists])


def check_reverse(trial: Trial, run: ReverseRun) -> None:
    """<y_bar, J x_dot> by the oracle is <J^T y_bar, x_dot> by the rule, for random y_bar and x_dot."""
    oracle = _oracle(trial)
    seed = np.where(oracle.exists, trial.seeds[0], 0.0)
    bars, dots = np.concatenate([*run(seed), []]), np.concatenate([*trial.directions, []])
    value, error = np.where(oracle.exists, oracle.value, 0.0), np.where(oracle.exists, oracle.error, 0.0)
    if dot_mismatch(seed, value, bars, dots, trial.tolerance.oracle, 4 * float(np.abs(seed) @ error)):
        raise explain(trial, "reverse", lambda index: _reverse_jacobian(trial, run, index))
    for index, bar in enumerate(run(trial.seeds[0])):
        _check_not_nan(trial, "reverse", bar, index)


def _oracle(trial: Trial) -> Derivative:
    relaxed = trial.settings.conventions or trial.settings.singular
    return trial.oracle if relaxed else trial.oracle.require(f"the test kit, {trial.describe()}", trial.subject.primal)


def _check_between(trial: Trial, y_dot: Vector) -> None:
    """At a kink a tangent lies between the one-sided derivatives: what a convex combination of subgradients gives.

    That holds for convex and for concave functions. A minimum of absolute values is neither; there the derivatives at points
    nearby count as well (Clarke, Optimization and Nonsmooth Analysis, 1983).
    """
    kinks = np.flatnonzero(trial.oracle.verdicts == Verdict.KINK)
    slopes = np.array([trial.oracle.left, trial.oracle.right])
    if _outside(trial, y_dot, slopes, kinks).size:
        slopes = np.concatenate([slopes, _slopes_nearby(trial)])
    for index in _outside(trial, y_dot, slopes, kinks)[:1]:
        low, high = np.nanmin(slopes[:, index]), np.nanmax(slopes[:, index])
        sentence = f"{y_dot[index]:.6g} is not between the one-sided derivatives {low:.6g} and {high:.6g}"
        raise trial.failure("tie", "forward", Diagnosis("tie", sentence))


def _outside(trial: Trial, y_dot: Vector, slopes: Vector, kinks: NDArray[np.intp]) -> NDArray[np.intp]:
    """The kinks at which the tangent is smaller or larger than every slope."""
    low, high = np.nanmin(slopes[:, kinks], axis=0), np.nanmax(slopes[:, kinks], axis=0)
    slack = trial.tolerance.oracle * (1 + np.maximum(np.abs(low), np.abs(high)))
    return np.asarray(kinks[~((low - slack <= y_dot[kinks]) & (y_dot[kinks] <= high + slack))])


def _slopes_nearby(trial: Trial, count: int = 64) -> Vector:
    """Derivatives along the same directions at random points very near, a row per point; nan where there is none."""
    rng = seeded("nearby", seed=trial.settings.seed)
    steps = [{i: 1e-3 * random_direction(rng, trial.layouts[i].size) for i in trial.active} for _ in range(count)]
    return np.array([trial.oracle_along(dict(enumerate(trial.directions)), shift=step).value for step in steps])


def _check_not_nan(trial: Trial, mode: Mode, numbers: Vector, argument: int | None = None) -> None:
    if np.isnan(numbers).any():
        sentence = "nan where there is no derivative; return the convention's value, or inf where it is infinite"
        raise trial.failure("not nan", mode, Diagnosis("not-finite", sentence), argument)


def check_adjoint(trial: Trial, forward: ForwardRun, reverse: ReverseRun) -> None:
    """<J x_dot, y_bar> = <x_dot, J^T y_bar> by the two rules, to machine precision, at ties too."""
    for index in trial.active:
        y_dot, bar = forward(trial.dots((index,))), reverse(trial.seeds[0])[index]
        if not (np.isfinite(y_dot).all() and np.isfinite(bar).all()):
            continue
        if dot_mismatch(trial.seeds[0], y_dot, bar, trial.directions[index], trial.tolerance.identity):
            kind = "tie" if trial.settings.conventions else "not-adjoint"
            sentence = "forward and reverse are not adjoint to each other" + (" at this tie" if kind == "tie" else "")
            raise trial.failure("adjoint", "reverse", Diagnosis(kind, sentence), index)


def check_jacobians(trial: Trial, mode: Mode, run: ForwardRun | ReverseRun) -> None:
    """Every entry of every Jacobian."""
    failure = explain(trial, mode, _jacobian_of(trial, run))
    if failure.entries:
        raise failure


def _jacobian_of(trial: Trial, run: ForwardRun | ReverseRun) -> Callable[[int], Matrix]:
    if isinstance(run, ForwardRun):
        return lambda index: _forward_jacobian(trial, run, index)
    return lambda index: _reverse_jacobian(trial, run, index)


def explain(trial: Trial, mode: Mode, rule_jacobian: Callable[[int], Matrix]) -> CheckFailure:
    """The failure with the argument, the table and the diagnosis that the full Jacobians show."""
    relative = 10 * trial.tolerance.oracle
    pairs = tuple(_pair(trial, index, rule_jacobian(index)) for index in trial.active if _small(trial, index))
    wrong = [pair for pair in pairs if pair.wrong(relative).any()]
    if not wrong:
        sentence = "wrong along a random direction; the Jacobian is too large, or each of its entries within tolerance"
        return trial.failure("oracle", mode, Diagnosis("wrong", sentence))
    diagnosis = diagnose(wrong[0], pairs, relative)
    index = trial.names.index(wrong[0].argument)
    return trial.failure("oracle", mode, diagnosis, index, tuple(wrong[0].worst(relative)))


def _small(trial: Trial, index: int) -> bool:
    return max(trial.layouts[index].size, trial.output.size) <= LARGEST


def _pair(trial: Trial, index: int, rule: Matrix) -> JacobianPair:
    columns = [trial.oracle_along({index: unit}) for unit in np.eye(trial.layouts[index].size)]
    shape = (0, trial.output.size)
    oracle = np.array([column.value for column in columns]).reshape(len(columns), shape[1]).T
    slack = np.array([column.error for column in columns]).reshape(len(columns), shape[1]).T
    return JacobianPair(trial.names[index], trial.layouts[index], trial.output, rule, oracle, slack)


def _forward_jacobian(trial: Trial, run: ForwardRun, index: int) -> Matrix:
    return by_columns(lambda unit: run(trial.dots_of({index: unit})), trial.output.size, trial.layouts[index].size)


def _reverse_jacobian(trial: Trial, run: ReverseRun, index: int) -> Matrix:
    return by_rows(lambda unit: run(unit)[index], trial.output.size, trial.layouts[index].size)
