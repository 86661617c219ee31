"""Sums of products in which zero times infinity is zero.

These are the careful forms of matrix products, convolutions and their kin. They are called as
``contract(t, *factors)``: every entry of the result is a sum of products, of an entry of the
tangent or cotangent `t` and one of each factor. Which sums have a term that is truly not finite is
found by contracting masks; these come out as NumPy has them, all others as if what is not finite
were zero.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.errors import BatchingError
from chainrules_py.strong_zeros.strictness import relax, strict
from chainrules_py.values.arrays import common_namespace

# Results of more entries are searched for nan: that is cheap next to the product, which BLAS may
# compute in threads of its own, whose "invalid" flags NumPy does not read.
LARGE = 8192


def strong_contraction(contract: Function, t, factors: Sequence[Any]) -> Any:
    """Compute ``contract(t, *factors)`` with strong zeros.

    Left out are the products in which the entry of `t` is zero, or infinite and that of a factor
    zero.

    >>> strong_contraction(np.matmul, np.array([0.0, 2.0]), [np.array([np.inf, 3.0])])
    np.float64(6.0)
    >>> strong_contraction(np.matmul, np.array([np.inf, 2.0]), [np.array([0.0, 3.0])])
    np.float64(6.0)
    """
    xp = common_namespace((t, *factors))
    infinite = [~xp.isfinite(factor) for factor in factors]
    if not any(holds_anywhere(mask, xp) for mask in (xp.isinf(t), *infinite)):
        return contract(t, *factors)
    finite_factors = [
        xp.where(mask, 0, factor) for mask, factor in zip(infinite, factors, strict=True)
    ]
    finite = contract(xp.where(xp.isfinite(t), t, 0), *finite_factors)
    lost = _has_infinite_term(contract, t, factors, infinite, xp)
    if not holds_anywhere(lost, xp):
        return finite
    return xp.where(lost, contract(t, *factors), finite)


def holds_anywhere(mask, xp) -> bool:
    """Whether a mask holds for some entry; taken to be so where lanes have different answers."""
    try:
        return bool(xp.any(mask))
    except BatchingError:
        return True


def _has_infinite_term(
    contract: Function, t, factors: Sequence[Any], infinite: Sequence[Any], xp
) -> Any:
    """Which sums have a term that is not finite.

    That comes of a nan in `t`, or of an infinity that no zero on the other side meets.
    """
    # so that no two terms of opposite sign cancel, as in a vector product
    random = np.random.default_rng(0)

    def weighted(mask) -> Any:
        return xp.where(mask, random.uniform(1, 2, np.shape(mask)), 0.0)

    def met(mask_of_t, masks: Sequence[Any]) -> Any:
        """Positive for sums with a term whose entries are all in these masks, else 0."""
        return abs(contract(weighted(mask_of_t), *map(weighted, masks)))

    everywhere = [xp.ones_like(mask) for mask in infinite]
    found = met(xp.isnan(t), everywhere)
    found = found + met(xp.isinf(t), [factor != 0 for factor in factors])
    for k, mask in enumerate(infinite):
        found = found + met(t != 0, [*everywhere[:k], mask, *everywhere[k + 1 :]])
    return found != 0


def strict_contraction(contract: Function, t, factors: Sequence[Any]) -> Any:
    """Compute ``contract(t, *factors)``, again with strong zeros where something is not finite."""
    try:
        return finite_contraction(contract, t, factors)
    except FloatingPointError:
        return strong_contraction(contract, t, factors)


def finite_contraction(contract: Function, t, factors: Sequence[Any]) -> Any:
    """Compute ``contract(t, *factors)``; raise FloatingPointError where something is not finite."""
    token = strict()
    try:
        y = contract(t, *factors)
        require_finite(y, t, *factors)
        return y
    finally:
        relax(token)


def require_finite(y, *factors) -> None:
    """Raise FloatingPointError where zero may have met infinity in sums of products.

    This is for NumPy's arrays, where no flag tells. Zero has met none if the sums `y` are finite,
    or if all factors are (the tangent or cotangent is one): whichever has fewer entries is checked.
    """
    if not issubclass(type(y), np.ndarray | np.inexact):
        return
    sizes = [f.size if issubclass(type(f), np.ndarray) else math.inf for f in factors]
    has_fewer = bool(sizes) and sum(sizes) < y.size
    for looked_at in factors if has_fewer else (y,):
        if not (is_quickly_finite(looked_at) or np.all(np.isfinite(looked_at))):
            raise FloatingPointError("not finite")


def is_quickly_finite(y) -> bool:
    """Whether the squares of all entries have a finite sum; one pass that allocates nothing.

    A traced array is never asked.
    """
    return issubclass(type(y), np.ndarray | np.inexact) and math.isfinite(np.vdot(y, y).real)
