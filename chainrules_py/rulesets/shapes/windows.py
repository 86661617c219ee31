"""Windows that slide over an array.

An entry is in several of them; the adjoint adds up their cotangents.
"""

import math
from typing import Any

import numpy as np

from chainrules_py import Space, linear_rule
from chainrules_py.rulesets.entries.scatter import scatter_add


@linear_rule(np.lib.stride_tricks.sliding_window_view, value_only=("subok", "writeable"))
def sliding_window_view_adjoint(
    y_bar,
    x: Space,
    *,
    window_shape,
    axis: Any = None,
    subok: bool = False,
    writeable: bool = False,
    xp,
):
    """Windows over the positions of the entries are the index of each cotangent."""
    size = math.prod(x.shape)
    positions = np.lib.stride_tricks.sliding_window_view(
        np.arange(size).reshape(x.shape), window_shape, axis=axis
    )
    flat = scatter_add(
        xp.reshape(y_bar, -1), index=positions.reshape(-1), shape=(size,), dtype=x.dtype
    )
    return xp.reshape(flat, x.shape)
