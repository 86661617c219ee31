"""NumPy's polynomials: coefficients from the highest power down."""

import operator
from typing import Any

import numpy as np

from chainrules_py import Array, NotDifferentiableError, Scalar, Tangent, composed, is_zero, unthunk
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.makers.joint import Sequences
from chainrules_py.tangents import entries, with_entries
from chainrules_py.values.arrays import shape_of
from chainrules_py.values.structure import fields, is_container


def in_front(bar, length: int, xp) -> Any:
    """Coefficients with zeros for higher powers."""
    return xp.concatenate([xp.zeros(length - bar.shape[0], bar.dtype), bar])


def require_polynomials(primal, **polynomials) -> None:
    """Raise where NumPy has computed with what is no polynomial, but several; a number is one."""
    for argument, p in polynomials.items():
        if len(shape_of(p)) > 1:
            raise _not_one_dimensional(primal, argument, p, "call it for one polynomial at a time")


# --- Sums and products ---


def sum_body(function, of_two) -> None:
    """Give a body to a sum, or a difference, of which the shorter one has zeros for higher powers."""

    @composed(function)
    def of_polynomials(a1: Array | Scalar, a2: Array | Scalar, *, xp) -> Any:
        both: list[Any] = [
            a if shape_of(a) else a * xp.ones(1, getattr(a, "dtype", type(a))) for a in (a1, a2)
        ]  # a number goes where the other's coefficients are
        length = max(len(a) for a in both)
        return of_two(*[a if len(a) == length else in_front(a, length, xp) for a in both])


sum_body(np.polyadd, operator.add)
sum_body(np.polysub, operator.sub)


def factor(shape: tuple[int, ...], other, length: int, xp) -> LinearMap:
    """A polynomial's share in its product with `other`, of which the last `length` coefficients are
    kept.
    """
    if 0 in (*shape, other.shape[0]):  # no coefficients stand for zero
        return LinearMap(
            lambda dot: xp.zeros(length, dot.dtype), lambda y_bar: xp.zeros(shape, y_bar.dtype)
        )
    size = (shape[0] if shape else 1) + other.shape[0] - 1

    def factor_pushforward(dot) -> Any:
        return xp.convolve(xp.reshape(dot, (-1,)), other)[size - length :]

    def factor_pullback(y_bar) -> Any:
        return xp.reshape(xp.correlate(in_front(y_bar, size, xp), other, mode="valid"), shape)

    return LinearMap(factor_pushforward, factor_pullback)


@linearised_rule(np.polymul)
def polymul_linearised(a1: Array | Scalar, a2: Array | Scalar, *, xp) -> Linearised:
    """NumPy drops the leading zeros of both factors, hence of the product."""
    y = xp.polymul(a1, a2)
    pairs = ((a1, a2), (a2, a1))
    one, other = (factor(shape_of(a), xp.reshape(b, (-1,)), y.shape[0], xp) for a, b in pairs)
    return y, one, other


class Division:
    """The linear map from u to q and r with u = v q + r, and its adjoint.

    The first `count` coefficients say T q = u, with T the Toeplitz matrix of `v`; the others say
    what `r` is.
    """

    def __init__(self, v, count: int, length: int, q, r, xp) -> None:
        self.v, self.count, self.length, self.q, self.r, self.xp = v, count, length, q, r, xp
        degrees = np.arange(count)[:, None] - np.arange(count)
        outside = (degrees < 0) | (degrees >= v.shape[0])
        with_zero = xp.concatenate([v, xp.zeros(count + 1, v.dtype)])
        self.toeplitz = with_zero[np.where(outside, v.shape[0], degrees)]

    def push(self, u) -> tuple[Any, Any]:
        """The quotient and the remainder of a vector of coefficients."""
        xp, k = self.xp, self.count
        q = xp.linalg.solve(self.toeplitz, u[:k]) if k else xp.zeros(self.q.shape, self.q.dtype)
        rest = u - xp.convolve(self.v, q) if k else u
        r = xp.concatenate([xp.zeros(k, rest.dtype), rest[k:]])
        return q, r[self.length - self.r.shape[0] :]

    def pull(self, y_bar) -> Any:
        """The cotangent of the vector."""
        xp, k = self.xp, self.count
        q_bar, r_bar = (
            xp.zeros(part.shape, part.dtype) if is_zero(bar) else bar
            for bar, part in zip(y_bar, (self.q, self.r), strict=True)
        )
        tail = in_front(r_bar, self.length, xp)[k:]
        if not k:
            return tail
        with_zeros = xp.concatenate([xp.zeros(k, tail.dtype), tail])
        head = q_bar - xp.correlate(with_zeros, self.v, mode="valid")
        transposed = xp.conj(xp.matrix_transpose(self.toeplitz))
        return xp.concatenate([xp.linalg.solve(transposed, head), tail])


@linearised_rule(np.polydiv)
def polydiv_linearised(u: Array, v: Array, *, xp) -> Linearised:
    """u = v q + r, so that v q_dot + r_dot = u_dot - v_dot q."""
    q, r = xp.polydiv(u, v)
    require_polynomials(np.polydiv, u=u, v=v)
    u_shape, v_shape, v = u.shape, v.shape, xp.reshape(v, (-1,))
    n = xp.reshape(u, (-1,)).shape[0]
    count = max(n - v.shape[0] + 1, 0)
    division = Division(v, count, n, q, r, xp)

    def u_pushforward(u_dot) -> tuple[Any, Any]:
        return division.push(xp.reshape(u_dot, (-1,)))

    def u_pullback(y_bar) -> Any:
        return xp.reshape(division.pull(y_bar), u_shape)

    def v_pushforward(v_dot) -> tuple[Any, Any]:
        if not count:
            return division.push(xp.zeros(n, r.dtype))
        return division.push(-xp.convolve(xp.reshape(v_dot, (-1,)), q)[:n])

    def v_pullback(y_bar) -> Any:
        if not count:
            return xp.zeros(v_shape, v.dtype)
        return xp.reshape(-xp.correlate(division.pull(y_bar), q, mode="valid"), v_shape)

    return (q, r), LinearMap(u_pushforward, u_pullback), LinearMap(v_pushforward, v_pullback)


# --- Derivatives and integrals ---


@composed(np.polyder)
def polyder(p: Array, *, m: int = 1, xp) -> Any:
    """Each coefficient times the powers that come down."""
    if m < 0 or not p.ndim:
        np.polyder(np.zeros(p.shape), m)  # for its error
    for _ in range(int(m)):
        p = p[:-1] * xp.arange(p.shape[0] - 1, 0, -1)
    return p


@composed(np.polyint)
def polyint(p: Array, *, m: int = 1, k: Any = None, xp) -> Any:
    """Each coefficient divided by its new power, and a constant behind."""
    order = int(m)
    constants = [0.0] * order if k is None else list(np.atleast_1d(k))
    if len(constants) == 1:
        constants *= order
    if order < 0 or len(constants) < order or not p.ndim:
        np.polyint(np.zeros(p.shape), m, k)  # for its error
    for constant in constants[:order]:
        divided = p / xp.arange(p.shape[0], 0, -1)
        p = xp.concatenate([divided, xp.full(1, constant)])
    return p


# --- Values and roots ---


def powers(x, count: int, xp) -> Any:
    """A matrix with the descending powers of each entry of `x`, flat."""
    return xp.vander(xp.reshape(x, (-1,)), count)


def derivative_of(p, xp) -> Any:
    """The coefficients of p', in the dtype of those of p; small integers become large ones."""
    dtype = p.dtype if p.dtype.kind in "fc" else int
    return p[:-1] * xp.arange(p.shape[0] - 1, 0, -1, dtype=dtype)


@linearised_rule(np.polyval)
def polyval_linearised(p: Array | Sequences, x: Array | Scalar, *, xp) -> Linearised:
    """Linear in the coefficients; in x, the value of the derivative."""
    coefficients: Any = xp.stack([*fields(p).values()]) if is_container(p) else p
    y = xp.polyval(coefficients, x)
    require_polynomials(np.polyval, p=p)
    count = coefficients.shape[0]
    kind = (type(p), tuple(fields(p))) if is_container(p) else None

    def p_pushforward(p_dot) -> Any:
        return xp.polyval(_vector_of(p_dot, count, xp), x)

    def p_pullback(y_bar) -> Any:
        p_bar = xp.matmul(xp.reshape(y_bar, (-1,)), xp.conj(powers(x, count, xp)))
        if kind is None:
            return p_bar
        return with_entries(kind[0], dict(zip(kind[1], p_bar, strict=True)))

    def slope() -> Any:
        return xp.polyval(derivative_of(coefficients, xp), x)

    return (
        y,
        LinearMap(p_pushforward, p_pullback),
        LinearMap(lambda dot: slope() * dot, lambda y_bar: xp.conj(slope()) * y_bar),
    )


def _vector_of(p_dot, count: int, xp) -> Any:
    if not isinstance(p_dot, Tangent):
        return p_dot
    dots = (unthunk(entries(p_dot).get(k, 0.0)) for k in range(count))
    return xp.stack([0.0 if is_zero(dot) else dot for dot in dots])


@linearised_rule(np.roots)
def roots_linearised(p: Array, *, xp) -> Linearised:
    """p(r) = 0 moves r by -p_dot(r) / p'(r); infinite where roots coincide."""
    y, count = xp.roots(p), p.shape[0]

    def slope() -> Any:
        return xp.polyval(derivative_of(p, xp), y)

    def roots_pushforward(p_dot) -> Any:
        return -xp.polyval(p_dot, y) / slope()

    def roots_pullback(y_bar) -> Any:
        return -xp.matmul(y_bar / xp.conj(slope()), xp.conj(powers(y, count, xp)))

    return y, LinearMap(roots_pushforward, roots_pullback)


@linearised_rule(np.poly)
def poly_linearised(seq_of_zeros: Array, *, xp) -> Linearised:
    """Moving one root moves the polynomial by minus the product of the other factors: the
    polynomial without that root.
    """
    y = xp.poly(seq_of_zeros)
    if seq_of_zeros.ndim != 1:
        raise _not_one_dimensional(
            np.poly, "seq_of_zeros", seq_of_zeros, "pass numpy.linalg.eigvals(a)"
        )

    def without_each() -> Any:
        rows = [xp.ones_like(seq_of_zeros)]
        for k in range(1, seq_of_zeros.shape[0]):
            # division by (z - root), coefficient by coefficient
            rows.append(y[k] + seq_of_zeros * rows[-1])
        return xp.stack(rows)

    def poly_pushforward(zeros_dot) -> Any:
        return -in_front(xp.matmul(without_each(), zeros_dot), y.shape[0], xp)

    def poly_pullback(y_bar) -> Any:
        return -xp.matmul(y_bar[1:], xp.conj(without_each()))

    return y, LinearMap(poly_pushforward, poly_pullback)


def _not_one_dimensional(primal, argument: str, value, instead: str) -> NotDifferentiableError:
    where = f"the rules of numpy.{primal.__name__}"
    got = f"{argument} is not one-dimensional"
    return NotDifferentiableError(
        where, got, instead, primal=primal, argument=argument, value=value
    )
