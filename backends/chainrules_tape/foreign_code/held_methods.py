"""Methods that a module holds by a name of its own, ``N = norm.cdf``: those of SciPy's
distributions, and of frozen ones.
"""

import importlib
from collections.abc import Callable
from types import MethodType
from typing import Any

_OF_FROZEN = "scipy.stats._distn_infrastructure"


def held_method(method: MethodType, replacement: Callable[[Any], Any]) -> Any:
    """The method of what stands in the place of the object that a method is bound to; the method
    itself where nothing does.
    """
    owner: Any = method.__self__
    instead = replacement(owner)
    if instead is not owner:
        return getattr(instead, method.__name__, method)
    if type(owner).__module__ != _OF_FROZEN or not hasattr(owner, "dist"):
        return method
    # takes a second, if SciPy's has not been imported
    stats = importlib.import_module("chainrules_tape.scipy.stats")
    if not stats.has_rule(owner.dist, method.__name__):
        return method
    frozen = stats.Frozen(stats.Distribution(owner.dist), owner.args, owner.kwds, type(owner))
    return getattr(frozen, method.__name__)
