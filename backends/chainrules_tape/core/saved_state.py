"""What a function may change when it runs: saved before its first run, and put back for a second one.

Saved are the variables that its code names, the containers, plain arrays and attributes of objects
that are reached from these and from the arguments, and the states of generators of random numbers.
Nothing can be put back where an iterator is reached, from which a function may draw, or more
objects than are looked at, or where something has changed that another thread may have written: an
object with a lock, or anything if a thread has run meanwhile that may run the user's code. Files,
and what objects keep in C, are not looked at.

A module that nobody has imported has made no object that a function could reach. So a first
derivative imports neither generators of random numbers nor `array` (`there`).
"""

import _io
import sys
import time
from _thread import RLock, allocate_lock, get_ident
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from operator import call, is_
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.introspection import (
    closure_values,
    frames_outward,
    module_name,
    names_in,
)
from chainrules_py.values.structure import slot_names
from chainrules_py.values.wrappers import wrapped_parts
from chainrules_tape.refusals.code_owners import is_own, is_users

MOST_BYTES = 2**26  # of arrays that are copied; larger ones are compared by a sum
MOST = 10_000  # objects that are looked at
_ABSENT = object()
UNCHANGED = frozenset({int, float, complex, str, bytes, bool, type(None), np.float64, np.ufunc})
PLAIN = UNCHANGED | {np.ndarray}
_FILES = _io._IOBase
_LOCKS = frozenset({type(allocate_lock()), type(RLock())})


def reached(
    start: list[Any],
    parts_of: Callable[[Any], Iterable[Any]],
    most: int,
    leaves: frozenset[Any] = PLAIN,
) -> list[Any]:
    """What is reached from some objects by the parts of each thing, but for what has none."""
    found, seen = [*start], set(map(id, start))
    for each in found:  # which grows
        for part in parts_of(each):
            if type(part) not in leaves and id(part) not in seen:
                seen.add(id(part))
                found.append(part)
        if len(found) > most:
            break
    return found


class SavedState:
    """What a function that is called with some arguments may change, as it is now."""

    def __init__(self, function: Function, args: Any) -> None:
        self.variables: list[tuple[Any, str, Any]] = []
        self.containers: list[tuple[Any, Any]] = []
        self.arrays: list[tuple[np.ndarray, Any]] = []
        self.generators: list[tuple[Any, Any]] = []
        self.spawned: list[tuple[np.random.SeedSequence, int]] = []
        self.iterators: list[Any] = []
        self.bytes = 0
        self.others = times_of_others()
        ours = there("numpy.random.mtrand", "_rand"), there("random", "_inst")
        try:
            found = reached([*ours, function, args], self._visit, MOST, UNCHANGED)
            self.is_whole = len(found) <= MOST
        # whatever an object raises that is looked at, or a container that another thread changes
        except Exception:
            self.is_whole = False

    def changed(self) -> bool:
        """Whether something is not any more as it was saved."""
        return any(True for _ in self._changes())

    def put_back(self) -> bool:
        """Put everything back; False where that cannot be done, or not be told."""
        if self.iterators or not self.is_whole:
            return False
        changes = list(self._changes())
        if None in changes or (changes and self.others != times_of_others()):
            return False
        for change in changes:
            change()  # type: ignore[misc]
        return True

    def _changes(self) -> Iterator[Callable[[], Any] | None]:
        """What puts back each thing that has changed; None where nothing does."""
        for space, name, value in self.variables:
            if read_variable(space, name) is not value:
                yield partial(set_variable, space, name, value)
        for x, parts in self.containers:
            now = entries_and_keys(x)
            if len(now) != len(parts) or not all(map(is_, now, parts)):
                yield (
                    None
                    if any(type(part) in _LOCKS for part in parts)
                    else partial(refill, x, parts)
                )
        for sequence, count in self.spawned:
            if sequence.n_children_spawned != count:
                yield None
        for values, saved in self.arrays:
            if type(saved) is int:
                if checksum(values) != saved:
                    yield None
            elif not is_same_array(values, saved):
                yield partial(np.copyto, values, saved)
        for generator, state in self.generators:
            if state_bytes(state) != state_bytes(state_of(generator)):
                yield partial(set_state, generator, state)

    def _visit(self, x) -> Iterable[Any]:
        """Save one thing; what may be changed through it is visited, too."""
        cls = type(x)  # which an object may not say itself
        if cls is ModuleType or is_written_alone(x):
            return ()
        if is_own(cls.__module__):
            return functions_in(x)
        if str(cls.__module__).startswith("numba."):  # what has been compiled stays so
            return [getattr(x, name, None) for name in ("py_func", "_dispatcher")]
        if issubclass(cls, np.ndarray):
            self._save_array(x)
            return ()
        if issubclass(cls, (list, dict, set, deque, bytearray, there("array", "array"))):
            parts = entries_and_keys(x)
            self.containers.append((x, parts))
            return parts
        if cls is tuple or cls is frozenset:
            return tuple(x)
        if cls is there("numpy.random", "SeedSequence"):
            self.spawned.append((x, x.n_children_spawned))
            return ()
        if cls is there("numpy.random", "Generator"):
            return (x.bit_generator,)
        if issubclass(cls, (*of_states(), there("numpy.random", "BitGenerator"))):
            self.generators.append((x, state_of(x)))
            return (getattr(x, "seed_seq", None),)
        if cls is BuiltinFunctionType:  # such as `random.random`
            return (x.__self__,)
        if cls is FunctionType:
            return self._parts_of_function(x)
        if hasattr(cls, "__next__"):
            self.iterators.append(x)
            return ()
        return self._parts_of_object(x)

    def _parts_of_function(self, f: FunctionType) -> Iterator[Any]:
        yield from (f.__defaults__ or ())
        yield f.__kwdefaults__
        yield vars(f)
        if is_own(f.__module__):
            yield from functions_in(f)
        if not is_users(f.__globals__.get("__name__")):
            return
        for cell in f.__closure__ or ():
            yield self._save_variable(cell, "cell_contents")
        yield from self._save_names(f.__globals__, names_in(f.__code__), set())

    def _save_names(
        self, space: dict[str, Any], names: frozenset[str], opened: set[int]
    ) -> Iterator[Any]:
        opened.add(id(space))
        for name in names & space.keys():
            found = self._save_variable(space, name)
            yield found
            is_users_module = type(found) is ModuleType and is_users(found.__name__)
            if is_users_module and id(vars(found)) not in opened:
                yield from self._save_names(vars(found), names, opened)

    def _parts_of_object(self, x) -> Iterator[Any]:
        """The function in a wrapper; the attributes of an object, and of a class of the user's own."""
        yield from wrapped_parts(x)
        cls = x if isinstance(x, type) else type(x)
        is_own_class = is_users(cls.__module__)
        if is_own_class and x is not cls:
            yield cls
        if type(x).__dictoffset__ and x is not cls:
            yield object.__getattribute__(x, "__dict__")
        elif is_own_class:
            for name in vars(x) if x is cls else slot_names(cls):
                if not name.startswith("__"):
                    yield self._save_variable(x, name)

    def _save_variable(self, space, name: str) -> Any:
        found = read_variable(space, name)
        self.variables.append((space, name, found))
        return found

    def _save_array(self, x: np.ndarray) -> None:
        if not x.flags.writeable:
            return
        x = x.view(np.ndarray)
        self.bytes += x.nbytes
        saved = x.copy() if self.bytes <= MOST_BYTES else checksum(x)
        self.arrays.append((x, saved))


def times_of_others() -> dict[int, Any]:
    """How long each other thread has run that may run code of the user's: one that has begun in some,
    or one of Python's own that runs what it is handed, as those of pools and timers.

    Where the system does not tell, no time is equal to another.
    """
    clocks = clocks_of_threads()
    own, found = get_ident(), {}
    for thread, frame in sys._current_frames().items():
        names = list(map(module_name, frames_outward(frame)))
        of_python = [name.partition(".")[0] in sys.stdlib_module_names for name in names]
        is_pools = not _POOLS.isdisjoint(names)
        if thread != own and (is_pools or all(of_python) or any(map(is_users, names))):
            found[thread] = clocks.get(thread, object)()
    return found


def clocks_of_threads() -> dict[int, Callable[[], int]]:
    """What tells how long each thread has run; empty where the system does not tell."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None:
        return {}
    # one call in C, as the system must not be asked for a thread that ends meanwhile
    clocks = dict(zip(threads(), map(clock_of, threads()), strict=True))
    return {thread: partial(time_of_clock, clock) for thread, clock in clocks.items()}


def threads() -> Iterator[int]:
    """The threads there are when the first of them is taken."""
    return chain.from_iterable(map(call, [sys._current_frames]))


def time_of_clock(clock: int) -> Any:
    """Nanoseconds that a thread has run, or what is equal to nothing where it has ended."""
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return object()


_POOLS = frozenset({"concurrent.futures.thread", "multiprocessing.pool"})


def is_written_alone(x) -> bool:
    """Whether an object is a log, or a file that nothing is read from."""
    if issubclass(type(x), _FILES):
        return x.closed or not x.readable()
    return issubclass(type(x), there("logging", "Filterer"))


class Nobody:
    """The class of no object: what stands for a class whose module is not imported."""


def functions_in(x) -> list[Any]:
    """The functions, and objects that are called, which a function, a method or an object of this
    library holds.
    """
    if issubclass(type(x), partial):  # an object may do anything when it is asked for its class
        held = [x.func, *x.args, *x.keywords.values()]
    elif type(x) is FunctionType:
        held = list(closure_values(x).values())
    elif type(x) is MethodType:
        held = [x.__self__]
    else:
        held = list(
            object.__getattribute__(x, "__dict__").values() if type(x).__dictoffset__ else ()
        )
    return [each for each in held if callable(each) and not issubclass(type(each), type)]


def there(module: str, name: str) -> Any:
    """What a module has, if somebody has imported it, and else what no object is."""
    return getattr(sys.modules.get(module), name, Nobody)


def of_states() -> tuple[Any, Any]:
    """The classes of generators whose methods give their state: Python's and NumPy's older one."""
    return there("random", "Random"), there("numpy.random", "RandomState")


def read_variable(space, name: str) -> Any:
    """The value of a variable in globals, in a cell, or of an attribute as it is stored."""
    if type(space) is dict:
        return space.get(name, _ABSENT)
    if isinstance(space, type):
        return vars(space).get(name, _ABSENT)
    try:
        return getattr(space, name)
    except (AttributeError, ValueError):
        return _ABSENT


def set_variable(space, name: str, value) -> None:
    """Give a variable the value that it had."""
    if type(space) is dict and value is _ABSENT:
        space.pop(name, None)
    elif type(space) is dict:
        space[name] = value
    elif value is _ABSENT:
        delattr(space, name)
    else:
        setattr(space, name, value)


def entries_and_keys(x) -> tuple[Any, ...]:
    """The entries of a container, and keys of a dict before them."""
    return (*dict.keys(x), *dict.values(x)) if isinstance(x, dict) else tuple(x)


def refill(x, parts: tuple[Any, ...]) -> None:
    """Give a container the entries that it had."""
    if isinstance(x, dict):
        half = len(parts) // 2
        dict.clear(x)
        dict.update(x, zip(parts[:half], parts[half:], strict=True))
    elif isinstance(x, list | bytearray):
        x[:] = parts
    elif isinstance(x, there("array", "array")):
        del x[:]
        x.extend(parts)
    else:
        x.clear()
        (x.update if isinstance(x, set) else x.extend)(parts)


def is_same_array(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same bits, or the same objects."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return True  # a shape was assigned, which nothing puts back
    if a.dtype.hasobject:
        return all(map(is_, a.ravel(), b.ravel()))
    return a.tobytes() == b.tobytes()


def checksum(x: np.ndarray) -> int:
    """A sum of the bytes of an array, without a copy where its memory is one piece."""
    adler32 = import_module("zlib").adler32  # for large arrays alone
    return adler32(np.ascontiguousarray(x).view(np.uint8).data) if x.dtype.kind != "O" else 0


def state_of(generator) -> Any:
    """The state of a generator of random numbers."""
    of_pythons, of_numpys = of_states()
    if isinstance(generator, of_pythons):
        return generator.getstate()
    if isinstance(generator, of_numpys):
        return generator.get_state(legacy=False)
    return generator.state


def set_state(generator, state) -> None:
    """Give a generator the state that it had."""
    of_pythons, of_numpys = of_states()
    if isinstance(generator, of_pythons):
        generator.setstate(state)
    elif isinstance(generator, of_numpys):
        generator.set_state(state)
    else:
        generator.state = state


def state_bytes(state) -> str:
    """A state as text that can be compared: parts of it may be arrays."""
    if isinstance(state, dict):
        return str({name: state_bytes(part) for name, part in state.items()})
    return str(state.tobytes()) if isinstance(state, np.ndarray) else str(state)
