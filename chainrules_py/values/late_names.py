"""Names of a package that are imported by their first use, because most programs never use them."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def by_first_use(
    package: str, places: dict[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the `__getattr__` and the `__dir__` of a package that has these names in these modules.

    Python calls the first for a name that the package does not have yet; it imports the module, and
    gives the package the name.

    >>> find, names = by_first_use("chainrules_py.makers", {"implicit_function": "implicit"})
    >>> find("implicit_function").__name__, "implicit_function" in names()
    ('implicit_function', True)
    """

    def __getattr__(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{places[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return __getattr__, __dir__
