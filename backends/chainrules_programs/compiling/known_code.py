"""Whether one recording of a function is enough.

A second one finds out what the first cannot: numbers that are others in each run, or that come from
an argument without being seen. Both need code that nobody can follow: an installed package's, which
may have a generator of its own. A function that reaches none is recorded once; its program is
compared with a call of the function.
"""

from types import ModuleType
from typing import Any

import numpy as np

from chainrules_programs.compiling.kinds_of_values import kind_of
from chainrules_programs.compiling.surroundings import Surroundings
from chainrules_py.values.identity import home_module
from chainrules_tape.core.trees import flatten
from chainrules_tape.refusals.code_owners import ENGINE

_KNOWN = frozenset(
    {
        *ENGINE,
        *("chainrules_py", "chainrules_numpy", "numpy", "builtins", "math", "cmath", "operator"),
        *("functools", "itertools", "collections", "dataclasses", "typing", "abc", "types"),
    }
)
# modules of known packages that draw, or by which SciPy's code is reached
_HIDING = ("numpy.random", "chainrules_tape.numpy.random", "chainrules_tape.scipy")
_DRAWING = frozenset({"random", "rvs"})


def reaches_known_code(found: Surroundings) -> bool:
    """Whether all that a function can reach by name is the user's, NumPy's or Python's, and the same
    in each run.
    """
    if found.frozen or found.executed is not None or found.effects or found.replays or found.locks:
        return False
    if "*" in found.attributes or not found.attributes.isdisjoint(_DRAWING):
        return False
    return all(place.kind.parts or is_known(place.expected) for place in found.places.all)


def is_known(x) -> bool:
    """Whether something that a program reads is no code of an unknown package, and holds no results.

    >>> import scipy.linalg
    >>> is_known(np.sin), is_known(np.random), is_known(scipy.linalg.solve), is_known(2.0)
    (True, False, False, True)
    """
    if hasattr(type(x), "__chainrules_guarded__"):  # which the first run of a function finds out
        return False
    kind = kind_of(x)
    if kind not in ("constant", "library"):
        return kind != "cache"
    if isinstance(x, ModuleType):
        name = x.__name__
    elif callable(x):
        name = home_module(x)
    else:
        return True
    return name.partition(".")[0] in _KNOWN and not name.startswith(_HIDING)


def is_same_result(one, other) -> bool:
    """Whether two results have the same structure, and numbers that differ by roundings at most."""
    (ours, _), (theirs, _) = flatten(one), flatten(other)
    return len(ours) == len(theirs) and all(map(is_same_leaf, ours, theirs))


def is_same_leaf(one: Any, other: Any) -> bool:
    """Whether two leaves are of one type and shape, with numbers that differ by roundings at most."""
    if type(one) is not type(other) or np.shape(one) != np.shape(other):
        return False
    if getattr(one, "__dict__", None):  # a sparse matrix, say
        return is_same_result(vars(one), vars(other))
    dtype = np.result_type(one) if isinstance(one, np.ndarray | np.inexact | float) else None
    if dtype is None or dtype.kind not in "fc":
        return bool(np.all(one == other))
    if dtype != np.result_type(other):
        return False
    scale = float(np.max(np.abs(other), initial=0.0, where=np.isfinite(other)))
    most = float(np.sqrt(np.finfo(dtype).eps))
    return bool(np.allclose(one, other, rtol=most, atol=most * scale, equal_nan=True))
