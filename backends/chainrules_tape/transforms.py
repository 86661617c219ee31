"""The doors: what people call.

    vjp                     value and pullback        reverse, the pullback callable any number of times
    grad, value_and_grad    of a real scalar          reverse, the recording spent by its one sweep
    jvp                     value and tangent         forward
    linearize               value and pushforward     the pullback's pullback: one trace for many tangents

What goes in and comes out are trees (`trees`). Three promises are kept here: what is returned is nobody else's array
(`ownership`); what the caller overwrites after the call is not read again; and however a call ends, its level is
closed.
"""

import inspect
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.identity import qualified_name
from chainrules_py.projection import ProjectTo
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.structure import is_container, is_structural
from chainrules_py.tangents import ZERO, is_zero, materialize
from chainrules_tape.bypassed import note_bypassed_rules
from chainrules_tape.engine import engine_of
from chainrules_tape.error_notes import explain_error
from chainrules_tape.forward import Pushforward
from chainrules_tape.levels import Level
from chainrules_tape.linearity import ones_like
from chainrules_tape.ownership import copied, unshared
from chainrules_tape.refusals import InputError, OutputError, warn_of_refusals
from chainrules_tape.reverse import HANDLES, Tape, is_differentiable
from chainrules_tape.sharing import new_tape
from chainrules_tape.subclasses import refuse_other_arrays
from chainrules_tape.sweeping import Recording, settled, sweep
from chainrules_tape.trees import Rebuild, TreeSpace, flatten, only

Function = Callable[..., Any]
Argument = int | str  # by position, or by name
Arguments = Argument | Sequence[Argument]
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
ONE = np.float64(1.0)
_ndarray = np.ndarray


class Leaves(NamedTuple):
    """The leaves of the arguments or of the result of a traced call, handles taken off, each with its slot on the tape."""

    values: list[Any]
    slots: list[int | None]
    rebuilt: Rebuild


class Trace(NamedTuple):
    """A call that was traced in reverse."""

    inputs: Leaves
    outputs: Leaves
    recording: Recording

    @property
    def result(self) -> Any:
        """What the function returned."""
        return self.outputs.rebuilt(self.outputs.values)


def trace(
    function: Function,
    args: tuple[Any, ...],
    options: dict[str, Any],
    rules: RuleTable,
    keep: bool,
    tape: Tape | None = None,
    of: Function | None = None,
) -> Trace:
    """Trace a call; `keep` copies the arguments, which the caller may overwrite before the last sweep.

    `of` is the function as its author knows it, for errors.
    """
    tape = new_tape(engine_of(rules)) if tape is None else tape
    leaves, rebuilt = flatten(args)
    refuse_other_arrays(of or function, leaves)
    points = list(map(copied, leaves)) if keep else leaves
    try:
        handles = [tape.input(point) if is_differentiable(point) else point for point in points]
        inputs = Leaves(points, [slot_of(tape, handle) for handle in handles], rebuilt)
        results, made = flatten(function(*rebuilt(handles), **options))
        warn_of_refusals(tape)
        refuse_overwritten(tape, of or function, results)
        slots = [slot_of(tape, result) for result in results]
        values = [tape.strip(settled(r)) if slot is None else r.value for r, slot in zip(results, slots, strict=True)]
        outputs = Leaves(values, slots, made)
        return Trace(inputs, outputs, Recording(tape))
    except Exception as error:
        explain_error(tape, error)
        note_bypassed_rules(rules, error)
        raise
    finally:
        if not tape.closed:
            tape.close()


def refuse_overwritten(level: Level, function: Function, results: list[Any]) -> None:
    """Raise where a result is a view of what an augmented assignment was to write into."""
    if level.overwritten is not None:
        level.overwritten.refuse(function, results)


def slot_of(tape: Tape, value: Any) -> int | None:
    """The slot of a handle of this tape."""
    return value.slot if type(value) in HANDLES and value.level is tape else None


def cotangents(inputs: Leaves, recording: Recording, seeds: list[Any], outputs: list[int | None]) -> list[Any]:
    """The cotangents of the leaves of the arguments, given those of the result; spends the recording."""
    pairs = [(slot, seed) for slot, seed in zip(outputs, seeds, strict=True) if slot is not None]
    bars = sweep(recording, pairs)
    return [ZERO if s is None else projected(bars[s], x) for x, s in zip(inputs.values, inputs.slots, strict=True)]


def projected(x_bar: Any, x: Any) -> Any:
    """A cotangent in the space of `x`; a rule's is there already, as a rule."""
    if type(x) is _ndarray and type(x_bar) is _ndarray and x_bar.shape == x.shape and x_bar.dtype is x.dtype:
        return x_bar
    return ProjectTo(x)(x_bar)


def dense(tangents: list[Any], values: list[Any]) -> list[Any]:
    """Tangents as callers get them: zeros written out, NO_TANGENT where there is no tangent space, arrays their own."""
    found = [t if type(t) is np.ndarray else written_out(t, x) for t, x in zip(tangents, values, strict=True)]
    tangents.clear()
    return unshared(found)


def written_out(t: Any, x: Any) -> Any:
    """The tangent of `x` as callers get it; of a 0-d array as one, which NumPy's arithmetic made a scalar of."""
    t = settled(materialize(t, like=x))
    return np.asarray(t) if type(x) is np.ndarray and issubclass(type(t), np.generic) else t


# Reverse


def vjp(function: Function, *args: Any, rules: RuleTable = default_rules) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """y = f(*args), and the pullback y_bar -> one cotangent per argument, callable any number of times.

    >>> y, pullback = vjp(lambda x, w: np.sum(w * np.sin(x)), np.zeros(2), np.array([1.0, 2.0]))
    >>> pullback(1.0)
    (array([1., 2.]), array([0., 0.]))
    """
    inputs, outputs, recording = trace(function, args, {}, rules, keep=True)
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
    chosen = chosen_arguments(function, argnums, args, options)
    if len(args) == 1 and chosen == (0,):  # nearly always
        inputs, outputs, recording = trace(function, args, options, rules, keep=False)
    else:
        points = tuple([args[key] if isinstance(key, int) else options[key] for key in chosen])
        restricted = restricted_to(function, chosen, args, options)
        inputs, outputs, recording = trace(restricted, points, {}, rules, keep=False, of=function)
    require_active(function, inputs)
    seeds = scalar_seeds(function, outputs, has_aux)
    slots, value = outputs.slots, outputs.rebuilt(unshared(outputs.values))
    bars = inputs.rebuilt(dense(cotangents(inputs, recording, seeds, slots), inputs.values))
    return value, bars[0] if isinstance(argnums, int | str) else bars


def gradient(function: Function, argnums: Arguments, has_aux: bool, rules: RuleTable, /, *args: Any, **options: Any) -> Any:
    """What `grad` of a function computes."""
    value, bars = value_and_gradient(function, argnums, has_aux, rules, *args, **options)
    return (bars, value[1]) if has_aux else bars


def restricted_to(function: Function, chosen: Sequence[Argument], args: tuple[Any, ...], options: dict[str, Any]) -> Function:
    """The function of some of its arguments, the others being constants."""

    def restricted(*some: Any) -> Any:
        every, by_name = list(args), dict(options)
        for key, arg in zip(chosen, some, strict=True):
            if isinstance(key, int):
                every[key] = arg
            else:
                by_name[key] = arg
        return function(*every, **by_name)

    return restricted


def chosen_arguments(
    function: Function, argnums: Arguments, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Argument, ...]:
    """The positions of the arguments that `argnums` names, and the names of those that were passed by keyword."""
    if type(argnums) is int and 0 <= argnums < len(args):
        return (argnums,)
    asked: Sequence[Argument] = (argnums,) if isinstance(argnums, int | str) else tuple(argnums)
    chosen = tuple([chosen_argument(function, one, args, options) for one in asked])
    if len(set(chosen)) < len(chosen):
        where, got = f"grad({qualified_name(function)})", f"argnums={argnums}, which names an argument twice"
        raise InputError(where, got, "name each argument once", function=function, argument=chosen[0], value=args)
    return chosen


def chosen_argument(function: Function, asked: Argument, args: tuple[Any, ...], options: dict[str, Any]) -> Argument:
    """The position of one argument, or its name where it was passed by keyword; InputError where it was not passed."""
    if not isinstance(asked, str) and -len(args) <= asked < len(args):
        return asked % len(args)
    if asked in options:
        return asked
    names = positional_names(function)
    if isinstance(asked, str) and asked in names[: len(args)]:
        return names.index(asked)
    if not isinstance(asked, str) and 0 <= asked < len(names) and names[asked] in options:
        return names[asked]
    where = f"grad({qualified_name(function)})"
    got = f"argnums={asked!r}, {len(args)} positional arguments and the keywords {list(options)}"
    instead = "name an argument that the call passes, by its position or by its name"
    raise InputError(where, got, instead, function=function, argument=asked, value=args)


def positional_names(function: Function) -> list[str]:
    """The names of a function's positional parameters; none where Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [parameter.name for parameter in parameters if parameter.kind in _POSITIONAL]


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
    return [ones_like(y), *(ZERO for _ in outputs.values[1:])]


# Forward


def jvp(
    function: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], *, rules: RuleTable = default_rules
) -> tuple[Any, Any]:
    """y = f(*args), and its derivative along the tangents: one per argument, ZERO for a constant.

    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    level = Pushforward(engine_of(rules))
    leaves, rebuilt = flatten(args)
    refuse_other_arrays(function, leaves)
    dots = TreeSpace(leaves, rebuilt).leaves(tangents, qualified_name(function))
    try:
        duals = [level.dual(x, t) if is_differentiable(x) and not is_zero(t) else x for x, t in zip(leaves, dots, strict=True)]
        results, made = flatten(function(*rebuilt(duals)))
        warn_of_refusals(level)
        refuse_overwritten(level, function, results)
        values = [level.strip(settled(result)) for result in results]
        found = [level.tangent(r) for r in results]
    except Exception as error:
        explain_error(level, error)
        note_bypassed_rules(rules, error)
        raise
    finally:
        level.close()
    del results, duals
    y_dot = dense([ProjectTo(y)(t) for y, t in zip(values, found, strict=True)], values)
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

    _, transposed = vjp(pull, ones_like(y), rules=rules)

    def pushforward(*tangents: Any) -> Any:
        dots = space.leaves(tangents, qualified_name(function))
        return transposed([dot for dot, need in zip(dots, active, strict=True) if need])[0]

    return y, pushforward
