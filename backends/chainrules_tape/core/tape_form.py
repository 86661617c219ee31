"""The form of a rule for tapes, ``(*values) -> (y, pull, residuals)``, made of one that returns a
pullback.

Scalar rules and their like bring such a form with them.
"""

from typing import Any

from numpy import float64, ndarray

from chainrules_py.annotations import Function
from chainrules_py.checks.contract import value_and_pullback
from chainrules_py.checks.guards import is_proven
from chainrules_py.engines.call_plans import Stage, closing_stage, reads_arguments
from chainrules_py.rules.rule import Rule
from chainrules_py.strong_zeros.strictness import never_strict
from chainrules_py.values.plain_code import plainly
from chainrules_tape.core.levels import innermost
from chainrules_tape.core.values import resolved
from chainrules_tape.refusals.handles import TracedArray

PLAIN = frozenset({ndarray, float64, float, int})


def tape_form(rule: Rule, run: Function, count: int) -> Stage:
    """Return the form for tapes of a rule that returns a pullback: that becomes the residuals."""
    make = closing_stage if is_proven(rule) else stage_of_code_of_others
    return make(rule, run, count)


def stage_of_code_of_others(rule: Rule, run: Function, count: int) -> Stage:
    """Make the form for tapes of a rule that is not this library's: where it sees plain values
    only, that is said (`values.plain_code`).
    """

    def apply_pullback(pullback, y_bar):
        return plainly(pullback, y_bar) if are_plain((y_bar,)) else pullback(y_bar)

    apply_once = never_strict(apply_pullback)
    apply_once.reads_arguments = reads_arguments  # type: ignore[attr-defined]

    def stage(*args, **options) -> tuple[Any, Any, Any]:
        result = plainly(run, *args, **options) if are_plain(args) else run(*args, **options)
        y, pullback = value_and_pullback(rule, result)
        return y, apply_once, pullback

    return stage


def are_plain(values: tuple[Any, ...]) -> bool:
    """Whether no value is traced."""
    return PLAIN.issuperset(map(type, values)) or innermost(values) is None


def plain_where_it_can_be(run: Function) -> Function:
    """Make a forward rule of one that is not this library's: where it sees plain values only, that
    is said (`values.plain_code`).
    """

    def run_forward(dots: tuple[Any, ...], *args, **options):
        if are_plain((*dots, *args)):
            return plainly(run, dots, *args, **options)
        return run(dots, *args, **options)

    return run_forward


def constant_stage(rule: Function) -> Stage:
    """Make the form for tapes of a function without derivative: nothing is recorded."""

    def stage(*args, **options) -> tuple[Any, None, None]:
        y = rule(*args, **options)[0]
        return resolved(y) if issubclass(type(y), TracedArray) else y, None, None

    return stage
