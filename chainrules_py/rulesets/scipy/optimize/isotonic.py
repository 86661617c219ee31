"""Isotonic regression: the mean over each of its blocks, which do not move."""

from typing import Any

import numpy as np
from scipy import optimize

from chainrules_py import Array, composed
from chainrules_py.ignoring import ignore_derivatives


@composed(optimize.isotonic_regression, one_by_one=True)
def isotonic_regression(y: Array, *, weights: Any = None, increasing: bool = True, xp) -> Any:
    """Each value is the weighted mean of its block."""
    found: Any = optimize.isotonic_regression(
        np.asarray(ignore_derivatives(y)), weights=weights, increasing=increasing
    )
    lengths = np.diff(found.blocks)
    block = np.repeat(np.arange(lengths.size), lengths)
    own = np.ones(block.size) if weights is None else np.asarray(weights)
    shares = (block[:, None] == block) * own
    x = xp.asarray(shares / shares.sum(axis=1, keepdims=True)) @ y
    return optimize.OptimizeResult({**found, "x": x})
