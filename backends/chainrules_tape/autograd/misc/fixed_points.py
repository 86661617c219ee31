"""Fixed points of iterations, which are differentiated by the implicit function theorem."""

from collections.abc import Callable
from typing import Any

from chainrules_py.annotations import Function
from chainrules_tape.autograd.differential_operators import make_vjp_of_one
from chainrules_tape.autograd.extend import defvjp, primitive
from chainrules_tape.autograd.spaces import vspace


@primitive
def fixed_point(f: Function, a, x0, distance: Function, tol: float) -> Any:
    """The x with f(a)(x) = x that the iteration from `x0` finds; differentiated by `a`.

    >>> from chainrules_tape.autograd import grad
    >>> newton = lambda a: lambda x: 0.5 * (x + a / x)
    >>> root = lambda a: fixed_point(newton, a, 1.0, lambda x, y: abs(x - y), 1e-12)
    >>> round(grad(root)(4.0), 12)
    0.25
    """
    step = f(a)
    before, x = x0, step(x0)
    while distance(x, before) > tol:
        before, x = x, step(x)
    return x


def pull_of_parameters(x, f, a, x0, distance, tol: float) -> Callable[[Any], Any]:
    """The pullback by the parameters: with J = dx f, a_bar = (da f)' (1 - J')^-1 x_bar."""
    pull_x, _ = make_vjp_of_one(lambda y: f(a)(y), x)
    pull_a, _ = make_vjp_of_one(lambda b: f(b)(x), a)

    def pull(x_bar):
        space = vspace(x)
        before, total = space.zeros(), x_bar
        while distance(total, before) > tol:
            before, total = total, space.add(pull_x(total), x_bar)
        return pull_a(total)

    return pull


defvjp(fixed_point, None, pull_of_parameters, None, None, None)
