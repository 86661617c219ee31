"""Keep SciPy's modules as they are for this library, while a scope replaces what they hold.

Rules call SciPy's functions by their names in SciPy's modules, for values, and as keys of tables.
While SciPy is seen through, other functions stand under these names, for code that calls them with
traced values. So in our own modules, the variables that hold a module of SciPy's hold a view of it
for that time (`AsOutside`), in which each name still means SciPy's own function. The same holds for
`numpy.polynomial`, the one part of NumPy that is seen through.
"""

import sys
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

from chainrules_foreign_code.substitutions import Place, filled
from chainrules_tape.refusals.code_owners import ENGINE

SCIPY, OF_NUMPY = "scipy", "numpy.polynomial"
# our modules that name SciPy's
OWN = ("chainrules_py", *ENGINE)


class AsOutside(ModuleType):
    """A module of SciPy's with the names that it has outside of all scopes."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(module.__name__, module.__doc__)
        vars(self)["__wrapped__"] = module

    def __getattr__(self, name: str) -> Any:
        module = vars(self)["__wrapped__"]
        found = getattr(module, name)
        place = filled.get((id(vars(module)), name))
        if place is not None and place.new is found:
            found = place.old
        return as_outside(found) if is_viewed(found) else found

    def __dir__(self) -> list[str]:
        return dir(vars(self)["__wrapped__"])


def is_viewed(found) -> bool:
    """Whether a value is a module of which our modules hold views in scopes."""
    return type(found) is ModuleType and has_rules_inside(found.__name__)


def has_rules_inside(name: str) -> bool:
    """Whether a module is one of those that are seen through, and whose functions have our rules."""
    return f"{name}.".startswith((f"{SCIPY}.", f"{OF_NUMPY}."))


@cache
def as_outside(module: ModuleType) -> AsOutside:
    """The view of a module of SciPy's."""
    return AsOutside(module)


class OwnModule:
    """The places of one of our modules: a plan, as those of foreign modules are."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.places = [
            Place(vars(module), name, found, as_outside(found))
            for name, found in vars(module).copy().items()
            if is_viewed(found)
        ]


_known: dict[str, OwnModule] = {}


def own_modules(packages: Iterable[str]) -> list[OwnModule]:
    """The plans of those of our modules that name SciPy's, where SciPy's are seen through."""
    if not any(map(has_rules_inside, packages)):
        return []
    for name, module in sys.modules.copy().items():
        if is_own(name) and name not in _known and type(module) is ModuleType:
            keep_no_views(module)
            _known[name] = OwnModule(module)
    return [plan for plan in _known.values() if plan.places]


def is_own(name: str) -> bool:
    """Whether a module is one of ours that may name SciPy's."""
    return name.startswith(OWN)


def keep_no_views(module: ModuleType) -> None:
    """Put SciPy's modules into one of ours that was imported in a scope, and got views of them."""
    variables = vars(module)
    for name, found in variables.copy().items():
        if type(found) is AsOutside:
            variables[name] = vars(found)["__wrapped__"]
