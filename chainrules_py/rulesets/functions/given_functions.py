"""Derivatives of calls of a function that a function was given, and of what that function holds.

A dataclass with `__call__` may hold numbers that are differentiated: it is an argument like others.
"""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from chainrules_py import (
    HasForwardsMode,
    HasReverseMode,
    accumulate,
    accumulated,
    frule_via_ad,
    is_zero,
    rrule_via_ad,
)
from chainrules_py.tangents import NO_TANGENT, ZERO
from chainrules_py.values.structure import is_container


def rrule_of_given(config: HasReverseMode, function, needed: bool) -> Callable[..., Any]:
    """Make the rule of calls of a function; pullbacks give the cotangent of the function first."""
    if needed and is_container(function):
        return partial(rrule_via_ad, config, operator.call, function)

    def rrule_of_one(*args, **options) -> tuple[Any, Any]:
        y, pull = rrule_via_ad(config, function, *args, **options)
        return y, lambda y_bar: (NO_TANGENT, *pull(y_bar))

    return rrule_of_one


def frule_of_given(config: HasForwardsMode, function, function_dot) -> Callable[..., Any]:
    """Make the forward rule of calls of a function, given tangents of its arguments."""
    if is_zero(function_dot):
        return lambda dots, *args, **options: frule_via_ad(config, dots, function, *args, **options)
    return lambda dots, *args, **options: frule_via_ad(
        config, (function_dot, *dots), operator.call, function, *args, **options
    )


def summed(bars) -> Any:
    """The sum of the cotangents that calls gave their function."""
    total: Any = ZERO
    for bar in bars:
        total = accumulate(total, bar)
    return accumulated(total)
