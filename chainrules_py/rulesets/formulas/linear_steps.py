"""Linear maps whose adjoint follows from the rules of what they call."""

from functools import partial

from chainrules_py import LinearMap, default_rules
from chainrules_py.annotations import Function
from chainrules_py.bodies.reverse import Reverse, vjp
from chainrules_py.bodies.traced import namespace_over
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.structure import leaves_of


def by_steps(linear: Function, x, *others, xp) -> LinearMap:
    """The map of a function that is linear in its first argument, which is like `x`.

    All values that move are arguments. It is slower than an adjoint that is written by hand, for
    functions that are rarely differentiated.
    """

    def pull(y_bar):
        names = namespace_over(library_of_types(map(type, leaves_of((x, *others)))))
        needs, level = (True,) * (1 + len(others)), Reverse(default_rules)
        _, pullback = vjp(level, partial(linear, xp=names), needs, (x, *others), {})
        return pullback(y_bar)[0]

    return LinearMap(lambda dot: linear(dot, *others, xp=xp), pull)
