"""Lazy loading: rule packs by the primal's module, array backends by the value's type.

What this distribution ships is in the tables of `shipped`; everybody else declares an entry point:

    [project.entry-points."chainrules_py.rules"]
    [project.entry-points."chainrules_py.backends"]
    "mylib" = "my_package.mylib_backend"                # imported when a value of a type from mylib arrives

Importing the named module, a *pack*, registers what it has. A pack of rules that cannot be imported
is left out, with a warning; functions of its home that have no rule then raise PackError, and so
does a class whose backend cannot be imported. While a pack of this distribution is being
imported, `importing.shipped` is true: its rules, over a thousand, are known to be right, and a
table makes each only when its primal is first looked up. Of the packs of NumPy and SciPy, a look-up
imports the modules that have the function's rules, where `shipped` knows them, and those with its
rules for many examples where these are asked for.
"""

import importlib
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from types import BuiltinMethodType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py.errors import PackError
from chainrules_py.introspection import collections_paused
from chainrules_py.values.identity import (
    home_module,
    homes_of_ufuncs,
    is_method_of_ufunc,
    made_of,
    name_in_package,
)
from chainrules_py.values.shipped import (
    BACKENDS,
    FUNCTIONS,
    OTHER_NAMES,
    PACKS,
    is_module_of_ours,
    is_ruleset,
    may_be_unlisted,
    modules_of,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_RULES, _BACKENDS = "chainrules_py.rules", "chainrules_py.backends"
_GROUPS = frozenset({_RULES, _BACKENDS})
_loaded: set[str] = set()
_broken: dict[str, PackError] = {}  # by module, packs of others that could not be imported


class Importing(threading.local):
    """The packs that this thread is importing; another may register rules of its own meanwhile."""

    shipped = False  # a pack of this distribution
    undo: list[Callable[[], None]] | None = None  # what another's has registered so far


importing = Importing()


def load_backend(cls: type) -> None:
    """Import the backend of a class's root module, once, if there is one."""
    for base in cls.__mro__[:-1]:
        load_backend_named(base.__module__.partition(".")[0])


def load_backend_named(root: str) -> None:
    """Import the backend declared for a root module name, once."""
    if f"backend:{root}" not in _loaded:
        shipped = BACKENDS.get(root)
        _load(
            f"backend:{root}",
            (shipped,) if shipped else _declared(_BACKENDS).get(root, ()),
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
        importlib.import_module(BACKENDS[root]).declare_aliases(module)
    for home in _with_parents(module):
        ours = (*PACKS.get(home, ()), *OTHER_NAMES.get(home, ()))
        _load(f"rules:{home}", (*ours, *_declared(_RULES).get(home, ())))


def load_other_names(module: str) -> None:
    """Import what says which names of functions of a module are one function."""
    if f"rules:{module}" in _loaded or f"names:{module}" in _loaded:
        return
    for home in _with_parents(module):
        _load(f"names:{home}", OTHER_NAMES.get(home, ()))


def load_rules_of(function, batching: bool = False) -> bool:
    """Import the rules of a function: the modules of ours, where it is known which, and the packs
    of others; else all packs of the function's home. Tell whether this need not be asked again: it
    is a function that is listed, and all of its rules are there, none of them being imported.

    `batching`: those for many examples, too, which have modules of their own.
    """
    home = home_of(function)
    listed = listed_name(function, home, name_at_home(function))
    if listed is None:
        load_rules(home)
        return False
    key = f"{'batching' if batching else 'function'}:{listed}"
    if key not in _loaded:
        _load(key, (*modules_of(listed, batching), *_packs_of_others(home)))
    return key in _loaded


def home_of(function) -> str:
    """Return the module of a function; of a ufunc that says none, that which an installed pack names."""
    home = home_module(function)
    if not home and type(function) is np.ufunc:
        home = _home_in_packs(function)
        if home:
            homes_of_ufuncs[function] = home
    return home


@lru_cache(maxsize=1024)  # which keep that many ufuncs alive
def _home_in_packs(ufunc: np.ufunc) -> str:
    """Find a ufunc in the modules for which packs are installed, and in the modules below these."""
    for home in _declared(_RULES):
        for name, module in sys.modules.copy().items():
            variables = getattr(module, "__dict__", {}) if f"{name}.".startswith(f"{home}.") else {}
            if any(value is ufunc for value in variables.copy().values()):
                return name
    return ""


def name_at_home(function) -> str:
    """The name of a function in its module, empty where it has none; that of a method of a ufunc is
    ``add.at``.
    """
    owner = getattr(function, "__self__", None)
    if type(owner) is np.ufunc:
        return f"{owner.__name__}.{function.__name__}"
    return str(getattr(function, "__qualname__", None) or getattr(function, "__name__", ""))


def is_listed(function) -> bool | None:
    """Whether a function has rules of ours that nobody has imported yet, or has none.

    None where only the rules tell: they are imported, others have a pack for functions of this
    home, or the tables do not list all that have rules. They list no methods of ufuncs, and no
    private ufuncs, which are other names of the functions that call them.
    """
    home = home_of(function)
    if f"rules:{home}" in _loaded or not only_listed_have_rules(home):
        return None
    name = name_at_home(function) or name_in_package(function).rpartition(".")[2]
    listed = listed_name(function, home, name)
    if listed is None:
        is_of_ufunc = type(function).__name__ == "ufunc" or is_method_of_ufunc(function)
        return None if is_of_ufunc else False
    return None if f"function:{listed}" in _loaded else True


def only_listed_have_rules(home: str) -> bool:
    """Whether functions of a module have rules of ours only where `FUNCTIONS` lists them, and
    nobody else has a pack of rules for them.
    """
    return not (may_be_unlisted(home) or _packs_of_others(home))


def listed_name(function, home: str, name: str) -> str | None:
    """The name of a function of a home in the table of functions, if it is that function."""
    is_known = f"{home.partition('._')[0]}.{name}" in FUNCTIONS
    return public_name(function, home, name) if is_known else None


def public_name(function, home: str, name: str) -> str | None:
    """The name of a function with its public module, which has it by this name; None of any other.

    Public names are listed, because SciPy moves functions from one private module to another. A
    function that another module of the package has by the same name is another one, as that of
    ``np.vectorize(np.square)`` is.
    """
    public = home.partition("._")[0]
    holder = public if hasattr(sys.modules.get(public), name.partition(".")[0]) else home
    return f"{public}.{name}" if is_named(function, holder, name) else None


def is_named(function, home: str, name: str) -> bool:
    """Whether a module has a function by this name."""
    found: Any = sys.modules.get(home)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is function or made_of(found) is function:  # the latter stands under its name
        return True
    # a method of a ufunc is another object at each look
    return type(found) is BuiltinMethodType and bool(found == function)


def _packs_of_others(home: str) -> list[str]:
    """The modules that other distributions declare for a home and its parents."""
    declared = _declared(_RULES)
    if not declared:  # mostly; asked of each function of a package that is seen through
        return []
    return [name for each in _with_parents(home) for name in declared.get(each, ())]


def _with_parents(module: str) -> list[str]:
    """The dotted names of a module's parents, from the root down, and its own."""
    parts = module.split(".")
    return [".".join(parts[: depth + 1]) for depth in range(len(parts))]


def is_installed(library: str) -> bool:
    """Whether a library can be imported, without importing it."""
    if library in sys.modules:
        return sys.modules[library] is not None
    return any(
        finder.find_spec(library, None, None) is not None
        for finder in sys.meta_path
        if hasattr(finder, "find_spec")
    )


def require_installed(
    module: str, extra: str, importing: str, home: str, distribution: str | None = None
) -> None:
    """Raise where a library is missing that a module of ours needs, and name the extra that has it,
    and the distribution, if that has another name.
    """
    if not is_installed(module):
        raise PackError(
            importing,
            f"there is no module {module!r}",
            f'pip install {distribution or module} (or ".[{extra}]" in a checkout)',
            module=module,
            home=home,
        )


def load_all_rules() -> None:
    """Import every pack that is installed, and ours whose library is there."""
    declared = _declared(_RULES)
    for home in sorted({*PACKS, *declared}):
        if home in declared or is_installed(home.partition(".")[0]):
            load_rules(home)


def _load(key: str, names: tuple[str, ...]) -> None:
    if not names:
        _loaded.add(key)
        return
    # Importing blocks while another thread imports the same module, so that nobody resolves in half
    # a pack. A pack that looks rules up while it is being imported gets here again and goes on with
    # what there is; then it does not count as loaded yet.
    with collections_paused(all_stay=True):
        modules = [module for name in names for module in _imported(name, key)]
    if not any(getattr(module.__spec__, "_initializing", False) for module in modules):
        _loaded.add(key)


def _imported(name: str, key: str) -> list[ModuleType]:
    """Import what was declared as a pack, a package of ours with all of its modules; none where a
    pack of rules of others cannot be imported.
    """
    if name in _broken:
        return []
    if is_module_of_ours(name) and vars(sys.modules.get(__name__, importlib)) is not globals():
        got = "its functions were imported before chainrules_py was taken out of sys.modules"
        raise PackError(__name__, got, "import them once more", module=name, home=key)
    outer, importing.shipped = importing.shipped, is_module_of_ours(name)
    try:
        if is_module_of_ours(name):
            module = importlib.import_module(name)
            return [module, *_modules_in(module)] if is_ruleset(name) else [module]
        return [_pack_of_others(name)]
    except PackError as error:
        if is_module_of_ours(name) or key.startswith("backend:"):
            raise
        _broken[name] = error
        warnings.warn(str(error), RuntimeWarning, stacklevel=2)
        return []
    finally:
        importing.shipped = outer


def _pack_of_others(name: str) -> ModuleType:
    """Import the pack of another distribution; PackError where that cannot be done, and none of its
    rules is there.
    """
    if ":" in name:
        raise _broken_pack(
            name, f"it names {name!r}", "name a module: importing it registers what it has"
        )
    outer, importing.undo = importing.undo, []
    try:
        return importlib.import_module(name)
    except Exception as error:
        for take_out in reversed(importing.undo):
            take_out()
        got = f"importing {name} raised {type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            got = f"there is no module {name!r}"
        raise _broken_pack(name, got, "correct or uninstall that distribution") from error
    finally:
        importing.undo = outer


def _broken_pack(name: str, got: str, instead: str) -> PackError:
    (point, *_) = [point for point in declared_packs() if point.value == name]
    distribution = point.dist.name if point.dist else "an unknown distribution"
    where = f"the entry point {point.name!r} of {point.group} in {distribution}"
    return PackError(where, got, instead, module=name, home=point.name)


def broken_pack(function) -> PackError | None:
    """Return the error of a pack for the home of a function that could not be imported."""
    packs = _packs_of_others(home_of(function))
    return next((_broken[name] for name in packs if name in _broken), None)


def packs_not_imported(function) -> list[str]:
    """Name the installed packs that nobody has imported, and that may have a function's rules: those
    for its library; all, where its module is not known.
    """
    root = home_of(function).partition(".")[0]
    return [
        f"{name} (for {home})"
        for home, names in _declared(_RULES).items()
        for name in names
        if name not in sys.modules and root in ("", home.partition(".")[0])
    ]


def _modules_in(package: ModuleType) -> list[ModuleType]:
    """Import the modules of a package, but not the packages in it; a module has none."""
    if not hasattr(package, "__path__"):
        return []
    from pkgutil import iter_modules  # which most processes never need

    names = [found.name for found in iter_modules(package.__path__) if not found.ispkg]
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]


@cache
def _declared(group: str) -> dict[str, tuple[str, ...]]:
    """List the modules that other distributions declare in a group of entry points, by name."""
    found: dict[str, tuple[str, ...]] = {}
    for point in _points(group):
        found[point.name] = (*found.get(point.name, ()), point.value)
    return found


def declared_packs() -> "list[EntryPoint]":
    """List what other distributions declare for functions, and then for classes of arrays."""
    return [*_points(_RULES), *_points(_BACKENDS)]


def _points(group: str) -> "Iterable[EntryPoint]":
    """Read the entry points of a group, if a distribution may have some."""
    if group not in _written_anywhere():
        return ()
    # 15 ms and 12,000 Python calls that most processes never need
    from importlib.metadata import entry_points

    return entry_points(group=group)


@cache
def _written_anywhere() -> frozenset[str]:
    """The groups of ours of which a distribution may have entry points.

    Those in archives are not looked into: there may be some. All files are read once for both
    groups, at 10 us each.
    """
    remaining = set(_GROUPS)
    for folder in map(os.fspath, sys.path):
        try:
            names = os.listdir(folder or ".")
        except NotADirectoryError:
            return _GROUPS  # an archive
        except OSError:
            continue
        for name in names:
            if not name.endswith(("-info", "-INFO")):
                continue
            if content := _content(f"{folder or '.'}/{name}/entry_points.txt"):
                remaining -= {group for group in remaining if f"[{group}]".encode() in content}
    is_elsewhere = any(
        hasattr(finder, "find_distributions")
        for finder in sys.meta_path
        if finder is not PathFinder
    )
    return _GROUPS if is_elsewhere else _GROUPS - remaining


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
