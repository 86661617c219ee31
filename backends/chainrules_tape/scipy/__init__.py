"""SciPy for code that is differentiated: ``from chainrules_tape.scipy import special`` in the place
of SciPy's own.

Ufuncs of `scipy.special` hand traced values over by themselves. SciPy's functions that are written
in Python do not; here those that have a rule find it. With plain values they are SciPy's own.
"""

import importlib
import pkgutil
from typing import Any

_OWN = frozenset({"objects"})  # SciPy has no module of this name
# that are imported by name
MODULES = frozenset(found.name for found in pkgutil.iter_modules(__path__)) - _OWN


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(MODULES)
