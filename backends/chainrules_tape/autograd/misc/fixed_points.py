"""Fixed points of iterations, which are differentiated by the implicit function theorem."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape.autograd.differential_operators import make_vjp_of_one
from chainrules_tape.autograd.extend import defvjp, primitive
from chainrules_tape.core.trees import flatten


@primitive
def fixed_point(f: Callable[..., Any], a, x0, distance: Callable[..., Any], tol: float) -> Any:
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
        before, total = zero_like(x_bar), x_bar
        while distance(total, before) > tol:
            before, total = total, added(pull_x(total), x_bar)
        return pull_a(total)

    return pull


def added(x, y) -> Any:
    """The sum of two containers of the same structure."""
    leaves, rebuilt = flatten(x)
    return rebuilt([a + b for a, b in zip(leaves, flatten(y)[0], strict=True)])


def zero_like(x) -> Any:
    """Zeros in the structure of a container."""
    leaves, rebuilt = flatten(x)
    return rebuilt([np.zeros_like(leaf) for leaf in leaves])


defvjp(fixed_point, None, pull_of_parameters, None, None, None)
