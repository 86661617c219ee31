"""The form in which a tape runs a rule: a function ``(*values) -> (y, pull, residuals)``, made of a rule
that returns a pullback.

Scalar rules and their like bring such a form with them.
"""

from collections.abc import Callable
from typing import Any

from numpy import float64, ndarray

from chainrules_py.checks.contract import require_count, value_and_pullback
from chainrules_py.checks.guards import is_proven, require_shapes, spaces_of
from chainrules_py.rules.rule import Rule
from chainrules_py.strong_zeros.strictness import never_strict
from chainrules_py.values.plain_code import plainly
from chainrules_tape.core.levels import innermost
from chainrules_tape.core.values import resolved
from chainrules_tape.refusals.handles import TracedArray

PLAIN = frozenset({ndarray, float64, float, int})
Stage = Callable[..., tuple[Any, Any, Any]]


def closing_stage(rule: Rule, run: Callable[..., Any], count: int) -> Stage:
    """The form for tapes of a rule that returns a pullback: that is what is kept, and what it
    returns is counted.
    """
    if not is_proven(rule):
        return guarded_stage(rule, run, count)

    def apply_pullback(pullback: Any, y_bar: Any) -> Any:
        return require_count(rule, pullback(y_bar), count)

    apply_pullback.reads_arguments = reads_arguments  # type: ignore[attr-defined]

    def stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        result = run(*args, **options)
        y, pullback = (
            result
            if type(result) is tuple and len(result) == 2
            else value_and_pullback(rule, result)
        )
        return y, apply_pullback, pullback

    return stage


def guarded_stage(rule: Rule, run: Callable[..., Any], count: int) -> Stage:
    """The form for tapes of a rule that is not this library's: its cotangents have to have the
    shapes of the arguments, too.
    """

    def apply_pullback(residuals: Any, y_bar: Any) -> Any:
        pullback, spaces = residuals
        bars = plainly(pullback, y_bar) if are_plain((y_bar,)) else pullback(y_bar)
        return require_shapes(rule, require_count(rule, bars, count), spaces)

    apply_once = never_strict(apply_pullback)
    apply_once.reads_arguments = lambda residuals, y_bar: reads_arguments(residuals[0], y_bar)  # type: ignore[attr-defined]

    def stage(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
        result = plainly(run, *args, **options) if are_plain(args) else run(*args, **options)
        y, pullback = value_and_pullback(rule, result)
        return y, apply_once, (pullback, spaces_of(args))

    return stage


def reads_arguments(pullback: Callable[[Any], Any], y_bar: Any) -> bool:
    """Whether a pullback may look at the arguments of its call again; it says so by an attribute of
    this name, if it knows.
    """
    told = getattr(pullback, "reads_arguments", None)
    return told is None or told(y_bar)


def are_plain(values: tuple[Any, ...]) -> bool:
    """Whether no value is traced."""
    return PLAIN.issuperset(map(type, values)) or innermost(values) is None


def plain_where_it_can_be(run: Callable[..., Any]) -> Callable[..., Any]:
    """A forward rule that is not this library's, of which it is said where it sees plain values
    only.
    """

    def run_forward(dots: tuple[Any, ...], *args: Any, **options: Any) -> Any:
        if are_plain((*dots, *args)):
            return plainly(run, dots, *args, **options)
        return run(dots, *args, **options)

    return run_forward


def constant_stage(rule: Callable[..., Any]) -> Stage:
    """The form for tapes of a function without derivative: nothing is recorded."""

    def stage(*args: Any, **options: Any) -> tuple[Any, None, None]:
        y = rule(*args, **options)[0]
        return resolved(y) if issubclass(type(y), TracedArray) else y, None, None

    return stage
