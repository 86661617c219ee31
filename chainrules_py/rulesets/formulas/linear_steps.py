"""Linear maps whose adjoint follows from the rules of what they call."""

from functools import partial

from chainrules_py import LinearMap, default_rules
from chainrules_py.annotations import Function
from chainrules_py.bodies.reverse import Reverse, vjp
from chainrules_py.bodies.traced import namespace_over
from chainrules_py.values.arrays import library_of_types


def by_steps(linear: Function, x, *others, xp) -> LinearMap:
    """The map of a function that is linear in its first argument, which is like `x`.

    All values that move are arguments. It is slower than an adjoint that is written by hand, for
    functions that are rarely differentiated.
    """

    def pull(y_bar):
        names = namespace_over(library_of_types((type(x),)))
        args = 0 * x, *others
        needs = (True,) * len(args)
        _, pullback = vjp(Reverse(default_rules), partial(linear, xp=names), needs, args, {})
        return pullback(y_bar)[0]

    return LinearMap(lambda dot: linear(dot, *others, xp=xp), pull)
