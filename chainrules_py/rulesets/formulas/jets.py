"""Derivatives of a function of one number, of any order, by the rules that the table has for what
it calls.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import AbstractZero, default_rules
from chainrules_py.annotations import Args, Options
from chainrules_py.bodies.forward import Forward, jvp
from chainrules_py.bodies.traced import Level, Traced
from chainrules_py.values.arrays import call

Function = Callable[[Any], Any]


class Values(Level):
    """The level of values alone, which their own library computes."""

    mode = "forward"

    def run(self, primal, args: Args, options: Options) -> Any:
        """Compute an operation on the values."""
        return Traced(call(primal, *map(self.plain, args), **options), self)


def derivative(function: Function, x, order: int, xp) -> Any:
    """The derivative of this order at each entry of `x`; of order 0 the function itself.

    >>> derivative(lambda x: x * np.exp(x), np.zeros(1), 3, np)
    array([3.])
    """
    ones = xp.ones_like(x)

    def of_order(point, order: int) -> Any:
        if order:
            return jvp(
                Forward(default_rules), lambda x: of_order(x, order - 1), (ones,), (point,), {}
            )[1]
        if function in default_rules:
            return call(function, point)
        if isinstance(point, np.ndarray | Traced):
            return function(point)
        level = Values(default_rules)
        return level.plain(function(Traced(point, level)))

    y = of_order(x, order)
    return xp.zeros_like(x) if isinstance(y, AbstractZero) else xp.broadcast_to(y, x.shape)
