"""Pullbacks and pushforwards of functions, in either mode; gradients are in `gradients`.

    vjp                     value and pullback        reverse, callable any number of times
    grad, value_and_grad    of a real scalar          reverse, the tape spent by its one sweep
    jvp                     value and tangent         forward
    linearize               value and pushforward     the pullback's pullback: one trace

What goes in and comes out are trees (`core.trees`). Three promises are kept here and in
`gradients`: what is returned is nobody else's array (`unshared`); what the caller overwrites after
the call is not read again; and however a call ends, its level is closed.
"""

from collections.abc import Callable
from typing import Any

from numpy import float64, ndarray

from chainrules_py.annotations import Args, Function
from chainrules_py.engines.compilers import entry_point
from chainrules_py.errors import SeedError
from chainrules_py.strong_zeros.strictness import watching
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import AbstractTangent
from chainrules_py.tangents.describing import describe
from chainrules_py.tangents.plain_containers import tangent_of_ones
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import kind
from chainrules_tape.arguments import advice_for
from chainrules_tape.core.config import engine_of, new_tape
from chainrules_tape.core.duals import Pushforward, trace_forward
from chainrules_tape.core.following import follow, see_questions_in
from chainrules_tape.core.tracebacks import hide_frames, without_own_frames
from chainrules_tape.core.tracing import cotangents, trace
from chainrules_tape.core.trees import TreeSpace, as_constant, flatten, unshared
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.gradients import R, dense, dense_cotangents, has_numbers
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.handles import HANDLES
from chainrules_tape.refusals.subclasses import refuse_other_arrays
from chainrules_tape.units import gradient_in_units, has_quantities, seed_in_units

# Reverse


@entry_point
@without_own_frames
def vjp(
    function: Callable[..., R], *args: Any, rules: RuleTable = default_rules
) -> tuple[R, Callable[[Any], tuple[Any, ...]]]:
    """The value ``y = f(*args)``, and the pullback y_bar -> one cotangent per argument, callable
    any number of times.

    >>> y, pullback = vjp(lambda x, w: np.sum(w * np.sin(x)), np.zeros(2), np.array([1.0, 2.0]))
    >>> pullback(1.0)
    (array([1., 2.]), array([0., 0.]))
    """
    see_questions_in(args)
    inputs, outputs, recording = watching(
        trace, new_tape(engine_of(rules)), function, args, {}, keep=True
    )
    space = TreeSpace(outputs.values, outputs.rebuilt)
    slots = outputs.slots

    y = outputs.rebuilt(unshared(outputs.values))
    with_unit = y if has_quantities(y) else None

    def swept(_, y_bar) -> tuple[Any, ...]:
        y_bar, product = seed_in_units(with_unit, y_bar)
        seeds = space.leaves(y_bar, function)
        bars = watching(cotangents, inputs, recording.copy(), seeds, slots)
        numbers = inputs.rebuilt(dense_cotangents(bars, inputs))
        found: tuple[Any, ...] = gradient_in_units(numbers, product)
        return found

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        try:  # it is the first to trace a function that is checkpointed
            found: tuple[Any, ...] = follow(swept, function, y_bar)
        except Exception as error:
            hide_frames(error)
            raise
        return found

    return y, pullback


# Forward


@entry_point
@without_own_frames
def jvp(
    function: Callable[..., R],
    args: Args,
    tangents: tuple[Any, ...],
    *,
    rules: RuleTable = default_rules,
) -> tuple[R, Any]:
    """The value ``y = f(*args)``, and its derivative along the tangents: one per argument, ZERO for
    a constant.

    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    if type(args) is not tuple or type(tangents) is not tuple:
        require_tuples(function, args, tangents)
    leaves, rebuilt = flatten(args)
    if is_tangent(tangents, args):
        dots = flatten(tangents)[0]
    else:
        see_questions_in(args)
        refuse_other_arrays(function, leaves)
        dots = TreeSpace(leaves, rebuilt).leaves(tangents, function)
        refuse_tangents_of_objects(function, leaves, dots)
    values, found, made = watching(
        trace_forward, Pushforward(engine_of(rules)), function, leaves, dots, rebuilt
    )
    y_dot = dense(found, values)
    return made(unshared(values)), made(y_dot)


def refuse_tangents_of_objects(function: Function, leaves: list[Any], dots: list[Any]) -> None:
    """Raise where an object that is no container, and is not followed, has a tangent."""
    for x, dot in zip(leaves, dots, strict=True):
        if kind(type(x)) is not None and has_numbers(dot):
            raise SeedError(
                f"jvp({qualified_name(function)})",
                f"got a tangent of a {type(x).__qualname__}, whose fields are not differentiated",
                advice_for(x),
                rule=function,
                value=dot,
                expected=type(x),
            )


def is_tangent(x_dot, x) -> bool:
    """Tell whether a value consists of floats, and its tangent of values of just their kind.

    It need not be checked then: 13 us for a jvp of `np.sin` instead of 25.
    """
    cls = type(x)
    if cls is ndarray or cls in HANDLES:
        is_alike = type(x_dot) is cls and x_dot.dtype is x.dtype and x_dot.shape == x.shape
        return bool(is_alike and x.dtype.kind == "f")
    if type(x_dot) is not cls:
        return False
    if cls is tuple or cls is list:
        return len(x_dot) == len(x) and all(map(is_tangent, x_dot, x))
    return cls is float64 or cls is float


def require_tuples(function: Function, args, tangents) -> None:
    """Raise where the arguments, or their tangents, are given as they are, and not in a tuple with
    one for each argument.
    """
    where = f"jvp({qualified_name(function)})"
    instead = (
        "write jvp(f, (x,), (x_dot,)): a tuple of the arguments of f, and a tuple of their tangents"
    )
    if not isinstance(args, tuple | list):
        got = f"the arguments are {describe(args)}, not a tuple of them"
        raise InputError(where, got, instead, function=function, argument=0, value=args)
    if not isinstance(tangents, tuple | list | AbstractTangent):
        got = f"the tangents are {describe(tangents)}, not a tuple of them"
        raise SeedError(
            where, got, instead, rule=where, value=tangents, expected=f"{len(args)} tangents"
        )


@entry_point
@without_own_frames
def linearize(
    function: Function, *args: Any, rules: RuleTable = default_rules
) -> tuple[Any, Function]:
    """The value ``y = f(*args)``, and the pushforward ``(*tangents) -> y_dot``, which reuses one
    trace.

    >>> y, pushforward = linearize(lambda x: x * x, 3.0)
    >>> pushforward(1.0), pushforward(2.0)
    (6.0, 12.0)
    """
    y, pullback = vjp(function, *args, rules=rules)
    leaves, rebuilt = flatten(args)
    space = TreeSpace(leaves, rebuilt)
    active = [is_differentiable(leaf) for leaf in leaves]

    def pull(y_bars: list[Any]) -> list[Any]:
        bars = flatten(pullback(y_rebuilt(y_bars)))[0]
        return [bar for bar, need in zip(bars, active, strict=True) if need]

    y_leaves, y_rebuilt = flatten(as_constant(y))
    _, transposed = vjp(pull, tangent_of_ones(y_leaves), rules=rules)

    def pushforward(*tangents: Any):
        dots = space.leaves(tangents, function)
        needed = [dot for dot, need in zip(dots, active, strict=True) if need]
        return y_rebuilt(transposed(needed)[0])

    return y, pushforward
