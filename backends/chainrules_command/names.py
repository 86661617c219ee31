"""Functions and modules by the names that people write: ``numpy.linalg.inv``,
``package.module:function``, ``./file.py:f``.
"""

import argparse
import builtins
import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from chainrules_command.misuse import MisuseError, did_you_mean
from chainrules_command.reports import report
from chainrules_py.errors import PackError

# where a function is looked for that is named without its module
COMMON = ("numpy", "math", "scipy.special")
# names under which modules are imported, as a rule
ABBREVIATIONS = {
    "np": "numpy",
    "sp": "scipy",
    "jnp": "jax.numpy",
    "pd": "pandas",
    "anp": "autograd.numpy",
}
FEW = 8  # functions, which are listed


@contextmanager
def folder_on_the_path(options: argparse.Namespace) -> Iterator[None]:
    """While it lasts, a module named by its file is found, or one in the current folder, as by
    ``python -m``.

    The name that a command takes as `module` or `function` becomes one without a path.
    """
    key = "function" if "function" in options else "module"
    named, colon, rest = getattr(options, key, "").partition(":")
    path, folder = Path(named), Path()
    if path.suffix == ".py":
        if not path.exists():
            raise MisuseError(
                named,
                "there is no such file",
                "write the path of a Python file, or the name of a module",
            )
        folder = path.parent
        setattr(options, key, path.stem + colon + rest)
    sys.path.insert(0, str(folder.resolve()))
    try:
        yield
    finally:
        sys.path.remove(str(folder.resolve()))


def function_named(name: str) -> Any:
    """The function that is called so."""
    module, colon, path = name.partition(":")
    if not all([*module.split("."), *(path.split(".") if colon else ["one"])]):
        instead = "write package.module.function, package.module:function or ./file.py:function"
        raise MisuseError(repr(name), "it does not name a function", instead)
    if not colon:
        module, _, path = name.partition(".")
        if not path:
            module, path = "builtins", name
    found: Any = module_named(module) if module != "builtins" else builtins
    for part in path.split("."):
        found = attribute_or_module(found, part, name)
    if not callable(found):
        raise MisuseError(name, f"it is a {type(found).__name__}", "name a function")
    return found


def attribute_or_module(owner, part: str, name: str) -> Any:
    """An attribute of a module or a class; of a package also a module that nobody has imported yet."""
    if hasattr(owner, part):
        return getattr(owner, part)
    inside = f"{owner.__name__}.{part}"
    if hasattr(owner, "__path__") and find_spec(inside) is not None:
        return module_named(inside)
    if owner is builtins:
        if find_spec(part) is not None:
            raise MisuseError(
                name, "it is a module", f"name a function in it, as in {name}:function"
            )
        homes = [home for home in COMMON if hasattr(importlib.import_module(home), part)]
        instead = "write module.function"
        if homes:
            instead = f"did you mean {' or '.join(f'{home}.{part}' for home in homes)}?"
        raise MisuseError(name, "it is not one of Python's own functions", instead)
    prefix = f"{owner.__name__}:" if ":" in name else f"{owner.__name__}."
    known = public_names(owner)
    own = [each for each in known if callable(getattr(owner, each, None))]
    advice = "look at its documentation"
    if 0 < len(own) <= FEW:
        advice = f"it has {', '.join(prefix + each for each in own)}"
    instead = did_you_mean(part, known, advice, prefix=prefix)
    raise MisuseError(name, f"{owner.__name__} has no {part}", instead)


def module_named(name: str) -> ModuleType:
    """The module that is called so; what it lacks itself is told apart from its absence."""
    if not all(name.split(".")):
        raise MisuseError(
            repr(name),
            "it does not name a module",
            "write the name of a module, or of a file: ./rules.py",
        )
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if isinstance(error, PackError):
            raise MisuseError(name, f"it cannot be imported: {error}", "do that") from error
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise MisuseError(
                name, f"it cannot be imported, because it needs {error.name}", "install that"
            ) from error
        if name in ABBREVIATIONS:
            instead = f"write the module's own name, {ABBREVIATIONS[name]}"
            raise MisuseError(name, f"there is no module {name}", instead) from error
        parent, dot, last = error.name.rpartition(".")
        advice = "install it, or name a file: ./rules.py"
        instead = did_you_mean(last, neighbours(parent), advice, prefix=parent + dot)
        raise MisuseError(name, f"there is no module {error.name}", instead) from error
    except ImportError as error:
        raise MisuseError(name, f"it cannot be imported: {error}", "mend that first") from error
    except SystemExit as ended:
        raise MisuseError(
            name,
            f"importing it ends Python by SystemExit({ended.code!r})",
            "guard that by __name__",
        ) from ended
    except Exception as error:
        lines = report(error, name).splitlines()
        where = "".join(f"\n{line}" for line in lines[1:-1])
        got = f"it cannot be imported: {lines[0].partition(f'{name}: ')[2]}"
        raise MisuseError(name, f"{got}{where}\n ", "mend that first") from error


def require_no_source(path: Path) -> None:
    """Raise where the file that is to be written is that of a module in use, such as the program."""
    if not path.exists():
        return
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.exists(file) and path.samefile(file):
            raise MisuseError(
                str(path), f"the module {name} is in this file", "name another file to write"
            )


def neighbours(parent: str) -> Iterable[str]:
    """The names of the modules in a package, or of all that stand in none."""
    if parent:
        return {
            found.name for found in pkgutil.iter_modules(importlib.import_module(parent).__path__)
        }
    return {found.name for found in pkgutil.iter_modules()} | set(sys.stdlib_module_names)


def public_names(owner) -> list[str]:
    """The names in a module or a class that are meant for others."""
    return [name for name in dir(owner) if not name.startswith("_")]
