"""Make the program of a call: record it, compare it with another run, and compile it.

What comes of a recorded call is a `Draft`, with the value of its run, and of that a `CompiledProgram`;
or a `NotCompiledError`, which says why there is none.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, takewhile
from types import NoneType
from typing import Any

import numpy as np

from chainrules_foreign_code.alternatives import asking
from chainrules_programs.compiling.agreement import difference
from chainrules_programs.compiling.counters import (
    Assigned,
    Counted,
    Counter,
    Counts,
    NotAssignedError,
)
from chainrules_programs.compiling.kinds_of_values import is_users, kind_of
from chainrules_programs.compiling.known_code import reaches_known_code
from chainrules_programs.compiling.nan_in_results import nan_finder, parts_with_nan
from chainrules_programs.compiling.passes.memory import memory_written, root
from chainrules_programs.compiling.places import (
    CALLED,
    EQUAL,
    LENGTH,
    Check,
    Held,
    Places,
    Question,
    attribute,
)
from chainrules_programs.compiling.rebinding import Rebinding, is_same_state, state_of
from chainrules_programs.compiling.replayed import Effects, noted_calls
from chainrules_programs.compiling.results import Rebuild, owned, unfit_leaf, with_plain_result
from chainrules_programs.compiling.source import identifier
from chainrules_programs.compiling.surroundings import (
    OutOfScopeError,
    Surroundings,
    TooMuchError,
)
from chainrules_programs.recording.errors import OverwrittenConstantError
from chainrules_programs.recording.program import Call, Guard, Program, Value, values_of
from chainrules_programs.recording.record import is_input, record, require_same_leaves
from chainrules_py.checks.contract import debugging
from chainrules_py.errors import ChainRulesError
from chainrules_py.introspection.executed import Executed
from chainrules_py.values.structure import fields, is_container
from chainrules_tape.core.trees import flatten
from chainrules_tape.in_place.aliases import share_memory
from chainrules_tape.in_place.first_write import first_writes
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import packages

Executable = Callable[..., Any]
Translate = Callable[[Program, str], Executable]
NOTHING = object()
_OF_MEMORY = frozenset(
    {"flags", "shares_memory", "may_share_memory", "byte_bounds", "is_", "is_not"}
)
_ASK_ERRORS = frozenset({"errstate", "seterr", "seterrcall", "catch_warnings"})
FEW_CALLS = 16  # after which the check of the places is compiled: 5 us a place, once


@dataclass
class CompiledProgram:
    """A program with the places that it read, and what runs it.

    `written` are the inputs into which it writes. They are put back where a call is handed over.
    Where its derivatives `write`, it is none for arguments that are one memory. Where it may ask
    whether two arrays are one, it is `apart`: for arguments alone that are arrays of their own.
    """

    run: Executable
    surroundings: Surroundings
    places: Places
    rebuilt: Rebuild | None = None
    written: tuple[int, ...] = ()
    writes: bool = False
    apart: bool = False
    guards: list[str] = field(default_factory=list)  # what is checked, in words
    # looks for NaN in what `run` returns, where one may have met a zero in a pullback
    has_nan: Callable[[Any], bool] | None = None
    revisions: tuple[int, ...] = ()
    locks: list[Any] = field(default_factory=list)  # that the function may take
    unlocked: "CompiledProgram | None" = None  # for calls that have taken them
    sets_errors: bool = False  # the function sets NumPy's error state, which a program does not
    counted: tuple[Counted | Assigned, ...] = ()  # what it adds to numbers of the function
    effects: tuple[Any, ...] = ()  # what it prints and warns of; then values are its second result
    is_silent: bool = False  # nothing that it computes raises or warns, as with XLA
    warnings: int = 0  # how often it was left because of what NumPy warns of
    does_more: bool = field(init=False)
    check: Check = field(init=False)
    asked: int = 0  # how often the places were asked one by one

    def __post_init__(self) -> None:
        self.does_more = bool(self.counted or self.effects)
        self.check = self._ask

    def _ask(self) -> Held:
        """Compare the places one by one; after a few calls, by a function written for them."""
        self.asked += 1
        if self.asked <= FEW_CALLS:
            return self.places.held()
        self.check = self.places.check()
        return self.check()

    def ended(self, found) -> Any:
        """The result of a run that has ended well, after what it does beside."""
        for each in self.counted:
            each.add()
        if self.rebuilt is not None:
            found = self.rebuilt(found)
        if not self.effects:
            return found
        found, values = found
        for effect in self.effects:
            effect.call(values)
        return found

    def covers(self, captured: Iterable[Any], inputs: list[Any]) -> bool:
        """Whether arguments are as many arrays, or as much memory, as it was recorded with."""
        if self.apart and not are_apart(inputs, [*captured, *self.surroundings.compared]):
            return False
        return not (self.writes and share_memory_among([*inputs, *captured]))

    @contextmanager
    def locked(self) -> Iterator["CompiledProgram | None"]:
        """Take the locks that the function may take; gives the program for a call meanwhile, or None
        where another thread has one of them.
        """
        taken = list(takewhile(lambda lock: lock.acquire(blocking=False), self.locks))
        try:
            self.unlocked = self.unlocked or replace(self, locks=[])
            yield self.unlocked if len(taken) == len(self.locks) else None
        finally:
            for lock in taken:
                lock.release()

    def is_current(self) -> bool:
        """Whether the tables of rules are those by which it was recorded."""
        return self.revisions == tuple([each.revision for each in self.surroundings.tables])


@dataclass
class Draft:
    """One recorded run of a call: its program, not yet compiled, and what it read.

    `before` is what it may change, from before the run. `places` are asked between calls: not in the
    scope of the function's file, in which it is recorded. `writes` says that an array of a
    derivative, or of lanes, was written to: arguments that are one memory are recorded as several.
    `is_enough` says that no second recording is needed, and `compiled` is its program, once there is one.
    """

    program: Program
    value: Any
    found: Surroundings
    before: "Before"
    writes: bool = False
    apart: bool = False
    counted: tuple[Counted | Assigned, ...] = ()
    effects: tuple[Any, ...] = ()
    asked: list[Question] = field(default_factory=list)
    is_enough: bool = False
    compiled: CompiledProgram | None = None
    places: Places = field(init=False)

    def __post_init__(self) -> None:
        self.places = self.found.places.asking_also(self.asked)

    def held(self) -> Held:
        """The arrays that the places hold now, or the number of one that holds something else."""
        return self.places.held()

    def leave_scopes(self, originals: dict[int, list[Any]]) -> None:
        """Let places be asked for what is there now, outside of the scopes that it was recorded in."""
        self.places = self.places.outside(originals)
        self.places.all = [place for place in self.places.all if place.holder is not packages]
        note_packages(self.places)
        held = self.held()
        if isinstance(held, int):
            raise NotCompiledError(changed(self.places, held), self.value, may_be_tried_again=True)

    def may_agree(self, other: "Draft") -> bool:
        """Whether all places hold what they held, and as many arrays are inputs as of another run."""
        has_as_many = len(self.program.inputs) == len(other.program.inputs)
        return has_as_many and type(self.held()) is tuple

    def reads_the_same(self, inputs: str, executed: Executed | None) -> bool:
        """Whether all places hold what they held, and the arrays among them are the same objects."""
        if executed is not self.found.executed or (
            executed is not None and executed.count() != self.found.count_executed
        ):
            return False
        held = self.found.places.held() if inputs == self.found.inputs else -1
        if isinstance(held, int):
            return False
        pairs = zip(held, self.found.places.arrays, strict=True)
        return all(now is before for now, before in pairs)


class Before:
    """What a run may change, as it is before: `arrays` are copies of those that are captured."""

    def __init__(self, found: Surroundings) -> None:
        self.captured = found.places.arrays
        self.arrays = [x.copy("K") for x in self.captured]
        self.counts = Counts(found.counters.values(), found.assigned.values())
        names = [Counter(x.__dict__, name) for x, name in found.attributes_assigned()]
        names += [Counter(x, name) for x, name in found.slots_assigned()]
        self.names = [(name, name.now()) for name in names]
        self.containers = [(x, base_of(x), base_of(x).copy(x)) for x in found.containers()]

    def took_values(self) -> bool:
        """Whether a run has put recorded values there."""
        now = [name.now() for name, _ in self.names]
        now += [x for x, base, former in self.containers if not is_filled_alike(x, base, former)]
        return any(map(is_recorded, flatten(now)[0]))

    def put_back(self) -> None:
        """Write that back."""
        for x, base, former in self.containers:
            if not is_filled_alike(x, base, former):
                base.clear(x)
                (base.extend if issubclass(base, list | deque) else base.update)(x, former)
        put_back(self.captured, self.arrays)
        self.counts.put_back()
        for name, value in self.names:
            name.put(value)


def is_recorded(x) -> bool:
    """Whether something is a value of a recording that has ended, or a traced one that holds it."""
    while issubclass(type(x), TracedArray):
        x = x.value
    return isinstance(x, Value)


def base_of(x) -> Any:
    """The class of Python's whose methods a container is copied and filled by."""
    return next(base for base in (list, deque, OrderedDict, dict, set) if isinstance(x, base))


def is_filled_alike(x, base: Any, former) -> bool:
    """Whether a container has the objects that its copy has, in this order."""
    return is_same_state(base.copy(x), state_of(former))


@dataclass
class Run:
    """One recording, and what it noted beside."""

    program: Program
    value: Any
    noted: list[str]
    is_unchanged: bool
    writes: bool
    counted: tuple[Counted | Assigned, ...]


class NotCompiledError(Exception):
    """A call that is left to the function; `value` is what its run returned, if one has ended.

    `may_be_tried_again`: another run may be one that can be compiled.
    """

    def __init__(self, reason: str, value: Any = NOTHING, may_be_tried_again: bool = False) -> None:
        super().__init__(reason)
        self.value, self.may_be_tried_again = value, may_be_tried_again


class UnfollowedError(NotCompiledError):
    """What a function reaches by name cannot be asked, or does more than compute."""


class OneMemoryError(NotCompiledError):
    """A call with arguments that are one array, or one memory, which is no program of others."""


class RanMoreError(NotCompiledError):
    """A run went through code that had not run before, so that it may read more."""


_FINAL = (UnfollowedError, RanMoreError, OneMemoryError)  # errors of each way to record a call


def record_call(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
    frozen: frozenset[str],
    kinds: str = "fciub",
    earlier: Draft | None = None,
    executed: Executed | None = None,
) -> Draft:
    """Record a call; raise where that is not possible, with its arguments as they were.

    Captured arrays of these kinds of types are inputs. Where the function gives them to code that
    wants plain arrays, they are constants, and compared at each call. What the function reads is
    that of the earlier recording, if it still is; with `executed`, by the code that ran so far.
    """
    reason = ""
    ways = [("", False), (kinds, False)]
    while ways:
        inputs, follows_memory = ways.pop()
        given, _ = flatten((args, options))
        arrays = [leaf for leaf in given if type(leaf) is np.ndarray]
        saved = [x.copy("K") for x in arrays]
        try:
            return draft_of(
                function, args, options, frozen, inputs, earlier, executed, follows_memory
            )
        except NotCompiledError as error:
            if error.value is not NOTHING or isinstance(error, _FINAL):
                raise
            reason = reason or str(error)
        except OutOfScopeError:
            raise
        except OverwrittenConstantError as error:
            if not follows_memory:
                ways.append((inputs, True))
            reason = reason or reason_of(error)
        # Whatever a user's code raises on recorded values, the tape says what is wrong with it.
        except Exception as error:
            reason = reason or reason_of(error)
        put_back(arrays, saved)
    raise NotCompiledError(reason)


def reason_of(error: Exception) -> str:
    """What an error says that a recording ended with, and the user's line that it came from."""
    text = str(error) if isinstance(error, ChainRulesError) else f"{type(error).__name__}: {error}"
    trace, line = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if is_users(trace.tb_frame.f_globals.get("__name__")):
            line = f" ({code.co_filename}:{trace.tb_lineno}, in {code.co_name})"
        trace = trace.tb_next
    return text + line


def put_back(arrays: list[Any], saved: list[Any]) -> None:
    """Write the former entries into arrays that have others."""
    for x, former in zip(arrays, saved, strict=True):
        if x.flags.writeable and x.tobytes() != former.tobytes():
            x[...] = former


def draft_of(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: dict[str, Any],
    frozen: frozenset[str],
    inputs: str,
    earlier: Draft | None,
    executed: Executed | None,
    follows_memory: bool,
) -> Draft:
    """Record a call, with captured arrays as inputs or without."""
    leaves, _ = flatten((args, options))
    arguments = [x for x in leaves if type(x) is np.ndarray]
    if earlier is not None and earlier.reads_the_same(inputs, executed):
        found = earlier.found
    else:
        found = followed(roots_of(function, args, options), frozen, inputs, executed)
    is_apart = asks_identities(found, len(arguments))
    if is_apart and not are_apart(arguments, [*found.places.arrays, *found.compared]):
        raise OneMemoryError("it may ask whether two arrays are one, as they are here (a is b)")
    if not inputs and not found.compared:
        raise NotCompiledError("")  # it has been tried: nothing is captured

    before = Before(found)
    # code that has not run yet may change what nobody has followed
    others = None if executed is None else reached(function, args, options)
    noted: list[str] = []
    effects = Effects(noted.append)
    try:
        run = recorded(
            function, found, before, args, options, executed, follows_memory, effects, noted
        )
        require_computation(run)
        held = arrays_held_after(run, found, before)
        require_fit_result(run)
        if run.writes and share_memory_among(leaves):
            raise OneMemoryError("it writes into arrays, and some arguments are one memory")
    except BaseException as error:
        is_done = isinstance(error, NotCompiledError) and error.value is not NOTHING
        if is_done:
            effects.perform()
        else:
            before.put_back()
            if others is not None:
                others.put_back()
        raise
    effects.perform()
    value = owned(run.value, [*held, *arguments])
    # a program that counts would count twice where it is compared with a call
    is_comparable = not (run.writes or run.counted or effects.calls or packages)
    is_enough = is_comparable and reaches_known_code(found)
    done = tuple(effects.calls)
    if done:
        run.program.result = (run.program.result, effects.values)
    return Draft(
        run.program,
        value,
        found,
        before,
        writes=run.writes,
        apart=is_apart,
        counted=run.counted,
        effects=done,
        asked=effects.asked,
        is_enough=is_enough,
    )


def roots_of(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> list[Any]:
    """What a call begins with: the function, and the objects and classes among its arguments."""
    leaves, _ = flatten((args, options))
    classes = dict.fromkeys(classes_within((args, options)))
    return [function, *filter(needs_following, leaves), *classes]


def reached(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> Before | None:
    """What runs of a function may change, as it is now; None where that is too much to follow."""
    try:
        return Before(Surroundings(roots_of(function, args, options)))
    except (TooMuchError, RecursionError):
        return None


def asks_identities(found: Surroundings, count: int) -> bool:
    """Whether code may ask if two of this many arguments are one array, or one is an array that it
    reads; raises where it may ask how they stand in memory.
    """
    asked = sorted(_OF_MEMORY & found.attributes)
    if asked and count:
        raise UnfollowedError(f"it may ask how its arguments stand in memory ({asked[0]})")
    has_own = "base" in found.initialized | found.changed or found.have_attribute("base")
    if count and "base" in found.attributes and not has_own:
        raise UnfollowedError("it may ask whether an argument is a view (x.base)")
    return (found.compares_variables and count > 1) or (found.compares_arrays and count > 0)


def arrays_held_after(
    run: Run, found: Surroundings, before: Before
) -> tuple[np.ndarray[Any, Any], ...]:
    """The captured arrays after a run; raises where another object is in the place of one."""
    held = found.places.held()
    if isinstance(held, int):  # it may be a cache, which is filled now; not with what is recorded
        value = NOTHING if before.took_values() else run.value
        raise NotCompiledError(changed(found.places, held), value, may_be_tried_again=True)
    return held


def require_fit_result(run: Run) -> None:
    """Raise where the result of a run holds what no program can make."""
    unfit = unfit_leaf(run.program.result)
    if unfit:
        cls = type(unfit[0]).__name__
        # what this object holds of the run is of no use outside
        raise NotCompiledError(f"its result holds a {cls}, which no program can make")


def agreed(draft: Draft, other: Draft) -> bool:
    """Whether two runs are one program; False where they went different paths.

    Raises where one of them has a constant that the other has not.
    """
    found = difference(draft.program, other.program)
    if found is None and draft.counted == other.counted and draft.effects == other.effects:
        return True
    if isinstance(found, Guard):
        return False
    place = getattr(found, "place", None)
    where = f" at {place[0]}:{place[1]}" if place else ""
    raise NotCompiledError(
        f"two runs differ{where}: it draws random numbers, asks a clock, or looks at numbers without"
        " being seen"
    )


def needs_following(x) -> bool:
    """Whether an argument is neither an array nor a number."""
    is_constant = type(x) in (bool, int, str, bytes, NoneType) or isinstance(x, np.generic)
    return not is_constant and not is_input(x)


def classes_within(x) -> Iterator[type]:
    """The user's classes of the containers among arguments: their methods may be called."""
    if kind_of(type(x)) == "class":
        yield type(x)
    parts: Any = ()
    if isinstance(x, dict):
        parts = x.values()
    elif isinstance(x, tuple | list | deque):
        parts = x
    elif is_container(x):
        parts = fields(x).values()
    for part in parts:
        yield from classes_within(part)


def followed(
    roots: list[Any], frozen: frozenset[str], inputs: str, executed: Executed | None
) -> Surroundings:
    """Follow what a function reads; raise where that may not be all."""
    try:
        found = Surroundings(roots, frozen, inputs=inputs, executed=executed)
    except (TooMuchError, RecursionError):
        raise UnfollowedError("it reaches more code and objects than can be followed") from None
    if found.reasons:
        raise UnfollowedError("; ".join(found.reasons))
    note_state(found)
    return found


def note_state(found: Surroundings) -> None:
    """Add what decides beside the places: the rules, the debug mode, packages seen through."""
    places = found.places
    for table in found.tables:
        sentence = f"the rules of {table.name} are those known"
        places.add(EQUAL, table, (attribute("revision"),), table.revision, sentence)
    places.add(CALLED, debugging, (), debugging(), "the debug mode is as it was")
    note_packages(places)


def note_packages(places: Places) -> None:
    """Add the packages that are seen through now."""
    seen = "the packages that are seen through are as they were"
    if packages:
        places.add(EQUAL, packages, (), packages.copy(), seen)
    else:  # nearly always: to compare counters takes 0.5 us
        places.add(LENGTH, packages, (), 0, seen)


def recorded(
    function: Callable[..., Any],
    found: Surroundings,
    before: Before,
    args: tuple[Any, ...],
    options: dict[str, Any],
    executed: Executed | None,
    follows_memory: bool,
    effects: Effects,
    noted: list[str],
) -> Run:
    """Record one run of a copy of the function, on the arrays that it captures."""
    rebindings = []

    def run(captured: list[Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        rebinding = Rebinding(found, captured, effects)
        rebindings.append(rebinding)
        effects.copies = rebinding.made
        copy = rebinding.rebound(function)
        args, options = rebinding.with_objects(args), rebinding.with_objects(options)
        leaves = flatten((args, options))[0]
        asking_before, asking.call = asking.call, rebinding.ask
        try:
            called = copy if executed is None else partial(executed.run, copy)
            result = called(*args, **options)
        finally:
            asking.call = asking_before
        require_same_leaves((args, options), leaves)
        return result

    count = first_writes.count
    given = list(found.places.arrays), args, options
    with noted_calls(effects, found.asks_id):
        program, value = record(run, given, follows_memory=follows_memory)
    effects.require_known_texts()
    writes = first_writes.count > count
    (rebinding,) = rebindings
    try:
        copies = frozenset(map(id, rebinding.made.values()))
        assigned, asked = before.counts.assigned(rebinding.copies_of, copies)
    except NotAssignedError as error:
        (name,) = error.args
        sentence = f"it assigns to {name} what cannot be compared; return it instead"
        raise NotCompiledError(sentence) from None
    counted: list[Counted | Assigned] = [*before.counts.added(rebinding.copies_of), *assigned]
    effects.asked += asked
    is_unchanged = rebinding.is_unchanged()
    for each in counted:
        each.add()
    if executed is not None and executed.count() != found.count_executed:
        # a copy was changed: the function has to run, so that the original is
        done = value if is_unchanged else NOTHING
        raise RanMoreError("its runs go through other code each time", done)
    return Run(program, value, noted, is_unchanged, writes, tuple(counted))


def share_memory_among(arrays: Iterable[Any]) -> bool:
    """Whether some of these values are arrays that have memory in common."""
    pairs = combinations([x for x in arrays if type(x) is np.ndarray], 2)
    return any(share_memory(one, other) for one, other in pairs)


def are_apart(arguments: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether arrays among the arguments are objects of their own, and none of the others."""
    own = [id(x) for x in arguments if type(x) is np.ndarray]
    return len(set(own)) == len(own) and set(own).isdisjoint(map(id, others))


def require_computation(run: Run) -> None:
    """Raise where a run did more than compute."""
    if not run.is_unchanged:  # a copy was: the tape changes the original
        sentence = "it changes an object that it reads; return the new value instead"
        raise NotCompiledError(sentence, may_be_tried_again=True)
    if run.noted:
        sentence = f"it calls {run.noted[0]}, which does more than compute: do that outside of it"
        is_set_up = run.noted[0].startswith("logging.")  # once, maybe
        raise NotCompiledError(sentence, run.value, may_be_tried_again=is_set_up)


def changed(places: Places, number: int) -> str:
    """The reason why a function that changes its surroundings is left to the tape."""
    what = places.sentences[number] if number >= 0 else "what it reads is there"
    return f"it changes what it reads: before it ran, {what}"


def translated(draft: Draft, function: Callable[..., Any], translate: Translate) -> CompiledProgram:
    """Compile a program that was recorded."""
    program, found = draft.program, draft.found
    rebuilt = with_plain_result(program)
    program.asks_errors = sets_errors = not found.attributes.isdisjoint(_ASK_ERRORS)
    asked = [sentence_of(step) for step in program.steps if type(step) is Guard]
    memory = memory_written(program.steps)
    written = tuple([k for k, value in enumerate(program.inputs) if root(value) in memory])
    steps = list(program.steps)
    parts = parts_with_nan(program)
    run = translate(program, name_of_program(function))
    revisions = tuple([table.revision for table in found.tables])
    guards = [*draft.places.sentences, *asked]
    is_silent = getattr(run, "is_silent", False)
    has_pullbacks = any(isinstance(step, Call) and step.strict for step in steps)
    has_nan = None
    if has_pullbacks or is_silent:
        has_nan = nan_finder(program.result, None if is_silent else parts)
    return CompiledProgram(
        run,
        found,
        draft.places,
        rebuilt=rebuilt,
        written=written,
        writes=draft.writes,
        apart=draft.apart,
        guards=guards,
        has_nan=has_nan,
        revisions=revisions,
        locks=found.locks,
        sets_errors=sets_errors,
        counted=draft.counted,
        effects=draft.effects,
        is_silent=is_silent,
    )


def sentence_of(guard: Guard) -> str:
    """Describe a guard: its question, the answer while recording, and the user's line."""
    name = getattr(guard.question, "__name__", str(guard.question))
    where = "" if guard.place is None else f", at {guard.place[0]}:{guard.place[1]}"
    operands = [value.name for value in values_of(guard.operand)]
    of = ", ".join(each or "a value" for each in operands) or "a value"
    return f"{name} of {of} is {guard.answer!r}{where}"


def name_of_program(function: Callable[..., Any]) -> str:
    """The name that a program has in its source: that of the derivative, say `value_and_grad`."""
    made_by = getattr(type(function), "made_by", None)
    if made_by is not None:
        return str(made_by[function.func.__name__])  # type: ignore[attr-defined]
    return identifier(str(getattr(function, "__name__", "program")))
