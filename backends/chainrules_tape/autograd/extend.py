"""Functions with rules of one's own, in the form that autograd has for them.

A maker takes the value and the arguments, and gives the pullback; in autograd's convention for
complex numbers (`differential_operators`). The rules are in the table of `chainrules_py`, so that
other engines find them, too. A rule in our own form, ``@rrule.register(f)``, does as well, shares
work between arguments, and serves forward mode.
"""

from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import Any

import numpy as np

from chainrules_py.makers import non_differentiable, primitive as made_primitive
from chainrules_py.projection.broadcasting import unbroadcast as summed_to
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, is_zero, unthunk
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent
from chainrules_py.values.structure import is_container
from chainrules_tape.autograd.boxes import Box as Box, getval
from chainrules_tape.autograd.differential_operators import conjugated
from chainrules_tape.autograd.spaces import VSpace as VSpace, vspace as vspace
from chainrules_tape.core.trees import flatten
from chainrules_tape.core.values import is_differentiable

Function = Callable[..., Any]
Maker = Callable[..., Any] | None
PUSHED = "__chainrules_pushforwards__"  # the attribute of a primitive that `defjvp` sets


def primitive(fun: Function) -> Function:
    """Make a function one operation, whose derivatives `defvjp` and `defjvp` define.

    >>> from chainrules_tape.autograd import grad
    >>> @primitive
    ... def square(x):
    ...     return x * x
    >>> defvjp(square, lambda y, x: lambda y_bar: y_bar * 2 * x)
    >>> grad(square)(3.0)
    6.0
    """
    if isinstance(fun, np.ufunc):
        return fun  # it asks traced values by itself
    made = made_primitive(fun)
    register_forward_rule(made)
    return made


def notrace_primitive(fun: Function) -> Function:
    """Make a function one without derivative, which sees plain values."""

    @wraps(fun)
    def untraced(*args, **options):
        return fun(*map(getval, args), **options)

    return untraced


def register_notrace(kind, fun: Function) -> None:
    """Say that a primitive has no derivative, in either mode."""
    non_differentiable(fun)


def defvjp(fun: Function, *makers: Maker, argnums: Any = None) -> None:
    """Define the pullbacks of a function, one maker per argument: ``(y, *args) -> y_bar -> x_bar``;
    None where the derivative is zero.
    """
    rule_of_makers(fun, dict(zip(count() if argnums is None else argnums, makers, strict=False)))


def rule_of_makers(fun: Function, makers: dict[int, Maker]) -> None:
    """Register the reverse rule of makers by position, to which more may be added."""

    def several(chosen, y, args, options) -> Function:
        pulls = [pull_of(fun, makers, position, y, args, options) for position in chosen]
        return lambda y_bar: [ZERO if pull is None else pull(y_bar) for pull in pulls]

    reverse_rule(fun, several)


def pull_of(
    fun: Function, makers: dict[int, Maker], position: int, y, args, options
) -> Function | None:
    """The pullback of one argument; None where it is zero, and an error where nothing defines it."""
    if position not in makers:
        raise NotImplementedError(
            f"{name_of(fun)}: there is no pullback for argument {position}; pass one to defvjp"
        )
    maker = makers[position]
    return None if maker is None else maker(y, *args, **options)


def defvjp_argnum(fun: Function, maker: Function) -> None:
    """Define the pullbacks of a function by a maker ``(argnum, y, args, options)``."""

    def several(chosen, y, args, options) -> Function:
        pulls = [maker(position, y, args, options) for position in chosen]
        return lambda y_bar: [pull(y_bar) for pull in pulls]

    reverse_rule(fun, several)


def defvjp_argnums(fun: Function, maker: Function) -> None:
    """Define the pullbacks of a function by a maker for several arguments at once."""
    reverse_rule(fun, maker)


def reverse_rule(fun: Function, maker: Function) -> None:
    """Register the reverse rule that a maker for several arguments makes."""

    def autograd_rrule(*args: object, needs: tuple[bool, ...], **options):
        y = fun(*args, **options)
        chosen = tuple([position for position, need in enumerate(needs) if need])
        pull = maker(chosen, y, args, options)

        def autograd_pullback(y_bar) -> tuple[Any, ...]:
            found = pull(conjugated(cotangent_like(unthunk(y_bar), y)))
            bars: list[Any] = [NO_TANGENT] * len(args)
            for position, bar in zip(chosen, found, strict=True):
                bars[position] = bar if is_zero(bar) else in_our_convention(bar, args[position])
            return tuple(bars)

        return y, autograd_pullback

    default_rules.rrule.register(fun)(autograd_rrule)


def cotangent_like(y_bar, y) -> Any:
    """A cotangent as somebody's pullback has it: containers of arrays, zeros for integers."""
    bars = as_plain_container(y_bar, y)
    if not is_container(y):
        return bars
    leaves, rebuilt = flatten(bars)
    parts, _ = flatten(y)
    return rebuilt(
        [
            np.zeros(np.shape(part)) if is_zero(bar) else bar
            for bar, part in zip(leaves, parts, strict=True)
        ]
    )


def in_our_convention(bar, x) -> Any:
    """A cotangent by somebody's pullback, in our convention for complex numbers: real for a real
    argument; a single entry has the shape of the argument.
    """
    bar = conjugated(bar)
    if is_container(x):
        return as_tangent(bar)
    if not is_differentiable(x):
        return bar
    if np.iscomplexobj(bar) and not np.iscomplexobj(x):
        bar = np.real(bar)
    if np.size(x) != 1 or np.size(bar) != 1:
        return bar
    shape = np.shape(x)
    return bar if np.shape(bar) == shape else np.reshape(bar, shape)


def defjvp(fun: Function, *pushes, argnums: Any = None) -> None:
    """Define the pushforwards of a function, one per argument: ``(x_dot, y, *args) -> y_dot``;
    None where it is zero, and "same" where the function is linear in the argument.
    """
    by_position = dict(zip(count() if argnums is None else argnums, pushes, strict=False))

    def pushed(position: int, dot, y, args, options) -> Any:
        if position not in by_position:
            raise NotImplementedError(f"{name_of(fun)}: argument {position} is not in its defjvp")
        push = by_position[position]
        if push is None:
            return ZERO
        if push == "same":
            return fun(*args[:position], dot, *args[position + 1 :], **options)
        return push(dot, y, *args, **options)

    forward_rule(fun, pushed)


def defjvp_argnum(fun: Function, push: Function) -> None:
    """Define the pushforwards of a function by ``(argnum, x_dot, y, args, options) -> y_dot``."""
    forward_rule(fun, push)


def defjvp_argnums(fun: Function, push: Function) -> None:
    """Define the pushforward of a function by ``(argnums, dots, y, args, options) -> y_dot``."""

    def pushed(position: int, dot, y, args, options) -> Any:
        return push((position,), [dot], y, args, options)

    forward_rule(fun, pushed)


def def_linear(fun: Function) -> None:
    """Say that a function is linear in each of its arguments."""

    def pushed(position: int, dot, y, args, options) -> Any:
        return fun(*args[:position], dot, *args[position + 1 :], **options)

    forward_rule(fun, pushed)


def forward_rule(fun: Function, pushed: Function) -> None:
    """Define the forward rule of a function as the sum of the pushforwards by each argument."""
    if not hasattr(fun, PUSHED):
        register_forward_rule(fun)
    setattr(fun, PUSHED, pushed)


def register_forward_rule(fun: Function) -> None:
    """Register a forward rule that takes the pushforwards from the function, and raises where there
    are none: a pullback in autograd's form may leave out what only forward mode over it would see.
    """
    setattr(fun, PUSHED, None)

    def autograd_frule(dots: tuple[Any, ...], *args: object, **options):
        y, pushed = fun(*args, **options), getattr(fun, PUSHED)
        y_dot: Any = ZERO
        for position, dot in enumerate(dots):
            if is_zero(dot):
                continue
            if pushed is None:
                raise NotImplementedError(f"{name_of(fun)} has no forward rule; call defjvp")
            part = as_tangent(pushed(position, dot, y, args, options))
            y_dot = part if is_zero(y_dot) else y_dot + part
        return y, y_dot

    default_rules.frule.register(fun)(autograd_frule)


def name_of(fun: Function) -> str:
    """The name of a function, for errors."""
    return getattr(fun, "__name__", repr(fun))


def unbroadcast(x_bar, target) -> Any:
    """Sum a cotangent over the axes along which an operand was broadcast, to its shape.

    >>> unbroadcast(np.ones((2, 3)), np.zeros((2, 1)))
    array([[3.],
           [3.]])
    """
    shape = np.shape(target)
    if np.shape(x_bar) != shape:
        x_bar = summed_to(x_bar, shape, np)
    return np.real(x_bar) if np.iscomplexobj(x_bar) and not np.iscomplexobj(target) else x_bar


def unbroadcast_f(target, pull: Function) -> Function:
    """The pullback of an operand that may be broadcast: what `pull` gives, summed to its shape."""
    return lambda y_bar: unbroadcast(pull(y_bar), target)
