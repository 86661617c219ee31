"""Whole programs as one operation, for engines that cannot look into them: `as_primitive`.

JAX, PyTorch or autograd call a program of NumPy's, and its derivatives, as they call any function
with rules. Its rules are made of the tape: the reverse rule is a trace of the program, and what is
kept for the pullback is that trace. All float arrays among the arguments are traced, also where no
derivative in them is wanted: a program may copy one, and write traced values into the copy.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial, update_wrapper
from types import MethodType
from typing import Any, NoReturn

import numpy as np

from chainrules_programs.compiling.names_held import GLOBAL, Names, have_drawn, states_of
from chainrules_programs.recording.rules_on_numbers import generators_in
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.lanes import Lanes, laned_values, with_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.engines.call_memory import CallMemory
from chainrules_py.engines.flat_calls import FlatCall, Leaf
from chainrules_py.errors import BatchingError
from chainrules_py.makers import composed, primitive
from chainrules_py.rulesets.formulas.each_example import has_lanes
from chainrules_py.strong_zeros.strictness import watching
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.tangents.describing import describe
from chainrules_py.tangents.plain_containers import (
    as_plain_container,
    as_tangent,
)
from chainrules_py.values.arrays import library_of
from chainrules_py.values.captured_values import Closure, closed
from chainrules_py.values.identity import made_of, qualified_name
from chainrules_py.values.indices import is_traced
from chainrules_py.values.made_once import MadeOnce
from chainrules_py.values.structure import declare_leaf, fields, is_container, rebuild
from chainrules_tape.core.config import engine_of, new_tape
from chainrules_tape.core.following import follow
from chainrules_tape.core.inner_functions import is_refused_write
from chainrules_tape.core.tracing import cotangents, trace
from chainrules_tape.core.trees import flatten, unshared
from chainrules_tape.gradients import dense
from chainrules_tape.refusals.errors import InputError, LostGradientError, note_caught
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.transforms import jvp, vjp
from chainrules_tape.vmap import decided_by, vmap

PLAIN = frozenset({np.ndarray, np.float64, float, int})
DRAWING = frozenset({"random", "rvs"})  # names by which global generators are reached


def as_primitive(
    function: Function,
    *,
    seen_through: Iterable[str] = (),
    compiled: bool = False,
    result_shapes: Function | None = None,
    rules: RuleTable = default_rules,
) -> "WholeProgram":
    """Make a function one operation, whose derivatives are those of its program.

    It needs no rule. `to_jax`, `to_torch` and `to_autograd` convert it, and make it of functions
    without rules by themselves. `seen_through` names packages that are differentiated as they
    stand, `rules` the table by which the program is differentiated. With `compiled`, the program
    and its derivatives are recorded, and run as straight NumPy code from then on
    (`chainrules_tape.compiled`). ``result_shapes(*args, **options)`` describes what the program
    returns, with an array of that shape and dtype, `numpy.empty(n)`, in the place of each. JAX has
    to know this before it compiles; without it, the program is called once with made-up numbers.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> def running_maximum(x):
    ...     y = x.copy()
    ...     for k in range(1, len(y)):
    ...         if y[k] < y[k - 1]:
    ...             y[k] = y[k - 1]
    ...     return y
    >>> y, pullback = rrule(as_primitive(running_maximum), np.array([2.0, 1.0, 3.0]))
    >>> y, pullback(np.ones(3))[0]
    (array([2., 2., 3.]), array([2., 0., 1.]))
    """
    packages = tuple(seen_through)
    if compiled and packages:
        refuse_compiled_scope(function)
    return WholeProgram(function, packages, rules, result_shapes, is_compiled=compiled)


def refuse_compiled_scope(function: Function) -> NoReturn:
    """Raise: a program whose packages are seen through cannot be compiled."""
    where = f"as_primitive({qualified_name(function)})"
    got = "compiled=True and seen_through, whose functions are exchanged while the program runs"
    instead = "leave one of them out"
    raise InputError(where, got, instead, function=function, argument="compiled", value=True)


def as_operation(
    function: Function,
    args: Args,
    options: Options,
    rules: RuleTable,
    is_captured: Callable[[Any], bool] | None = None,
) -> tuple[Any, Args, Options]:
    """Turn a call of a function without rules into a call of an operation with rules.

    Captured values that an engine differentiates, as `is_captured` says, become arguments: engines
    see arguments only.
    """
    own = function.function if isinstance(function, WholeProgram) else made_of(function) or function
    captured: Any = own if is_captured is None else closed(own, is_captured)
    if type(captured) is Closure:
        if isinstance(function, WholeProgram):
            raise captured_by_program(function, captured)
        function, args = run_closure, (captured, *args)
    return run_program, (program_of(function, rules), args, options), {}


def run_closure(closure: Closure, *args, **options):
    """Run a function with the values that it captures, which are an argument of the program."""
    return closure(*args, **options)


def captured_by_program(program: "WholeProgram", closure: Closure) -> InputError:
    """Return the error for a program that captures values of an engine, which cannot see them."""
    got = f"the function captures {', '.join(map(describe, closure.captured))}"
    instead = "pass it as an argument"
    own = program.function
    return InputError(repr(program), got, instead, function=own, argument=None, value=closure)


def program_of(function: Function, rules: RuleTable) -> "WholeProgram":
    """Return the program of a function without rules, the same one for as long as somebody holds
    it.
    """
    if isinstance(function, WholeProgram):
        return function
    program: WholeProgram = _program_of(function, rules)
    return program


class WholeProgram:
    """A program that engines see as one operation; two of the same function are equal."""

    is_whole_program = True  # so adapters run it as one, and ask no table
    is_of_library = False  # whether it is an operation of the library whose arrays the tape traces

    def __init__(
        self,
        function: Function,
        packages: tuple[str, ...],
        rules: RuleTable,
        result_shapes: Function | None = None,
        *,
        is_compiled: bool = False,
    ) -> None:
        update_wrapper(self, function, updated=())
        self.function, self.packages, self.rules = function, packages, rules
        self.result_shapes, self.is_compiled = result_shapes, is_compiled
        self.call_memory = CallMemory()

    def __repr__(self) -> str:
        return f"as_primitive({qualified_name(self.function)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WholeProgram):
            return NotImplemented
        return self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    @property
    def _parts(self) -> tuple[Any, ...]:
        options = self.result_shapes, self.is_compiled
        return self.function, self.packages, self.rules, *options

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the instance is the first argument."""
        return self if instance is None else self.with_function(MethodType(self.function, instance))

    def with_function(self, function: Function) -> "WholeProgram":
        """Return the program with another function in the place of its own."""
        if function is self.function:
            return self
        made = WholeProgram(
            function, self.packages, self.rules, self.result_shapes, is_compiled=self.is_compiled
        )
        made.call_memory = self.call_memory
        return made

    @cached_property
    def compiled_calls(self) -> "CompiledCalls | None":
        """The program and its derivatives, compiled; None where the tape runs them."""
        return CompiledCalls(self.function, self.rules) if self.is_compiled else None

    def __call__(self, *args, **options) -> Any:
        """Run the program: one operation for an engine whose values are among the arguments."""
        return run_program(self, args, options)

    def explained(self, engine: str, runs: str) -> str:
        """Return the text of `explain` for an engine; `runs` says how it computes the value."""
        packages = f", seen through: {', '.join(self.packages)}" if self.packages else ""
        how = "the tape traces the program"
        if self.is_compiled:
            how = "the program and its derivatives are recorded, and run as straight code"
        lines = [
            f"{qualified_name(self.function)} in {engine}",
            f"  no rule: the whole program, by the tape{packages}",
            f"  value: {runs}",
            f"  derivatives: {how}; both modes, any order",
            "  examples: one call for all; one by one, where the program branches by them",
        ]
        return "\n".join(lines)

    def scope(self) -> AbstractContextManager[Any]:
        """The scope in which the packages of the program are seen through."""
        if not self.packages:
            return nullcontext()
        from chainrules_foreign_code.scope import Scope

        return Scope(*self.packages)

    def run_as_it_stands(self, args, options) -> Any:
        """Run the program as it stands."""
        if self.compiled_calls is not None:
            return self.compiled_calls.value(args, options)
        return self.function(*args, **options)

    def vjp(self, args, options) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """The value, and the pullback to arguments and options."""
        calls = self.compiled_calls
        if calls is None:
            traced: tuple[Any, Function] = vjp(
                self.run_as_it_stands, args, options, rules=self.rules
            )
            return traced
        y = calls.traced(args, options)
        return y, lambda y_bar: self.run_again(lambda: calls.pulled(args, options, y_bar))

    def jvp(self, args, options, dots: tuple[Any, Any]) -> tuple[Any, Any]:
        """The value, and its tangent along tangents of arguments and options."""
        if self.compiled_calls is not None:
            found: tuple[Any, Any] = self.compiled_calls.pushed(args, options, *dots)
        else:
            found = jvp(self.run_as_it_stands, (args, options), dots, rules=self.rules)
        return found

    @cached_property
    def generators(self) -> list[Any]:
        """The generators of random numbers from which the program may draw."""
        names = Names(self.function)
        return [*names.generators, *(() if names.named.isdisjoint(DRAWING) else GLOBAL)]

    def run_again(self, run: Callable[[], Any], args: Any = ()) -> Any:
        """Run the program anew for its derivative; refused where it draws, other numbers than before."""
        generators = [*self.generators, *generators_in(leaves_of(args, {}))]
        states = states_of(generators)
        found = run()
        if have_drawn(states):
            got = "it draws random numbers, and its derivative is that of a run with other draws"
            instead = "draw them before, and pass them as arguments"
            own = self.function
            raise InputError(repr(self), got, instead, function=own, argument=None, value=None)
        return found

    def traced(self, derivative: Function, values, *args) -> Any:
        """What a derivative of the program gives; None where that has to be an operation itself: for
        an engine that differentiates it, and for examples that the program tells apart.
        """
        noted = decided_by(self.function)
        is_told_apart = run_program in noted and has_lanes(values)
        if self.is_of_library or holds_others(values) or is_told_apart:
            return None
        try:
            with self.scope():
                return derivative(*args)
        except (BatchingError, LostGradientError) as error:
            if not has_lanes(values):
                raise
            note_caught(error)
            noted.add(run_program)
            return None

    def derivative(self, function: Function) -> "WholeProgram":
        """A derivative of the program as a program."""
        return WholeProgram(partial(function, self), self.packages, self.rules)

    def in_scope(self, *args) -> Any:
        """Run the program in its scope."""
        with self.scope():
            return self.run_as_it_stands(args, {})

    def refuse_other_engines(self, args, options) -> None:
        """Raise for the arrays of another engine, which then calls the program with NumPy's."""
        if self.is_of_library:
            return
        for cls in set(map(type, leaves_of(args, options))) - PLAIN:
            library = library_of(cls)
            if library is not None and library.calls is not None:
                raise TypeError(f"{self!r} runs on NumPy's arrays, and was given {cls.__name__}")


declare_leaf(WholeProgram)


@MadeOnce
def _program_of(function: Function, rules: RuleTable) -> WholeProgram:
    return WholeProgram(made_of(function) or function, (), rules)


@primitive
def run_program(program: WholeProgram, args: Args, options: Options) -> Any:
    """Run a whole program: the operation that engines see. Options may hold arrays, too."""
    program.refuse_other_engines(args, options)
    with program.scope():
        return run_without_writing(
            program.run_as_it_stands, with_numbers(args), with_numbers(options)
        )


@default_rules.rrule.register(run_program)
def run_program_rrule(
    program: WholeProgram, args: object, options: object
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Trace the program; the scope is open again in the pullback, which may run its functions."""
    program.refuse_other_engines(args, options)
    given: Any = args, options
    traced = program.traced(program.vjp, given, *map(with_numbers, given))
    y, pullback = (run_program(program, *given), None) if traced is None else traced

    def run_program_pullback(y_bar) -> tuple[Any, ...]:
        own_bar = as_plain_container(y_bar, y)
        if pullback is None or holds_others(own_bar):
            bars = run_program(program.derivative(pulled_back), (*given, own_bar), {})
        else:
            with program.scope():
                bars = pullback(own_bar)
        return (NO_TANGENT, *map(as_tangent, bars))

    return y, run_program_pullback


def holds_others(values) -> bool:
    """Whether values are traced, and not by the tape: by an engine that differentiates a rule."""
    return any(is_traced(x) and not issubclass(type(x), TracedArray) for x in flatten(values)[0])


def pulled_back(program: WholeProgram, args, options, y_bar) -> Any:
    """The cotangents of a program, as a program."""
    return program.vjp(args, options)[1](y_bar)


def pushed_forward(program: WholeProgram, args, options, dots) -> Any:
    """The value of a program and its tangent, as a program."""
    return program.jvp(args, options, dots)


@default_rules.frule.register(run_program)
def run_program_frule(
    dots: tuple[Any, ...], program: WholeProgram, args: object, options: object
) -> tuple[Any, Any]:
    """Run the program in forward mode."""
    program.refuse_other_engines(args, options)
    points = (with_numbers(args), with_numbers(options))
    own = tuple([as_plain_container(dot, x) for dot, x in zip(dots[1:], points, strict=True)])
    given = *points, own
    found = program.traced(program.jvp, given, *given)
    if found is None:
        found = run_program(program.derivative(pushed_forward), given, {})
    return found[0], as_tangent(found[1])


@default_rules.batched.register(run_program)
def run_program_batched(lanes: Lanes, program: WholeProgram, args: object, options: object) -> Any:
    """Run the program once, with all examples in lanes; one by one, where it branches by them, which
    is noted for further calls.

    Arrays that are the same for all get lanes, too: the program may write into copies of them.
    """
    count = next(laned_values(lanes, (program, args, options))).shape[0]
    pairs = zip(lanes[1:], (args, options), strict=True)
    points = tuple([lanes_everywhere(lane, x, count) for lane, x in pairs])
    noted = decided_by(program.function)
    if run_program in noted:
        return looped(run_program, lanes, (program, args, options), {})
    try:
        with program.scope():
            return vmap(program.run_as_it_stands, rules=program.rules)(*points)
    except (BatchingError, LostGradientError) as error:
        note_caught(error)
        noted.add(run_program)
        return looped(run_program, lanes, (program, args, options), {})


@composed(WholeProgram.__call__)
def call_program(program: WholeProgram, *args: object, **options) -> Any:
    """Call a program as one operation; options are constants."""
    return run_program(program, args, options)


def run_without_writing(run: Function, args, options) -> Any:
    """Run a program, which may write into copies of the arrays that are read-only: other engines
    lend the memory of their own arrays.
    """
    leaves = leaves_of(args, options)
    may_write = {x.flags.writeable for x in leaves if isinstance(x, np.ndarray)}
    if may_write != {False, True}:  # with both, a second run would read what the first has written
        try:
            return run(args, options)
        except ValueError as error:
            if may_write != {False} or not is_refused_write(error):
                raise
    leaves, rebuilt = flatten((args, options))
    copies = [
        x.copy("K") if isinstance(x, np.ndarray) and not x.flags.writeable else x for x in leaves
    ]
    return run(*rebuilt(copies))


def leaves_of(args, options) -> Iterable[Any]:
    """The arrays and numbers among arguments and options: most calls have no containers, which take
    7 us to be taken apart.
    """
    if type(args) is tuple and not options and PLAIN.issuperset(map(type, args)):
        return args
    return flatten((args, options))[0]


def with_numbers(x) -> Any:
    """The arguments of a program with NumPy's numbers for arrays without axes.

    Other engines have such arrays alone; a program may ask for the length of an array, or whether
    it was given a float.
    """
    if not is_container(x):
        return without_axes(x)
    parts = fields(x)
    own = {key: with_numbers(part) for key, part in parts.items()}
    is_same = all(own[key] is part for key, part in parts.items())
    return x if is_same else rebuild(x, own)


def lanes_everywhere(lane, x, count: int) -> Any:
    """An argument with lanes everywhere."""
    if lane is True or not lane:
        return x if lane else with_lanes(x, count)
    parts = zip(lane, fields(x).items(), strict=True)
    return rebuild(x, {key: lanes_everywhere(own, part, count) for own, (key, part) in parts})


# Compiled programs: an engine calls value and derivatives apart from each other


class CompiledCalls:
    """A program, its pullback and its pushforward, each compiled for itself.

    A pullback computes the values again that it needs. `traced` is the value beside a derivative:
    as on the tape, arguments into which the program writes stay as they are, so that the pullback
    finds them.
    """

    def __init__(self, function: Function, rules: RuleTable) -> None:
        from chainrules_programs.compiling.compile import compiled

        def run(args, options) -> Any:
            return function(*args, **options)

        def pulled(args, options, y_bar) -> Any:
            return vjp(run, args, options, rules=rules)[1](y_bar)

        def pushed(args, options, *dots) -> Any:
            return jvp(run, (args, options), dots, rules=rules)

        self.value = compiled(run)
        self.traced = compiled(lambda args, options: vjp(run, args, options, rules=rules)[0])
        self.pulled, self.pushed = compiled(pulled), compiled(pushed)


# For adapters: programs of arrays alone, with nothing between their arrays and the tape


def direct_program(call: FlatCall) -> "DirectProgram | None":
    """The program of a call whose arguments are its arrays, in order; None for all other calls."""
    if call.primal is not run_program:
        return None
    program, args, options = call.args
    if type(args) is not tuple or options or type(program) is not WholeProgram:
        return None
    positions = [leaf.index if type(leaf) is Leaf else None for leaf in args]
    return DirectProgram(program) if positions == list(range(len(args))) else None


class DirectProgram:
    """A whole program as a function of plain arrays, for adapters that have to be quick.

    It gives what `vjp` gives, without checks that their engines have made already.
    """

    __slots__ = ("program", "run")

    def __init__(self, program: WholeProgram) -> None:
        self.program = program
        is_bare = not (program.packages or program.is_compiled)
        self.run = program.function if is_bare else program.in_scope

    def value(self, arrays: Sequence[Any]) -> Any:
        """The value of the program, a tree."""
        return self.run(*map(without_axes, arrays))

    def value_and_pullback(self, arrays: Sequence[Any]) -> tuple[Any, Callable[[Any], list[Any]]]:
        """The value, and the pullback of one array or number: a cotangent for each argument.

        Nobody may write into the arrays before the last call of the pullback.
        """
        return follow(self._trace_program, self.program.function, tuple(map(without_axes, arrays)))

    def _trace_program(self, _, points: tuple[Any, ...]) -> tuple[Any, Callable[[Any], list[Any]]]:
        program = self.program
        if program.is_compiled:
            y, pull = program.vjp(points, {})
            return y, lambda y_bar: list(pull(y_bar)[0])
        tape = new_tape(engine_of(program.rules))
        inputs, outputs, recording = watching(trace, tape, self.run, points, {}, keep=False)
        slots = outputs.slots

        def pullback(y_bar: Any) -> list[Any]:
            with program.scope():
                bars = watching(cotangents, inputs, recording.copy(), [y_bar], slots)
            return dense(bars, inputs.values)

        return outputs.rebuilt(unshared(outputs.values)), pullback


def without_axes(x) -> Any:
    """The number in an array without axes, which programs take for a number; others as they are."""
    return x[()] if type(x) is np.ndarray and not x.shape else x
