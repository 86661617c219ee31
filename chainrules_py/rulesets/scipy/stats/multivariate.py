"""Distributions of vectors: normal, Student's t, Dirichlet's, multinomial.

A matrix is symmetric: half of the derivative belongs to each of two entries that are one number.
Where these are two numbers, SciPy reads the lower one.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from chainrules_py import composed
from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.scipy.options import Options, with_options, without_rule
from chainrules_py.rulesets.scipy.stats.module import stats
from chainrules_py.rulesets.scipy.stats.orthants import orthant
from chainrules_py.tangents import not_implemented
from chainrules_py.values.arrays import Array, Scalar, call, shape_of

if TYPE_CHECKING:
    Number = Any
else:
    Number = Array | Scalar  # what rules dispatch on
NORMAL, STUDENT = type(stats.multivariate_normal), type(stats.multivariate_t)
LOG_OF_CIRCLE = float(np.log(2 * np.pi))


def with_density(law) -> Callable[[Function], Function]:
    """Decorator: the function is the body of a law's log-density, and its exponential that of the
    density.
    """

    def register(log_density: Function) -> Function:
        @wraps(log_density)
        def density(*args, xp, **options):
            return xp.exp(log_density(*args, xp=xp, **options))

        composed(law.pdf)(density)
        return composed(law.logpdf)(log_density)

    return register


def require_real(*numbers, xp) -> None:
    """Raise for complex numbers, whose imaginary parts SciPy leaves out with a warning."""
    if any(xp.iscomplexobj(each) for each in numbers):
        raise TypeError(
            "scipy.stats: got complex numbers for a distribution of real vectors; pass their real"
            " parts"
        )


# --- With a matrix ---


def full_matrix(mean, matrix, xp) -> Any:
    """A symmetric matrix, which may be given as a number or by its diagonal."""
    shape = shape_of(matrix)
    if len(shape) == 2:
        is_read = xp.tril(xp.ones(shape))
        part = xp.where(matrix == matrix.T, 0.5, is_read) * matrix
        return part + part.T
    size = 1 if mean is None else xp.size(mean)
    if shape and shape != (size,):
        # which SciPy takes where no shape contradicts, and counts its dimensions
        raise ValueError(
            f"a diagonal of shape {shape} for a mean of {size} numbers; pass one number for each"
        )
    return (xp.reshape(matrix, (-1, 1)) if shape else matrix) * xp.eye(size)


def variances(matrix, xp) -> tuple[Any, Any]:
    """The variances in all directions, and which are zero; raise for what SciPy refuses."""
    if any_at_hand(~xp.isfinite(matrix)):
        raise ValueError(
            "scipy.stats: got a covariance with inf or nan; pass one of finite numbers"
        )
    values = xp.linalg.eigvalsh(matrix)
    least = 1e6 * np.finfo(values.dtype).eps * xp.max(xp.abs(values))
    if any_at_hand(values < -least):
        raise ValueError(
            "scipy.stats: got a covariance with negative variances; pass positive ones"
        )
    return values, values <= least


def points_in_rows(x, size: int, xp) -> Any:
    """Points as rows of numbers; a row is one point, or many where a point has one coordinate."""
    shape = shape_of(x)
    if len(shape) < 2:
        shape = (-1, 1) if size == 1 or not shape else (1, -1)
    return xp.reshape(x, shape)


def centred(x, mean, matrix, xp) -> tuple[Any, Any]:
    """Points without the mean, as rows, and the matrix in full."""
    require_real(x, mean, matrix, xp=xp)
    full = full_matrix(mean, matrix, xp)
    size = full.shape[0]
    centre = xp.zeros(size) if mean is None else xp.reshape(mean, (size,))
    return points_in_rows(x, size, xp) - centre, full


def is_singular(matrix, xp) -> bool:
    """Whether there are directions without a variance."""
    return any_at_hand(variances(ignore_derivatives(matrix), xp)[1])


def quadratic(away, matrix, xp) -> Any:
    """The form v^T S^-1 v of each row."""
    rows = xp.reshape(away, (-1, matrix.shape[0]))
    form = xp.sum(rows * xp.linalg.solve(matrix, rows.T).T, axis=-1)
    return xp.reshape(form, away.shape[:-1])


def refuse_singular(allow_singular: bool) -> None:
    """Raise for a matrix without an inverse."""
    got = "got a singular covariance"
    if not allow_singular:
        raise np.linalg.LinAlgError(f"scipy.stats: {got}; pass an invertible one")
    raise OptionError(
        "scipy.stats",
        f"{got}, whose density lies on a subspace that moves with it",
        "pass an invertible covariance",
        primal=None,
        option="allow_singular",
        value=allow_singular,
    )


@with_density(NORMAL)
def normal_log_density(
    distribution: object,
    x: Number,
    mean: Number | None = None,
    cov: Number = 1,
    *,
    allow_singular: bool = False,
    xp,
):
    """-(n log(2 pi) + log(det S) + form) / 2."""
    away, full = centred(x, mean, cov, xp)
    if is_singular(full, xp):
        # a constant that moves with nothing is itself
        if not allow_singular or ignore_derivatives(full) is not full:
            refuse_singular(allow_singular)
        return xp.squeeze(log_density_on_subspace(away, full, xp))[()]
    log_det = xp.linalg.slogdet(full)[1]
    return xp.squeeze(-0.5 * (len(full) * LOG_OF_CIRCLE + log_det + quadratic(away, full, xp)))[()]


def log_density_on_subspace(away, matrix, xp) -> Any:
    """The log-density of a singular normal distribution, in the directions that have a variance.

    Its derivatives are those along the subspace, outside of which the density is zero.
    """
    law = stats._multivariate._PSD(matrix)
    form = xp.sum((away @ law.U) ** 2, axis=-1)
    density = -0.5 * (law.rank * LOG_OF_CIRCLE + law.log_pdet + form)
    return xp.where(law._support_mask(ignore_derivatives(away)), density, -xp.inf)


@with_density(STUDENT)
def student_log_density(
    distribution: object,
    x: Number,
    loc: Number | None = None,
    shape: Number = 1,
    df: Number = 1,
    *,
    xp,
):
    """The log-density, by the beta function, which loses no digits, unlike a quotient of gammas."""
    if any_at_hand((df <= 0) | (df != df)):
        raise ValueError(
            "scipy.stats.multivariate_t: got a df at or below 0; pass a positive number"
        )
    if any_at_hand(df == np.inf):
        return normal_log_density(distribution, x, loc, shape, xp=xp)
    away, full = centred(x, loc, shape, xp)
    if is_singular(full, xp):
        refuse_singular(allow_singular=True)
    size, form, log_det = len(full), quadratic(away, full, xp), xp.linalg.slogdet(full)[1]
    of_gamma = special.gammaln(0.5 * size) - call(special.betaln, 0.5 * df, 0.5 * size)
    scale = of_gamma - 0.5 * (size * xp.log(df * np.pi) + log_det)
    return xp.squeeze(scale - 0.5 * (df + size) * xp.log1p(form / df))[()]


OF_PROBABILITIES = "allow_singular maxpts abseps releps lower_limit rng"


@with_options(NORMAL.cdf, OF_PROBABILITIES, composed)
def normal_cdf(
    distribution: object,
    x: Number,
    mean: Number | None = None,
    cov: Number = 1,
    *,
    options: Options,
    xp,
):
    """The probability of all coordinates at most x."""
    if options.lower_limit is not None:
        instead = "write the probability of a box as a sum of values of cdf at its corners"
        raise without_rule(NORMAL.cdf, "lower_limit", options.lower_limit, instead)
    away, full = centred(x, mean, cov, xp)
    if is_singular(full, xp):
        refuse_singular(options.allow_singular)
    rows = xp.reshape(away, (-1, len(full)))
    how = {name: options[name] for name in ("maxpts", "abseps", "releps", "rng") if name in options}
    return xp.squeeze(xp.reshape(orthant(rows, full, how=how), away.shape[:-1]))[()]


@composed(NORMAL.logcdf)
@wraps(normal_cdf)
def normal_log_cdf(*args, xp, **options):
    """The logarithm of the probability."""
    return xp.log(normal_cdf(*args, xp=xp, **options))


@composed(NORMAL.entropy)
def normal_entropy(distribution: object, mean: Number | None = None, cov: Number = 1, *, xp):
    """Half of the log-determinant, plus a constant for each direction.

    As in SciPy, directions in which a singular matrix has no variance count for nothing.
    """
    require_real(mean, cov, xp=xp)
    matrix = full_matrix(mean, cov, xp)
    values, is_missing = variances(matrix, xp)
    constant = xp.sum(~is_missing) * (LOG_OF_CIRCLE + 1)
    if any_at_hand(is_missing):
        return 0.5 * (constant + xp.sum(xp.log(xp.where(is_missing, 1, values))))
    return 0.5 * (constant + xp.linalg.slogdet(matrix)[1])


# --- Of parts of a whole ---


@with_density(type(stats.dirichlet))
def dirichlet_log_density(distribution: object, x: Array, alpha: Array, *, xp):
    """The log-density; if x lacks its last row, that is 1 minus the others.

    The constant is one of beta functions, of each parameter and the sum of those behind it.
    """
    require_real(x, alpha, xp=xp)
    if alpha.ndim != 1 or x.shape[0] not in (alpha.size, alpha.size - 1):
        stats.dirichlet.logpdf(np.ones(x.shape), np.ones(alpha.shape))  # for its error
    points: Any = x
    if x.shape[0] < alpha.size:
        points = xp.concatenate([x, 1 - xp.sum(x, axis=0, keepdims=True)])
    alphas = xp.reshape(alpha, (-1,) + (1,) * (x.ndim - 1))
    if any_at_hand(alphas <= 0):
        raise ValueError(
            "scipy.stats.dirichlet: got parameters at or below 0; pass some greater than 0"
        )
    is_outside = (points < 0) | (points > 1) | (points == 0) & (alphas < 1)
    if any_at_hand(is_outside) or any_at_hand(xp.abs(xp.sum(points, axis=0) - 1) > 1e-9):
        raise ValueError(
            "scipy.stats.dirichlet: got a point that is not within the normal simplex; pass"
            " coordinates that are positive and add up to 1"
        )
    behind = xp.flip(xp.cumsum(xp.flip(alpha)))
    constant = xp.sum(call(special.betaln, alpha[:-1], behind[1:]))
    return xp.squeeze(xp.sum(call(special.xlogy, alphas - 1, points), axis=0) - constant)[()]


_BY_COUNTS = not_implemented("the derivative of a multinomial probability by counts")
BY_COUNTS = LinearMap(lambda dot: _BY_COUNTS, lambda out_bar: _BY_COUNTS)


def multinomial(name: str) -> None:
    """Declare a probability of counts, with derivatives by the probabilities p, which add up to 1."""

    @linearised_rule(getattr(type(stats.multinomial), name))
    def multinomial_linearised(
        distribution: object, x: Number, n: Number, p: Array, *, out, xp
    ) -> tuple[LinearMap | None, ...]:
        slopes = xp.asarray(x) / p
        if name == "pmf":
            slopes = xp.expand_dims(out, -1) * slopes
        of_p = LinearMap(
            lambda dot: xp.sum(slopes * dot, axis=-1),
            lambda out_bar: unbroadcast(slopes * out_bar[..., None], p.shape, xp),
        )
        return None, BY_COUNTS, BY_COUNTS, of_p


multinomial("pmf")
multinomial("logpmf")
