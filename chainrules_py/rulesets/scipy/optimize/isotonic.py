"""Isotonic regression: the mean over each of its blocks, which do not move."""

from typing import Any

import numpy as np
from scipy import optimize

from chainrules_py import Array, composed, non_differentiable, primitive
from chainrules_py.ignoring import ignore_derivatives


@primitive
def blocks_of(y, weights: Any = None, increasing: bool = True) -> tuple[Any, Any, Any]:
    """The shares of all values in each mean, the weights of blocks, and where these begin and end."""
    found: Any = optimize.isotonic_regression(y, weights=weights, increasing=increasing)
    lengths = np.diff(found.blocks)
    block = np.repeat(np.arange(lengths.size), lengths)
    own = np.ones(block.size) if weights is None else np.asarray(weights)
    shares = (block[:, None] == block) * own
    return shares / shares.sum(axis=1, keepdims=True), found.weights, found.blocks


non_differentiable(blocks_of)


@composed(optimize.isotonic_regression, one_by_one=True)
def isotonic_regression(y: Array, *, weights: Any = None, increasing: bool = True) -> Any:
    """Each value is the weighted mean of its block."""
    shares, sums, blocks = blocks_of(ignore_derivatives(y), weights, increasing)
    return optimize.OptimizeResult(x=shares @ y, weights=sums, blocks=blocks)
