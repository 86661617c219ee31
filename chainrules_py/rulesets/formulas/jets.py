"""Derivatives of a function of one number, of any order, by the rules that the table has for what
it calls.

A `Jet` carries a value and its derivative; a NumPy call with one goes to the rule of that call. A
jet of jets carries second derivatives, and so on. There is one variable and nothing else moves, so
no call can meet jets of two depths.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    AbstractZero,
    ArrayLibrary,
    default_rules,
    register_library,
    unthunk,
)
from chainrules_py.values.arrays import library_of_types

Function = Callable[[Any], Any]


class Jet(NDArrayOperatorsMixin):
    """An array and its derivative, each of which may be a jet again; ZERO for constants."""

    __slots__ = ("dot", "value")

    def __init__(self, value, dot) -> None:
        self.value, self.dot = value, dot

    def __getattr__(self, name: str) -> Any:
        if name in ("dtype", "ndim", "shape", "size"):
            return getattr(self.value, name)
        raise AttributeError(
            f"a Jet has no attribute {name!r}: write the function in calls of numpy"
        )

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any:
        return call_on_jets(
            ufunc if method == "__call__" else getattr(ufunc, method), inputs, options
        )

    def __array_function__(
        self, function, types, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        return call_on_jets(function, args, options)

    def __chainrules_call__(self, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return call_on_jets(primal, args, options)


def call_on_jets(primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A call with jets among its arguments, by the rule of its primal.

    What has no tangent comes back plain.
    """
    primal, args, options = default_rules.canonical(primal, args, options)
    values = tuple([arg.value if isinstance(arg, Jet) else arg for arg in args])
    dots = tuple([arg.dot if isinstance(arg, Jet) else ZERO for arg in args])
    if all(isinstance(dot, AbstractZero) for dot in dots):
        return Jet(
            library_of_types(map(type, values)).implementation(primal)(*values, **options), ZERO
        )
    y, y_dot = default_rules.frule(dots, primal, *values, **options)
    return y if y_dot is NO_TANGENT else Jet(y, unthunk(y_dot))


def derivative(function: Function, x, order: int, xp) -> Any:
    """The derivative of this order at each entry of `x`; of order 0 the function itself.

    >>> derivative(lambda x: x * np.exp(x), np.zeros(1), 3, np)
    array([3.])
    """
    jet = x if order else Jet(x, ZERO)
    for _ in range(order):
        jet = Jet(jet, xp.ones_like(x))
    y = call_on_jets(function, (jet,), {}) if function in default_rules else function(jet)
    for _ in range(order):
        y = y.dot if isinstance(y, Jet) else ZERO
    y = y.value if isinstance(y, Jet) else y
    return xp.zeros_like(x) if isinstance(y, AbstractZero) else xp.broadcast_to(y, x.shape)


register_library(
    ArrayLibrary(
        name="chainrules_py.jets", namespace=np, array_types=(Jet,), mutable=False, priority=50
    )
)
