"""Windows that slide over an array of JAX's, which has no views."""

from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp
import numpy as np


def sliding_window_view(x, window_shape, axis: Any = None) -> Any:
    """Every window, by the positions of its entries; NumPy says which those are."""
    positions = np.arange(x.size).reshape(x.shape)
    seen = np.lib.stride_tricks.sliding_window_view(positions, window_shape, axis)
    return jnp.ravel(x)[seen]


FUNCTIONS = {
    "lib": SimpleNamespace(
        stride_tricks=SimpleNamespace(**{sliding_window_view.__name__: sliding_window_view})
    )
}
