"""Names that are found at their first use. A package imports its names then, because most programs
never use them; a module of NumPy may have other functions in the place of its own.
"""

import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.introspection import frame_above, users_level

UFUNC_METHODS = ("at", "reduce", "reduceat", "accumulate", "outer")
# What a package imports for itself, beside what it offers.
_FOR_ITSELF = frozenset({"TYPE_CHECKING", "by_first_use", "collections_paused"})


def by_first_use(
    package: str,
    places: dict[str, str],
    modules: Collection[str] = (),
    advice: Callable[[str], str] | None = None,
    former: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the `__getattr__` and the `__dir__` of a package that has these names in these modules.

    The name of a module inside the package begins with a dot. Python calls the first for a name that
    the package does not have yet; it imports the module, and gives the package the name. A star
    import asks for ``__all__``, and gets these names with the others.
    Completion has these names, and of the package's modules those that are listed, which are
    imported by their first use, too. `advice` ends the
    error for a name that the package does not have. `former` has the present name of what was
    called otherwise: asking by the former one warns, and no list of names has it.

    >>> find, names = by_first_use("chainrules_py.makers", {"implicit_function": ".implicit"})
    >>> find("implicit_function").__name__, "implicit_function" in names()
    ('implicit_function', True)
    """

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return offered(package, places)
        if name in modules:
            return import_module(f"{package}.{name}")
        if name in former:
            present = former[name]
            if callable(present):  # it takes its arguments otherwise, and warns when it is called
                return present
            warn_of_former(f"{package}.{name}", present)
            return getattr(sys.modules[package], present)
        if name not in places:
            instead = advice(name) if advice is not None else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{instead}")
        found = getattr(import_module(places[name], package), name)
        setattr(sys.modules[package], name, found)
        return found

    def __dir__() -> list[str]:
        return sorted({*there(package), *places, *modules})

    return __getattr__, __dir__


def warn_of_former(name: str, present: str) -> None:
    """Warn the user's line that something has another name now."""
    message = f"{name} is now {present}"
    warnings.warn(message, DeprecationWarning, stacklevel=users_level(frame_above(1)))


def offered(package: str, places: dict[str, str]) -> list[str]:
    """The names that a package offers, those among them that it imports late.

    Modules are none of them: ``numpy`` would be ours in the place of NumPy. Late names of a module
    that needs a library which is not installed are left out.
    """
    late = {name for name, module in places.items() if can_be_imported(module, package)}
    return sorted(there(package) | late)


def there(package: str) -> set[str]:
    """The names that a package has and offers, without modules."""
    values = vars(sys.modules[package]).copy().items()
    public = {
        name
        for name, value in values
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    return public - _FOR_ITSELF


def can_be_imported(module: str, package: str) -> bool:
    """Whether all that a module needs is installed."""
    try:
        import_module(module, package)
    except ModuleNotFoundError:
        return False
    return True


# Modules with other functions


class NamesOfNumPy:
    """A module of NumPy's, or of others, with other functions: those in `own`, and for any other what
    ``find(function, name)`` gives, itself if that is not given; the name has that of a module within
    NumPy in it.
    """

    def __init__(
        self,
        module: ModuleType,
        own: dict[str, Any],
        find: Callable[[Any, str], Any] = lambda function, name: function,
    ) -> None:
        self.__dict__ |= own
        self.__wrapped__, self._find = module, find

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__wrapped__, name)  # AttributeError for what NumPy does not have
        if isinstance(found, ModuleType):
            found = NamesOfNumPy(found, {}, self._find)
        elif callable(found) and not isinstance(found, type):
            dotted = f"{self.__wrapped__.__name__}.{name}"
            found = self._find(found, dotted.removeprefix("numpy."))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted(public_names(self.__wrapped__))

    def __repr__(self) -> str:
        return f"<{self.__wrapped__.__name__}, with other functions>"


def public_names(module: ModuleType) -> set[str]:
    """The names in a module that are meant for others, by its list or without an underscore."""
    return set(getattr(module, "__all__", ())) or {
        name for name in dir(module) if not name.startswith("_")
    }


def found_at(module, path: str) -> Any:
    """What a module has at a place such as ``linalg.inv``; None where it has nothing there."""
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def numpy_beside(own, either: Callable[[Function, Function], Function]) -> NamesOfNumPy:
    """NumPy with ``either(function, other)`` in the place of its functions, the other being that of
    the namespace of a library; NumPy's own once more where the library lacks it.
    """

    def find(function, name: str) -> Function:
        other = found_at(own, name)
        return either(function, function if other is None else other)

    return NamesOfNumPy(np, {}, find)


def with_ufunc_methods(make: Callable[..., Function], function, *others) -> Function:
    """What is made of a function, and of others in its place; if that is a ufunc, with methods that
    are made of its methods that return something.
    """
    made = make(function, *others)
    for name in UFUNC_METHODS if isinstance(function, np.ufunc) else ():
        method = getattr(function, name)
        setattr(made, name, make(method, *[getattr(other, name, method) for other in others]))
    return made
