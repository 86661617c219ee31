"""`compiled`: a function that is recorded at its first call, and from then on runs as a program.

The function is pure: its value follows from its arguments, and from what it reads by name. A call asks
three questions: is there a program of its signature (`signatures`); do the names that the function
reads hold what they held (`names_held`); does it meet what it met when it was recorded (guards, in the
program)? With a no to any of them the call is recorded anew. A program serves once a second call has
shown that it gives what the function gives: random numbers and clocks are found out so. Where
recording is not possible, the function itself is called.
"""

import logging
import math
import os
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from functools import partial, update_wrapper
from itertools import combinations, starmap
from time import thread_time
from traceback import walk_tb
from typing import Any, Generic, ParamSpec, TypeVar, cast, overload

import numpy as np

from chainrules_programs.compiling.constants import NotWritable
from chainrules_programs.compiling.executable import executable, executable_on_floats
from chainrules_programs.compiling.names_held import Names, have_drawn
from chainrules_programs.compiling.nan_in_results import nan_finder, parts_with_nan
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.memory import memory_of_value, memory_written
from chainrules_programs.compiling.results import (
    Rebuild,
    copies,
    is_same_result,
    owned,
    unfit_leaf,
    with_plain_result,
)
from chainrules_programs.compiling.signatures import SeenFromOutsideError, signature
from chainrules_programs.compiling.source import name_of_program
from chainrules_programs.recording.errors import (
    GuardFailedError,
    NotRecordedError,
    is_of_numbers,
    refuse_recording,
)
from chainrules_programs.recording.patience import OutOfTimeError, patience
from chainrules_programs.recording.program import Call, Guard, Program, values_of
from chainrules_programs.recording.record import is_input, record
from chainrules_py.annotations import Args, Options
from chainrules_py.checks.contract import debugging
from chainrules_py.errors import ChainRulesError, said_by
from chainrules_py.introspection import collections_paused, free_in_child
from chainrules_py.strong_zeros.strictness import (
    current_state,
    raise_reported,
    raised_errors,
    set_state,
)
from chainrules_py.table.registry import RuleTable, current_table, default_rules
from chainrules_py.values.discovery import require_installed
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.python_numbers import in_pythons_form, is_pythons
from chainrules_tape.core.dispatch import is_stored
from chainrules_tape.core.following import asking_functions, beginning_as_now
from chainrules_tape.core.saved_state import set_state as set_state_of
from chainrules_tape.core.trees import flatten
from chainrules_tape.derivatives import Derivative
from chainrules_tape.in_place.aliases import share_memory
from chainrules_tape.in_place.first_write import first_writes
from chainrules_tape.refusals.code_owners import calling_frame, is_own, is_users
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.unseen import is_seen_by_itself
from chainrules_tape.transforms import vjp
from chainrules_tape.whole_files import replaced_file

MOST_PROGRAMS = 8
MOST_UNPAID = 4  # recordings of which no later call has had anything
RARELY = 100  # after these, one call of so many is recorded, in case that they have become alike
MANY_STEPS = 30_000  # of a program that is compiled for seconds
SECONDS = 0.2  # of compiling that are always waited for
MOST_WARNINGS = 3  # of a program, that NumPy gives from the user's lines
Function = TypeVar("Function", bound=Callable[..., Any])
_log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")
_OTHER = object()  # a program met what it did not see when it was recorded
_LEFT = object()  # a call that is left to the function
ASK_MEMORY = frozenset({"flags", "shares_memory", "may_share_memory", "byte_bounds"})
ASK_ERRORS = frozenset(
    {
        *("errstate", "seterr", "seterrcall", "catch_warnings"),
        *("FloatingPointError", "ArithmeticError", "RuntimeWarning"),
    }
)
TWO_RUNS_DIFFER = (
    "two runs differ{}: it draws random numbers, asks a clock, or looks at numbers without being"
    " seen"
)


class CompiledProgramError(ChainRulesError, RuntimeError):
    """A compiled program raised what its function does not raise: `error`, `function`."""


class NotCompiledWarning(UserWarning):
    """Calls of a compiled function run on the tape: why, and what to write instead; once for each."""


class Settings:
    """With `faults_raise`, errors of programs alone raise, as in the tests of this package.

    Compiling loops that go different ways is given up after the time of `patience` calls.
    """

    faults_raise = False
    patience = 20.0


settings = Settings()


@dataclass
class CompiledProgram:
    """What runs a program, what it read by name, and the inputs into which it writes."""

    run: Callable[..., Any]
    names: Names
    guards: list[str]
    rebuilt: Rebuild | None = None
    written: tuple[int, ...] = ()
    writes: bool = False  # a derivative's array was written to: no two arguments are one memory
    has_nan: Callable[[Any], bool] | None = None
    is_silent: bool = False
    raised: Set[str] = frozenset()  # errors that raise within the function
    is_trusted: bool = False  # a call of the function has given the same
    missed: str = ""  # the last guard that had another answer
    warnings: int = 0
    table: RuleTable = default_rules  # whose rules were in force
    error: Exception | None = field(default=None, repr=False)

    def __call__(self, inputs: list[Any]) -> Any:
        """Run; `_OTHER` where another program may cover the call, `_LEFT` where the function has to
        be called, which says what is wrong with it, in the user's lines.
        """
        if not self.writes and not self.written:  # nearly always
            return self._run(inputs)
        arrays = [x for x in inputs if type(x) is np.ndarray]
        written = [inputs[k] for k in self.written]
        if any(starmap(share_memory, combinations(arrays, 2))):
            return _LEFT
        saved = [x.copy("K") for x in written]
        found = self._run(inputs)
        if found is _OTHER or found is _LEFT:
            for x, former in zip(written, saved, strict=True):
                x[...] = former
        return found

    def unguarded(self, inputs: list[Any]) -> Any:
        """Run without a look at what is nan; `_LEFT` where the program raises."""
        try:
            with np.errstate(all="ignore"):
                found = self.run(*inputs)
        except Exception:  # as in `_run`, which has kept it
            return _LEFT
        return found if self.rebuilt is None else self.rebuilt(found)

    def _run(self, inputs: list[Any]) -> Any:
        is_told = not self.is_silent and self.warnings < MOST_WARNINGS
        before = current_state()
        try:
            if self.raised:
                np.seterr(**dict.fromkeys(self.raised, "raise"))  # type: ignore[arg-type]
            if is_told:
                raise_reported()  # 0.25 us
            found = self.run(*inputs)
        except GuardFailedError as error:
            self.missed = error.guard or error.got
            return _OTHER
        except FloatingPointError:
            self.warnings += 1
            return _LEFT
        except Exception as error:
            self.error = error
            return _LEFT
        finally:
            set_state(before)
        if self.has_nan is not None and self.has_nan(found):
            return _LEFT  # zero times NaN is zero, too, and raises nothing
        return found if self.rebuilt is None else self.rebuilt(found)


@overload
def compiled(function: Callable[P, R], *, to: str = "numpy") -> "Compiled[P, R]": ...


@overload
def compiled(
    function: None = None, *, to: str = "numpy"
) -> "Callable[[Callable[P, R]], Compiled[P, R]]": ...


def compiled(function: Callable[..., Any] | None = None, *, to: str = "numpy") -> Any:
    """Record a function at the first call of each signature, and run it as straight NumPy code.

    It may be any composition: `grad`, `value_and_grad`, `jvp`, `vmap`, `jacobian`, or plain code
    that is pure. With ``to="jax"``, XLA runs the program. With ``to="math"``, Python's floats and
    `math` compute numbers, not arrays, which may change the last bit.

    >>> from chainrules_tape import compiled, grad
    >>> slope = compiled(grad(lambda x: np.sum(np.sin(x) * x)))
    >>> slope(np.array([0.0, 1.0]))
    array([0.        , 1.38177329])
    """
    if function is None:
        return partial(compiled, to=to)
    if to not in ("numpy", "jax", "math"):
        where, got = f"compiled({qualified_name(function)})", f"to={to!r}"
        instead = 'write to="numpy", to="jax" or to="math"'
        raise InputError(where, got, instead, function=function, argument="to", value=to)
    if to == "jax":
        require_installed("jax", "jax", 'compiled(f, to="jax")', "chainrules_programs")
    return Compiled(function, to)


class Compiled(Generic[P, R]):
    """A function with its programs, by signature.

    `source` is a program as text, `save` writes that into a file, `guards` says what is checked.
    """

    __chainrules_compiled__ = True

    def __init__(self, function: Callable[P, R], to: str) -> None:
        update_wrapper(self, function)  # first: it may have attributes of these names
        self.function: Callable[..., Any] = function
        self.to = to
        self.reasons: list[str] = []  # why calls run on the tape
        self.faults: dict[str, int] = {}  # errors of programs alone, and how often each came
        self._known: dict[Any, list[CompiledProgram]] = {}  # by signature
        self._left: deque[Any] = deque(maxlen=MOST_PROGRAMS**2)  # kinds that cannot be compiled
        self._unpaid = self._asked = 0  # recordings that no call has had anything of; calls since
        self._is_prepared = False  # just now: however long it takes
        self._lock = free_in_child(threading.Lock())

    def __repr__(self) -> str:
        inner = repr(self.function) if isinstance(self.function, partial) else None
        options = "" if self.to == "numpy" else f", to={self.to!r}"
        return f"compiled({inner or qualified_name(self.function)}{options})"

    def __reduce__(self) -> Any:
        return Compiled, (self.function, self.to)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the instance is the first argument."""
        return self if instance is None else partial(self, instance)

    def __call__(self, *args: P.args, **options: P.kwargs) -> R:
        """Call the function, by a program where there is one."""
        try:
            key, leaves = signature(args, options)
            if raised_errors():
                key = (*key, "errors raise")
            known = self._known.get(key, ())
        except (SeenFromOutsideError, TypeError) as error:  # some values have no hash
            self._note(str(error))
            return self.function(*args, **options)
        for program in known:
            if program.names.changed() is not None or program.table is not current_table.get():
                continue
            if program.names.tell_objects_apart(leaves):
                return self.function(*args, **options)
            inputs = leaves if key[0] is None else [x for x in leaves if is_input(x)]
            if program.is_trusted and not debugging():
                found = program(inputs)
            else:
                found = self._compared(key, program, inputs, args, options)
            if found is _LEFT:
                return self._by_function(program, args, options)
            if found is not _OTHER:
                return found
        return self._recorded(key, args, options)

    def _by_function(self, program: CompiledProgram, args: Any, options: Any) -> Any:
        """Call the function, which says what is wrong with a call where its program has raised."""
        error, program.error = program.error, None
        value = self.function(*args, **options)
        if error is not None and not is_of_numbers(error):  # else the function has caught it
            text = f"{type(error).__name__}: {said_by(error)}"
            self.faults[text] = self.faults.get(text, 0) + 1
            if settings.faults_raise:
                got = f"its program raised {text}, where the function returns"
                instead, own = "report this with compiled(f).source(...)", self.function
                raise CompiledProgramError(
                    repr(self), got, instead, error=error, function=own
                ) from error
        return value

    def _compared(self, key, program: CompiledProgram, inputs: list[Any], args, options) -> Any:
        """Run a program beside its function: until it is trusted, and in debug mode, which raises
        where they differ; `_OTHER` where it does not cover the call.
        """
        found = program(copies(inputs))
        is_left = found is _LEFT  # with nan, say: its own numbers are compared
        if found is _OTHER or (is_left and program.is_trusted):
            return found
        if is_left:
            found = program.unguarded(copies(inputs))
        value = owned(self._by_function(program, args, options), arrays_of(args, options))
        if is_same_result(found, value):
            self._unpaid = max(self._unpaid - (not program.is_trusted), 0)
            program.is_trusted = True
            return value if is_left else found
        if program.is_trusted:
            got = "its program gives other numbers than the function: f reads what no name leads to"
            instead = "pass that as an argument, or write compiled(f) anew when it has changed"
            raise CompiledProgramError(repr(self), got, instead, function=self.function)
        if not is_left:
            self._leave(key, TWO_RUNS_DIFFER.format(self._where_runs_differ(args, options)))
        return value

    def _recorded(self, key, args: Any, options: Any) -> Any:
        """Record a call of which no program is known, or call the function."""
        if key in self._left or not self._lock.acquire(blocking=False):
            return self.function(*args, **options)
        try:
            self._asked += 1
            reason = self._reason_to_wait(key)
            if reason:
                self._tell(reason)
                return self.function(*args, **options)
            self._unpaid += 1
            leaves = flatten((args, options))[0]
            inputs = copies(filter(is_input, leaves))
            is_shared = any(starmap(share_memory, combinations(arrays_of(args, options), 2)))
            own, named = copied_arguments(args, options)
            recorded, value = self._record(leaves, *(own, named) if is_shared else (args, options))
            program = self._compiled(recorded, partial(self._seconds_of_calls, own, named))
            found = program(inputs)  # at the numbers that were recorded
            if found is not _LEFT and not is_same_result(found, value):
                # the tape says which of the two is right
                self._leave(key, TWO_RUNS_DIFFER.format(self._where_runs_differ(args, options)))
            else:
                self._known[key] = [program, *self._known.get(key, ())]
                if not is_shared or not (program.writes or program.written):
                    return value
        except CompiledProgramError:
            raise
        # whatever a user's code raises on recorded values, the tape says what is wrong with it
        except Exception as error:
            self._leave(key, reason_of(error))
        finally:
            self._lock.release()
        return self.function(*args, **options)

    def _record(
        self, leaves: list[Any], args: Any, options: Any
    ) -> tuple[tuple[Program, Names, bool], Any]:
        names = Names(self.function, [x for x in leaves if not is_input(x)])
        count, states = first_writes.count, names.states()
        asked = sorted(ASK_MEMORY & names.named)
        if asked and arrays_of(args, options):
            got = f"it may ask how its arguments lie in memory ({asked[0]})"
            raise NotRecordedError(repr(self), got, "ask that outside of it")
        if names.tell_objects_apart(leaves):
            got = "it asks what is one object, and an array is given twice, or captured as well"
            raise NotRecordedError(repr(self), got, "pass a copy")
        program, value = self._run_recorded(args, options)
        if have_drawn(states):
            for holder, state in states:
                if state is not None:
                    set_state_of(holder, state)  # the function has its first numbers still to draw
            got = f"it draws random numbers{self._where_runs_differ(args, options)}"
            instead = "draw them before, and pass them as arguments"
            raise NotRecordedError(repr(self), got, instead)
        unfit = unfit_leaf(program.result)
        if unfit:
            what = f"its result holds a {type(unfit[0]).__name__}, which no program can make"
            raise NotRecordedError(repr(self), what, "return numbers and arrays")
        names.leave_what_changed()
        program.asks_errors = bool(raised_errors()) or not names.named.isdisjoint(ASK_ERRORS)
        writes = first_writes.count > count
        return (program, names, writes), owned(value, arrays_of(args, options))

    def _run_recorded(self, args: Any, options: Any) -> tuple[Program, Any]:
        """Record the function; where it asks for plain numbers, its value in a derivative, which sees
        through what refuses traced ones.
        """
        if is_derivative(self.function) or not is_seen_by_itself():
            return record(self.function, args, options)
        with beginning_as_now(self.function, args, options) as begin:
            try:
                found = record(self.function, args, options)
                if (
                    asking_functions((self.function, args, options)) and begin()
                ):  # whose answers are other ones
                    given, named = copied_arguments(args, options)
                    if not is_same_result(found[1], self.function(*given, **named)):
                        refuse_recording("a question", "it asks what a value is", "ask no type")
                return found
            except NotRecordedError as refusal:
                if not begin():
                    raise
                given, named = copied_arguments(args, options)
                plain = self.function(*given, **named)
                try:
                    begin()
                    found = record(partial(value_on_tape, self.function, plain), args, options)
                except Exception:
                    begin()
                    raise refusal from None
                if not is_same_result(found[1], plain):
                    raise
                return found

    def _where_runs_differ(self, args: Any, options: Any) -> str:
        """The step in which two runs of the function differ first; empty where none is found."""
        from chainrules_programs.compiling.inspection import difference

        with beginning_as_now(self.function, args, options) as begin:
            try:
                return difference(self.function, *copied_arguments(args, options))
            except Exception:  # the sentence is true without it
                return ""
            finally:
                begin()

    def _seconds_of_calls(self, args: Any, options: Any) -> float:
        """How long compiling may take: so many calls of the function."""
        started = thread_time()
        with np.errstate(all="ignore"):
            self.function(*args, **options)
        return settings.patience * (thread_time() - started)

    def _compiled(
        self, recorded: tuple[Program, Names, bool], allowed: Callable[[], float]
    ) -> CompiledProgram:
        """Compile what was recorded; where that raises, by a fault of the compiler, it is left."""
        steps = recorded[0].steps
        count = len(steps)
        if count > MANY_STEPS:
            said = "%r compiles a program of %d steps now, for seconds; later calls run it"
            _log.warning(said, self, count)
        try:
            is_patient = self._is_prepared or self.to != "numpy"
            seconds = math.inf if is_patient else SECONDS
            with patience.of(seconds, allowed), collections_paused():
                return self._translated(recorded)
        except OutOfTimeError:
            places = Counter(step.place for step in steps if step.place is not None)
            at = "{}:{}".format(*places.most_common(1)[0][0]) if places else "no line of yours"
            got = f"compiling takes longer than {settings.patience:.0f} calls: the repetitions"
            raise NotRecordedError(
                repr(self),
                f"{got} of a loop go different ways, and most of the {count:,} steps come from {at}",
                "write numpy.where for its branches, or compile it all the same: prepare(...)",
            ) from None
        except Exception as error:
            text = f"{type(error).__name__}: {said_by(error)}"
            self.faults[text] = self.faults.get(text, 0) + 1
            kind = CompiledProgramError if settings.faults_raise else NotRecordedError
            raise kind(repr(self), f"the compiler raised {text}", "report this") from error

    def _translated(self, recorded: tuple[Program, Names, bool]) -> CompiledProgram:
        program, names, writes = recorded
        rebuilt = with_plain_result(program)
        asked = [sentence_of(step) for step in program.steps if type(step) is Guard]
        memory = memory_written(program.steps)
        written = tuple(
            [k for k, value in enumerate(program.inputs) if memory_of_value(value) in memory]
        )
        has_pullbacks = any(type(step) is Call and step.strict for step in program.steps)
        parts = parts_with_nan(program)
        run = self._executable(program, name_of_program(self.function))
        is_silent = getattr(run, "is_silent", False)
        has_nan = None
        if has_pullbacks or is_silent:
            has_nan = nan_finder(program.result, None if is_silent else parts)
        return CompiledProgram(
            run,
            names,
            [*names.sentences(), *asked],
            rebuilt,
            written,
            writes,
            has_nan,
            is_silent,
            program.raised,
            table=current_table.get(),
        )

    def _executable(self, program: Program, name: str) -> Callable[..., Any]:
        """Compile a program, by XLA if that is asked for and possible."""
        to = self.to
        if to != "numpy" and program.asks_errors:  # which NumPy alone reports
            self._note('it is compiled to="numpy", because it asks for errors of NumPy\'s')
            to = "numpy"
        if to == "jax":
            from chainrules_programs.compiling.to_jax import jax_executable

            try:
                return jax_executable(program, name)
            # of JAX's there are many, for what cannot be traced; NumPy's program is right
            except Exception as error:
                self._note(f'it is compiled to="numpy", because: {error}')
        if to == "math":
            return executable_on_floats(program, name)
        return executable(optimized(program), name=name)

    def prepare(self, *args: Any, **options: Any) -> None:
        """Compile the program of a call now: the function runs twice, on copies of its arguments.

        Where it cannot be compiled, `explain` says why.
        """
        self._unpaid = 0
        self._left.clear()
        for _ in range(2):
            own, named = copied_arguments(args, options)
            self._is_prepared = True
            try:
                with np.errstate(all="ignore"):
                    cast(Any, self)(*own, **named)
            except CompiledProgramError:
                raise
            except Exception as error:  # a call raises it again
                self._note(reason_of(error))
            finally:
                self._is_prepared = False

    def _reason_to_wait(self, key) -> str:
        """Why a call is not recorded: there are enough programs, or none of those serves; empty
        where it is.
        """
        if self._unpaid >= MOST_UNPAID:
            if self._asked % RARELY:
                return self._reason_of_none(key)
            self._forget(MOST_PROGRAMS)
        if self.count_of_programs() >= MOST_PROGRAMS:
            self._forget(1)
        if self.count_of_programs() < MOST_PROGRAMS:
            return ""
        return f"there are {MOST_PROGRAMS} programs of it already"

    def _reason_of_none(self, key) -> str:
        """Say why programs that were recorded do not serve."""
        for program in self._known.get(key, ()):
            name = program.names.changed()
            if name is not None:
                return f"{name} is another one at each call; pass it as an argument"
            if program.missed:
                return f"calls go different ways: {program.missed}"
        return "each call is of another kind; pass arrays of one shape and type"

    def _forget(self, count: int) -> None:
        """Forget programs of other names and of rules that are replaced, and some that never served."""
        programs = [each for known in self._known.values() for each in known]
        gone = [each for each in programs if each.names.changed() is not None]
        gone += [each for each in programs if not each.is_trusted][:count]
        kept = {
            key: [each for each in known if not any(each is other for other in gone)]
            for key, known in self._known.items()
        }
        self._known = {key: known for key, known in kept.items() if known}

    def _leave(self, key, reason: str) -> None:
        self._left.append(key)
        self._known.pop(key, None)
        self._tell(reason.removeprefix(f"{self!r}: "))

    def _note(self, reason: str) -> None:
        if reason not in self.reasons and len(self.reasons) < MOST_PROGRAMS:
            self.reasons.append(reason)

    def _tell(self, reason: str) -> None:
        """Warn, the first time, that calls run on the tape."""
        if not self.reasons:
            frame = calling_frame()
            instead = "" if "; " in reason else "; change that, or leave out compiled"
            warnings.warn_explicit(
                f"{self!r} runs on the tape: {reason}{instead}",
                NotCompiledWarning,
                frame.f_code.co_filename,
                frame.f_lineno,
            )
        self._note(reason)

    # Looking inside

    def source(self, *args: Any, **options: Any) -> str:
        """The program of a call as a module of Python, which imports nothing of ours.

        The function runs for that, on copies of its arguments, which become the example that the
        module checks itself with. What it captures becomes constants.
        """
        from chainrules_programs.compiling.modules import module_text

        try:
            (program, _, _), value = self._record(
                flatten((args, options))[0], *copied_arguments(args, options)
            )
            return module_text(self.function, program, value, *copied_arguments(args, options))
        except Exception as error:  # as in `_recorded`
            own = "needs no text" if isinstance(error, NotWritable) else "runs on the tape"
            where, instead = f"{self!r}.source", f"call the function: it {own}"
            raise InputError(
                where, reason_of(error), instead, function=self.function, argument=0, value=args
            ) from error

    def save(self, path: str | os.PathLike[str], *args: Any, **options: Any) -> None:
        """Write the program of a call into a file; running that compares it with what it is now."""
        text = self.source(*args, **options)
        with replaced_file(path, "w", encoding="utf-8") as file:
            file.write(text)

    def programs(self) -> list[CompiledProgram]:
        """The programs that serve, of all signatures: a second call has given the same."""
        found = [program for each in list(self._known.values()) for program in each]
        return [program for program in found if program.is_trusted]

    def count_of_programs(self) -> int:
        """How many programs it holds, those that wait for a second call included."""
        return sum(map(len, list(self._known.values())))

    def explain(self) -> str:
        """Describe how its calls run: the programs, their checks, why others stay on the tape."""
        from chainrules_programs.compiling.inspection import description

        return description(self)

    def guards(self) -> list[str]:
        """List the conditions that are checked before a program runs, as sentences."""
        return list(dict.fromkeys(guard for program in self.programs() for guard in program.guards))


def is_derivative(function: Callable[..., Any]) -> bool:
    """Whether a function is a derivative, which has seen through what it can by itself."""
    return isinstance(function, Derivative) and function.func.__name__ != "all_examples"


def value_on_tape(function: Callable[..., Any], plain, *args, **options) -> Any:
    """The value of a function that is differentiated, and writes into no argument; with numbers of
    Python's where its plain value has these.
    """

    def call_on_tape(given, named):
        leaves = flatten((given, named))[0]
        found = function(*given, **named)
        if any(map(is_stored, leaves)):
            refuse_recording(
                "a call that writes into its arguments", "it is seen through", "copy them"
            )
        return found

    call_on_tape.__wrapped__ = function  # type: ignore[attr-defined]
    leaves, rebuilt = flatten(vjp(call_on_tape, args, options)[0])
    kinds = map(type, flatten(plain)[0])
    return rebuilt(
        [
            in_pythons_form(leaf) if is_pythons(kind) else leaf
            for leaf, kind in zip(leaves, kinds, strict=True)
        ]
    )


def arrays_of(args: Any, options: Any) -> list[Any]:
    """The arrays among the arguments of a call."""
    return [x for x in flatten((args, options))[0] if type(x) is np.ndarray]


def copied_arguments(args: Args, options: Options) -> Any:
    """The arguments of a call, with copies of the arrays among them."""
    leaves, rebuilt = flatten((args, options))
    return rebuilt(copies(leaves))


def reason_of(error: Exception) -> str:
    """What an error says that a recording ended with, and the user's line that it comes from; of a
    function of a library's that wants the numbers themselves, its name.
    """
    at = asking = ""
    cause = error.__cause__.__traceback__ if error.__cause__ else None
    for frame, line in (*walk_tb(error.__traceback__), *walk_tb(cause)):
        module = frame.f_globals.get("__name__")
        if is_users(module):
            at, asking = f", at {frame.f_code.co_filename}:{line}", ""
        elif not asking and not is_own(module) and not str(module).startswith("numpy"):
            package = str(module).partition("._")[0]
            asking = f"recording {package}.{frame.f_code.co_qualname}"
    if isinstance(error, ChainRulesError):
        is_known = isinstance(error, NotRecordedError) and asking
        return f"{asking if is_known else error.where}: {error.got}{at}; {error.instead}"
    return f"{error if isinstance(error, NotWritable) else f'{type(error).__name__}: {said_by(error)}'}{at}"


def sentence_of(guard: Guard) -> str:
    """Describe a guard: its question, the answer while recording, and the user's line."""
    name = getattr(guard.question, "__name__", str(guard.question))
    where = "" if guard.place is None else f", at {guard.place[0]}:{guard.place[1]}"
    operands = [value.name for value in values_of(guard.operand)]
    of = ", ".join(each or "a value" for each in operands) or "a value"
    return f"{name} of {of} is {guard.answer!r}{where}"
