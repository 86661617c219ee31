"""`from_autograd`: a function written in autograd's NumPy as a primitive with both rules, for
programs of other engines.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_autograd import differentiation
from chainrules_py import RuleTable, default_rules
from chainrules_py.engines import FlatValue, ForeignFunction, foreign_primitive, qualified_name


def from_autograd(
    function: Callable[..., Any], *, rules: RuleTable = default_rules
) -> Callable[..., Any]:
    """A primitive that autograd evaluates and differentiates, to any order; arrays and numbers in
    containers, in and out.

    >>> import autograd.numpy as anp
    >>> from chainrules_py import rrule
    >>> energy = from_autograd(lambda p: anp.sum(p["k"] * anp.sin(p["x"])))
    >>> y, pullback = rrule(energy, {"k": 2.0, "x": np.zeros(2)})
    >>> pullback(1.0)[0]["x"]
    array([2., 2.])
    """
    return foreign_primitive(AutogradFunction(function, qualified_name(function)), rules)


class AutogradFunction(ForeignFunction):
    """A function that autograd differentiates; so are its pullback and its pushforward."""

    def evaluate(self, *args) -> Any:
        """Return the value."""
        return with_copied_arrays(self.function(*args))

    def vjp(self, *args) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """Return the value and the pullback."""
        y, pull = differentiation.vjp(self.function, *args)
        return with_copied_arrays(y), pull

    def jvp(self, args: tuple[Any, ...], dots: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the value and its tangent."""
        y, y_dot = differentiation.jvp(self.function, args, dots)
        return with_copied_arrays(y), y_dot

    def pulled(self, y_bar, *args: Any) -> Any:
        """Return the cotangents of the arguments."""
        return differentiation.vjp(self.function, *args)[1](y_bar)

    def pushed(self, dots: tuple[Any, ...], *args: Any) -> Any:
        """Return the tangent of the value."""
        return differentiation.jvp(self.function, args, dots)[1]


def with_copied_arrays(y) -> Any:
    """A value with copies of its arrays, which the function may hold."""
    flat = FlatValue.of(y)
    return flat.with_leaves([x.copy() if type(x) is np.ndarray else x for x in flat.leaves])
