"""Rules that want the numbers themselves, as those of solvers do: steps of a program that run them.

Such a rule is one step, which makes the value and the pullback; the pullback is a value of the program
that only the step of the sweep reads. In forward mode one step makes the value and the tangents. A
rule is tried on recorded values first, once for each function and recording: what can be written down
by its parts is.
"""

import random
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from chainrules_programs.recording.errors import GuardFailedError, refuse_recording
from chainrules_programs.recording.operations import PLAIN, RecordedValue, Recording, unwrapped
from chainrules_py.annotations import Function, Options
from chainrules_py.engines.by_tape import tape_config
from chainrules_py.engines.flat_calls import FlatCall, FlatValue
from chainrules_py.table.registry import current_table
from chainrules_py.tangents import ZERO, NotImplementedTangent, is_zero, unthunk
from chainrules_py.values.arrays import making
from chainrules_py.values.captured_values import Search, closed, frozen, is_traced_or_recorded
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.levels import open_levels, undecided

HOMES = ("scipy.", "chainrules_py.rulesets.scipy.")
DRAWN_FROM = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
RULE = "rule that runs on numbers"
WRITTEN_DOWN = ("scipy.special.", "chainrules_py.rulesets.scipy.special.")


def differentiated(run: Function, rule, mode: str, primal, needs, table) -> Any:
    """The function that differentiates a call on recorded values: the rule's own, or a step."""
    name = qualified_name(primal)
    if not name.startswith(HOMES) or name.startswith(WRITTEN_DOWN):
        return run
    is_draw = name.endswith(".rvs")

    def by_rule_or_step(*args, **options) -> Any:
        # of another level, it has rules of its own; a try would draw numbers that the call is to draw
        if is_draw or Search(is_traced_or_generator).visit((args, options)):
            return run(*args, **options)
        dots, values = ((), args) if mode == "reverse" else (args[0], args[1:])
        values = closed(values, is_recorded)
        flat, leaves = FlatCall.of(primal, values, options, table=table)
        recorded = [leaf for leaf in leaves if is_recorded(leaf)]
        if not recorded:
            return run(*args, **options)
        # as the functions among the arguments are now: a program calls them later
        flat.args, flat.options = frozen(flat.args), frozen(flat.options)
        recording = recorded[0].recording
        key = primal, mode, needs
        if key not in recording.on_numbers:
            is_solver = ".optimize." in name  # whose C code would say what it thinks of such values
            is_written = not is_solver and is_written_down(recording, run, mode, args, options)
            recording.on_numbers[key] = not is_written
        if not recording.on_numbers[key]:
            return run(*args, **options)
        if mode == "reverse":
            return with_pullback(recording, flat, leaves, needs)
        return with_tangent(recording, flat, leaves, flat.tangents_of_leaves(list(dots)))

    return by_rule_or_step


def calling(recording: Recording, primal, function) -> Any:
    """What is called in the place of a function of SciPy's, or of its rules, while a recording is
    under way: where it cannot be written down, or calls functions, the call is one step.
    """
    name = qualified_name(primal if hasattr(primal, "__qualname__") else type(primal))
    if not name.startswith(HOMES) or name.startswith(WRITTEN_DOWN):
        return function

    def call_recorded(*args, **options) -> Any:
        given, named = closed(args, is_recorded), closed(options, is_recorded)
        parts = (*given, *named.values())
        calls_functions = any(callable(x) and not isinstance(x, type) for x in parts)
        # of a derivative of a derivative, the tape goes other ways through solvers than a recording
        is_higher = calls_functions and len(open_levels.keys() - undecided) > 1
        if is_higher or Search(is_traced_or_generator).visit(parts):
            return function(*args, **options)
        if not calls_functions and primal not in recording.on_numbers:
            try:
                with recording.left_out(always=False):
                    return function(*args, **options)
            except Exception:  # what is wrong with the call itself is raised by the step
                recording.on_numbers[primal] = True
        flat, leaves = FlatCall.of(primal, given, named, table=current_table.get())
        if not any(map(is_recorded, leaves)):
            return function(*args, **options)
        flat.args, flat.options = frozen(flat.args), frozen(flat.options)
        value = run_on_numbers(recording, flat.value, leaves)
        results = value.leaves  # of a class the object: who makes it reads no numbers of it
        if not isinstance(primal, type):
            results = [recorded_leaf(recording, leaf) for leaf in value.leaves]
        step = RunOnNumbers("call of numbers", flat, lambda arrays: (flat.value(arrays), ()))
        note_step(recording, step, leaves, results)
        flags = [type(leaf) is bool for leaf in value.leaves]  # which decide, and are guarded
        return value.with_leaves([bool(x) if f else x for f, x in zip(flags, results, strict=True)])

    return call_recorded


def is_recorded(x) -> bool:
    """Whether something is a recorded value."""
    return issubclass(type(x), RecordedValue)


def is_traced_or_generator(x) -> bool:
    """Whether something is of another level, or gives random numbers."""
    return not is_recorded(x) and (is_traced_or_recorded(x) or bool(generators_in([x])))


def generators_in(parts: Iterable[Any]) -> list[Any]:
    """The generators of random numbers among objects, and those whose methods are."""
    owners = [x if isinstance(x, DRAWN_FROM) else getattr(x, "__self__", None) for x in parts]
    return [x for x in owners if isinstance(x, DRAWN_FROM)]


def is_written_down(recording: Recording, run, mode: str, args, options: Options) -> bool:
    """Whether a rule and its pullback can be recorded, which is tried, and left out again."""
    before, making.calling = making.calling, None  # a step of a part is no reason for others
    with recording.left_out():
        try:
            y, pullback = run(*args, **options)
            if mode == "reverse":
                flat = FlatValue.of(y)
                pullback(flat.tangent(list(map(one_like, flat.leaves))))
        except Exception:  # what is wrong with the call itself is raised by the step
            return False
        finally:
            making.calling = before
    return True


def one_like(leaf) -> Any:
    """A cotangent of a leaf to try a pullback with; ZERO where it has none."""
    kind = getattr(getattr(leaf, "dtype", None), "kind", "f" if type(leaf) is float else "")
    return leaf * 0 + 1 if kind in ("f", "c") else ZERO


class RunOnNumbers:
    """What a program runs on its arrays: it returns the leaves of a value, and what beside it is
    neither zero nor unknown.

    `run` returns that value and a list of what comes beside it.
    """

    def __init__(self, kind_of_step: str, flat: FlatCall, run: Function) -> None:
        self.kind_of_step, self.run, self.__name__ = kind_of_step, run, str(flat)

    def __call__(self, *arrays) -> tuple[Any, ...]:
        """Run it."""
        value, beside = self.run(arrays)
        return (*value.leaves, *filter(is_written_tangent, beside))


class PullOnNumbers:
    """A pullback that a program calls: some cotangents of leaves, to those that are not zero."""

    def __init__(self, name: str, size: int, given: Sequence[int], found: Sequence[int]) -> None:
        self.size, self.given, self.found = size, given, found
        self.__name__ = f"pullback of {name}"

    def __call__(self, pull, *bars) -> tuple[Any, ...]:
        """Call the pullback."""
        found = self.pulled(pull, bars)
        if numbers_among(found) != self.found:
            where, got = self.__name__, "other cotangents are zero than when this was recorded"
            raise GuardFailedError(where, got, "record the program again", guard=got)
        return tuple([found[k] for k in self.found])

    def pulled(self, pull, bars: Sequence[Any]) -> list[Any]:
        """The cotangents of all leaves of the call."""
        seeds = [ZERO] * self.size
        for k, bar in zip(self.given, bars, strict=True):
            seeds[k] = bar
        return [unthunk(bar) for bar in pull(seeds)]


def numbers_among(tangents: Sequence[Any]) -> list[int]:
    """The positions of tangents that a step can compute."""
    return [k for k, t in enumerate(tangents) if is_written_tangent(t)]


def is_written_tangent(tangent) -> bool:
    """Whether a tangent has numbers, and is neither zero nor one that nobody wrote."""
    return not is_zero(tangent) and type(tangent) is not NotImplementedTangent


def with_pullback(recording: Recording, flat: FlatCall, leaves: list[Any], needs) -> Any:
    """The value of a call and its pullback, each of which is a step."""
    needed = needed_leaves(flat, leaves, needs)

    def run(arrays) -> tuple[FlatValue, list[Any]]:
        value, pull = flat.rrule(arrays, needed, tape_config(flat.table))
        return value, [pull]

    step = RunOnNumbers(RULE, flat, run)
    value, (pull,) = run_on_numbers(recording, run, leaves)
    results = [recorded_leaf(recording, leaf) for leaf in value.leaves]
    held = recording.value(pull)
    note_step(recording, step, leaves, [*results, held])

    def pullback(y_bar) -> tuple[Any, ...]:
        bars = value.tangents(y_bar)
        given = [k for k, bar in enumerate(bars) if not is_zero(bar)]
        seeds = [bars[k] for k in given]
        pulled = PullOnNumbers(str(flat), len(bars), given, [])
        found = run_on_numbers(recording, partial(pulled.pulled, pull), seeds)
        pulled.found = numbers_among(found)
        made = {k: recording.value(found[k]) for k in pulled.found}
        note_step(recording, pulled, [held, *seeds], [*made.values()])
        return flat.tangents_of_arguments([made.get(k, bar) for k, bar in enumerate(found)])

    return value.with_leaves(results), pullback


def with_tangent(recording: Recording, flat: FlatCall, leaves: list[Any], dots: list[Any]) -> Any:
    """The value of a call and its tangent, by one step, whose last arguments are tangents."""
    count, zeros = len(leaves), list(map(is_zero, dots))

    def run(arrays) -> tuple[FlatValue, list[Any]]:
        given = iter(arrays[count:])
        own = [ZERO if zero else next(given) for zero in zeros]
        found: tuple[FlatValue, list[Any]] = flat.frule(
            arrays[:count], own, tape_config(flat.table)
        )
        return found

    step = RunOnNumbers(RULE, flat, run)
    given = [*leaves, *[dot for dot in dots if not is_zero(dot)]]
    value, y_dots = run_on_numbers(recording, run, given)
    results = [recorded_leaf(recording, leaf) for leaf in value.leaves]
    made = [recording.value(unthunk(dot)) if is_written_tangent(dot) else dot for dot in y_dots]
    note_step(recording, step, given, [*results, *filter(is_written_tangent, made)])
    return value.with_leaves(results), value.tangent(made)


def run_on_numbers(recording: Recording, run: Function, values: Sequence[Any]) -> Any:
    """Run a step once, as the program will: nothing in it is recorded."""
    before = making.call, making.calling
    making.call = making.calling = None
    try:
        return recording.attempted(run, (list(map(unwrapped, values)),), {})
    finally:
        making.call, making.calling = before


def note_step(recording: Recording, step, args: Sequence[Any], results: list[Any]) -> None:
    """Write a step down; the shapes of its results may depend on numbers."""
    held = [unwrapped(x) for x in (*args, *results)]
    if Search(is_traced_or_recorded).visit(held):
        got = "its functions, or its cotangents, are of another derivative that is being taken"
        refuse_recording(step.__name__, got, "leave it to the tape, and compile what is around it")
    recording.note(step, tuple(map(recording.kept, args)), {}, tuple(results))
    recording.guard_form([x for x in results if is_recorded(x)])


def recorded_leaf(recording: Recording, leaf) -> Any:
    """A leaf of a value, recorded; texts and the like are as they were."""
    if type(leaf) in PLAIN and not isinstance(leaf, float | complex | int):
        return leaf
    is_number = isinstance(leaf, np.ndarray | np.generic | float | complex | int)
    return recording.value(leaf) if is_number else Unrecorded(leaf)


class Unrecorded:
    """What stands for an object in the result of a step, which may hold numbers: it is not used."""

    def __init__(self, stands_for) -> None:
        self.stands_for = stands_for

    def __getattr__(self, name: str) -> Any:
        got = f"it is of a {type(self.stands_for).__name__} that was computed"
        instead = "leave it to the tape, or compute it from arrays"
        return refuse_recording(f"the attribute {name!r}", got, instead)


def needed_leaves(flat: FlatCall, leaves: list[Any], needs: Sequence[bool]) -> list[bool]:
    """Which leaves belong to arguments that are differentiated."""
    found: set[int] = set()
    for own, need in zip(flat.leaves_of_arguments, needs, strict=False):
        found.update(own if need else ())
    return [k in found for k in range(len(leaves))]
