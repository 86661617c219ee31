"""Check the rule run on dual arrays against finite differences of the rule itself.

First order is verified before, so the rule's own answer, as a function of its arguments and its
seed, is what the oracle differentiates here. A rule that calls something without a rule, or loses
the tangent on the way, fails by name.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import ChainRulesError, NoRuleError, unthunk
from chainrules_py.rules.rule import Mode
from chainrules_py.testing.coordinates import Layout, Vector
from chainrules_py.testing.dual import dot_of, dual
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.finite_differences import Curve, Derivative, curve_derivative
from chainrules_py.testing.subject import RuleSubject
from chainrules_py.testing.tolerances import mismatch
from chainrules_py.testing.trial import Trial

Values = tuple[Any, ...]
RELATIVE = 1e-5  # finite differences of a rule lose digits that those of the primal keep
FOR_COMPILED_CODE = (
    "where the rule calls compiled code, mark the kernel by @primitive: its rule is then used at"
    " second order"
)

INSTEAD = (
    "write one, and mark a Python function by @primitive; or leave second derivatives out, by"
    ' Settings(second_order="where rules exist")'
)


def check_second_order(trial: Trial, mode: Mode) -> None:
    """d/dt rule(x + t x_dot, seed + t seed_dot), by dual arrays and by finite differences."""
    plain = (np.ndarray, np.float64, np.complex128, float, complex)
    if not trial.is_twice_checked() or any(type(x.example) not in plain for x in trial.leaves):
        return
    got = _by_duals(trial, mode)
    if got is None:
        return
    expected = _by_differences(trial, mode)
    wrong = mismatch(got, expected.value, RELATIVE, 10 * expected.error) & expected.exists
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        sentence = (
            f"differentiated once more, the rule gives {got[index]:.6g} where"
            f" {expected.value[index]:.6g} belongs"
        )
        raise trial.failure(
            "second order", mode, Diagnosis("second-order", sentence), _owner(trial, mode, index)
        )


def _by_differences(trial: Trial, mode: Mode) -> Derivative:
    vectors, directions = _point(trial, mode)

    def rule(moved: Values) -> Values:
        return _answer(trial, mode, *_plain(trial, mode, moved))

    curve = Curve(
        rule, Layout(vectors), _joined(vectors), _joined(directions), trial.terms_of(mode)
    )
    return curve_derivative(curve)


def _joined(vectors: Values) -> Vector:
    return np.concatenate([*vectors, np.zeros(0)])


def _point(trial: Trial, mode: Mode) -> tuple[Values, Values]:
    """The coordinates that move (arguments, then the seed or the tangents) and how they move."""
    at = tuple(trial.layouts[i].vector(trial.args[i]) for i in trial.active)
    along = tuple(trial.directions[i] for i in trial.active)
    if mode == "reverse":
        return (*at, trial.seeds[0]), (*along, trial.seeds[1])
    turned = [trial.within(i, d[::-1]) for i, d in zip(trial.active, along, strict=True)]
    return (*at, *along), (*along, *turned)


def _plain(trial: Trial, mode: Mode, vectors: Values) -> tuple[Values, Any]:
    """Arguments and seed (reverse) or tangents (forward) with these coordinates."""
    count = len(trial.active)
    moved = dict(zip(trial.active, vectors, strict=False))
    args = tuple(
        trial.layouts[i].restore(moved[i]) if i in moved else arg
        for i, arg in enumerate(trial.args)
    )
    if mode == "reverse":
        return args, trial.output.tangent(vectors[-1])
    return args, trial.dots_of(dict(zip(trial.active, vectors[count:], strict=True)))


def _answer(
    trial: Trial, mode: Mode, args: Values, seed, part: Callable[[Any], Any] = unthunk
) -> Values:
    """The coordinates of what a rule gives, or of a part of it."""
    if mode == "forward":
        y_dot = trial.subject.forward(seed, args)[1]
        return (trial.output.tangent_vector(part(y_dot)),)
    bars = trial.subject.reverse(args, trial.wanted)[1](seed)
    return tuple(trial.layouts[i].tangent_vector(part(bars[i])) for i in trial.active)


def _by_duals(trial: Trial, mode: Mode) -> Vector | None:
    (args, seed), (args_dot, seed_dot) = (
        _plain(trial, mode, vectors) for vectors in _point(trial, mode)
    )
    rules = trial.subject.rules if isinstance(trial.subject, RuleSubject) else trial.settings.rules

    def traced(value, dot) -> Any:
        return dual(value, dot, rules)

    dual_args = tuple(
        traced(a, _tangent(trial, i, args_dot[i])) if i in trial.active else a
        for i, a in enumerate(args)
    )
    dual_seed = traced(seed, seed_dot) if mode == "reverse" else tuple(map(traced, seed, seed_dot))
    answer = _guarded(trial, mode, lambda: _answer(trial, mode, dual_args, dual_seed, dot_of))
    return None if answer is None else _joined(answer)


def _tangent(trial: Trial, index: int, value) -> Any:
    layout = trial.layouts[index]
    return layout.tangent(layout.vector(value))


def _guarded(trial: Trial, mode: Mode, run: Callable[[], Values]) -> Values | None:
    try:
        with np.errstate(all="ignore"):
            return run()
    except CheckFailure:
        raise
    except NoRuleError as error:
        if trial.settings.second_order == "where rules exist":
            return None
        sentence = f"the rule cannot be differentiated: {error.where} has no rule; {INSTEAD}"
        raise trial.failure(
            "second order", mode, Diagnosis("second-order-missing", sentence)
        ) from error
    except (ChainRulesError, TypeError, AttributeError, ValueError) as error:
        sentence = f"the rule cannot be differentiated: {type(error).__name__}: {error}"
        if type(error) in (TypeError, ValueError):  # what compiled code says of traced values
            sentence += f"; {FOR_COMPILED_CODE}"
        raise trial.failure("second order", mode, Diagnosis("second-order", sentence)) from error


def _owner(trial: Trial, mode: Mode, index: int) -> int | None:
    """The argument whose cotangent a coordinate of the answer belongs to."""
    if mode == "forward":
        return None
    ends = np.cumsum([trial.layouts[i].size for i in trial.active])
    return trial.active[int(np.searchsorted(ends, index, side="right"))]
