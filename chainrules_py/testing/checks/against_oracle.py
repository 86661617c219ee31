"""Check both modes against finite differences, and against each other exactly.

Where the directional comparison fails, the full Jacobians of every argument are computed to say
which, where and why.
"""

from typing import Any

import numpy as np

from chainrules_py.rules.rule import Mode
from chainrules_py.testing.checks.conventions import check_between, conditioning, differentiable
from chainrules_py.testing.checks.forward import ForwardRun
from chainrules_py.testing.checks.reverse import ReverseRun
from chainrules_py.testing.coordinates import Vector
from chainrules_py.testing.diagnosis import diagnose
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.finite_differences import Derivative, side_by_side
from chainrules_py.testing.jacobian_report import JacobianPair, Matrix, by_columns, by_rows
from chainrules_py.testing.tolerances import dot_mismatch, mismatch
from chainrules_py.testing.trial import Trial

# coordinates: beyond these a full Jacobian takes longer than anybody waits, and the first ones say
# enough
LARGEST = 400


def check_forward(trial: Trial, run: ForwardRun) -> None:
    """The tangent agrees with the oracle in every output coordinate where a derivative exists."""
    if not trial.settings.oracle:
        return
    y_dot, oracle = run.along(), _oracle(trial)
    if trial.settings.conventions:
        check_between(trial, y_dot, differentiable(trial))
    require_right(trial, run)
    _check_not_nan(trial, "forward", y_dot[~oracle.exists])


def require_right(trial: Trial, run: ForwardRun | ReverseRun) -> None:
    """A mode agrees with the oracle, within what the arguments' roundoff changes."""
    is_wrong = _is_wrong_along if isinstance(run, ForwardRun) else _is_wrong_pulled
    if is_wrong(trial, run, 0.0) and is_wrong(trial, run, conditioning(trial)):
        raise explain_failure(trial, run)


def _is_wrong_along(trial: Trial, run: Any, slack: Vector | float) -> bool:
    slack = 4 * trial.oracle.error + trial.tolerance.floor + 2 * slack
    wrong = mismatch(run.along(), trial.oracle.value, trial.tolerance.oracle, slack)
    return bool((wrong & differentiable(trial)).any())


def check_reverse(trial: Trial, run: ReverseRun) -> None:
    """<y_bar, J x_dot> by the oracle is <J^T y_bar, x_dot> by the rule, for random y_bar and x_dot."""
    if not trial.settings.oracle:
        return
    _oracle(trial)
    require_right(trial, run)
    for index, bar in enumerate(run(trial.seeds[0])):
        _check_not_nan(trial, "reverse", bar, index)


def _is_wrong_pulled(trial: Trial, run: Any, slack: Vector | float) -> bool:
    seed = np.where(differentiable(trial), trial.seeds[0], 0.0)
    bars = np.concatenate([*run(seed), []])
    dots = np.concatenate([*trial.directions, []])
    value, error = (
        np.where(seed != 0, part, 0.0) for part in (trial.oracle.value, trial.oracle.error)
    )
    slack = 4 * error + trial.tolerance.floor + 2 * np.where(seed != 0, slack, 0.0)
    return dot_mismatch(
        seed, value, bars, dots, trial.tolerance.oracle, float(np.abs(seed) @ slack)
    )


def _oracle(trial: Trial) -> Derivative:
    relaxed = trial.settings.conventions or trial.settings.singular
    if relaxed:
        return trial.oracle
    return trial.oracle.require(f"the test kit, {trial.describe()}", trial.subject.primal)


def _check_not_nan(trial: Trial, mode: Mode, numbers: Vector, argument: int | None = None) -> None:
    if np.isnan(numbers).any():
        sentence = (
            "nan where there is no derivative; return the convention's value, or inf where it is"
            " infinite"
        )
        raise trial.failure("not nan", mode, Diagnosis("not-finite", sentence), argument)


def check_adjoint(trial: Trial, forward: ForwardRun, reverse: ReverseRun) -> None:
    """<J x_dot, y_bar> = <x_dot, J^T y_bar> by the two rules, to machine precision, at ties too."""
    for index in trial.active:
        y_dot, bar = forward.along((index,)), reverse(trial.seeds[0])[index]
        if not (np.isfinite(y_dot).all() and np.isfinite(bar).all()):
            continue
        if dot_mismatch(
            trial.seeds[0],
            y_dot,
            bar,
            trial.directions[index],
            trial.tolerance.adjoint,
            trial.tolerance.floor,
        ):
            kind = "tie" if trial.settings.conventions else "not-adjoint"
            sentence = "forward and reverse are not adjoint to each other" + (
                " at this tie" if kind == "tie" else ""
            )
            raise trial.failure("adjoint", "reverse", Diagnosis(kind, sentence), index)


def explain_failure(trial: Trial, run: ForwardRun | ReverseRun) -> CheckFailure:
    """The failure with the argument, the table and the diagnosis that the full Jacobians show."""
    mode: Mode = "forward" if isinstance(run, ForwardRun) else "reverse"
    if trial.settings.jacobians == "never":
        return trial.failure(
            "oracle",
            mode,
            Diagnosis("wrong", "wrong along a random direction; no Jacobian was asked for"),
        )
    relative = 10 * trial.tolerance.oracle
    pairs = tuple(
        _pair(trial, index, jacobian(trial, run, index))
        for index in trial.active
        if _has_entries(trial, index)
    )
    wrong = [pair for pair in pairs if pair.wrong(relative).any()]
    jumps = _jumps(trial, pairs)
    if not wrong:
        sentence = (
            "wrong along a random direction; the Jacobian is too large, each of its entries is"
            " within tolerance, or the arguments may not move entry by entry"
        )
        return trial.failure("oracle", mode, jumps or Diagnosis("wrong", sentence))
    diagnosis = jumps or diagnose(wrong[0], pairs, relative)
    index = trial.names.index(wrong[0].argument)
    return trial.failure("oracle", mode, diagnosis, index, tuple(wrong[0].worst(relative)))


def _jumps(trial: Trial, pairs: tuple[JacobianPair, ...]) -> Diagnosis | None:
    """Say that the values may jump near by, where the rule is right about far smaller steps alone."""
    directions = {trial.names.index(pair.argument): pair for pair in pairs}
    along = {index: trial.directions[index] for index in directions}
    if not along:
        return None
    slope = np.sum([pair.rule @ along[index] for index, pair in directions.items()], axis=0)
    is_far = np.abs(slope - trial.oracle_along(along).value) > 1e-2 * np.abs(slope)
    if not is_far.any() or not trial.curve_along(along).has_slope(slope):
        return None
    return Diagnosis(
        "jumps",
        "differences of far smaller steps agree with the rule: the values jump or bend near by, and"
        " the derivative may be right; check it at another point, or give a smooth function of the"
        " same derivative by Settings(oracle=...)",
    )


def _has_entries(trial: Trial, index: int) -> bool:
    is_constrained = callable(trial.settings.structures.get(index))
    return max(trial.layouts[index].size, trial.output.size) <= LARGEST and not is_constrained


def _pair(trial: Trial, index: int, rule: Matrix) -> JacobianPair:
    columns = [trial.oracle_along({index: unit}) for unit in np.eye(trial.layouts[index].size)]
    oracle, slack = side_by_side(columns, trial.output.size)
    return JacobianPair(trial.names[index], trial.layouts[index], trial.output, rule, oracle, slack)


def jacobian(trial: Trial, run: ForwardRun | ReverseRun, index: int) -> Matrix:
    """The Jacobian by one argument, as the rule has it."""
    sizes = trial.output.size, trial.layouts[index].size
    if isinstance(run, ForwardRun):
        return by_columns(lambda unit: run(trial.dots_of({index: unit})), *sizes)
    return by_rows(lambda unit: run(unit)[index], *sizes)
