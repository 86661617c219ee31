"""Derivatives of a program against finite differences, in both modes and to second order."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_tape.autograd.differential_operators import make_jvp_of_one, make_vjp_of_one
from chainrules_tape.autograd.spaces import vspace
from chainrules_tape.autograd.wrap_util import unary_to_nary

TOLERANCE = RELATIVE_TOLERANCE = 1e-6
STEP = 1e-6


def numerical_jvp(f: Function, x, x_dot) -> Any:
    """The derivative along a direction, by a central difference."""
    space = vspace(x)
    above, below = (
        f(space.add(x, space.scalar_mul(x_dot, step))) for step in (STEP / 2, -STEP / 2)
    )
    result_space = vspace(above)
    difference = result_space.add(above, result_space.scalar_mul(below, -1.0))
    return result_space.scalar_mul(difference, 1 / STEP)


def require_close(found, expected, mode: str, f, x) -> None:
    """Raise where two numbers differ by more than differences do."""
    assert scalar_close(found, expected), (
        f"the {mode} derivative of {getattr(f, '__name__', f)} at {x} is {found} where a difference"
        f" has {expected}"
    )


def check_vjp(f: Function, x) -> None:
    """Compare the pullback of random cotangents with a difference along a random direction."""
    vjp, y = make_vjp_of_one(f, x)
    space, result_space = vspace(x), vspace(y)
    x_dot, y_bar = space.randn(), result_space.randn()
    x_bar = space.covector(vjp(result_space.covector(y_bar)))
    assert vspace(x_bar) == space, f"the gradient is {vspace(x_bar)}, the argument {space}"
    found = space.inner_prod(x_dot, x_bar)
    expected = result_space.inner_prod(y_bar, numerical_jvp(f, x, x_dot))
    require_close(found, expected, "reverse", f, x)


def check_jvp(f: Function, x) -> None:
    """Compare the pushforward of a random direction with a difference."""
    x_dot = vspace(x).randn()
    found, expected = make_jvp_of_one(f, x)(x_dot)[1], numerical_jvp(f, x, x_dot)
    space = vspace(found)
    assert space == vspace(expected), f"the tangent is {space}, the result {vspace(expected)}"
    weights = space.randn()
    pair = space.inner_prod(found, weights), space.inner_prod(expected, weights)
    require_close(*pair, "forward", f, x)


@unary_to_nary
def check_grads(f: Function, x, modes: Iterable[str] = ("fwd", "rev"), order: int = 2) -> None:
    """``check_grads(f, argnum, modes, order)(*args)`` raises an AssertionError where a derivative
    is not that of finite differences.

    >>> check_grads(np.sin)(1.0)
    """
    modes = tuple(modes)
    assert set(modes) <= {"fwd", "rev"}, f"modes={modes}; name 'fwd' and 'rev'"
    if "fwd" in modes:
        check_jvp(f, x)
    if "rev" in modes:
        check_vjp(f, x)
    if order < 2:
        return
    x_dot, y_bar = vspace(x).randn(), vspace(f(x)).randn()
    if "fwd" in modes:
        pushed = lambda x, x_dot: make_jvp_of_one(f, x)(x_dot)[1]  # noqa: E731
        check_grads(pushed, (0, 1), modes, order=order - 1)(x, x_dot)
    if "rev" in modes:
        pulled = lambda x, y_bar: make_vjp_of_one(f, x)[0](y_bar)  # noqa: E731
        check_grads(pulled, (0, 1), modes, order=order - 1)(x, y_bar)


def combo_check(fun: Function, *args, **options) -> Callable[..., None]:
    """Check the derivatives for all combinations of arguments and keywords."""

    def check_all(*choices, **named_choices) -> None:
        names = list(named_choices)
        for chosen in product(*choices):
            for values in product(*named_choices.values()):
                check = check_grads(fun, *args, **options)
                check(*chosen, **dict(zip(names, values, strict=True)))

    return check_all


def scalar_close(a, b) -> bool:
    """Tell whether two numbers agree as closely as differences do."""
    return bool(abs(a - b) < max(TOLERANCE, RELATIVE_TOLERANCE * abs(a + b)))


def check_equivalent(x, y) -> None:
    """Raise where two elements of a space differ."""
    assert vspace(x) == vspace(y), f"{vspace(x)} is not {vspace(y)}"
    weights = vspace(x).randn()
    pair = vspace(x).inner_prod(x, weights), vspace(x).inner_prod(y, weights)
    assert np.allclose(*pair), f"{x} is not {y}"
