"""Names of a package that are imported by their first use, because most programs never use them."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def by_first_use(package: str, places: dict[str, str]) -> Callable[[str], Any]:
    """Make the `__getattr__` of a package that has these names in these of its modules.

    Python calls it for a name that the package does not have yet; it imports the module, and gives
    the package the name.

    >>> find = by_first_use("chainrules_py.makers", {"implicit_function": "implicit"})
    >>> find("implicit_function").__name__
    'implicit_function'
    """

    def __getattr__(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{places[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__
