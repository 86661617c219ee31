"""What a package answers late is no module of it, too: what the name is would depend on what was
imported before.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

from source_trees import ROOT, SOURCES, text_of

LATE = [
    ".".join(path.parent.relative_to(ROOT).parts).removeprefix("backends.")
    for path in SOURCES
    if path.name == "__init__.py" and "__getattr__" in text_of(path)
]


def names_of_two(package: ModuleType) -> list[str]:
    """The names of modules for which a package has something else."""
    modules = [module.name for module in iter_modules(package.__path__)]
    return [name for name in modules if not isinstance(answer(package, name), ModuleType | None)]


def answer(package: ModuleType, name: str) -> object:
    """What a package makes of a name that it does not have yet."""
    try:
        return package.__getattr__(name)
    except AttributeError:
        return None


@pytest.mark.parametrize("name", LATE)
def test_no_late_name_is_a_module_too(name):
    assert names_of_two(import_module(name)) == []
