"""The scope in which packages are seen through."""

import sys
import threading
from collections.abc import Iterable
from contextlib import ContextDecorator
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from chainrules_foreign_code.decisions import begin_to_note, stop_noting
from chainrules_foreign_code.imports import Imports
from chainrules_foreign_code.own_modules import OF_NUMPY
from chainrules_foreign_code.plans import arrive, follow_packages
from chainrules_tape.refusals.errors import InputError
from chainrules_tape.refusals.instrumented_packages import is_seen, packages

lock = threading.RLock()


def see_through_imported(modules: Iterable[ModuleType]) -> None:
    """Begin to see through modules that have just been imported."""
    with lock:
        if packages:
            arrive(modules)


def require_package(name: str) -> None:
    """Raise where there is no module of a name."""
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


class Scope(ContextDecorator):
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

    def __enter__(self) -> "Scope":
        self.require_packages()
        with lock:
            if not packages:
                _imports.install()
                begin_to_note()
            packages.update(self.packages)
            try:
                follow_packages()
            # whatever an object raises that is looked at: nothing is left half done
            except BaseException:
                Scope.__exit__(self)
                raise
        return self

    def __exit__(self, *error: Any) -> None:
        with lock:
            packages.subtract(self.packages)
            for package in self.packages:
                if not packages[package]:
                    del packages[package]
            follow_packages()
            if not packages:
                _imports.remove()
                stop_noting()

    def for_good(self) -> None:
        """See through the packages from now on, to the end of the process."""
        self.__enter__()
