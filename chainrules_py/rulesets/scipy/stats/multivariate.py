"""Distributions of vectors: normal, Student's t, Dirichlet's, multinomial.

With W = S^-1 (x - mean) for a covariance S, the log-density of the normal distribution moves by -W
in x, W in the mean, and (W W^T - S^-1) / 2 in S; of Student's t, W has the factor (df + d) / (df +
q), where q = (x - mean)^T S^-1 (x - mean). The derivative by S is symmetric: half of it belongs to
each of two entries that are one number. Where these are two numbers, SciPy reads the lower one.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chainrules_py import composed
from chainrules_py.errors import OptionError
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.known_values import any_at_hand, greatest_known
from chainrules_py.rulesets.scipy.special.psi_differences import psi_difference
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.values.arrays import Array, Scalar, shape_of

if TYPE_CHECKING:
    Number = Any
else:
    Number = Array | Scalar  # what rules dispatch on
Maps = tuple[LinearMap | None, ...]
NORMAL, STUDENT = type(stats.multivariate_normal), type(stats.multivariate_t)


class Quadratic:
    """x - mean against a symmetric matrix, which may be given as a number or by its diagonal."""

    def __init__(self, x, mean, matrix, xp) -> None:
        require_real(x, mean, matrix, xp=xp)
        self.xp, self.given = xp, len(shape_of(matrix))
        rows = shape_of(matrix)[0] if self.given == 2 else 1
        self.size = rows if mean is None else xp.size(mean)
        self.x, self.mean = x, mean
        if self.given == 1 and shape_of(matrix) != (self.size,):
            # which SciPy takes where no shape contradicts, and counts its dimensions
            raise ValueError(
                f"a diagonal of shape {shape_of(matrix)} for a mean of {self.size} numbers;"
                " pass one number for each"
            )
        if self.given == 2:
            is_read = xp.tril(xp.ones(shape_of(matrix)))
            self.shares = xp.where(matrix == matrix.T, 0.5, is_read)
        self.matrix = self.full(matrix)

    @cached_property
    def points(self) -> Any:
        """The points in rows."""
        return self.xp.reshape(self.x * 1.0, points_shape(shape_of(self.x), self.size))

    @cached_property
    def away(self) -> Any:
        """The differences of the points from the mean."""
        return self.points - (
            0.0 if self.mean is None else self.xp.reshape(self.mean, (self.size,))
        )

    @cached_property
    def inverse(self) -> Any:
        """The inverse of the matrix."""
        return self.xp.linalg.inv(self.matrix)

    @cached_property
    def weighted(self) -> Any:
        """The differences of the points from the mean, times the inverse."""
        return self.xp.matmul(self.away, self.inverse)

    def full(self, matrix) -> Any:
        """The matrix from what was given; linear."""
        if self.given == 2:
            part = self.shares * matrix
            return part + part.T
        return (self.xp.reshape(matrix, (-1, 1)) if self.given else matrix) * self.xp.eye(self.size)

    def given_form(self, matrix_bar) -> Any:
        """The adjoint of `full`."""
        if self.given == 2:
            return self.shares * (matrix_bar + matrix_bar.T)
        diagonal = self.xp.diagonal(matrix_bar)
        return diagonal if self.given else self.xp.sum(diagonal)

    def require_regular(self, allow_singular: bool, name: str) -> None:
        """Raise for a matrix without an inverse."""
        if not allow_singular:
            return
        missing = self.size - self.xp.linalg.matrix_rank(self.matrix)
        if greatest_known(missing) > 0:
            got = "a singular matrix, of which the density is one on a subspace that moves with it"
            raise OptionError(
                name,
                got,
                "pass a regular matrix",
                primal=None,
                option="allow_singular",
                value=allow_singular,
            )

    def maps(
        self,
        factor,
        weight,
        shape: tuple[int, ...],
        x_shape: tuple[int, ...],
        mean_shape,
    ) -> Maps:
        """The maps of x, the mean and the matrix, of a log-density that falls by `factor` times
        half of the form.
        """
        xp, rows, weighted = self.xp, self.points.shape[:-1], self.weighted

        def pushed(of_points) -> Any:
            return weight * xp.reshape(of_points, shape)

        def spread(out_bar) -> Any:
            return (factor * xp.reshape(weight * out_bar, rows))[..., None]

        def by_matrix(dot):
            full = self.full(dot)
            form = xp.sum(xp.matmul(weighted, full) * weighted, axis=-1)
            return pushed(0.5 * (factor * form - xp.sum(self.inverse * full)))

        def to_matrix(out_bar):
            flat = xp.reshape(weighted, (-1, self.size))
            bars = xp.reshape(spread(out_bar) * weighted, (-1, self.size))
            return self.given_form(
                0.5 * (xp.matmul(bars.T, flat) - xp.sum(weight * out_bar) * self.inverse)
            )

        def by_x(dot):
            products = weighted * xp.reshape(dot, self.points.shape)
            return pushed(-factor * xp.sum(products, axis=-1))

        def to_x(out_bar):
            bars = unbroadcast(-spread(out_bar) * weighted, self.points.shape, xp)
            return xp.reshape(bars, x_shape)

        def by_mean(dot):
            products = weighted * xp.reshape(dot, (self.size,))
            return pushed(factor * xp.sum(products, axis=-1))

        def to_mean(out_bar):
            bars = xp.reshape(spread(out_bar) * weighted, (-1, self.size))
            return xp.reshape(xp.sum(bars, axis=0), mean_shape)

        of_x, of_mean = LinearMap(by_x, to_x), LinearMap(by_mean, to_mean)
        return None, of_x, None if mean_shape is None else of_mean, LinearMap(by_matrix, to_matrix)


def require_real(*numbers, xp) -> None:
    """Raise for complex numbers, whose imaginary parts SciPy leaves out with a warning."""
    if any(xp.iscomplexobj(each) for each in numbers):
        raise TypeError(
            "scipy.stats: got complex numbers for a distribution of real vectors; pass their real"
            " parts"
        )


def points_shape(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The shape of points in rows.

    A row of numbers is one point, or many where a point has one coordinate.
    """
    if not shape:
        return (1, 1)
    if len(shape) > 1:
        return shape
    return (*shape, 1) if size == 1 else (1, *shape)


def normal(name: str, weigh: Callable[[Any], Any]) -> None:
    """A density of the normal distribution, by what its logarithm's derivative is multiplied with."""

    @linearised_rule(getattr(NORMAL, name))
    def normal_linearised(
        distribution: object,
        x: Number,
        mean: Number | None = None,
        cov: Number = 1,
        *,
        allow_singular: bool = False,
        out,
        xp,
    ) -> Maps:
        form = Quadratic(x, mean, cov, xp)
        form.require_regular(allow_singular, f"scipy.stats.multivariate_normal.{name}")
        return form.maps(
            1.0, weigh(out), shape_of(out), shape_of(x), None if mean is None else shape_of(mean)
        )


def student(name: str, weigh: Callable[[Any], Any]) -> None:
    """A density of Student's distribution, by what its logarithm's derivative is multiplied with."""

    @linearised_rule(getattr(STUDENT, name))
    def student_linearised(
        distribution: object,
        x: Number,
        loc: Number | None = None,
        shape: Number = 1,
        df: Number = 1,
        *,
        out,
        xp,
    ) -> Maps:
        form = Quadratic(x, loc, shape, xp)
        q, weight = xp.sum(form.weighted * form.away, axis=-1), weigh(out)
        of_gamma = psi_difference(0.5 * df, 0.5 * form.size)
        by_df = 0.5 * (
            of_gamma - form.size / df - xp.log1p(q / df) + (df + form.size) * q / df / (df + q)
        )
        slope = weight * xp.reshape(by_df, shape_of(out))
        of_df = LinearMap(lambda dot: slope * dot, lambda out_bar: xp.sum(slope * out_bar))
        factor = (df + form.size) / (df + q)
        return (
            *form.maps(
                factor, weight, shape_of(out), shape_of(x), None if loc is None else shape_of(loc)
            ),
            of_df,
        )


def dirichlet(name: str, weigh: Callable[[Any], Any]) -> None:
    """A density of Dirichlet's distribution; x may lack its last row, which is 1 minus the others."""

    @linearised_rule(getattr(type(stats.dirichlet), name))
    def dirichlet_linearised(distribution: object, x: Array, alpha: Array, *, out, xp) -> Maps:
        require_real(x, alpha, xp=xp)
        lacking = x.shape[0] < alpha.shape[0]
        weight = weigh(out)
        whole = xp.concatenate([x, 1 - xp.sum(x, axis=0, keepdims=True)]) if lacking else x
        columns = (-1, *(1,) * (x.ndim - 1))
        slopes = weight * xp.reshape(alpha - 1, columns) / whole
        slopes = slopes[:-1] - slopes[-1:] if lacking else slopes
        constant = psi_difference(alpha, xp.sum(alpha) - alpha)
        by_alpha = weight * (xp.log(whole) + xp.reshape(constant, columns))
        others = tuple(range(1, x.ndim))
        return (
            None,
            LinearMap(lambda dot: xp.sum(slopes * dot, axis=0), lambda out_bar: slopes * out_bar),
            LinearMap(
                lambda dot: xp.sum(by_alpha * xp.reshape(dot, columns), axis=0),
                lambda out_bar: xp.sum(by_alpha * out_bar, axis=others),
            ),
        )


def multinomial(name: str, weigh: Callable[[Any], Any]) -> None:
    """A probability of counts, by the probabilities p, which add up to 1 and move in that plane."""

    @linearised_rule(getattr(type(stats.multinomial), name))
    def multinomial_linearised(
        distribution: object, x: Number, n: Number, p: Array, *, out, xp
    ) -> Maps:
        slopes = weigh(out)[..., None] * (xp.asarray(x) / p)
        of_p = LinearMap(
            lambda dot: xp.sum(slopes * dot, axis=-1),
            lambda out_bar: unbroadcast(slopes * out_bar[..., None], p.shape, xp),
        )
        return None, None, None, of_p


for _suffix in ("pdf", "logpdf"):
    _weigh = (lambda out: out) if _suffix == "pdf" else (lambda out: 1.0 + 0 * out)
    for _declare in (normal, student, dirichlet):
        _declare(_suffix, _weigh)
    multinomial(_suffix.replace("d", "m"), _weigh)


@composed(NORMAL.entropy)
def normal_entropy(distribution: object, mean: Number | None = None, cov: Number = 1, *, xp):
    """Half of the logarithm of the determinant, and a constant for each direction.

    As in SciPy, directions in which a singular matrix has no variance count for nothing.
    """
    matrix = Quadratic(0.0, mean, cov, xp).matrix
    if any_at_hand(~xp.isfinite(matrix)):
        raise ValueError(
            "scipy.stats.multivariate_normal: got a covariance with inf or nan; pass finite numbers"
        )
    values = xp.linalg.eigvalsh(matrix)
    least = 1e6 * np.finfo(values.dtype).eps * xp.max(xp.abs(values))
    if any_at_hand(values < -least):
        raise ValueError(
            "scipy.stats.multivariate_normal: got a covariance with negative variances; pass one without"
        )
    is_missing = values <= least
    constant = xp.sum(~is_missing) * (np.log(2 * np.pi) + 1)
    if any_at_hand(is_missing):
        return 0.5 * (constant + xp.sum(xp.log(xp.where(is_missing, 1, values))))
    return 0.5 * (constant + xp.linalg.slogdet(matrix)[1])
