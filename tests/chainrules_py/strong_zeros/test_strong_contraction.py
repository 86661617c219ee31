"""Sums of products in which zero times infinity is zero, against the sum written out."""

from typing import Any

import numpy as np
import pytest

from chainrules_py.strong_zeros.strong_contraction import (
    is_quickly_finite,
    require_finite,
    strict_contraction,
    strong_contraction,
)

SPECIAL = [0.0, 1.0, -2.0, np.inf, -np.inf, np.nan]


def written_out(a: Any, b: Any) -> Any:
    """The matrix product, term by term, without those in which the entry of `a` is zero, or
    infinite and that of `b` zero.
    """
    terms = [
        [[x * y for x, y in zip(row, column, strict=True) if counts(x, y)] for column in b.T]
        for row in a
    ]
    return np.array([[sum(entry, 0.0) for entry in row] for row in terms])


def counts(x: float, y: float) -> bool:
    """Whether a term is no strong zero."""
    return x != 0 and not (np.isinf(x) and y == 0)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_sum_written_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (
        rng.choice(SPECIAL, (3, 2), p=[0.5, 0.2, 0.2, 0.04, 0.03, 0.03]),
        rng.choice(SPECIAL, (2, 4)),
    )
    with np.errstate(invalid="ignore"):
        found, expected = strong_contraction(np.matmul, a, [b]), written_out(a, b)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    np.testing.assert_array_equal(found[finite], expected[finite])


@pytest.mark.parametrize("contract", [np.matmul, np.cross, np.multiply])
def test_where_all_is_finite_it_is_the_contraction_itself(contract: Any) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 3, 3))
    for careful in (strong_contraction, strict_contraction):
        assert careful(contract, a, [b]).tobytes() == contract(a, b).tobytes()


def test_terms_of_opposite_sign_do_not_hide_each_other() -> None:
    a, b = np.array([1.0, 1.0, 0.0]), np.array([np.inf, np.inf, 1.0])
    with np.errstate(invalid="ignore"):
        assert np.isnan(strong_contraction(np.cross, a, [b])[2])  # 1 * inf - 1 * inf


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_what_is_not_finite_is_found(bad: float) -> None:
    require_finite(np.array([1e200, -1e200]))  # whose squares are not
    assert not is_quickly_finite(np.array([1e200]))
    with pytest.raises(FloatingPointError):
        require_finite(np.array([[1.0, 2.0], [bad, 0.0]]).T)


def test_products_of_which_no_flag_tells() -> None:
    found = strict_contraction(np.vdot, np.array([0.0, 2.0]), [np.array([np.inf, 3.0])])
    assert found == 6.0
