"""Covariances and correlations.

With X the variables in rows, A = X - its weighted row means, W the weights of the columns and f the
normalisation, cov = A W A^H / f. It is real-bilinear in X: C_dot = (A_dot W A^H + A W A_dot^H) / f,
X_bar = (C_bar + C_bar^H) A W / f. The means need no term of their own because A W 1 = 0.
"""

from typing import Any, NamedTuple

import numpy as np

from chainrules_py import Array, LinearMap, ProjectTo, Scalar, Space, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_array, composed, reshaping
from chainrules_py.rulesets.formulas.reducing import given
from chainrules_py.rulesets.reductions.statistics import reciprocal_or_zero


class Block(NamedTuple):
    """How one argument becomes rows of variables, and how a cotangent of these comes back."""

    spec: Space
    transposed: bool

    @property
    def variables(self) -> int:
        """The number of variables."""
        if self.spec.ndim < 2:
            return 1
        return self.spec.shape[1 if self.transposed else 0]

    def rows(self, value: Any, xp: Any) -> Any:
        """One variable per row."""
        matrix = value if self.spec.ndim == 2 else xp.reshape(value, (1, -1))
        return xp.transpose(matrix) if self.transposed else matrix

    def unrows(self, rows_bar: Any, xp: Any) -> Any:
        """The adjoint of `rows`."""
        return xp.reshape(xp.transpose(rows_bar) if self.transposed else rows_bar, self.spec.shape)


def blocks_of(m: Any, y: Any, rowvar: bool) -> tuple[Block, ...]:
    """The blocks of variables.

    A second argument with a single row is one variable, whatever `rowvar` says.
    """
    first = ProjectTo(m)
    second = None if y is None else ProjectTo(y)
    blocks = (Block(first, not rowvar and first.ndim == 2),)
    if second is None:
        return blocks
    return (*blocks, Block(second, not rowvar and second.ndim == 2 and second.shape[0] != 1))


class Covariance(NamedTuple):
    """The covariance matrix of centred rows, and its derivative."""

    a: Any
    weights: Any
    norm: Any
    xp: Any

    def centred(self, x: Any) -> Any:
        """The rows without their weighted means."""
        return x - self.xp.sum(x * self.weights, axis=1, keepdims=True) / self.xp.sum(self.weights)

    def times_rows(self, left: Any) -> Any:
        """left W A^H / f."""
        return self.xp.matmul(
            left * self.weights / self.norm, self.xp.conj(self.xp.transpose(self.a))
        )

    def push(self, x_dot: Any) -> Any:
        """The derivative of the covariance matrix along a tangent of the rows."""
        half = self.times_rows(self.centred(x_dot))
        return half + self.xp.conj(self.xp.transpose(half))

    def pull(self, c_bar: Any) -> Any:
        """The cotangent of the rows, from that of the covariance matrix."""
        return (
            self.xp.matmul(c_bar + self.xp.conj(self.xp.transpose(c_bar)), self.a)
            * self.weights
            / self.norm
        )


def covariance_of(x: Any, ddof: Any, fweights: Any, aweights: Any, xp: Any) -> Covariance:
    """Centre the rows and find the normalisation: the sum of the weights less the degrees of
    freedom that were used up.
    """
    weights = xp.ones(x.shape[1]) if fweights is None else xp.asarray(fweights) * 1.0
    used = ddof
    if aweights is not None:
        weights = weights * xp.asarray(aweights)
        used = ddof * xp.sum(weights * xp.asarray(aweights)) / xp.sum(weights)
    uncentred = Covariance(x, weights, xp.maximum(xp.sum(weights) - used, 0), xp)
    return Covariance(uncentred.centred(x), weights, uncentred.norm, xp)


def block_maps(
    blocks: tuple[Block, ...], push: Any, pull: Any, dtype: Any, xp: Any
) -> tuple[LinearMap, LinearMap | None]:
    """One map per argument, from maps of all rows together."""
    ends = (blocks[0].variables, sum(block.variables for block in blocks))

    def of_block(k: int) -> LinearMap:
        start = ends[0] if k else 0

        def block_pushforward(dot: Any) -> Any:
            rows_dot = blocks[k].rows(dot, xp)
            others = xp.zeros((ends[-1] - blocks[k].variables, rows_dot.shape[1]), dtype)
            return push(xp.concatenate([others, rows_dot] if k else [rows_dot, others], axis=0))

        def block_pullback(c_bar: Any) -> Any:
            return blocks[k].unrows(pull(c_bar)[start : start + blocks[k].variables], xp)

        return LinearMap(block_pushforward, block_pullback)

    return of_block(0), of_block(1) if len(blocks) > 1 else None


def joined(m: Any, y: Any, blocks: tuple[Block, ...], dtype: Any, xp: Any) -> Any:
    """All variables in rows, in the dtype of the result."""
    first = blocks[0].rows(m, xp).astype(dtype)
    if y is None:
        return first
    return xp.concatenate([first, blocks[1].rows(y, xp).astype(dtype)], axis=0)


def degrees_lost_by(bias: object) -> int:
    """The degrees of freedom that `cov` takes off without `ddof`: None is a bias, too."""
    return 1 if bias == 0 else 0


@linearised_rule(np.cov)
def cov_linearised(
    m: Array | Scalar,
    y: Array | Scalar | None = None,
    rowvar: object = True,
    bias: object = False,
    ddof: object = None,
    fweights: object = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: Any = None,
    xp: Any,
) -> tuple[Any, ...]:
    """Differentiable in the variables and in `aweights`, the last of NumPy's arguments: those
    between come by position, too.
    """
    aweights, of_list = (None, None) if aweights is None else as_array(aweights, False, (m,), xp)
    c = xp.cov(
        m,
        y,
        rowvar=rowvar,
        bias=bias,
        ddof=ddof,
        **given(fweights=fweights, aweights=aweights, dtype=dtype),
    )
    blocks = blocks_of(m, y, bool(rowvar))
    lost = degrees_lost_by(bias) if ddof is None else ddof
    covariance = covariance_of(joined(m, y, blocks, c.dtype, xp), lost, fweights, aweights, xp)
    squeezing = reshaping((covariance.a.shape[0],) * 2, c.shape, xp)
    of_variables = composed(squeezing, LinearMap(covariance.push, covariance.pull))
    of_blocks = block_maps(blocks, *of_variables, c.dtype, xp)

    of_weights = None
    if isinstance(aweights, Array):
        counts = 1.0 if fweights is None else xp.asarray(fweights) * 1.0
        of_weights = composed(squeezing, in_weights(covariance, counts, aweights, lost))
        if of_list is not None:
            of_weights = composed(of_weights, of_list)
    return c, *of_blocks, None, None, None, None, of_weights


def in_weights(covariance: Covariance, counts: Any, w: Any, lost: Any) -> LinearMap:
    """The derivative in weights w, of which W is the product with the counts n: of A W A^H, and of
    the normalisation.

    That is s - lost sum(n w w) / s, where s = sum(n w). That the means move changes nothing,
    because A W 1 = 0.
    """
    a, xp = covariance.a, covariance.xp
    full, total = covariance.times_rows(a), xp.sum(counts * w)
    growth = counts * (1 - lost * (2 * w / total - xp.sum(counts * w * w) / (total * total)))

    def weights_pushforward(w_dot: Any) -> Any:
        moving = xp.matmul(a * (counts * w_dot), xp.conj(xp.transpose(a)))
        return (moving - full * xp.sum(growth * w_dot)) / covariance.norm

    def weights_pullback(c_bar: Any) -> Any:
        along = counts * xp.real(xp.sum(a * xp.conj(xp.matmul(c_bar, a)), axis=0))
        return (along - growth * xp.real(xp.sum(xp.conj(c_bar) * full))) / covariance.norm

    return LinearMap(weights_pushforward, weights_pullback)


@linearised_rule(np.corrcoef)
def corrcoef_linearised(
    x: Array | Scalar,
    y: Array | Scalar | None = None,
    *,
    rowvar: bool = True,
    dtype: Any = None,
    xp: Any,
) -> Linearised:
    """R_ij = C_ij / (s_i s_j) with s_i the root of C_ii."""
    r = xp.corrcoef(x, y, rowvar=rowvar, **given(dtype=dtype))
    blocks = blocks_of(x, y, rowvar)
    covariance = covariance_of(joined(x, y, blocks, r.dtype, xp), 1, None, None, xp)
    matrix, squeezed = (covariance.a.shape[0],) * 2, r.shape
    full = xp.reshape(r, matrix)
    variances = xp.real(xp.diagonal(covariance.times_rows(covariance.a)))
    per_variance = reciprocal_or_zero(variances, xp)
    scale = xp.sqrt(per_variance[:, None] * per_variance)

    def corrcoef_pushforward(x_dot: Any) -> Any:
        c_dot = covariance.push(x_dot)
        growth = xp.real(xp.diagonal(c_dot)) * per_variance / 2
        return xp.reshape(c_dot * scale - full * (growth[:, None] + growth), squeezed)

    def corrcoef_pullback(r_bar: Any) -> Any:
        r_bar = xp.reshape(r_bar, matrix)
        overlap = xp.real(xp.conj(full) * r_bar)
        growth_bar = xp.sum(overlap, axis=0) + xp.sum(overlap, axis=1)
        return covariance.pull(r_bar * scale - xp.diag(growth_bar * per_variance / 2))

    return r, *block_maps(blocks, corrcoef_pushforward, corrcoef_pullback, r.dtype, xp)
