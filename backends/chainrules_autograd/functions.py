"""`to_autograd`: functions with rules as functions of autograd's boxes, and the library that boxes
are for our rules.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from autograd.numpy.numpy_boxes import ArrayBox
from autograd.tracer import isbox

from chainrules_autograd.boxes import CONTAINERS, is_box_or_array, opened
from chainrules_autograd.calls import runs_on_boxes
from chainrules_autograd.planned import call_on_boxes
from chainrules_py import ArrayLibrary, RuleTable, default_rules, register_library
from chainrules_py.engines import (
    FlatCall,
    Mode,
    NamesOfNumPy,
    current_table,
    in_force,
    with_rules,
    with_ufunc_methods,
)

MODES: dict[Mode, str] = {"reverse": "in reverse", "forward": "forward"}


def to_autograd(
    primal: Callable[..., Any], *, rules: RuleTable = default_rules
) -> Callable[..., Any]:
    """The function as autograd may differentiate it, by the rules of a table, which are looked up
    at each call.

    A function without rules is a program of NumPy's, which chainrules_tape differentiates
    (`chainrules_tape.as_primitive`).
    Boxes may be anywhere among the arguments, in containers too, and arguments may be given by
    keyword.

    >>> from autograd import grad
    >>> from autograd.numpy.numpy_boxes import ArrayBox
    >>> grad(to_autograd(np.median))(np.array([3.0, 1.0, 2.0]))
    array([0., 0., 1.])
    """

    held: list[Any] = []  # the whole program that it is, with what is found out of it

    @wraps(primal)
    def differentiable(*args: Any, **options: Any):
        own = in_force(rules)
        operation, given, named = with_rules(primal, args, options, own, isbox)
        if operation is not primal:
            held[:] = given[:1]
        return call_on_boxes(operation, given, named, own)

    def explained(*args: Any, **options: Any) -> str:
        own = in_force(rules)
        operation, given, named = with_rules(primal, args, options, own, isbox)
        if operation is not primal:
            text: str = given[0].explained("autograd", "by NumPy")
            return text
        return explain_call(operation, own, *given, **named)

    differentiable.explain = explained  # type: ignore[attr-defined]
    return differentiable


def explain_call(primal, rules: RuleTable, *args, **options) -> str:
    """Say which rules a call has, where they are written, and whether they are traced under another
    derivative.

    >>> print(to_autograd(np.median).explain(np.ones(3)))  # doctest: +ELLIPSIS
    numpy.median(ndarray)
      rrule: ...
    autograd, under another derivative: traced in reverse, traced forward
    """
    flat, leaves = FlatCall.of(primal, opened(args), opened(options), is_box_or_array, rules)
    found = [
        f"{'traced' if runs_on_boxes(flat, leaves, mode) else 'opaque'} {name}"
        for mode, name in MODES.items()
    ]
    return (
        f"{rules.explain(primal, *args, **options)}\nautograd, under another derivative:"
        f" {', '.join(found)}"
    )


def through_our_rules(function, name: str) -> Callable[..., Any]:
    """A function of NumPy's for rules that run on boxes."""
    return with_ufunc_methods(by_current_table, function)


def traced(primal) -> Any:
    """Return the function that rules on boxes call for a primal, which goes through its rules."""
    return by_current_table(primal) if primal in default_rules else None


def by_current_table(primal: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function for rules to call on boxes: differentiated by the table of the rule."""

    @wraps(primal)
    def differentiable(*args, **options):
        rules = current_table.get()
        return call_on_boxes(*with_rules(primal, args, options, rules, isbox), rules)

    return differentiable


def primitive_call(primal, args: tuple[Any, ...], options: dict[str, Any]):
    """Call a function marked as `primitive` on boxes, as a rule or anybody else does."""
    return call_on_boxes(primal, args, options, current_table.get())


library = register_library(
    ArrayLibrary(
        name="autograd",
        namespace=NamesOfNumPy(np, {}, through_our_rules),
        array_types=(ArrayBox,),
        scalar_types=CONTAINERS,
        mutable=False,
        priority=50,
        implementations=traced,
        calls=primitive_call,
    )
)
