"""Estimate derivatives at t = 0 of a sampled curve by extrapolated difference quotients.

The curve is sampled at ±h, ±h/2, ±h/4, ... Difference quotients at two successive steps combine
into one whose leading error term has cancelled (Richardson 1911), repeatedly, in a triangular
tableau (Neville's scheme; Ridders, Adv. Eng. Software 4, 1982). The entry in row k and column j is
the central stencil of 2(j+1) points with step h/2^k, so walking the tableau *is* choosing the order
and the step. Each entry gets an error bound from two sources,

    truncation   how far it moved from the two entries it was made of
    roundoff     the noise of the samples, carried through the same linear combinations

and every output coordinate takes its own best entry: one coordinate may be linear and another
oscillate. A sample that is nan or infinite spoils only the entries that use it, for that
coordinate. Large steps can agree with each other by accident (a staircase, seen from far away, is a
ramp), so the quotients of the smallest steps have to be on their way to the value.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.floating]
RATIO = 2.0
# up to twelve-point central stencils; more amplifies roundoff and gains nothing in double precision
COLUMNS = 6


@dataclass(frozen=True)
class Estimate:
    """A derivative per coordinate and a bound on its error: infinite where nothing could be said."""

    value: Vector
    error: Vector


def estimates(
    after: Vector, before: Vector, centre: Vector, noise: Vector, steps: Vector
) -> tuple[Estimate, ...]:
    """Estimate d/dt at 0 from the right, from the left and from both sides.

    The error of a central quotient is even in h, that of a one-sided one has every power of h. They
    are extrapolated together.
    """
    rows, count = steps[:, None], len(centre)
    quotients = np.hstack(
        [(after - centre) / rows, (centre - before) / rows, (after - before) / (2 * rows)]
    )
    found = _extrapolate(
        quotients, np.hstack([2 * noise, 2 * noise, noise]) / rows, np.repeat([1, 1, 2], count)
    )
    return tuple(map(Estimate, np.split(found.value, 3), np.split(found.error, 3)))


def _extrapolate(quotients: Vector, noise: Vector, power: NDArray[np.int_]) -> Estimate:
    """Extrapolate the tableau, and keep the entry with the smallest error bound."""
    last, allowed = quotients[-1], _allowed_distance(quotients, noise)
    best = Estimate(last, np.full(last.shape, np.inf, last.dtype))
    for column in range(1, min(COLUMNS, len(quotients))):
        weight = RATIO ** (power * column) - 1
        moved = quotients[1:] - quotients[:-1]
        quotients = quotients[1:] + moved / weight
        noise = noise[1:] * (1 + 1 / weight) + noise[:-1] / weight
        # the distance from the coarser of the two, which is the larger
        error = np.abs(moved) * (1 + 1 / weight) + noise
        best = _better(best, quotients, error + _contradiction(quotients, last, allowed))
    return best


def _better(best: Estimate, values: Vector, errors: Vector) -> Estimate:
    errors = np.where(np.isfinite(values + errors), errors, np.inf)
    # quicker than take_along_axis on so few
    least = errors.argmin(axis=0), np.arange(errors.shape[1])
    gain = errors[least] < best.error
    return Estimate(
        np.where(gain, values[least], best.value), np.where(gain, errors[least], best.error)
    )


def _allowed_distance(quotients: Vector, noise: Vector) -> Vector:
    """Bound the distance of a value from the last quotient, given the last changes."""
    recent = np.abs(np.diff(quotients[-4:], axis=0)).max(axis=0)
    return np.asarray(3 * recent + 8 * noise[-1])


def _contradiction(values: Vector, last: Vector, allowed: Vector) -> Vector:
    """Measure how much farther the last quotient is from a value than is allowed."""
    excess = np.abs(last - values) - allowed
    return np.where(np.isfinite(excess), np.maximum(excess, 0.0), np.inf)
