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
from dataclasses import dataclass, field, replace
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
    put_back,
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
MOST_NOTED = 64  # signatures of which something is known
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


@dataclass(eq=False)
class Known:
    """What is known of the calls of one signature: their programs, and what came of other runs."""

    programs: list[CompiledProgram] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    attempts: int = 0  # runs of which no program came
    executed: Executed | None = None  # the code that ran, where more is reached by name
    is_tried_again: bool = False
    is_left_out: bool = False  # left to the function


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
        self._known: dict[Any, Known] = {}  # by signature
        self._frequent: FrequentCalls | None = None
        self._calls = 0  # by the key of their signature, since a program was added
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
            known = self._known.get(key)
        except (SeenFromOutsideError, TypeError) as error:  # some values have no hash
            return self._seen_from_outside(error, args, options)
        if known is not None and known.programs:
            inputs = leaves if key[0] is None else [x for x in leaves if is_input(x)]
            found = self._by_programs(known.programs, inputs, args, options)
            if found is not _OTHER:
                if not options:
                    self._note_call(known.programs, args)
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
            runs = run_writing if program.written else run
            found = runs(program, captured, inputs)
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

    def _note_call(self, programs: list[CompiledProgram], args: tuple[Any, ...]) -> None:
        """Count a call by its key; after a few, recognise those like it without one."""
        self._calls += 1
        if self._calls == OFTEN:
            match = matcher(args)
            if match is not None:
                self._frequent = FrequentCalls(match, programs)

    def _of(self, key: Any) -> Known:
        """What is known of a signature; of many that have no programs, the oldest is forgotten."""
        known = self._known.pop(key, None) or Known()
        self._known[key] = known
        if len(self._known) > MOST_NOTED:
            del self._known[next(key for key, each in self._known.items() if not each.programs)]
        return known

    def _add_program(self, known: Known, program: CompiledProgram) -> None:
        """Add a program, before the others: the newest is likelier to be the next."""
        known.programs = [program, *known.programs]
        self._frequent, self._calls = None, 0

    def _without_program(self, key: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Record a call of which no program is known, or call the function."""
        known = self._known.get(key)
        if known is not None and known.is_left_out:
            return self.function(*args, **options)
        if self.count_of_programs() >= MOST_PROGRAMS:
            self._forget_outdated()
        if self.count_of_programs() >= MOST_PROGRAMS:
            self._tell_of_many()
            return self.function(*args, **options)
        # a call from inside of the function, or from another thread meanwhile
        if not self._lock.acquire(blocking=False):
            return self.function(*args, **options)
        known = self._of(key)
        try:
            with collections_paused():  # each pause that ends is followed by a visit to all steps
                return self._recorded(known, args, options)
        except UnfollowedError as error:
            if not is_followed(known):
                known.executed = Executed(is_users)
                if error.value is not NOTHING:
                    return error.value
                return self._traced(known.executed, args, options)
            self._leave_out(known, str(error), error.may_be_tried_again)
            value = error.value
        except RanMoreError as error:
            self._count_attempt(known, str(error))
            value = error.value
        except OneMemoryError as error:  # other calls of its signature are compiled
            value = error.value
        except NotCompiledError as error:
            if error.may_be_tried_again and known.is_tried_again and not is_followed(known):
                known.executed = Executed(is_users)  # code that does not run may read it
            else:
                self._leave_out(known, str(error), error.may_be_tried_again)
            value = error.value
        finally:
            self._lock.release()
        return self.function(*args, **options) if value is NOTHING else value

    def _recorded(self, known: Known, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Record a call and return its value; compile it, if it was recorded before."""
        for each in known.drafts:
            found = self._by_draft(known, each, args, options)
            if found is not NOTHING:
                return found
        if known.executed is not None and not known.executed.has_run:
            return self._traced(known.executed, args, options)
        draft = self._record(known, args, options, next(iter(known.drafts), None))
        try:
            self._compile(known, draft)
        except NotCompiledError as error:
            known.drafts = []
            self._leave_out(known, str(error), may_be_tried_again=False)
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

    def _record(
        self, known: Known, args: tuple[Any, ...], options: dict[str, Any], earlier: Draft | None
    ) -> Draft:
        """Record a call.

        Positions and masks are constants as long as they do not change: what is computed from them
        alone is then computed once.
        """
        is_changing = len(known.programs) > 1 or known.attempts > 2
        kinds, frozen = "fciub" if is_changing else "fc", frozenset(self.frozen)

        def recorded() -> tuple[Draft, dict[int, list[Any]]]:
            draft = record_call(
                self.function, args, options, frozen, kinds, earlier, known.executed
            )
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
        self, known: Known, draft: Draft, args: tuple[Any, ...], options: dict[str, Any]
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
        self._add_program(known, program)
        known.drafts = [each for each in known.drafts if each is not draft]
        return found

    def _compile(self, known: Known, draft: Draft) -> None:
        """Compile a recorded call if an earlier one was the same program, else keep it."""
        earlier = [each for each in known.drafts if each.may_agree(draft)]
        other = next((each for each in earlier if agreed(draft, each)), None)
        known.drafts = [each for each in earlier if each is not other]
        if other is None:
            self._keep(known, draft)
        else:
            self._add_program(known, other.compiled or self._translated(draft))

    def _count_attempt(self, known: Known, reason: str) -> None:
        """Count a run of which no program came; after many, the function is left to the tape."""
        known.attempts += 1
        if known.attempts > MOST_ATTEMPTS:
            self._leave_out(known, reason, may_be_tried_again=False)

    def _keep(self, known: Known, draft: Draft) -> None:
        known.drafts = [draft, *known.drafts[: MOST_DRAFTS - 1]]
        self._count_attempt(known, "each of its runs goes another path")
        waiting = [each for each in self._known.values() if each.drafts]
        if len(waiting) > MOST_PROGRAMS:  # each holds on to all the arrays of a run
            waiting[0].drafts = []

    def prepare(self, *args: Any, **options: Any) -> None:
        """Compile the program of a call now, without waiting for a second one of its kind.

        The function runs twice for that, on copies of the arrays that it is given. Where it cannot
        be compiled, `explain` says why.
        """
        try:
            key, _ = signature(args, options)
            hash(key)
        except (SeenFromOutsideError, TypeError) as error:
            self._note(str(error))
            return
        with self._lock, collections_paused():
            known = self._of(key)
            # as far as it is known without running it, a program covers the call
            if any(type(program.check()) is tuple for program in known.programs):
                return
            try:
                self._prepare(known, args, options)
            except NotCompiledError as error:
                self._leave_out(known, str(error), error.may_be_tried_again)

    def _prepare(self, known: Known, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        one = self._draft(known, args, options)
        if self._by_draft(known, one, *copied(args, options)) is not NOTHING:
            return
        other = self._draft(known, args, options, one)
        if not agreed(one, other):
            raise NotCompiledError("two runs on the same numbers go different paths")
        self._add_program(known, one.compiled or self._translated(other))

    def _draft(
        self,
        known: Known,
        args: tuple[Any, ...],
        options: dict[str, Any],
        earlier: Draft | None = None,
    ) -> Draft:
        """Record a call on copies of its arguments; what it captures is as before afterwards."""
        reason = ""
        with self._undone(args, options) as undo:
            for _ in range(MOST_ATTEMPTS):
                copies, named = copied(args, options)
                try:
                    return self._record(known, copies, named, earlier)
                except UnfollowedError:
                    if is_followed(known):
                        raise
                    known.executed = Executed(is_users)
                    self._traced(known.executed, copies, named)
                except RanMoreError as error:
                    reason = str(error)
                undo()
        raise NotCompiledError(reason)

    def _forget_outdated(self) -> None:
        """Forget programs of rules that are replaced."""
        with self._lock:
            for known in self._known.values():
                known.programs = [each for each in known.programs if each.is_current()]
            self._frequent, self._calls = None, 0

    def _leave_out(self, known: Known, reason: str, may_be_tried_again: bool) -> None:
        if may_be_tried_again and not known.is_tried_again:
            known.is_tried_again = True
            return
        known.is_left_out = True
        self._note(reason)
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
        """Compile a program, by XLA or in C if that is asked for and possible."""
        to = self.to
        if to != "numpy" and program.asks_errors:  # which NumPy alone reports
            self._note('it is compiled to="numpy", because it asks for errors of NumPy\'s')
            to = "numpy"
        try:
            if to == "jax":
                from chainrules_programs.compiling.to_jax import jax_executable

                return jax_executable(program, name)
            if to == "c":
                from chainrules_programs.compiling.to_c import c_executable

                return c_executable(program, name)
        # of JAX's there are many, for what cannot be traced; NumPy's program is right
        except Exception as error:
            if to != "jax" and not isinstance(error, NotRecordedError):
                raise
            self._note(f'it is compiled to="numpy", because: {error}')
        if to == "math":
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
            known = self._known.get(signature(args, options)[0]) or Known()
            draft = self._draft(known, args, options)
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
        return [program for each in list(self._known.values()) for program in each.programs]

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


def is_followed(known: Known) -> bool:
    """Whether it is known, or cannot be, which instructions run in calls of a signature."""
    return known.executed is not None or is_traced()


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


def run_writing(program: CompiledProgram, captured, inputs: list[Any]) -> Any:
    """Run a program that writes into its inputs; take back what it wrote where it does not end well."""
    given = [*captured, *inputs]
    arrays = [x for x in given if type(x) is np.ndarray]
    written = [given[k] for k in program.written]
    if any(sum(np.may_share_memory(one, x) for x in arrays) > 1 for one in written):
        return _LEFT
    saved = [x.copy("K") for x in written]
    found = run(program, captured, inputs)
    if found is _OTHER or type(found) is Left:
        put_back(written, saved)
    return found
