"""Functions of NumPy whose arguments have two names, and functions that NumPy has twice."""

from typing import Any

import numpy as np

from chainrules_py.registry import RuleTable

Call = tuple[tuple[Any, ...], dict[str, Any]]

# amax is max: the same signature, another function object.
SYNONYMS = {np.amax: np.max, np.amin: np.min, np.around: np.round}


def clip_bounds(a: Any, *bounds: Any, **options: Any) -> Call:
    """``clip(a, min=0)`` is ``clip(a, 0)``, ``clip(a, max=1)`` is ``clip(a, None, 1)``."""
    names = {"min": "a_min", "max": "a_max"}
    options = {names.get(name, name): value for name, value in options.items()}
    if "a_max" in options and "a_min" not in options and not bounds:
        options["a_min"] = None
    return (a, *bounds), options


def register_call_forms(table: RuleTable) -> None:
    """Declare them all in a table."""
    for other, primal in SYNONYMS.items():
        table.alias(other, primal)
    table.alias(np.clip, np.clip, clip_bounds)
    table.alias(np.ndarray.clip, np.clip, clip_bounds)
