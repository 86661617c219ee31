"""Programs as they stand: code that a refusal names is seen through, and the derivative computed again.

Each entry point comes here with an error of its function (`again`). Where that is a refusal which a scope
answers (`error.unseen`), the outermost derivative runs once more with that code seen through
(`chainrules_foreign_code.following`).
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import _lru_cache_wrapper, partial
from inspect import unwrap
from types import CellType, FunctionType, MethodType
from typing import Any
from weakref import ref

import numpy as np

from chainrules_py.annotations import Args, Function
from chainrules_py.introspection import asks_what_a_value_is, may_search
from chainrules_tape.core.levels import differentiates_here
from chainrules_tape.core.reached_code import (
    MOST,
    Watched,
    code_or_class,
    held_by,
    held_or_named_by,
    is_for_engines,
    is_users_function,
    name_others,
    watched_from,
)
from chainrules_tape.core.saved_state import PLAIN, SavedState, functions_in, reached
from chainrules_tape.refusals.code_owners import is_own
from chainrules_tape.refusals.instrumented_packages import files, foreign_code, needed_by
from chainrules_tape.refusals.unseen import is_seen_by_itself


def without_cache(function: Any) -> Any:
    """A function itself in the place of one that keeps its results by its arguments."""
    return function.__wrapped__ if type(function) is CACHED else function


CACHED = _lru_cache_wrapper
NUMPYS = frozenset({type(np.sum), np.ufunc})
# what the function of the outermost derivative may change, as it was before its first run
saved: ContextVar[Any] = ContextVar("saved", default=None)


def written_function(function: Function) -> Any:
    """The function in which the code of a callable is written, if that is Python's; of what this
    library has made of a function, that function.
    """
    waiting, looked_at = [function], 0
    while waiting and looked_at < MOST:
        each, looked_at = waiting.pop(0), looked_at + 1
        found = own_code(each)
        if found is not None and not is_own(found.__module__):
            return found
        if found is not None or is_own(type(each).__module__):
            waiting += functions_in(each)
    return None


def own_code(function: Function) -> FunctionType | None:
    """The function that runs where a callable is called, if that is Python's."""
    found: Any = unwrap(function)
    while isinstance(found, partial | MethodType):
        found = unwrap(found.func if isinstance(found, partial) else found.__func__)
    if not isinstance(found, FunctionType | type):
        found = unwrap(type(found).__call__)
    return found if isinstance(found, FunctionType) else None


def what_is_seen(function: Function) -> list[str]:
    """The file that is seen through where a function is differentiated, by itself or by a mark."""
    written = written_function(function)
    is_seen = id(getattr(written, "__globals__", None)) in files
    return [f"the file {os.path.basename(written.__code__.co_filename)}"] if is_seen else []


def see_questions(function: Function) -> bool:
    """See the files of functions that a first derivative reaches and that ask what no handle answers
    as its value does, or decide by comparisons alone: nothing is refused there.

    Whether the derivative is the first one of these functions, and code is seen through by itself.
    """
    if differentiates_here() or is_as_before(function):
        return False
    function = inner_of(function)
    needed_by.pop(id(written_function(function)), None)
    held = codes_held_by(function)
    if all(map(is_looked_at, held)):
        # a function that is made for one derivative, even one that looks twice, is not looked through
        times = watched_of(function)
        is_new = times is None or times == 1
        note_watched(function, (times or 0) + 1 if is_new else watched_from(function))
        return False
    if not is_seen_by_itself():
        return False
    for each in asking_functions(function):
        foreign_code[0]("see_file_of")(each)
    for each in held:  # their codes are others where their files are seen now
        note_watched(code_or_class(each), watched_from(holding_nothing(each)))
    if type(function) is FunctionType and not held_by(function):
        note_watched(function, watched_of(function.__code__))
    return True


def codes_held_by(x) -> list[Any]:
    """The functions, classes and modules that something holds, and itself if it is one."""
    return [each for each in reached([x], held_by, MOST) if code_or_class(each) is not None]


def note_watched(x, watched: Watched | int) -> None:
    """Note what is watched of a function or an object, of all functions of a code, or of a class; or how
    often it was looked at.
    """
    key = id(x)
    with suppress(TypeError):  # of what has no weak references nothing is known
        noted[key] = ref(x, lambda _: noted.pop(key, None)), watched


def watched_of(x) -> Any:
    """What was noted of it, None if that is nothing."""
    return noted.get(id(x), (None, None))[1]


def see_questions_in(arguments: Iterable[Any]) -> None:
    """See the files of functions that the arguments of a derivative lead to: models, say."""
    if PLAIN.issuperset(map(type, arguments)) or differentiates_here():
        return  # nearly always
    for x in arguments:
        if type(x) not in PLAIN:
            see_questions(x)
            # what has been lent before may be too little for functions that are given
            if needed_by and codes_held_by(x):
                needed_by.clear()


def holding_nothing(x) -> Any:
    """A function of the code of a function, with its globals alone; a class itself."""
    if type(x) is not FunctionType:
        return x
    cells = tuple([CellType() for _ in x.__code__.co_freevars])
    return FunctionType(x.__code__, x.__globals__, closure=cells)


def is_as_before(function: Any) -> bool:
    """Whether a function that holds numbers and arrays at most, or has been looked through, names the
    same functions as then; or that whose derivative it is. NumPy's own names none of the user's.
    """
    watched, cls = watched_of(function), type(function)
    if cls is FunctionType and watched is None and PLAIN.issuperset(map(type, held_by(function))):
        watched = watched_of(function.__code__)
    if type(watched) is tuple:
        return not name_others(watched, function)
    inner = inner_of(function)
    return cls in NUMPYS if inner is function else is_as_before(inner)


def inner_of(function: Any) -> Any:
    """The function whose derivative, or whose derivative's, another one is; or that one."""
    while hasattr(type(function), "prints_as_call"):
        function = function.args[0]
    return function


def is_looked_at(x) -> bool:
    """Whether the code of a function, or a class, has been looked at, and names the same functions as
    then.
    """
    watched = watched_of(code_or_class(x))
    return watched is not None and not name_others(watched, x)


# by identity, for as long as they live, the functions, codes and classes that derivatives have reached
noted: dict[int, tuple[Any, Watched | int]] = {}


def asking_functions(function: Any) -> list[FunctionType]:
    """The user's functions that are reached from something and ask what a value is, or halve by comparisons."""
    found = filter(is_users_function, reached([function], held_or_named_by, 10 * MOST))
    codes = [(each, each.__code__) for each in found if not is_for_engines(each.__code__)]
    return [each for each, code in codes if asks_what_a_value_is(code) or may_search(code)]


def follow(entry: Function, /, *args, **options) -> Any:
    """Call an entry point, whose first argument is the function, with all seen through that a refusal
    names.
    """
    if see_questions(args[0]) and not saved.get():
        with beginning_as_now(args[0], args[1:], options):
            return follow(entry, *args, **options)
    try:
        return entry(without_cache(args[0]), *args[1:], **options)
    except Exception as error:
        attempt = again(error, partial(follow, entry), args, options)
        if attempt is None:
            raise
    return attempt(*args, **options)


def again(error: BaseException, entry: Function, args: Args, options: Any) -> Any:
    """What runs an entry point once more whose function was refused; None where its error stands.

    That is asked of the outermost derivative.
    """
    if not hasattr(error, "unseen") or differentiates_here():
        return None
    return foreign_code[0]("attempt")(error, entry, args, options)


def run_first(derivative: Function, function: Function, args: Args, options: Any) -> Any:
    """Run a derivative for the first time: what its function may change is saved, for it may have to
    run once more.
    """
    if not see_questions(function):
        return derivative(*args, **options)
    with beginning_as_now(function, args, options):
        return derivative(*args, **options)


@contextmanager
def beginning_as_now(function: Function, args: Args, options: Any) -> Iterator[Callable[[], bool]]:
    """Save what a function may change, for runs that are to begin with what there is now; what is
    given puts it back, and tells whether that was possible.

    What code that is seen has left in variables and containers is made plain at the end.
    """
    state = SavedState(function, (args, options))
    token = saved.set(state)
    try:
        yield state.put_back
    except BaseException:
        noted.clear()  # the next run is a first one
        raise
    finally:
        saved.reset(token)
        if what_is_seen(function):
            foreign_code[0]("leave_plain")(SavedState(function, (args, options)))
