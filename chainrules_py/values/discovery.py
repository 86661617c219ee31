"""Lazy loading: rule packs by the primal's module, array backends by the value's type.

What this distribution ships is in two short tables; everybody else declares an entry point:

    [project.entry-points."chainrules_py.rules"]
    [project.entry-points."chainrules_py.backends"]
    "mylib" = "my_package.mylib_backend"                # imported when a value of a type from mylib arrives

Importing the named module, a *pack*, registers what it has. An import that fails raises: somebody
has to hear of a pack that is installed but broken. While a pack of this distribution is being
imported, `importing.shipped` is true: its rules, over a thousand, are known to be right, and a
table makes each only when its primal is first looked up.
"""

import importlib
import os
import sys
import threading
from functools import cache
from importlib.machinery import PathFinder
from types import ModuleType

from chainrules_py.errors import PackError
from chainrules_py.introspection import collections_paused

_RULES = "chainrules_py.rules"

_NUMPY = ("chainrules_py.rulesets.numpy", "chainrules_numpy.aliases")
SHIPPED_RULES = {
    "numpy": _NUMPY,
    "numpy.linalg": ("chainrules_py.rulesets.linalg", "chainrules_numpy.linalg_aliases"),
    "numpy.fft": ("chainrules_py.rulesets.fft",),
    "numpy.polynomial": ("chainrules_py.rulesets.polynomial.all_families",),
    "scipy.fft": ("chainrules_py.rulesets.scipy.fft",),
    "scipy.integrate": ("chainrules_py.rulesets.scipy.integrate",),
    "scipy.interpolate": ("chainrules_py.rulesets.scipy.interpolate",),
    "scipy.linalg": ("chainrules_py.rulesets.scipy.linalg",),
    "scipy.ndimage": ("chainrules_py.rulesets.scipy.ndimage",),
    "scipy.optimize": ("chainrules_py.rulesets.scipy.optimize",),
    "scipy.signal": ("chainrules_py.rulesets.scipy.signal",),
    "scipy.sparse": ("chainrules_py.rulesets.scipy.sparse",),
    "scipy.special": ("chainrules_py.rulesets.scipy.special",),
    "scipy.stats": ("chainrules_py.rulesets.scipy.stats",),
    "chainrules_py.makers.implicit": ("chainrules_py.rulesets.functions.implicit",),
    "math": (*_NUMPY, "chainrules_py.rulesets.ufuncs.math_functions"),
    "operator": _NUMPY,
    "builtins": _NUMPY,
    "functools": _NUMPY,
}
SHIPPED_BACKENDS = {
    "array_api_strict": "chainrules_array_api.strict",
    "numpy": "chainrules_numpy",
    "autograd": "chainrules_autograd",
    "cupy": "chainrules_cupy",
    "cupyx": "chainrules_cupy.scipy_aliases",
    "dask": "chainrules_dask",
    "jax": "chainrules_jax",
    "jaxlib": "chainrules_jax",
    "sparse": "chainrules_array_api.sparse_arrays",
    "torch": "chainrules_torch",
    "scipy": "chainrules_py.rulesets.products.sparse_products",
}

_SHIPPED = frozenset(name for names in SHIPPED_RULES.values() for name in names) | frozenset(
    SHIPPED_BACKENDS.values()
)
_loaded: set[str] = set()


class Importing(threading.local):
    """The packs that this thread is importing; another may register rules of its own meanwhile."""

    shipped = False  # a pack of this distribution


importing = Importing()


def load_backend(cls: type) -> None:
    """Import the backend of a class's root module, once, if there is one."""
    for base in cls.__mro__[:-1]:
        load_backend_named(base.__module__.partition(".")[0])


def load_backend_named(root: str) -> None:
    """Import the backend declared for a root module name, once."""
    if f"backend:{root}" not in _loaded:
        shipped = SHIPPED_BACKENDS.get(root)
        _load(
            f"backend:{root}",
            (shipped,) if shipped else _declared("chainrules_py.backends").get(root, ()),
        )


def load_rules(module: str) -> None:
    """Import the packs of a module and of its parents: ``numpy.linalg`` also loads ``numpy``."""
    if f"rules:{module}" in _loaded:
        return
    root = module.partition(".")[0]
    # its functions are other names of NumPy's and SciPy's, which its backend declares
    if root in ("cupy", "cupyx"):
        load_backend_named(root)
    if root == "cupyx":  # one module of it at a time
        importlib.import_module(SHIPPED_BACKENDS[root]).declare(module)
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        home = ".".join(parts[:depth])
        _load(f"rules:{home}", (*SHIPPED_RULES.get(home, ()), *_declared(_RULES).get(home, ())))


def load_all_rules() -> None:
    """Import every pack that is installed, and ours whose library is there."""
    from importlib.util import find_spec  # more than a program needs that never asks for all

    declared = _declared(_RULES)
    for home in sorted({*SHIPPED_RULES, *declared}):
        if home in declared or find_spec(home.partition(".")[0]) is not None:
            load_rules(home)


def _load(key: str, names: tuple[str, ...]) -> None:
    # Importing blocks while another thread imports the same module, so that nobody resolves in half
    # a pack. A pack that looks rules up while it is being imported gets here again and goes on with
    # what there is; then it does not count as loaded yet.
    with collections_paused():
        modules = [_imported(name, key) for name in names]
    if not any(getattr(module.__spec__, "_initializing", False) for module in modules):
        _loaded.add(key)


def _imported(name: str, key: str) -> ModuleType:
    """Import a module that was declared as a pack; an error gets a note whose pack this was."""
    group, _, home = key.partition(":")
    where = (
        f"the entry point {home!r} of {'chainrules_py.backends' if group == 'backend' else _RULES}"
    )
    if ":" in name:
        instead = "name a module: importing it registers what it has"
        raise PackError(where, f"it names {name!r}", instead, module=name, home=home)
    outer, importing.shipped = importing.shipped, name in _SHIPPED
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            instead = (
                "correct the entry point of the distribution that declares it, and install that"
                " again"
            )
            raise PackError(
                where, f"there is no module {name!r}", instead, module=name, home=home
            ) from error
        error.add_note(f"while importing {name}, {where}")
        raise
    except Exception as error:
        error.add_note(f"while importing {name}, {where}")
        raise
    finally:
        importing.shipped = outer


@cache
def _declared(group: str) -> dict[str, tuple[str, ...]]:
    """List the modules that other distributions declare in a group of entry points, by name."""
    if not _is_written_anywhere(f"[{group}]".encode()):
        return {}
    # 15 ms and 12,000 Python calls that most processes never need
    from importlib.metadata import entry_points

    found: dict[str, tuple[str, ...]] = {}
    for point in entry_points(group=group):
        found[point.name] = (*found.get(point.name, ()), point.value)
    return found


def _is_written_anywhere(heading: bytes) -> bool:
    """Whether a distribution may have entry points under this heading.

    Those in archives are not looked into: there may be some.
    """
    for folder in map(os.fspath, sys.path):
        try:
            names = os.listdir(folder or ".")
        except NotADirectoryError:
            return True  # an archive
        except OSError:
            continue
        for name in names:
            if name.endswith(("-info", "-INFO")) and heading in _content(
                f"{folder or '.'}/{name}/entry_points.txt"
            ):
                return True
    return any(
        hasattr(finder, "find_distributions")
        for finder in sys.meta_path
        if finder is not PathFinder
    )


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
