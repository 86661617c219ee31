"""``ufunc.outer(a, b)``."""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.makers.lists import ArrayLike
from chainrules_py.values.arrays import shape_of


@composed(np.ufunc.outer)
def outer(ufunc: np.ufunc, a: ArrayLike, b: ArrayLike, *, xp) -> Any:
    """The ufunc on every pair, that is, on `a` with as many axes added as `b` has."""
    first, second = shape_of(a), shape_of(b)
    return ufunc(xp.reshape(a, first + (1,) * len(second)), xp.reshape(b, second))
