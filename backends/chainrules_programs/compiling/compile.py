"""`compiled`: a function that is recorded at its first call, and from then on runs as a program.

A call goes through three questions: is there a program of its signature (`signatures`); do the
places that the program read hold what they held (`places`); does it meet what it met when it was
recorded (guards, in the program)? With a no to any of them the next program is asked, then the
call is recorded: its result is that of the recorded run. Two runs that are the same program, at
whatever numbers, are compiled. So random numbers and clocks are found out, and what runs once does
not cost more than recording. Where no code is reached that may draw numbers unseen (`known_code`),
the second run is a call of the function, with whose result that of the program is compared. With
more than `MOST_PROGRAMS` programs, or where recording is not possible, the function itself is
called. So the result is that of the function in each case.
"""

import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial, update_wrapper
from typing import Any, TypeVar, overload

import numpy as np

from chainrules_foreign_code.substitutions import originals
from chainrules_programs.compiling.constants import NotWritable
from chainrules_programs.compiling.executable import executable, executable_on_floats
from chainrules_programs.compiling.kinds_of_values import is_users
from chainrules_programs.compiling.known_code import is_same_result
from chainrules_programs.compiling.matching import Match, matcher
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.programs import (
    NOTHING,
    CompiledProgram,
    Draft,
    Executable,
    NotCompiledError,
    OneMemoryError,
    RanMoreError,
    UnfollowedError,
    agreed,
    reached,
    record_call,
    translated,
)
from chainrules_programs.compiling.signatures import SeenFromOutsideError, signature
from chainrules_programs.compiling.surroundings import OutOfScopeError
from chainrules_programs.recording.errors import GuardFailedError, NotRecordedError, is_of_numbers
from chainrules_programs.recording.program import Program
from chainrules_programs.recording.record import is_input
from chainrules_py.errors import ChainRulesError
from chainrules_py.introspection import collections_paused
from chainrules_py.introspection.executed import Executed, is_traced
from chainrules_py.strong_zeros.strictness import raise_reported, relax
from chainrules_py.values.discovery import require_installed
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.trees import flatten
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.errors import InputError

MOST_PROGRAMS = 8
MOST_DRAFTS = 2  # of one signature, each with the arrays of a run
MOST_ATTEMPTS = 24  # runs of one signature that are recorded before it is left to the function
MOST_NOTED = 64  # signatures of which something is noted that are not compiled
MANY_STEPS = 30_000  # of a program that is compiled for seconds
OFTEN = 16  # calls after which their signature is written as a function: 0.2 ms
MOST_WARNINGS = 3  # of a program, that NumPy gives from the user's lines
Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")
_log = logging.getLogger(__name__)
_OTHER = object()  # a program met what it did not see when it was recorded


class Left:
    """A call that is left to the function; `error` is what the program raised, if it did."""

    __slots__ = ("error",)

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error


_LEFT = Left()


class FrequentCalls:
    """Calls of one signature, which a function recognises by itself, and their programs."""

    __slots__ = ("match", "programs")

    def __init__(self, match: Match, programs: list[CompiledProgram]) -> None:
        self.match, self.programs = match, programs


class CompiledProgramError(ChainRulesError, RuntimeError):
    """A compiled program raised what its function does not raise: `error`, `function`."""


class Settings:
    """How errors are treated that a program raises, and its function does not.

    They are a fault of the compiler, never of the user's: the call is the function's, and
    `explain` tells of it. With `faults_raise` they raise, as in the tests of this package.
    """

    faults_raise = False


settings = Settings()


class NotCompiledWarning(UserWarning):
    """Calls of a compiled function run on the tape: why, and what to write instead; once for each."""


@overload
def compiled(
    function: Callable[..., Any], *, to: str = "numpy", frozen: Iterable[str] = ()
) -> "Compiled": ...


@overload
def compiled(
    function: None = None, *, to: str = "numpy", frozen: Iterable[str] = ()
) -> "Callable[[Callable[..., Any]], Compiled]": ...


def compiled(
    function: Callable[..., Any] | None = None, *, to: str = "numpy", frozen: Iterable[str] = ()
) -> Any:
    """The function, recorded at the first call of each signature and run as straight NumPy code.

    It may be any composition: `grad`, `value_and_grad`, `jvp`, `vmap`, `jacobian`, or plain code.
    What it reads of its surroundings is checked at each call; a call that a program does not
    cover is recorded anew, or is a call of the function itself. ``to="jax"`` has the program run
    by XLA; ``to="math"`` computes numbers, not arrays, by Python's floats and `math`, which may
    change the last bit. `frozen` names variables and attributes that will not change, and are not
    checked.

    >>> from chainrules_tape import compiled, grad
    >>> slope = compiled(grad(lambda x: np.sum(np.sin(x) * x)))
    >>> slope(np.array([0.0, 1.0]))
    array([0.        , 1.38177329])
    """
    if function is None:
        return partial(compiled, to=to, frozen=frozen)
    if to not in ("numpy", "jax", "c", "math"):
        where, got = f"compiled({qualified_name(function)})", f"to={to!r}"
        instead = 'write to="numpy", to="jax", to="c" or to="math"'
        raise InputError(where, got, instead, function=function, argument="to", value=to)
    if to == "jax":
        require_installed("jax", "jax", 'compiled(f, to="jax")', "chainrules_programs")
    if to == "c":
        from chainrules_programs.compiling.to_c import require_compiler

        require_compiler(function)
    names = (frozen,) if isinstance(frozen, str) else tuple(frozen)
    return Compiled(function, to, names)


class Compiled:
    """A function with its programs, by signature.

    `source` is a program as text, `save` writes that into a file, `guards` says what is checked.
    """

    __chainrules_compiled__ = True

    def __init__(self, function: Callable[..., Any], to: str, frozen: tuple[str, ...]) -> None:
        update_wrapper(self, function)  # first: it may have attributes of these names
        self.function, self.to, self.frozen = function, to, frozen
        self.reasons: list[str] = []  # why calls run on the tape
        self.faults: dict[str, int] = {}  # errors of programs alone, and how often each came
        self._programs: dict[Any, list[CompiledProgram]] = {}
        self._left_out: dict[Any, str] = {}  # signatures that are not compiled, and why
        self._tried: dict[Any, bool] = {}  # signatures that are to be tried once more
        self._count = 0
        self._frequent: FrequentCalls | None = None
        self._calls = 0  # by the key of their signature, since a program was added
        self._drafts: dict[Any, list[Draft]] = {}
        self._attempts: dict[Any, int] = {}
        # of signatures by which more is reached by name than is executed: the code that ran
        self._executed: dict[Any, Executed] = {}
        self._has_warned = False
        self._scopes: list[Any] = []  # of the files that are seen through, in which it is recorded
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        inner = repr(self.function) if isinstance(self.function, partial) else None
        options = "" if self.to == "numpy" else f", to={self.to!r}"
        return f"compiled({inner or qualified_name(self.function)}{options})"

    def __reduce__(self) -> Any:
        return remade, (self.function, self.to, self.frozen)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the instance is the first argument."""
        return self if instance is None else partial(self, instance)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call the function, by a program where there is one."""
        frequent = self._frequent
        if frequent is not None and not options:
            try:
                inputs = frequent.match(args)
            except ValueError:  # a tuple of another length
                inputs = None
            if inputs is not None:
                found = self._by_programs(frequent.programs, inputs, args, options)
                if found is not _OTHER:
                    return found
        try:
            key, leaves = signature(args, options)
            programs = self._programs.get(key)
        except (SeenFromOutsideError, TypeError) as error:  # some values have no hash
            return self._seen_from_outside(error, args, options)
        if programs is not None:
            inputs = leaves if key[0] is None else [x for x in leaves if is_input(x)]
            found = self._by_programs(programs, inputs, args, options)
            if found is not _OTHER:
                if not options:
                    self._note_call(key, args)
                return found
        return self._without_program(key, args, options)

    def _by_programs(
        self,
        programs: list[CompiledProgram],
        inputs: list[Any],
        args: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        """Run the first program that covers a call; return `_OTHER` where none does."""
        for program in programs:
            if program.locks:
                with program.locked() as one:
                    if one is None:
                        return self.function(*args, **options)
                    found = self._by_programs([one], inputs, args, options)
                if found is not _OTHER:
                    return found
                continue
            captured = program.check()
            if isinstance(captured, int):
                continue
            is_choosy = program.apart or program.writes
            if is_choosy and not program.covers(captured, inputs):
                return self.function(*args, **options)
            found = run(program, captured, inputs)
            if type(found) is Left:
                return self._by_function(found.error, args, options)
            if found is not _OTHER:
                return found
        return _OTHER

    def _seen_from_outside(
        self, error: Exception, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        self._note(str(error))
        return self.function(*args, **options)

    def _by_function(
        self, error: Exception | None, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Call the function, which says what is wrong with a call where its program has raised."""
        value = self.function(*args, **options)
        if error is not None and not is_of_numbers(error):  # else the function has caught it
            text = f"{type(error).__name__}: {error}"
            self.faults[text] = self.faults.get(text, 0) + 1
            if settings.faults_raise:
                instead = "report this with the program, compiled(f).source(...)"
                got = f"its program raised {text}, where the function returns"
                function = self.function
                raise CompiledProgramError(
                    repr(self), got, instead, error=error, function=function
                ) from error
        return value

    def _note_call(self, key: Any, args: tuple[Any, ...]) -> None:
        """Count a call by its key; after a few, recognise those like it without one."""
        self._calls += 1
        if self._calls == OFTEN:
            match = matcher(args)
            programs = self._programs.get(key)
            if match is not None and programs is not None:
                self._frequent = FrequentCalls(match, programs)

    def _add_program(self, key: Any, program: CompiledProgram) -> None:
        """Add a program, before the others: the newest is likelier to be the next."""
        self._count += 1
        self._programs[key] = [program, *self._programs.get(key, [])]
        self._frequent, self._calls = None, 0

    def _without_program(self, key: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Record a call of which no program is known, or call the function."""
        if key in self._left_out:
            return self.function(*args, **options)
        if self._count >= MOST_PROGRAMS:
            self._forget_outdated()
        if self._count >= MOST_PROGRAMS:
            self._tell_of_many()
            return self.function(*args, **options)
        # a call from inside of the function, or from another thread meanwhile
        if not self._lock.acquire(blocking=False):
            return self.function(*args, **options)
        try:
            with collections_paused():  # each pause that ends is followed by a visit to all steps
                return self._recorded(key, args, options)
        except UnfollowedError as error:
            if not self._is_followed(key):
                executed = self._new_executed(key)
                if error.value is not NOTHING:
                    return error.value
                return self._traced(executed, args, options)
            self._leave_out(key, str(error), error.may_be_tried_again)
            value = error.value
        except RanMoreError as error:
            self._count_attempt(key, str(error))
            value = error.value
        except OneMemoryError as error:  # other calls of its signature are compiled
            value = error.value
        except NotCompiledError as error:
            if error.may_be_tried_again and key in self._tried and not self._is_followed(key):
                self._new_executed(key)  # code that does not run may read it
            else:
                self._leave_out(key, str(error), error.may_be_tried_again)
            value = error.value
        finally:
            self._lock.release()
        return self.function(*args, **options) if value is NOTHING else value

    def _recorded(self, key: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Record a call and return its value; compile it, if it was recorded before."""
        drafts = self._drafts.get(key, [])
        for each in drafts:
            found = self._by_draft(key, each, args, options)
            if found is not NOTHING:
                return found
        earlier = next(iter(drafts), None)
        kinds, frozen = self._inputs(key), frozenset(self.frozen)
        executed = self._executed.get(key)
        if executed is not None and not executed.has_run:
            return self._traced(executed, args, options)
        draft = self._record(args, options, frozen, kinds, earlier, executed)
        try:
            self._compile(key, draft)
        except NotCompiledError as error:
            self._drafts.pop(key, None)
            self._leave_out(key, str(error), may_be_tried_again=False)
        return draft.value

    def _in_scopes(self, run: Callable[[], Result]) -> Result:
        """Call a function in the scopes of the files that are seen through, which it may meet first."""
        while True:
            try:
                with ExitStack() as scopes:
                    for scope in self._scopes:
                        scopes.enter_context(scope)
                    return run()
            except OutOfScopeError as error:
                self._scopes.append(error.scope)

    def _record(self, args: tuple[Any, ...], options: dict[str, Any], *given: Any) -> Draft:
        """Record a call."""

        def recorded() -> tuple[Draft, dict[int, list[Any]]]:
            draft = record_call(self.function, args, options, *given)
            return draft, originals() if self._scopes else {}

        draft, replaced = self._in_scopes(recorded)
        if self._scopes:
            draft.leave_scopes(replaced)
        return draft

    def _traced(self, executed: Executed, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call the function, and follow what runs."""
        return self._in_scopes(lambda: executed.run(self.function, *args, **options))

    @contextmanager
    def _undone(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Iterator[Callable[[], None]]:
        """Undo at the end, and when it is called, what runs of the function change."""
        before = self._in_scopes(lambda: reached(self.function, args, options))

        def undo() -> None:
            if before is not None:
                self._in_scopes(before.put_back)

        try:
            yield undo
        finally:
            undo()

    def _by_draft(
        self, key: Any, draft: Draft, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Compile what was recorded once, and compare it with a call of the function.

        Returns the result; NOTHING where the call has to be recorded, too.
        """
        captured = draft.held() if draft.is_enough else -1
        if isinstance(captured, int):
            return NOTHING
        if draft.compiled is None:
            draft.compiled = self._translated(replace(draft, program=replace(draft.program)))
        program = draft.compiled
        inputs = [x for x in flatten((args, options))[0] if is_input(x)]
        found = _LEFT if program.written else run(program, captured, inputs)
        if found is _OTHER:
            return NOTHING
        draft.is_enough = type(found) is not Left and is_same_result(
            found, self.function(*args, **options)
        )
        if not draft.is_enough:
            return NOTHING
        self._add_program(key, program)
        others = [each for each in self._drafts.pop(key, []) if each is not draft]
        if others:
            self._drafts[key] = others
        return found

    def _inputs(self, key: Any) -> str:
        """The kinds of types of captured arrays that are inputs.

        Positions and masks are constants as long as they do not change: what is computed from them
        alone is then computed once.
        """
        is_changing = len(self._programs.get(key, [])) > 1 or self._attempts.get(key, 0) > 2
        return "fciub" if is_changing else "fc"

    def _compile(self, key: Any, draft: Draft) -> None:
        """Compile a recorded call if an earlier one was the same program, else keep it."""
        earlier = [each for each in self._drafts.pop(key, []) if each.may_agree(draft)]
        other = next((each for each in earlier if agreed(draft, each)), None)
        if other is None:
            self._keep(key, draft, earlier)
            return
        self._add_program(key, other.compiled or self._translated(draft))
        if len(earlier) > 1:
            self._drafts[key] = [each for each in earlier if each is not other]

    def _is_followed(self, key: Any) -> bool:
        """Whether it is known, or cannot be, which instructions run in calls of a signature."""
        return key in self._executed or is_traced()

    def _new_executed(self, key: Any) -> Executed:
        executed = Executed(is_users)
        note(self._executed, key, executed)
        return executed

    def _count_attempt(self, key: Any, reason: str) -> bool:
        """Count a run of which no program came; after many, the function is left to the tape."""
        attempts = self._attempts.get(key, 0) + 1
        note(self._attempts, key, attempts)
        if attempts > MOST_ATTEMPTS:
            self._leave_out(key, reason, may_be_tried_again=False)
        return attempts > MOST_ATTEMPTS

    def _keep(self, key: Any, draft: Draft, earlier: list[Draft]) -> None:
        if self._count_attempt(key, "each of its runs goes another path"):
            return
        # each holds on to all the arrays of a run
        if len(self._drafts) >= MOST_PROGRAMS:
            self._drafts.pop(next(iter(self._drafts)))
        self._drafts[key] = [draft, *earlier[: MOST_DRAFTS - 1]]

    def prepare(self, *args: Any, **options: Any) -> None:
        """Compile the program of a call now, without waiting for a second one of its kind.

        The function runs twice for that, on copies of the arrays that it is given. Where it cannot
        be compiled, `explain` says why.
        """
        try:
            key, leaves = signature(args, options)
        except (SeenFromOutsideError, TypeError) as error:
            self._note(str(error))
            return
        with self._lock, collections_paused():
            if self._program_for(key) is not None:
                return
            try:
                self._prepare(key, args, options)
            except NotCompiledError as error:
                self._leave_out(key, str(error), error.may_be_tried_again)

    def _prepare(self, key: Any, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        one = self._draft(key, args, options)
        if self._by_draft(key, one, *copied(args, options)) is not NOTHING:
            return
        other = self._draft(key, args, options, one)
        if not agreed(one, other):
            raise NotCompiledError("two runs on the same numbers go different paths")
        self._add_program(key, one.compiled or self._translated(other))

    def _draft(
        self,
        key: Any,
        args: tuple[Any, ...],
        options: dict[str, Any],
        earlier: Draft | None = None,
    ) -> Draft:
        """Record a call on copies of its arguments; what it captures is as before afterwards."""
        kinds, frozen, reason = self._inputs(key), frozenset(self.frozen), ""
        with self._undone(args, options) as undo:
            for _ in range(MOST_ATTEMPTS):
                copies, named = copied(args, options)
                executed = self._executed.get(key)
                try:
                    return self._record(copies, named, frozen, kinds, earlier, executed)
                except UnfollowedError:
                    if self._is_followed(key):
                        raise
                    self._traced(self._new_executed(key), copies, named)
                except RanMoreError as error:
                    reason = str(error)
                undo()
        raise NotCompiledError(reason)

    def _program_for(self, key: Any) -> CompiledProgram | None:
        """The program that covers a call, as far as that is known without running it."""
        for program in self._programs.get(key, []):
            if not isinstance(program.check(), int):
                return program
        return None

    def _forget_outdated(self) -> None:
        """Forget programs of rules that are replaced."""
        with self._lock:
            kept = {
                key: [each for each in programs if each.is_current()]
                for key, programs in self._programs.items()
            }
            self._programs = {key: programs for key, programs in kept.items() if programs}
            self._count = sum(map(len, self._programs.values()))
            self._frequent, self._calls = None, 0

    def _leave_out(self, key: Any, reason: str, may_be_tried_again: bool) -> None:
        if may_be_tried_again and key not in self._tried:
            note(self._tried, key, True)
            return
        self._note(reason)
        if len(self._left_out) < 4 * MOST_PROGRAMS:  # each holds on to what is in its key
            self._left_out[key] = reason
        self._warn(reason, "change that, or leave out compiled")

    def _note(self, reason: str) -> None:
        if reason not in self.reasons and len(self.reasons) < MOST_PROGRAMS:
            self.reasons.append(reason)

    def _tell_of_many(self) -> None:
        reason = f"there are {MOST_PROGRAMS} programs of it already"
        self._note(reason)
        self._warn(reason, "each serves calls of one kind, and guards() says what is checked")

    def _warn(self, reason: str, instead: str) -> None:
        """Warn, once, that calls run on the tape."""
        if self._has_warned:
            return
        self._has_warned = True
        frame = calling_frame()
        warnings.warn_explicit(
            f"{self!r} runs on the tape: {reason}; {instead}",
            NotCompiledWarning,
            frame.f_code.co_filename,
            frame.f_lineno,
        )

    def _translated(self, draft: Draft) -> CompiledProgram:
        """Compile what was recorded; where that raises, by a fault of the compiler, it is left."""
        count = len(draft.program.steps)
        if count > MANY_STEPS:
            _log.warning(
                "%r compiles a program of %d steps now, for seconds; later calls run it",
                self,
                count,
            )
        try:
            return translated(draft, self.function, self._translate)
        except Exception as error:
            if settings.faults_raise:
                raise
            text = f"{type(error).__name__}: {error}"
            self.faults[text] = self.faults.get(text, 0) + 1
            raise NotCompiledError(f"the compiler raised {text}; report this") from error

    def _translate(self, program: Program, name: str) -> Executable:
        """Compile a program, by XLA if that is asked for and possible."""
        if self.to == "jax" and program.asks_errors:
            self._note('it is compiled to="numpy", because it asks for errors of NumPy\'s')
        elif self.to == "jax":
            from chainrules_programs.compiling.to_jax import jax_executable

            try:
                return jax_executable(program, name)
            # of JAX's there are many, for what cannot be traced; NumPy's program is right
            except Exception as error:
                self._note(f'it is compiled to="numpy", because: {error}')
        if self.to == "c":
            from chainrules_programs.compiling.to_c import c_executable

            try:
                return c_executable(program, name)
            except NotRecordedError as error:
                self._note(f'it is compiled to="numpy", because: {error}')
        if self.to == "math":
            return executable_on_floats(program, name)
        return executable(optimized(program), name=name)

    # Looking inside

    def source(self, *args: Any, **options: Any) -> str:
        """The program of a call as a module of Python, which imports nothing of ours.

        The function runs for that, on copies of its arguments, which become the example that the
        module checks itself with. What it captures becomes constants.
        """
        from chainrules_programs.compiling.inspection import module_of

        try:
            draft = self._draft(signature(args, options)[0], args, options)
            return module_of(self.function, draft, *copied(args, options))
        except (NotCompiledError, NotRecordedError, NotWritable) as error:
            own = "needs no text" if isinstance(error, NotWritable) else "runs on the tape"
            where, instead = f"{self!r}.source", f"call the function: it {own}"
            raise InputError(
                where, str(error), instead, function=self.function, argument=0, value=args
            ) from error

    def save(self, path: str | os.PathLike[str], *args: Any, **options: Any) -> None:
        """Write the program of a call into a file; running that compares it with what it is now."""
        text = self.source(*args, **options)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def programs(self) -> list[CompiledProgram]:
        """All programs, of all signatures."""
        return [program for each in list(self._programs.values()) for program in each]

    def count_of_programs(self) -> int:
        """How many programs there are."""
        return len(self.programs())

    def explain(self) -> str:
        """Describe how its calls run: the programs, their checks, why others stay on the tape."""
        from chainrules_programs.compiling.inspection import description

        return description(self)

    def guards(self) -> list[str]:
        """List the conditions that are checked before a program runs, as sentences."""
        return list(dict.fromkeys(guard for program in self.programs() for guard in program.guards))


def remade(function: Callable[..., Any], to: str, frozen: tuple[str, ...]) -> Compiled:
    """Make a compiled function, as one that was pickled: without its programs."""
    return Compiled(function, to, frozen)


def note(known: dict[Any, Any], key, value) -> None:
    """Note something of a signature; where there are many, the oldest one is forgotten."""
    known.pop(key, None)
    known[key] = value
    if len(known) > MOST_NOTED:
        del known[next(iter(known))]


def copied(args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The arguments of a call, with copies of the arrays among them."""
    leaves, rebuilt = flatten((args, options))
    return rebuilt([x.copy("K") if type(x) is np.ndarray else x for x in leaves])


def run(program: CompiledProgram, captured, inputs: list[Any]) -> Any:
    """Run a program; return `_OTHER` where another program may cover the call, else a `Left`.

    A call is left to the function where zero meets infinity, and where the program raises: then the
    function says what is wrong, with the user's lines. The first warnings of NumPy's are left to
    it, too. Whoever goes on with them has the others from the program's lines.
    """
    if program.written:
        return run_writing(program, [*captured, *inputs])
    is_told = not program.is_silent and program.warnings < MOST_WARNINGS
    token = raise_reported() if is_told else None  # 0.25 us
    try:
        if program.sets_errors:
            with np.errstate(all="raise"):
                found = program.run(*captured, *inputs)
        else:
            found = program.run(*captured, *inputs)
    except GuardFailedError:
        return _OTHER
    except FloatingPointError:
        program.warnings += 1
        return _LEFT
    except Exception as error:
        return Left(error)
    finally:
        if token is not None:
            relax(token)
    if program.has_nan is not None and program.has_nan(found):
        return _LEFT  # zero times NaN is zero, too, and raises nothing
    if program.does_more:
        return program.ended(found)
    return found if program.rebuilt is None else program.rebuilt(found)


def run_writing(program: CompiledProgram, inputs: list[Any]) -> Any:
    """Run a program that writes into its inputs; take back what it wrote where it fails."""
    written = [inputs[k] for k in program.written]
    if shares_memory(written, inputs):
        return _LEFT
    saved = [x.copy("K") for x in written]
    try:
        found = program.run(*inputs)
    except Exception as error:
        for x, former in zip(written, saved, strict=True):
            if x.flags.writeable:
                x[...] = former
        if isinstance(error, GuardFailedError):
            return _OTHER
        return _LEFT if isinstance(error, FloatingPointError) else Left(error)
    if program.does_more:
        return program.ended(found)
    return found if program.rebuilt is None else program.rebuilt(found)


def shares_memory(written: list[Any], inputs: list[Any]) -> bool:
    """Whether an array that is written shares memory with another input."""
    arrays = [x for x in inputs if type(x) is np.ndarray]
    return any(
        one is not other and np.may_share_memory(one, other) for one in written for other in arrays
    ) or any(sum(one is other for other in arrays) > 1 for one in written)
