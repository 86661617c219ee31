"""Axes and counts of reductions."""

import numpy as np
import pytest

from chainrules_py.projection.dense import dense_space
from chainrules_py.rulesets.formulas.reducing import spread_over


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(100, 2), (20, 5, 15), (99, 2), (100, 1), (100, 16), (2**18, 2)])
def test_many_short_rows(shape, keepdims):
    y_bar = np.random.default_rng(0).normal(size=shape[:-1]).astype("float32")
    spread = spread_over(
        y_bar[..., None] if keepdims else y_bar,
        dense_space(np.ndarray, shape, y_bar.dtype),
        -1,
        keepdims,
        np,
    )
    np.testing.assert_array_equal(spread, np.broadcast_to(y_bar[..., None], shape))
    assert spread.dtype == np.float32
    assert np.may_share_memory(spread, y_bar) == (shape not in [(100, 2), (20, 5, 15)])
