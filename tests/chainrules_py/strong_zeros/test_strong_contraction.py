"""Sums of products in which zero times infinity is zero, against the sum written out."""

import numpy as np
import pytest

from chainrules_py.strong_zeros.strong_contraction import (
    is_quickly_finite,
    require_finite,
    strict_contraction,
    strong_contraction,
)


@pytest.mark.parametrize("contract", [np.matmul, np.cross, np.multiply])
def test_where_all_is_finite_it_is_the_contraction_itself(contract):
    a, b = np.random.default_rng(0).normal(size=(2, 3, 3))
    for careful in (strong_contraction, strict_contraction):
        assert careful(contract, a, [b]).tobytes() == contract(a, b).tobytes()


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_what_is_not_finite_is_found(bad: float):
    require_finite(np.array([1e200, -1e200]))  # whose squares are not
    assert not is_quickly_finite(np.array([1e200]))
    with pytest.raises(FloatingPointError):
        require_finite(np.array([[1.0, 2.0], [bad, 0.0]]).T)
