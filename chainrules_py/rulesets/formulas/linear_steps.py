"""Linear maps whose adjoint follows from the rules of what they call."""

from chainrules_py import LinearMap, default_rules
from chainrules_py.annotations import Function
from chainrules_py.bodies.reverse import Reverse, vjp


def by_steps(linear: Function, x) -> LinearMap:
    """The map of a function that is linear in its argument, which is like `x`, and runs in NumPy.

    It is slower than an adjoint by hand: it is for functions that are rarely differentiated.
    """

    def pullback(y_bar):
        return vjp(Reverse(default_rules), linear, (True,), (0 * x,), {})[1](y_bar)[0]

    return LinearMap(linear, pullback)
