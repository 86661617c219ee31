"""The functions that ``cupyx.scipy`` shares with SciPy, found by their names when somebody asks for one.

Modules of ``cupyx.scipy`` are imported one at a time and only when they are needed: some of them load libraries of CUDA.
"""

import importlib
from types import ModuleType
from typing import Any

MODULES = ("fft", "linalg", "special")


def function_of_scipy(primal: Any) -> Any:
    """CuPy's function for one of SciPy's; None where there is none."""
    home = home_of(primal)
    name = getattr(primal, "__name__", "")
    if home is None or getattr(importlib.import_module(f"scipy.{home}"), name, None) is not primal:
        return None
    return getattr(device_module(home), name, None)


def home_of(function: Any) -> str | None:
    """The module of SciPy, out of `MODULES`, where a function is public; its ufuncs do not say, and are special's."""
    module = getattr(function, "__module__", None)
    if module is None:
        return "special" if hasattr(function, "nin") and type(function).__module__ == "numpy" else None
    root, _, path = module.partition(".")
    found = path.partition(".")[0]
    return found if root == "scipy" and found in MODULES else None


def device_module(name: str) -> ModuleType:
    """``cupyx.scipy.<name>``."""
    return importlib.import_module(f"cupyx.scipy.{name}")


def pairs(name: str) -> dict[Any, Any]:
    """Each function of ``cupyx.scipy.<name>`` with SciPy's of the same name and meaning."""
    host, device = importlib.import_module(f"scipy.{name}"), device_module(name)
    shared = (n for n in dir(host) if not n.startswith("_"))
    found = {getattr(device, n): getattr(host, n) for n in shared if is_function(getattr(host, n)) and hasattr(device, n)}
    return {other: primal for other, primal in found.items() if other is not primal}


def is_function(value: Any) -> bool:
    """Whether a public name is a function: no class, no module."""
    return callable(value) and not isinstance(value, type | ModuleType)
