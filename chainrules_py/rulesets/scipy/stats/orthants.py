"""Probabilities that normal variables are all below limits.

By one limit the derivative is the density there, times the probability that the others are below
theirs, given that this one is at its own. By the covariance it is half of the second derivative by
the limits: R. L. Plackett (1954).
"""

from typing import Any

import numpy as np
from scipy import special

from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.values.arrays import Array


@primitive
def orthant(z, matrix, how: dict[str, Any]) -> Any:
    """The probability that variables of a mean of zero are below the limits in each row.

    It is computed to the tolerance of SciPy's, which `how` is given to. Who calls it has refused
    singular matrices: those of ones, of which examples that are none are computed, are.
    """
    if len(matrix) == 1:
        return special.ndtr(z[:, 0] / np.sqrt(matrix[0, 0]))
    found = stats.multivariate_normal.cdf(z, None, matrix, allow_singular=True, **how)
    return np.reshape(found, len(z))


def at_limits(z, matrix, places: list[int], how: dict[str, Any], xp) -> Any:
    """The density of some variables at their limits, times the probability of the others below
    theirs: a derivative of the probability by these limits.
    """
    others = [place for place in range(len(matrix)) if place not in places]
    block, cross = matrix[places][:, places], matrix[others][:, places]
    own = z[:, places]
    is_finite = xp.all(xp.isfinite(own), axis=-1)
    own = xp.where(is_finite[:, None], own, 0.0)
    scaled = xp.linalg.solve(block, own.T)
    form = xp.sum(own.T * scaled, axis=0)
    density = xp.exp(-0.5 * form) / xp.sqrt(xp.linalg.det(2 * np.pi * block))
    if others:
        rest = matrix[others][:, others] - cross @ xp.linalg.solve(block, cross.T)
        density = density * orthant(z[:, others] - (cross @ scaled).T, rest, how=how)
    return xp.where(is_finite, density, 0.0)


@linearised_rule(orthant)
def orthant_linearised(
    z: Array, matrix: Array, *, how: dict[str, Any], out, xp
) -> tuple[LinearMap, LinearMap]:
    """The density at each limit, and half of the second derivatives by the limits."""
    each = range(matrix.shape[0])

    def slopes() -> Any:
        return xp.stack([at_limits(z, matrix, [i], how, xp) for i in each], axis=-1)

    def bends() -> Any:
        """The second derivatives; S times those by limit i and the others is -z times that by i."""
        zero = xp.zeros(z.shape[0])
        mixed = {(i, j): at_limits(z, matrix, [i, j], how, xp) for j in each for i in range(j)}
        pairs = [[mixed.get((min(i, j), max(i, j)), zero) for j in each] for i in each]
        beside = xp.moveaxis(xp.stack([xp.stack(row) for row in pairs]), -1, 0)
        finite = xp.where(xp.isfinite(z), z, 0.0)
        through = finite * slopes() + xp.sum(matrix * beside, axis=-1)
        own = -through / xp.diagonal(matrix)
        return 0.5 * (beside + own[:, :, None] * np.eye(matrix.shape[0]))

    return (
        LinearMap(
            lambda dot: xp.sum(slopes() * dot, axis=-1),
            lambda out_bar: slopes() * out_bar[:, None],
        ),
        LinearMap(
            lambda dot: xp.sum(bends() * dot, axis=(-2, -1)),
            lambda out_bar: xp.sum(bends() * out_bar[:, None, None], axis=0),
        ),
    )
