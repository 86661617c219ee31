"""The doors: what people call.

    vjp            value and pullback              reverse
    jvp            value and tangent               forward
    linearize      value and pushforward           reverse of the reverse, one trace for many tangents
    grad, value_and_grad                           vjp of a real scalar, its recording spent by the sweep

What goes in and comes out are trees (`trees`). Three promises are kept here: what is returned is nobody else's array; what the caller
overwrites after the call is not read again; and however the call ends, its level is closed.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.identity import qualified_name
from chainrules_py.projection import ProjectTo
from chainrules_py.registry import RuleTable, default_rules
from chainrules_py.seeds import SeedSpace
from chainrules_py.structure import is_container
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero, is_zero, materialize, zero_tangent
from chainrules_tape.engine import engine_of
from chainrules_tape.forward import DualArray, Pushforward
from chainrules_tape.levels import Level, TracedArray
from chainrules_tape.linearity import ones_like, parts_of, structural
from chainrules_tape.refusals import InputError, OutputError
from chainrules_tape.reverse import Recording, Tape, TapeArray, is_differentiable, settled, sweep
from chainrules_tape.trees import Rebuild, flatten

Function = Callable[..., Any]


class Inputs(NamedTuple):
    """The leaves of the arguments of one call, and where the differentiable ones are on the tape."""

    leaves: list[Any]
    slots: list[int | None]
    rebuilt: Rebuild


class Outputs(NamedTuple):
    """The leaves of what a function returned, handles taken off, and the slots of those that depend on the inputs."""

    leaves: list[Any]
    slots: list[int | None]
    rebuilt: Rebuild

    @property
    def value(self) -> Any:
        """What the function returned, as the caller's own."""
        return self.rebuilt([unshared(leaf) for leaf in self.leaves])


# Reverse


def traced(tape: Tape, args: Any, keep: bool) -> tuple[Inputs, Any]:
    """Arguments with handles on every real or complex leaf; `keep` copies arrays, which the caller may overwrite later."""
    leaves, rebuilt = flatten(args)
    values = [leaf.copy() if keep and isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
    handles = [tape.input(value) if is_differentiable(value) else value for value in values]
    slots = [handle.slot if type(handle) is TapeArray and handle.level is tape else None for handle in handles]
    return Inputs(values, slots, rebuilt), rebuilt(handles)


def outputs_of(level: Level, result: Any) -> Outputs:
    """What a function returned at a level that is about to be closed."""
    leaves, rebuilt = flatten(result)
    slots = [leaf.slot if type(leaf) is TapeArray and leaf.level is level else None for leaf in leaves]
    return Outputs([level.strip(leaf) for leaf in leaves], slots, rebuilt)


def record(function: Function, args: tuple[Any, ...], table: RuleTable, keep: bool) -> tuple[Inputs, Outputs, Recording]:
    """Trace a call."""
    tape = Tape(engine_of(table))
    try:
        inputs, handles = traced(tape, args, keep)
        outputs = outputs_of(tape, function(*handles))
        return inputs, outputs, Recording(tape)
    finally:
        tape.close()


def cotangents(inputs: Inputs, recording: Recording, seeds: dict[int, Any], dense: bool = True) -> list[Any]:
    """The cotangents of the leaves of the arguments; spends the recording."""
    bars = sweep(recording, seeds)
    pairs = zip(inputs.leaves, inputs.slots, strict=True)
    # `pop` leaves the list without a reference, so that `unshared` sees who else holds the array.
    found = [ZERO if slot is None else ProjectTo(leaf)(bars[slot]) for leaf, slot in pairs]
    del bars
    if not dense:
        return found
    found.reverse()
    return [unshared(dense_tangent(found.pop(), leaf)) for leaf in inputs.leaves]


def dense_tangent(t: Any, leaf: Any) -> Any:
    """A tangent of a leaf as callers get it: zeros as arrays of zeros, NO_TANGENT where there is no tangent space."""
    return t if t is NO_TANGENT else settled(materialize(t, like=leaf))


def vjp(function: Function, *args: Any, rules: RuleTable = default_rules) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """y = f(*args), and the pullback y_bar -> one cotangent per argument, callable any number of times.

    >>> y, pullback = vjp(lambda x, w: np.sum(w * np.sin(x)), np.zeros(2), np.array([1.0, 2.0]))
    >>> pullback(1.0)
    (array([1., 2.]), array([0., 0.]))
    """
    inputs, outputs, recording = record(function, args, rules, keep=True)
    seeds_of = seeding(function, outputs)

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        bars: tuple[Any, ...] = inputs.rebuilt(cotangents(inputs, recording.copy(), seeds_of(y_bar)))
        return bars

    return outputs.value, pullback


def seeding(function: Function, outputs: Outputs) -> Callable[[Any], dict[int, Any]]:
    """From the cotangent of a result to cotangents by slot; keeps no values."""
    spaces = [SeedSpace(leaf) for leaf in outputs.leaves]
    slots, rebuilt, name = outputs.slots, outputs.rebuilt, qualified_name(function)

    def seeds_of(y_bar: Any) -> dict[int, Any]:
        bars = [y_bar] * len(spaces) if isinstance(y_bar, AbstractZero) else leaves_like(rebuilt, spaces, y_bar)
        admitted = [space.admit(bar, name) for space, bar in zip(spaces, bars, strict=True)]
        seeds: dict[int, Any] = {}
        for slot, bar in zip(slots, admitted, strict=True):
            if slot is not None and not is_zero(bar):
                seeds[slot] = seeds[slot] + bar if slot in seeds else bar
        return seeds

    return seeds_of


def leaves_like(rebuilt: Rebuild, spaces: list[SeedSpace], tree: Any) -> list[Any]:
    """The leaves of a tree that has to have the structure of another one."""
    if len(spaces) == 1 and not is_container(tree) and not is_container(rebuilt([0])):
        return [tree]
    leaves, _ = flatten(tree)
    if len(leaves) != len(spaces):
        raise InputError(
            "a pullback",
            f"got a cotangent with {len(leaves)} leaves for a result with {len(spaces)}",
            "pass a tree of the structure of the result, ZERO where an output has no influence",
            function=None,
            argument="y_bar",
            value=tree,
        )
    return leaves


def value_and_grad(
    function: Function,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    rules: RuleTable = default_rules,
) -> Function:
    """The function x -> (f(x), df/dx) of a real-valued f; with `has_aux` f returns (value, aux), and so does this first.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (np.float64(9.0), 6.0)
    """

    def value_and_gradient(*args: Any, **options: Any) -> tuple[Any, Any]:
        chosen = chosen_arguments(function, argnums, args)

        def restricted(*some: Any) -> Any:
            every = list(args)
            for index, arg in zip(chosen, some, strict=True):
                every[index] = arg
            return function(*every, **options)

        inputs, outputs, recording = record(restricted, tuple(args[i] for i in chosen), rules, keep=False)
        require_active(function, inputs)
        slot, seed = scalar_seed(function, outputs, has_aux)
        value = outputs.value
        del outputs
        bars = inputs.rebuilt(cotangents(inputs, recording, {} if slot is None else {slot: seed}))
        return value, bars[0] if isinstance(argnums, int) else bars

    return value_and_gradient


def grad(
    function: Function,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    rules: RuleTable = default_rules,
) -> Function:
    """The function x -> df/dx of a real-valued f, shaped like x; with `has_aux`, x -> (df/dx, aux).

    >>> grad(lambda p: np.sum(p["w"] ** 2))({"w": np.array([1.0, 2.0])})
    {'w': array([2., 4.])}
    """
    both = value_and_grad(function, argnums, has_aux=has_aux, rules=rules)

    def gradient(*args: Any, **options: Any) -> Any:
        value, bars = both(*args, **options)
        return (bars, value[1]) if has_aux else bars

    return gradient


def chosen_arguments(function: Function, argnums: int | Sequence[int], args: tuple[Any, ...]) -> tuple[int, ...]:
    """The positions that `argnums` names."""
    asked = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    wrong = [index for index in asked if not -len(args) <= index < len(args)]
    if wrong:
        raise InputError(
            f"grad({qualified_name(function)})",
            f"argnums={argnums} and {len(args)} positional arguments",
            "name positions of positional arguments; those passed by keyword are constants",
            function=function,
            argument=wrong[0],
            value=args,
        )
    return tuple(index % len(args) for index in asked)


def require_active(function: Function, inputs: Inputs) -> None:
    """Raise where there is nothing to differentiate with respect to."""
    if all(slot is None for slot in inputs.slots) and inputs.slots:
        raise InputError(
            f"grad({qualified_name(function)})",
            f"arguments without a real or complex number: {inputs.rebuilt(inputs.leaves)!r}",
            "pass floats: an integer has no tangent",
            function=function,
            argument=0,
            value=inputs.leaves,
        )


def scalar_seed(function: Function, outputs: Outputs, has_aux: bool) -> tuple[int | None, Any]:
    """The slot of a real scalar result, and one; raises for anything else."""
    y = outputs.leaves[0] if outputs.leaves else None
    single = has_aux or not is_container(outputs.rebuilt(outputs.leaves))
    dtype = getattr(y, "dtype", np.dtype(type(y)) if isinstance(y, int | float | complex) else None)
    if not single or dtype is None or getattr(y, "shape", ()) != () or dtype.kind == "c":
        got = f"a result of shape {y.shape} and dtype {y.dtype}" if hasattr(y, "dtype") else f"a {type(y).__qualname__}"
        instead = "use jacobian for all derivatives, vjp for a combination of them" + (", has_aux=True for (value, aux)" if not single else "")
        raise OutputError(
            f"grad({qualified_name(function)})", f"{got}, not a real number", instead, function=function, value=y
        )
    return outputs.slots[0], ones_like(y)


# Forward


def jvp(
    function: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], *, rules: RuleTable = default_rules
) -> tuple[Any, Any]:
    """y = f(*args), and its derivative along the tangents, one per argument.

    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    level = Pushforward(engine_of(rules))
    try:
        leaves, rebuilt = flatten(args)
        spaces = [SeedSpace(leaf) for leaf in leaves]
        dots = [s.admit(t, qualified_name(function)) for s, t in zip(spaces, tangent_leaves(function, args, tangents), strict=True)]
        duals = [level.dual(x, t) if is_differentiable(x) and not is_zero(t) else x for x, t in zip(leaves, dots, strict=True)]
        results, made = flatten(function(*rebuilt(duals)))
        y = [level.strip(result) for result in results]
        y_dot = [r.dot if type(r) is DualArray and r.level is level else ZERO for r in results]
        del results, duals
        dense = [dense_tangent(t, value) for t, value in zip(y_dot, y, strict=True)]
        del y_dot
        return made([unshared(value, leaves) for value in y]), made([unshared(t, dots) for t in dense])
    finally:
        level.close()


def tangent_leaves(function: Function, args: tuple[Any, ...], tangents: Any) -> list[Any]:
    """The leaves of the tangents, which have to have the structure of the arguments, ZERO standing for any subtree."""
    if not isinstance(tangents, tuple) or len(tangents) != len(args):
        raise wrong_tangents(function, tangents, f"a tuple of {len(args)}, one per argument")
    found: list[Any] = []
    for arg, t in zip(args, tangents, strict=True):
        own, _ = flatten(arg)
        given = [t] * len(own) if isinstance(t, AbstractZero) else flatten(t)[0]
        if len(given) != len(own):
            raise wrong_tangents(function, t, f"a tree with {len(own)} leaves, as the argument has")
        found += given
    return found


def wrong_tangents(function: Function, tangents: Any, instead: str) -> InputError:
    """The error for tangents that do not fit the arguments."""
    where = f"jvp({qualified_name(function)})"
    return InputError(where, f"got {tangents!r} as tangents", f"pass {instead}", function=function, argument="tangents", value=tangents)


def linearize(function: Function, *args: Any, rules: RuleTable = default_rules) -> tuple[Any, Function]:
    """y = f(*args), and the pushforward (*tangents) -> y_dot, which reuses one trace.

    >>> y, push = linearize(lambda x: x * np.sin(x), 0.5)
    >>> push(1.0) == jvp(lambda x: x * np.sin(x), (0.5,), (1.0,))[1]
    np.True_
    """
    y, pullback = vjp(function, *args, rules=rules)
    active = [is_differentiable(leaf) for leaf in flatten(args)[0]]

    def pull(y_bar: Any) -> list[Any]:
        return [bar for bar, need in zip(flatten(pullback(y_bar))[0], active, strict=True) if need]

    _, transposed = vjp(pull, ones_like(y), rules=rules)
    shapes = tuple(SeedSpaceTree(arg) for arg in args)

    def pushforward(*tangents: Any) -> Any:
        dots = [dot for shape, t in zip(shapes, tangents, strict=True) for dot in shape.leaves(function, t)]
        return transposed([dot for dot, need in zip(dots, active, strict=True) if need])[0]

    return y, pushforward


class SeedSpaceTree:
    """The structure of one argument, without its values."""

    __slots__ = ("count",)

    def __init__(self, arg: Any) -> None:
        self.count = len(flatten(arg)[0])

    def leaves(self, function: Function, t: Any) -> list[Any]:
        """The leaves of a tangent of this argument."""
        found = [t] * self.count if isinstance(t, AbstractZero) else flatten(t)[0]
        if len(found) != self.count:
            raise wrong_tangents(function, t, f"a tree with {self.count} leaves, as the argument has")
        return found


# What both modes give to rules of higher-order functions


def rrule_of(function: Function, args: tuple[Any, ...], options: dict[str, Any], table: RuleTable) -> tuple[Any, Function]:
    """The value and the pullback of a function as a rule may use them: cotangents may be tangent types, residuals are shared."""
    inputs, outputs, recording = record(lambda *some: function(*some, **options), args, table, keep=False)
    seeds_of = seeding(function, outputs)
    y = outputs.rebuilt(outputs.leaves)

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        bars = cotangents(inputs, recording.copy(), seeds_of(parts_of(y_bar, y) if is_container(y) else y_bar), dense=False)
        return tuple(structural(bar) for bar in inputs.rebuilt(bars))

    return y, pullback


def frule_of(
    function: Function, dots: tuple[Any, ...], args: tuple[Any, ...], options: dict[str, Any], table: RuleTable
) -> tuple[Any, Any]:
    """The value and the tangent of a function as a rule may use them."""
    plain = tuple(dot if isinstance(dot, AbstractZero) else parts_of(dot, arg) for dot, arg in zip(dots, args, strict=True))
    y, y_dot = jvp(lambda *some: function(*some, **options), args, plain, rules=table)
    return y, structural(y_dot)


# Ownership


def unshared(x: Any, others: Sequence[Any] = ()) -> Any:
    """An array that nobody else holds: itself where that is so, else a copy.

    CPython counts references: the caller's temporary, the parameter and getrefcount's own make three where nobody else has one.
    Anywhere else the count may be higher, and the answer a copy.
    """
    if type(x) is not np.ndarray:
        return x
    sole = sys.getrefcount(x) <= 3 and x.base is None and x.flags.owndata and x.flags.writeable
    return x if sole else x.copy()

