"""The scope in which packages are seen through."""

import sys
from collections.abc import Iterable
from contextlib import ContextDecorator
from importlib.util import find_spec
from types import ModuleType

from chainrules_foreign_code.decisions import begin_to_note, stop_noting
from chainrules_foreign_code.imports import Imports
from chainrules_foreign_code.own_modules import OF_NUMPY, OWN
from chainrules_foreign_code.plans import arrive, follow_packages
from chainrules_py.introspection import Entry, SharedScope, newest, process_lock
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.instrumented_packages import is_seen, packages

lock = process_lock()
_wanted: dict[Entry, tuple[str, ...]] = {}  # the packages of each scope that lasts


def see_through_imported(modules: Iterable[ModuleType]) -> None:
    """Begin to see through modules that have just been imported."""
    with lock:
        if packages:
            arrive(modules)


def require_package(name: str) -> None:
    """Raise where there is no module of a name, or one of this library's."""
    if name.partition(".")[0] in OWN:
        where, got = f'seen_through("{name}")', "this library's own code"
        instead = "leave it out: it takes traced values as it stands"
        raise InputError(where, got, instead, function=Scope, argument=0, value=name)
    if name not in sys.modules and find_spec(name.partition(".")[0]) is None:
        where, got = f'seen_through("{name}")', "no module of this name"
        raise InputError(
            where,
            got,
            "name packages and modules as they are imported",
            function=Scope,
            argument=0,
            value=name,
        )


def names_seen(name: str) -> tuple[str, ...]:
    """The packages that are seen through where a name is given: of NumPy, the polynomials alone.

    The functions in NumPy's other modules hand traced values over by themselves, and our rules are
    found by these functions, so no other ones may stand under their names.

    >>> names_seen("numpy"), names_seen("numpy.linalg"), names_seen("colorsys")
    (('numpy.polynomial',), (), ('colorsys',))
    """
    if name.partition(".")[0] != "numpy" or f"{name}.".startswith(f"{OF_NUMPY}."):
        return (name,)
    return (OF_NUMPY,) if name == "numpy" else ()


_imports = Imports(is_seen, see_through_imported)


def see_through_wanted() -> None:
    """See through the packages of all scopes that last, and through no others.

    This may be called again where it was interrupted, and by a signal handler inside of it.
    """
    wanted = dict.fromkeys(name for names in _wanted.copy().values() for name in names)
    for name in packages.keys() - wanted.keys():
        packages.pop(name, None)
    packages.update(wanted)
    if _wanted:  # also of a scope that names nothing, which notes decisions
        _imports.install()
        begin_to_note()
    follow_packages()
    if not _wanted:
        _imports.remove()
        stop_noting()


class Scope(SharedScope, ContextDecorator):
    """A scope in which the modules of some packages are differentiated as they stand.

    Use it in a ``with`` statement, as a decorator, or for the rest of the process with `for_good`.
    """

    def __init__(self, *packages: str) -> None:
        self.given = packages
        self.packages = [seen for name in packages for seen in names_seen(name)]

    def require_packages(self) -> None:
        """Raise where something was named that is no package or module."""
        for package in self.given:
            require_package(package)

    def begin(self, entry: Entry) -> None:
        """See through the packages, too."""
        self.require_packages()
        with lock:
            _wanted[entry] = tuple(self.packages)
            see_through_wanted()

    def end(self, entry: Entry) -> None:
        """See through those of other scopes only."""
        with lock:
            _wanted.pop(entry, None)
            see_through_wanted()

    def for_good(self) -> None:
        """See through the packages from now on, to the end of the process."""
        self.__enter__()
        entry = newest(self)
        assert entry is not None
        entry.thread = None
