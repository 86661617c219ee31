"""Other forms of calls: functions of NumPy's whose arguments have two names, or that have two
names.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Options
from chainrules_py.errors import OptionError
from chainrules_py.table.registry import RuleTable
from chainrules_py.values.identity import existing

Call = tuple[Args, Options]

# amax is max: the same signature, another function object.
SYNONYMS: dict[Any, Any] = {
    np.amax: np.max,
    np.amin: np.min,
    np.around: np.round,
    **dict.fromkeys(existing(np, "fix"), np.trunc),  # deprecated: a call of its own would warn
    **dict.fromkeys(existing(np, "row_stack"), np.vstack),  # deprecated
}


def stacked_bounds(bound) -> Any:
    """Stack a list of numbers into an array, by their own library; other values stay."""
    if not isinstance(bound, list | tuple):
        return bound
    return np.stack([stacked_bounds(part) for part in bound]) if bound else np.asarray(bound)


def clip_bounds(a, *bounds, **options) -> Call:
    """Bring the bounds of `clip` to two, None where there is none.

    ``clip(a, min=0)`` is ``clip(a, 0, None)``, ``clip(a, max=1)`` is ``clip(a, None, 1)``.
    """
    names = {"min": "a_min", "max": "a_max"}
    by_name = {names.get(name, name): value for name, value in options.items()}
    given: dict[str, Any] = dict(zip(("a_min", "a_max", "out"), bounds, strict=False)) | by_name
    if len(given) < len(bounds) + len(options):
        raise OptionError(
            "numpy.clip",
            f"got {len(bounds)} bounds by position and the options {sorted(options)}",
            "give each bound once",
            primal=np.clip,
            option=next(iter(options), None),
            value=bounds,
        )
    lower, upper = (stacked_bounds(given.pop(name, None)) for name in ("a_min", "a_max"))
    return (a, lower, upper), given


def register_call_forms(table: RuleTable) -> None:
    """Declare in a table the other call forms of NumPy's functions."""
    for other, primal in SYNONYMS.items():
        table.alias(other, primal)
    table.alias(np.clip, np.clip, clip_bounds)
    table.alias(np.ndarray.clip, np.clip, clip_bounds)
