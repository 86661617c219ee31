"""Notice side effects of a program: it prints, reads a clock or a file, draws random numbers.

A compiled program only computes, so a function with side effects is not compiled. Whether an object
has some is asked of the object (`effect_of`), wherever the function has it from: a global name, a
variable, a default, a container, an import inside of it. While a function is recorded, stand-ins
are in their places, which do what the originals do and note that they were used. Where no
stand-ins can be put, as in methods of classes, it is enough that the object is reached.
"""

import builtins
import datetime
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from chainrules_programs.compiling.replayed import STAND_INS, STREAMS, NotedStream, noting
from chainrules_py.introspection.names_read import NamesRead

FUNCTIONS = (print, input, open, eval, exec, globals, breakpoint, __import__, setattr, delattr)
# whose classes open a file, a database or a connection, too
_OPENING = frozenset(
    {
        *("bz2", "configparser", "dbm", "ftplib", "gzip", "http", "imaplib", "lzma", "mailbox"),
        *("netrc", "poplib", "shelve", "smtplib", "socket", "sqlite3", "ssl", "subprocess"),
        *("tarfile", "tempfile", "urllib", "wave", "xml", "xmlrpc", "zipfile", "zipimport"),
    }
)
MODULES = frozenset(
    {
        *_OPENING,
        *("asyncio", "datetime", "fileinput", "genericpath", "getpass", "glob", "importlib", "io"),
        *("inspect", "linecache", "locale", "logging", "mmap", "multiprocessing", "nt", "ntpath"),
        *("os", "pathlib", "platform", "posix", "posixpath", "random", "resource", "secrets"),
        *("select", "shutil", "signal", "sys", "sysconfig", "threading", "time", "traceback"),
        *("uuid", "warnings", "zoneinfo"),
    }
)
# what these modules have that is the same in the whole process, or says nothing of the outside
_HARMLESS = frozenset(
    {
        *("float_info", "int_info", "maxsize", "byteorder", "version_info", "platform"),
        *("datetime.datetime", "datetime.date", "datetime.time", "datetime.timezone"),
        *("pathlib.os", "signature", "Parameter"),
        *("getfullargspec", "isclass", "isfunction", "ismethod", "isroutine", "isgenerator"),
        *("timedelta", "Path", "PurePath", "get_ident", "Lock", "RLock", "catch_warnings"),
        *("warnings.warn", "simplefilter", "filterwarnings", "getLogger", "DEBUG", "INFO", "local"),
        *("WARNING", "ERROR", "CRITICAL", "logging.debug", "logging.info", "logging.warning"),
        *("logging.error", "logging.critical", "logging.exception", "logging.log"),
        *("logging.Logger", "logging.LoggerAdapter"),
        # of paths, what computes with their texts
        *("join", "basename", "dirname", "split", "splitext", "splitdrive", "normpath"),
        *("normcase", "isabs", "commonpath", "commonprefix", "fspath", "sep", "extsep", "curdir"),
    }
)
# of which the effects are noted when they are called (`replayed`)
_NOTED = (logging.Logger, logging.LoggerAdapter)
_DRAWING_IS_SEEDED = frozenset(
    {"default_rng", "RandomState", "Generator", "SeedSequence", "PCG64", "MT19937", "Philox"}
)
CLOCKS = frozenset({"now", "today", "utcnow"})
_FILES = frozenset(
    {
        *("open", "read_text", "read_bytes", "iterdir", "listdir", "scandir", "glob", "rglob"),
        *("exists", "lexists", "is_file", "is_dir", "isfile", "isdir", "stat", "lstat"),
        *("getsize", "getmtime", "getctime", "getatime", "samefile"),
    }
)
_CALLED = (FunctionType, BuiltinFunctionType, type(np.save))
NUMPYS = frozenset(
    {
        *("load", "loadtxt", "genfromtxt", "fromfile", "memmap", "fromregex", "save", "savetxt"),
        *("savez", "savez_compressed", "tofile", "dump", "seed", "set_state"),
    }
)


class Noted:
    """A function that does something beside computing, and says so when it is called."""

    def __init__(self, function: Callable[..., Any], name: str, note: Callable[[str], Any]) -> None:
        self.function, self.name, self.note = function, name, note

    def __call__(self, *args, **options) -> Any:
        """Call the function."""
        self.note(self.name)
        return self.function(*args, **options)


class NotedModule(ModuleType):
    """A module whose functions do something beside computing; it says when one is read."""

    def __init__(self, module: ModuleType, note: Callable[[str], Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__["module"], self.__dict__["note"] = module, note

    def __getattr__(self, name: str) -> Any:
        if self.module is sys and name in STREAMS:
            return NotedStream(name, self.note)
        found = getattr(self.module, name)
        if found is sys.modules or found is os.environ:
            return AskedDict(f"{self.module.__name__}.{name}", found, self.note)
        if found is os.getenv:
            return self.environ.get
        if isinstance(found, ModuleType) and effect_of(found) is not None:
            return NotedModule(found, self.note)  # os.path, say
        full_name = f"{self.module.__name__}.{name}"
        if name not in _HARMLESS and full_name not in _HARMLESS:
            self.note(full_name)
        return STAND_INS.get(id(found), found)


class AskedDict:
    """A dict of the process, `os.environ` say: before each run it is asked again what it was asked."""

    def __init__(self, name: str, x, note: Callable[[str], Any]) -> None:
        self.name, self.x, self.note = name, x, note

    def __contains__(self, key) -> bool:
        return bool(self._asked("__contains__", key))

    def __getitem__(self, key) -> Any:
        return self._asked("__getitem__", key) if key in self else self.x[key]

    def get(self, key, default=None) -> Any:
        """What it has for a key."""
        is_known = key in self
        return self[key] if is_known else default

    def _asked(self, method: str, key) -> Any:
        ask = partial(getattr(self.x, method), key)
        found, effects = ask(), noting.effects
        if effects is None or not isinstance(found, bool | str):  # a module, say
            self.note(self.name)
        else:
            effects.asked.append((ask, found, f"{self.name}.{method}({key!r}) is {found!r}"))
        return found

    def __getattr__(self, name: str) -> Any:
        self.note(f"{self.name}.{name}")
        return getattr(self.x, name)


class NotedObject:
    """An object such as a logger, which says when something is read of it."""

    def __init__(self, x, note: Callable[[str], Any]) -> None:
        self.__dict__["x"], self.__dict__["note"] = x, note

    def __getattr__(self, name: str) -> Any:
        self.note(f"{effect_of(self.x)}.{name}")
        return getattr(self.x, name)


def stand_in(x, note: Callable[[str], Any]) -> Any:
    """Make what stands for an object with an effect while a function is recorded."""
    if id(x) in STAND_INS:
        return STAND_INS[id(x)]
    if isinstance(x, ModuleType):
        return NotedModule(x, note)
    if is_logger(x):
        return NotedObject(x, note)
    return Noted(x, effect_of(x) or repr(x), note)


def effect_of(x) -> str | None:
    """Name the effect that an object has beside computing; None for one that only computes.

    It is asked of the object itself, wherever a program has it from.

    >>> import os
    >>> effect_of(os.getenv), effect_of(os.path.join), effect_of(abs)
    ('os.getenv', None, None)
    """
    if x is builtins.__import__:  # that of a scope, maybe
        return "__import__"
    if isinstance(x, ModuleType):
        return x.__name__ if x.__name__.partition(".")[0] in MODULES else None
    if isinstance(x, type):
        is_opening = package_of(x) in _OPENING
        return f"{x.__module__}.{x.__name__}" if is_opening else None
    if type(x) is MethodType:
        x = x.__func__
    if type(x) not in _CALLED:
        return "logging" if is_logger(x) else None
    name: str = x.__name__
    if x in FUNCTIONS:
        return name
    if name in _HARMLESS or f"{x.__module__}.{name}" in _HARMLESS:
        return None
    owner = getattr(x, "__self__", None)
    if isinstance(owner, type):
        is_clock = issubclass(owner, datetime.date) and name in CLOCKS
        return f"{owner.__name__}.{name}" if is_clock else None
    package = package_of(x)
    if package in MODULES or (package == "numpy" and name in NUMPYS):
        return f"{x.__module__}.{name}"
    return None


def package_of(x) -> str:
    """The package of a function or a class: that of Python for the part of it that is in C."""
    module = x.__module__  # a property, of some classes
    return module.partition(".")[0].removeprefix("_") if isinstance(module, str) else ""


def is_logger(x) -> bool:
    """Whether an object is of the module `logging`."""
    return getattr(type(x), "__module__", None) == "logging"


def is_noted_when_called(x) -> bool:
    """Whether all that an object does beside computing is noted when it is called."""
    return x is time or (is_logger(x) and isinstance(x, _NOTED))


def is_harmless(module: ModuleType, name: str, read: NamesRead) -> bool:
    """Whether code reads nothing of a module, which it has by a name, but what only computes."""
    chains = [chain[1:] for chain in read.chains if chain[0] == name and len(chain) > 1]
    ends = [one for one in chains if not any(one == other[: len(one)] != other for other in chains)]
    return name not in read.alone and all(is_harmless_part(module, end) for end in ends)


def is_harmless_part(module: ModuleType, attributes: tuple[str, ...]) -> bool:
    """Whether what is read of a module by attributes of attributes only computes."""
    x: Any = module
    for name in attributes:
        if name in _HARMLESS or f"{x.__name__}.{name}" in _HARMLESS:
            return True
        x = getattr(x, name, None)
        if not isinstance(x, ModuleType):
            return False
    return False


def reading(attributes: Iterable[str]) -> str | None:
    """The first attribute, by its name, that reads a file, or asks about one."""
    return min(_FILES.intersection(attributes), default=None)


def drawing(chains: Iterable[tuple[str, ...]], lookup: Callable[[str], Any]) -> str | None:
    """The first call of NumPy's, by its name, that draws numbers."""
    for chain in chains:
        module = getattr(lookup(chain[0]), "__name__", None)
        parts = chain[1:]
        if module == "numpy" and len(parts) > 1 and parts[0] == "random":
            module, parts = "numpy.random", parts[1:]
        if module == "numpy.random" and parts and parts[0] not in _DRAWING_IS_SEEDED:
            return ".".join(chain)
    return None
