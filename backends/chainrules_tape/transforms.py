"""The doors: what people call.

    vjp                     value and pullback        reverse, the pullback callable any number of times
    grad, value_and_grad    of a real scalar          reverse, the recording spent by its one sweep
    jvp                     value and tangent         forward
    linearize               value and pushforward     the pullback's pullback: one trace for many tangents

What goes in and comes out are trees (`trees`). Three promises are kept here: what is returned is nobody else's array
(`ownership`); what the caller overwrites after the call is not read again; and however a call ends, its level is
closed.
"""

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

import numpy as np

from chainrules_py.identity import qualified_name
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.structure import is_container, is_structural
from chainrules_py.tangents import ZERO, materialize
from chainrules_py.tangents.plain_containers import tangent_of_ones
from chainrules_tape.arguments import Arguments, chosen_arguments, restricted_to
from chainrules_tape.core.config import engine_of, new_tape
from chainrules_tape.core.duals import Pushforward, trace_forward
from chainrules_tape.core.errors import InputError, OutputError
from chainrules_tape.core.tracing import Function, Leaves, cotangents, trace
from chainrules_tape.core.trees import TreeSpace, flatten, only, unshared
from chainrules_tape.core.values import finished_cotangent, is_differentiable

ONE = np.float64(1.0)


def dense(tangents: list[Any], values: list[Any]) -> list[Any]:
    """Tangents as callers get them: zeros written out, NO_TANGENT where there is no tangent space, arrays their own."""
    found = [t if type(t) is np.ndarray else written_out(t, x) for t, x in zip(tangents, values, strict=True)]
    tangents.clear()
    return unshared(found)


def written_out(t: Any, x: Any) -> Any:
    """The tangent of `x` as callers get it; of a 0-d array as one, which NumPy's arithmetic made a scalar of."""
    t = finished_cotangent(materialize(t, like=x))
    return np.asarray(t) if type(x) is np.ndarray and issubclass(type(t), np.generic) else t


# Reverse


def vjp(function: Function, *args: Any, rules: RuleTable = default_rules) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """y = f(*args), and the pullback y_bar -> one cotangent per argument, callable any number of times.

    >>> y, pullback = vjp(lambda x, w: np.sum(w * np.sin(x)), np.zeros(2), np.array([1.0, 2.0]))
    >>> pullback(1.0)
    (array([1., 2.]), array([0., 0.]))
    """
    inputs, outputs, recording = trace(new_tape(engine_of(rules)), function, args, {}, keep=True)
    space, name, slots = TreeSpace(outputs.values, outputs.rebuilt), qualified_name(function), outputs.slots

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        bars = cotangents(inputs, recording.copy(), space.leaves(y_bar, name), slots)
        found: tuple[Any, ...] = inputs.rebuilt(dense(bars, inputs.values))
        return found

    return outputs.rebuilt(unshared(outputs.values)), pullback


def value_and_grad(
    function: Function,
    argnums: Arguments = 0,
    *,
    has_aux: bool = False,
    rules: RuleTable = default_rules,
) -> Function:
    """The function x -> (f(x), df/dx) of a real-valued f; with `has_aux` f returns (value, aux), and so does this first.

    `argnums` names arguments by position or by name. What is returned pickles where f does.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (np.float64(9.0), 6.0)
    """
    return named(partial(value_and_gradient, function, argnums, has_aux, rules), function)


def grad(
    function: Function,
    argnums: Arguments = 0,
    *,
    has_aux: bool = False,
    rules: RuleTable = default_rules,
) -> Function:
    """The function x -> df/dx of a real-valued f, shaped like x; with `has_aux`, x -> (df/dx, aux).

    `argnums` names arguments by position or by name. What is returned pickles where f does.

    >>> grad(lambda p: np.sum(p["w"] ** 2))({"w": np.array([1.0, 2.0])})
    {'w': array([2., 4.])}
    >>> grad(lambda p, q: p * q, argnums="q")(3.0, q=5.0)
    3.0
    """
    return named(partial(gradient, function, argnums, has_aux, rules), function)


def named(derivative: Function, function: Function) -> Function:
    """A derivative under the name and with the signature of its function."""
    return update_wrapper(derivative, function, updated=())


def value_and_gradient(
    function: Function, argnums: Arguments, has_aux: bool, rules: RuleTable, /, *args: Any, **options: Any
) -> tuple[Any, Any]:
    """What `value_and_grad` of a function computes: a function of the module, so that it pickles."""
    tape, chosen = new_tape(engine_of(rules)), chosen_arguments(function, argnums, args, options)
    if len(args) == 1 and chosen == (0,):  # nearly always
        inputs, outputs, recording = trace(tape, function, args, options, keep=False)
    else:
        points = tuple([args[key] if isinstance(key, int) else options[key] for key in chosen])
        restricted = restricted_to(function, chosen, args, options)
        inputs, outputs, recording = trace(tape, restricted, points, {}, keep=False, of=function)
    require_active(function, inputs)
    seeds = scalar_seeds(function, outputs, has_aux)
    slots, value = outputs.slots, outputs.rebuilt(unshared(outputs.values))
    bars = inputs.rebuilt(dense(cotangents(inputs, recording, seeds, slots), inputs.values))
    return value, bars[0] if isinstance(argnums, int | str) else bars


def gradient(function: Function, argnums: Arguments, has_aux: bool, rules: RuleTable, /, *args: Any, **options: Any) -> Any:
    """What `grad` of a function computes."""
    value, bars = value_and_gradient(function, argnums, has_aux, rules, *args, **options)
    return (bars, value[1]) if has_aux else bars


def require_active(function: Function, inputs: Leaves) -> None:
    """Raise where there are arguments but nothing in them to differentiate with respect to."""
    if inputs.slots and inputs.slots.count(None) == len(inputs.slots):
        where, got = f"grad({qualified_name(function)})", f"arguments without real or complex numbers: {inputs.values!r}"
        instead = next(filter(None, map(opened_by, inputs.values)), "pass floats: integers have no tangent")
        raise InputError(where, got, instead, function=function, argument=0, value=inputs.values)


def opened_by(x: Any) -> str | None:
    """What makes an argument one whose attributes are differentiated; None where it has none."""
    return f"mark the class {type(x).__qualname__} with @chainrules_tape.container" if is_structural(x) else None


def scalar_seeds(function: Function, outputs: Leaves, has_aux: bool) -> list[Any]:
    """One for the result, which has to be a real number, and nothing for what is returned beside it."""
    y: Any = outputs.values[0] if outputs.values else None
    if type(y) is np.float64 and outputs.rebuilt is only:  # nearly always, and the rest costs as much as an operation
        return [ONE]
    alone = has_aux or not is_container(outputs.rebuilt(outputs.values))
    if not alone or np.shape(y) != () or not is_differentiable(y) or np.iscomplexobj(y):
        kind = f"{y.dtype} of shape {y.shape}" if hasattr(y, "dtype") else type(y).__qualname__
        one = "return its one entry, numpy.reshape(y, ()), or " if alone and np.size(y) == 1 and np.ndim(y) else ""
        raise OutputError(
            f"grad({qualified_name(function)})",
            f"the result is {kind if alone else 'a container'}, not a real number",
            f"{one}take jacobian for all derivatives, vjp for a combination; has_aux=True where f returns (value, aux)",
            function=function,
            value=y,
        )
    return [tangent_of_ones(y), *(ZERO for _ in outputs.values[1:])]


# Forward


def jvp(
    function: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], *, rules: RuleTable = default_rules
) -> tuple[Any, Any]:
    """y = f(*args), and its derivative along the tangents: one per argument, ZERO for a constant.

    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    leaves, rebuilt = flatten(args)
    dots = TreeSpace(leaves, rebuilt).leaves(tangents, qualified_name(function))
    values, found, made = trace_forward(Pushforward(engine_of(rules)), function, leaves, dots, rebuilt)
    y_dot = dense(found, values)
    return made(unshared(values)), made(y_dot)


def linearize(function: Function, *args: Any, rules: RuleTable = default_rules) -> tuple[Any, Function]:
    """y = f(*args), and the pushforward (*tangents) -> y_dot, which reuses one trace.

    >>> y, pushforward = linearize(lambda x: x * x, 3.0)
    >>> pushforward(1.0), pushforward(2.0)
    (np.float64(6.0), np.float64(12.0))
    """
    y, pullback = vjp(function, *args, rules=rules)
    leaves, rebuilt = flatten(args)
    space, active = TreeSpace(leaves, rebuilt), [is_differentiable(leaf) for leaf in leaves]

    def pull(y_bar: Any) -> list[Any]:
        return [bar for bar, need in zip(flatten(pullback(y_bar))[0], active, strict=True) if need]

    _, transposed = vjp(pull, tangent_of_ones(y), rules=rules)

    def pushforward(*tangents: Any) -> Any:
        dots = space.leaves(tangents, qualified_name(function))
        return transposed([dot for dot, need in zip(dots, active, strict=True) if need])[0]

    return y, pushforward
