"""Set operations: the result holds values of the arguments, each once, sorted.

An entry of the result moves with the entries of the arguments that it equals; where there are several, they share equally, as
ties do everywhere here. What the operation keeps does not depend on small changes, except where values meet.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.arrays import Array
from chainrules_py.projection import ProjectTo
from chainrules_py.propagators import Pullback
from chainrules_py.registry import default_rules
from chainrules_py.rulesets.scatter import scatter_add
from chainrules_py.tangents import ZERO, AbstractZero

rrule, frule = default_rules.rrule, default_rules.frule


def members(y: Any, x: Any, xp: Any) -> tuple[Any, Any]:
    """Which entries of a flat `x` are in the sorted `y`, and where in `y` they are."""
    found = xp.searchsorted(y, x)
    inside = xp.nonzero(found < y.size)[0]
    chosen = inside[xp.nonzero(xp.equal(y[found[inside]], x[inside]))[0]]
    return chosen, found[chosen]
