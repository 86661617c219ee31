"""SciPy for code that is differentiated: import ``from chainrules_tape.scipy``, not ``scipy``.

Ufuncs of `scipy.special` hand traced values over by themselves. SciPy's functions that are written
in Python do not; here those that have a rule find it. With plain values they are SciPy's own.
"""

import importlib
from functools import cache
from typing import Any

from chainrules_py.values.discovery import require_installed

_OWN = frozenset({"constant_matrices", "objects"})  # SciPy has no modules of these names


@cache
def modules() -> frozenset[str]:
    """List the modules that are here, which are imported by name."""
    import pkgutil  # 1 ms that only a program with SciPy needs

    return frozenset(found.name for found in pkgutil.iter_modules(__path__)) - _OWN


def __getattr__(name: str) -> Any:
    if not name.startswith("__") and name in modules():
        require_installed("scipy", "scipy", f"import {__name__}.{name}", "chainrules_tape")
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(modules())
