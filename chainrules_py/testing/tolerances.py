"""Tolerances by the number of digits that a dtype has.

    against the oracle    the rule's own roundoff, amplified by a condition number of up to a few thousand; the oracle's
                          error bound comes on top
    exact identities      adjointness, linearity, needs: the same numbers in another order, so nearly machine precision

float16 has three digits, which no finite difference and no condition number leaves standing: it is
refused.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chainrules_py.testing.coordinates import Vector


@dataclass(frozen=True)
class Tolerance:
    """Relative tolerances against the oracle and for identities, with an absolute floor."""

    oracle: float
    identity: float
    adjoint: float
    floor: float


def tolerance_of(eps: float) -> Tolerance:
    """The tolerances for numbers whose relative spacing is `eps`.

    The floor is where roundoff of numbers near one ends: a derivative that is zero comes out as a
    few of these.
    """
    floor = 50 * eps
    if eps > 1e-10:
        return Tolerance(oracle=2e-3, identity=2e-3, adjoint=2e-5, floor=floor)
    if eps > 1e-17:
        return Tolerance(oracle=1e-7, identity=2e-10, adjoint=2e-12, floor=floor)
    return Tolerance(oracle=1e-8, identity=1e-12, adjoint=1e-14, floor=floor)


def mismatch(
    got: Vector, expected: Vector, relative: float, slack: Vector | float = 0.0
) -> NDArray[np.bool_]:
    """Which entries differ by more than the tolerance; nan equals nan.

    That is a part of their own size and of the typical size, plus the slack.
    """
    finite = np.abs(expected[np.isfinite(expected)])
    typical = float(np.sqrt(np.mean(finite * finite))) if finite.size else 0.0
    size = np.maximum(np.abs(expected), 0.1 * typical)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        return np.asarray(~same & ~(np.abs(got - expected) <= relative * size + slack))


def dot_mismatch(
    a: Vector, b: Vector, c: Vector, d: Vector, relative: float, slack: float = 0.0
) -> bool:
    """Whether a.b and c.d differ by more than a part of what was summed, plus the slack."""
    with np.errstate(all="ignore"):
        left, right = a * b, c * d
        summed = float(np.abs(left).sum() + np.abs(right).sum())
        return not abs(float(left.sum()) - float(right.sum())) <= relative * summed + slack
