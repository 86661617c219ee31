"""Notice side effects of a program: it prints, reads a clock or a file, draws random numbers.

A compiled program only computes, so a function with side effects is not compiled. While a function
is recorded, names such as `print` and `time` are bound to stand-ins, which do what the originals do
and note that they were used. Where no stand-ins can be put, as in methods of classes, the names
that the code reads decide.
"""

import builtins
import datetime
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

FUNCTIONS = frozenset(
    {"print", "input", "open", "eval", "exec", "globals", "breakpoint", "__import__", "setattr"}
)
MODULES = frozenset(
    {
        *("datetime", "genericpath", "glob", "importlib", "logging"),
        *("os", "pathlib", "random", "secrets", "shutil", "socket"),
        *("subprocess", "tempfile", "threading", "time", "uuid", "warnings", "sys", "io"),
    }
)
# what these modules have that is the same in the whole process, or says nothing of the outside
_HARMLESS = frozenset(
    {
        *("float_info", "int_info", "maxsize", "byteorder", "version_info", "platform"),
        *("os.path", "pathlib.os"),
        *("timedelta", "Path", "PurePath", "get_ident", "Lock", "RLock", "catch_warnings"),
        *("simplefilter", "filterwarnings", "getLogger", "DEBUG", "INFO", "local"),
    }
)
_DRAWING_IS_SEEDED = frozenset(
    {"default_rng", "RandomState", "Generator", "SeedSequence", "PCG64", "MT19937", "Philox"}
)
_CLOCKS = frozenset({"now", "today", "utcnow"})
_FILES = frozenset(
    {
        *("open", "read_text", "read_bytes", "iterdir", "listdir", "scandir", "glob", "rglob"),
        *("exists", "lexists", "is_file", "is_dir", "isfile", "isdir", "stat", "lstat"),
        *("getsize", "getmtime", "getctime", "getatime", "samefile"),
    }
)
_NUMPY_READS = frozenset(
    {
        *("load", "loadtxt", "genfromtxt", "fromfile", "memmap", "fromregex", "save", "savetxt"),
        *("savez", "savez_compressed", "tofile"),
    }
)


class Noted:
    """A function that does something beside computing, and says so when it is called."""

    def __init__(self, function: Callable[..., Any], name: str, note: Callable[[str], Any]) -> None:
        self.function, self.name, self.note = function, name, note

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call the function."""
        self.note(self.name)
        return self.function(*args, **options)


class NotedModule(ModuleType):
    """A module whose functions do something beside computing; it says when one is read."""

    def __init__(self, module: ModuleType, note: Callable[[str], Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__["module"], self.__dict__["note"] = module, note

    def __getattr__(self, name: str) -> Any:
        full_name = f"{self.module.__name__}.{name}"
        if name not in _HARMLESS and full_name not in _HARMLESS:
            self.note(full_name)
        return getattr(self.module, name)


def stand_in(name: str, found: Any, note: Callable[[str], Any]) -> Any:
    """Make a global name's stand-in for the time of recording; None where it needs none."""
    if name in FUNCTIONS and found is getattr(builtins, name, None):
        function: Any = found
        return Noted(function, name, note)
    if isinstance(found, ModuleType) and found.__name__ in MODULES:
        return NotedModule(found, note)
    home = getattr(found, "__module__", None)
    if callable(found) and not isinstance(found, type) and home in MODULES:
        return Noted(found, f"{home}.{name}", note)
    return None


def effect_of(name: str, found: Any) -> str | None:
    """Name the side effect behind a global name; None for one that only computes."""
    noted: list[str] = []
    if stand_in(name, found, noted.append) is None:
        return None
    return found.__name__ if isinstance(found, ModuleType) else name


def reading(attributes: Iterable[str]) -> str | None:
    """The first attribute, by its name, that reads a file, or asks about one."""
    return min(_FILES.intersection(attributes), default=None)


def drawing(chains: Iterable[tuple[str, ...]], lookup: Callable[[str], Any]) -> str | None:
    """The first call of NumPy's, by its name, that draws numbers or reads or writes a file."""
    for chain in chains:
        found = lookup(chain[0])
        is_date = isinstance(found, type) and issubclass(found, datetime.date)
        if is_date and len(chain) > 1 and chain[1] in _CLOCKS:
            return ".".join(chain)
        module = getattr(found, "__name__", None)
        parts = chain[1:]
        if module == "numpy" and len(parts) > 1 and parts[0] == "random":
            module, parts = "numpy.random", parts[1:]
        if module == "numpy.random" and parts and parts[0] not in _DRAWING_IS_SEEDED:
            return ".".join(chain)
        if module == "numpy" and parts and parts[0] in _NUMPY_READS:
            return ".".join(chain)
    return None
