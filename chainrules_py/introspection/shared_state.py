"""What all threads of a process share: locks, and scopes that change something for all of them.

A signal handler may run, and a signal, a full stack or full memory may raise, between any two steps
of Python's; and a forked child has the one thread that forked. So a lock here may be taken again by
the thread that has it, and is free in a child. The end of a scope may begin again where it was
interrupted, and does so before the exception goes on. A child ends the scopes of other threads.

What comes just as Python calls `__exit__`, before its first step, is caught by the function that
Python holds for the end of a ``with`` block: once that is gone, the scope has ended, too.
"""

import functools
import os
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from operator import call
from threading import RLock, get_ident, local
from time import monotonic, sleep
from typing import Any, Literal, Self

PATIENCE = 2.0  # seconds that a fork waits for a lock, whose holder may wait for the forking thread
ROOM = 10  # frames of Python's by which a scope ends, until it makes more room itself
MORE_ROOM = 1000

_locks: list[Any] = []
_of_objects: weakref.WeakSet[Any] = weakref.WeakSet()
_by_thread: list[dict[Any, int]] = []
_mine = local()  # of a thread: the locks that it holds while it forks, and the entry that it makes


def process_lock() -> Any:
    """Make a lock of the process: a module makes its own after those that it takes while it has it."""
    lock = RLock()
    _locks.append(lock)
    return lock


def free_in_child(lock: Any) -> Any:
    """Have a lock of one object, for which nobody waits, be free in a child."""
    _of_objects.add(lock)
    return lock


def by_thread(table: dict[Any, int]) -> dict[Any, int]:
    """Have a child forget what a table says of other threads, its values."""
    _by_thread.append(table)
    return table


def _take_locks() -> None:
    """Before a fork: wait until nobody changes what locks protect, the outermost first, or imports."""
    end = monotonic() + PATIENCE
    while True:
        _mine.held = []
        # one by one, so that what is interrupted here is released
        _mine.held.extend((lock, lock.acquire(timeout=PATIENCE)) for lock in reversed(_locks))
        if not _is_imported_elsewhere() or monotonic() > end:
            return
        _release_locks()
        sleep(0.001)


def _is_imported_elsewhere() -> bool:
    """Whether another thread imports a module: a child that asked for it would wait for ever."""
    found = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})
    owners = [getattr(lock(), "owner", None) for lock in [*found.values()]]
    return not {None, get_ident()}.issuperset(owners)


def _release_locks() -> None:
    """After a fork, in the parent."""
    for lock, is_held in _mine.held:
        if is_held:
            lock.release()


def _begin_as_child() -> None:
    """After a fork, in the child: its locks are free, and nobody else is in a scope."""
    for lock, is_held in _mine.held:
        if is_held:
            lock.release()
        else:
            lock._at_fork_reinit()
    for lock in _of_objects:
        lock._at_fork_reinit()
    for table in _by_thread:
        for key in [key for key, thread in table.items() if thread != get_ident()]:
            del table[key]
    for found in _cached_properties():
        found.lock = RLock()
    for entry in [*entries]:
        if entry.thread not in (None, get_ident()):
            finish(entry)


def _cached_properties() -> Iterator[Any]:
    """The properties of classes of ours that have a lock, one for all objects, in Python 3.11."""
    kind = functools.cached_property
    for name, module in sys.modules.copy().items() if hasattr(kind(id), "lock") else ():
        for cls in vars(module).copy().values() if name.startswith("chainrules_") else ():
            if isinstance(cls, type) and cls.__module__ == name:
                yield from (each for each in vars(cls).values() if isinstance(each, kind))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_take_locks, after_in_parent=_release_locks, after_in_child=_begin_as_child
    )


def without_interruption(*steps: Callable[[], Any]) -> None:
    """Call functions that are written in C, one after the other, with no step of Python's between."""
    deque(map(call, steps), 0)


class Entry:
    """One entry into a scope: by which thread, None for the rest of the process, and how far it is.

    `changes` is what the scope notes there to end.
    """

    def __init__(self, scope: "SharedScope") -> None:
        self.scope = scope
        self.thread: int | None = get_ident()
        self.state: Literal["ready", "begun", "ended"] = "ready"
        self.changes: list[Any] = []

    def end(self) -> None:
        """End it; this may be called again where it was interrupted, and after it has ended."""
        if self.state == "begun":
            self.scope.end(self)
        self.state = "ended"
        entries.pop(self, None)


entries: dict[Entry, None] = {}  # those that have begun, in their order


def newest(scope: "SharedScope") -> Entry | None:
    """The entry into a scope that this thread, or else another one, has made last."""
    found = [entry for entry in [*entries] if entry.scope is scope]
    own = [entry for entry in found if entry.thread == get_ident()]
    return next(reversed(own or found), None)


def finish(entry: Entry) -> None:
    """End an entry; what interrupts that is raised when it has ended."""
    if entry not in entries:  # it has not begun: in the last frame the limit cannot be put back
        entry.state = "ended"
        return
    try:
        entry.end()
    except BaseException:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + MORE_ROOM)
        try:
            entry.end()
        finally:
            sys.setrecursionlimit(limit)
        raise


def leave(entry: Entry, *error: Any) -> None:
    """Leave a scope at the end of a ``with`` block; its newest entry where `__exit__` is called by
    name, here or before.
    """
    finish(entry if entry.state == "begun" else newest(entry.scope) or entry)


def require_room(frames: int) -> None:
    """Raise RecursionError where so many frames are not left."""
    if frames:
        require_room(frames - 1)


class Exit:
    """The `__exit__` of a scope, a function for each ``with`` block."""

    def __get__(self, scope: Any, owner: type | None = None) -> Any:
        if scope is None:  # as `contextlib.ExitStack` asks for it
            return lambda scope, *error: leave(Entry(scope), *error)
        entry = _mine.ready = Entry(scope)
        function = functools.partial(leave, entry)
        weakref.finalize(function, finish, entry).atexit = False
        return function


class SharedScope:
    """A scope that changes something for all threads, and puts it back whatever interrupts it."""

    def begin(self, entry: Entry) -> None:
        """Change what lasts while the scope does."""
        raise NotImplementedError

    def end(self, entry: Entry) -> None:
        """Put it back; this may be called again where it was interrupted, or `begin` was."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        entry: Entry = vars(_mine).pop("ready", None) or Entry(self)
        if entry.scope is not self or entry.state != "ready":
            entry = Entry(self)
        try:
            require_room(ROOM)
            entries[entry], entry.state = None, "begun"
            self.begin(entry)
        except BaseException:
            finish(entry)
            raise
        return self

    __exit__: Any = Exit()
