"""`gaussian_kde`: the density of a sample, by its points, their weights, the width and the points
asked for.
"""

from typing import Any

import numpy as np
from scipy import stats

from chainrules_tape.core.levels import innermost
from chainrules_tape.scipy.objects import StandInObject, example, floats, traced_option_error


class gaussian_kde(StandInObject):
    """`scipy.stats.gaussian_kde`: its values and their logarithms."""

    made_by = stats.gaussian_kde
    instead = "call the object, or its logpdf"

    @classmethod
    def in_place_of(cls, own) -> "gaussian_kde":
        """The density in the place of one of SciPy's."""
        return cls(own.dataset, own.factor, own.weights)

    def plain_part(self, value) -> Any:
        """An argument of the first example, where there are many."""
        return example(value)

    def __call__(self, points) -> Any:
        """The density at points, of which a matrix has a column each."""
        return self.plain(points) if self.is_plain(points) else np.exp(self.logarithm(points))

    evaluate = __call__

    def pdf(self, x) -> Any:
        """The density at points."""
        return self(x)

    def logpdf(self, x) -> Any:
        """The logarithm of the density at points."""
        return self.plain.logpdf(x) if self.is_plain(x) else self.logarithm(x)

    def is_plain(self, points) -> bool:
        """Whether nothing is traced."""
        return not self.is_traced and innermost((points,)) is None

    def logarithm(self, points) -> Any:
        """The logarithm of the mean of normal densities around the points of the sample."""
        sample, weights = np.atleast_2d(floats(self.given["dataset"])), self.weights_of_sample()
        dimension, count = sample.shape
        points = columns(points, dimension)
        away = sample - np.sum(weights * sample, axis=1, keepdims=True)
        covariance = (weights * away) @ away.T / (1 - np.sum(weights * weights))
        factor = np.linalg.cholesky(covariance) * self.width(
            dimension, 1 / np.sum(weights * weights)
        )
        gaps = np.linalg.solve(
            factor, np.reshape(sample[:, :, None] - points[:, None, :], (dimension, -1))
        )
        exponents = np.log(weights)[:, None] - 0.5 * np.reshape(
            np.sum(gaps * gaps, axis=0), (count, -1)
        )
        scale = np.sum(np.log(np.diagonal(factor))) + 0.5 * dimension * np.log(2 * np.pi)
        return np.logaddexp.reduce(exponents, axis=0) - scale

    def weights_of_sample(self) -> Any:
        """The weights of the points, whose sum is one."""
        weights = self.given["weights"]
        if weights is None:
            return np.full(self.plain.n, 1 / self.plain.n)
        weights = floats(weights)
        return weights / np.sum(weights)

    def width(self, dimension: int, effective) -> Any:
        """The factor of the deviation of the sample that is the deviation of each density."""
        method = self.given["bw_method"]
        if method is None or isinstance(method, str):
            share = 1.0 if method in (None, "scott") else (dimension + 2) / 4
            return (effective * share) ** (-1 / (dimension + 4))
        if callable(method):
            raise traced_option_error(
                self.made_by, "bw_method", method, "pass the number that it returns"
            )
        return method


def columns(points, dimension: int) -> Any:
    """Points with a row for each dimension; a vector is one point where it has as many numbers as
    there are dimensions.
    """
    points = np.atleast_2d(floats(points))
    if points.shape[0] == dimension:
        return points
    if points.shape == (1, dimension):
        return np.reshape(points, (dimension, 1))
    raise ValueError(
        f"gaussian_kde: points of dimension {points.shape[0]}; pass {dimension}, as in the sample"
    )
