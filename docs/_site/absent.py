"""Stand-ins for libraries that are not installed where the site is built, so that modules which
import them can be documented.

What such a module has is a class, whatever its name: it can be a base of other classes, it can be
joined to another class in an annotation (``Tensor | None``), which Sphinx's own mocks cannot, and
called it decorates or makes an object of that kind.
"""

import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any

VERSION = "9999.0"  # newer than anything that is asked for
OPERATORS = frozenset({*dir(int), *dir(list), "__matmul__", "__rmatmul__", "__imatmul__"})


class Anything(type):
    """The class of stand-ins: a class that has every attribute, each of which is another stand-in."""

    def __getattr__(cls, name: str) -> Any:
        found = attribute(cls.__name__, name)
        setattr(cls, name, found)  # the same class each time: others derive from it
        return found

    def __call__(cls, *args: Any, **options: Any) -> Any:
        """Decorate a function or a class by leaving it as it is; make an object otherwise."""
        if len(args) == 1 and not options and isinstance(args[0], FunctionType | type):
            return args[0]
        return super().__call__(*args, **options)

    def __iter__(cls) -> Any:
        return iter(())

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __setitem__(cls, key: Any, value: Any) -> None: ...


class Thing:
    """The base of stand-ins that are no modules."""

    def __init__(self, *args: Any, **options: Any) -> None: ...

    def __init_subclass__(cls, **options: Any) -> None: ...

    @classmethod
    def apply(cls, *args: Any) -> None:
        """Do nothing: PyTorch's functions are called by this name, which `super` has to find."""

    def __getattr__(self, name: str) -> Any:
        return attribute(type(self).__name__, name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Decorate, as the class does."""
        return args[0] if len(args) == 1 and isinstance(args[0], FunctionType | type) else self


def attribute(owner: str, name: str) -> Any:
    """The attribute of a stand-in: its version, or a class made for the occasion."""
    if name == "__version__":
        return VERSION
    if name.startswith("__") and name.endswith("__") and name not in OPERATORS:
        raise AttributeError(f"the stand-in for {owner} has no {name}")
    return Anything(name, (Thing,), {"__module__": owner})


class StandIn(ModuleType):
    """A module that has every attribute."""

    def __getattr__(self, name: str) -> Any:
        found = attribute(self.__name__, name)
        setattr(self, name, found)
        return found


class Finder(MetaPathFinder, Loader):
    """Finds stand-ins for some libraries and for all modules inside of them."""

    def __init__(self, roots: Iterable[str]) -> None:
        self.roots = frozenset(roots)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> Any:
        """Find a module of one of these libraries, and no other."""
        if fullname.partition(".")[0] in self.roots:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the stand-in."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


def stand_in_for_absent(libraries: Iterable[str]) -> list[str]:
    """Let those of these libraries be imported that are not installed; returns their names."""
    absent = [name for name in libraries if find_spec(name) is None]
    sys.meta_path.append(Finder(absent))
    return absent
