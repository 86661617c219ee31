"""The scope in which packages are seen through: `seen_through`."""

import sys
import threading
from contextlib import ContextDecorator
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from chainrules_tape.core.errors import InputError
from chainrules_tape.core.seen import is_seen, packages
from chainrules_tape.seeing import methods as methods  # for its effect
from chainrules_tape.seeing.decisions import begin_to_note, stop_noting
from chainrules_tape.seeing.imports import Imports
from chainrules_tape.seeing.rebinding import Rebinding
from chainrules_tape.seeing.replacements import note_places

_lock = threading.RLock()
_rebound: dict[str, Rebinding] = {}  # by the name of a module


def rebind(module: ModuleType) -> None:
    """Begin to see through a module."""
    with _lock:
        name = module.__name__
        if name not in _rebound and is_seen(name):
            note_places()
            _rebound[name] = Rebinding(is_seen)
            _rebound[name].module(module)


def require_package(name: str) -> None:
    """Raise where there is no module of a name."""
    if name not in sys.modules and find_spec(name.partition(".")[0]) is None:
        where, got = f'seen_through("{name}")', "no module of this name"
        raise InputError(
            where, got, "name packages and modules as they are imported", function=seen_through, argument=0, value=name
        )


_imports = Imports(is_seen, rebind)


class seen_through(ContextDecorator):
    """A scope in which the modules of some packages are differentiated as they stand.

    Inside, what is NumPy's, SciPy's or `math`'s in these modules takes traced values, as `chainrules_tape.numpy` does; plain
    values go to the original functions. Use it in a ``with`` statement, as a decorator, or for the rest of the process with
    `for_good`.
    """

    def __init__(self, *packages: str) -> None:
        self.packages = packages

    def __enter__(self) -> "seen_through":
        for package in self.packages:
            require_package(package)
        with _lock:
            if not packages:
                _imports.install()
                begin_to_note()
            packages.update(self.packages)
            try:
                for name, module in list(sys.modules.items()):
                    if is_seen(name) and isinstance(module, ModuleType):
                        rebind(module)
            except BaseException:  # whatever an object raises that is looked at: nothing is left half done
                self.__exit__()
                raise
        return self

    def __exit__(self, *error: Any) -> None:
        with _lock:
            packages.subtract(self.packages)
            for package in self.packages:
                if not packages[package]:
                    del packages[package]
            for name in [name for name in _rebound if not is_seen(name)]:
                _rebound.pop(name).undo()
            if not packages:
                _imports.remove()
                stop_noting()

    def for_good(self) -> None:
        """See through the packages from now on, to the end of the process."""
        self.__enter__()
