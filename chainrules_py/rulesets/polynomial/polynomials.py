"""NumPy's polynomials: coefficients from the highest power down."""

import operator
from typing import Any

import numpy as np

from chainrules_py import (
    Array,
    NotDifferentiableError,
    Scalar,
    composed,
    ignore_derivatives,
)
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, at_least_vectors, beside_arrays
from chainrules_py.rulesets.formulas.known_values import (
    any_at_hand,
    any_known,
    is_at_hand,
    length_of,
)
from chainrules_py.rulesets.polynomial.fits import ask_numpy, least_squares_coefficients
from chainrules_py.values.arrays import shape_of


def in_front(bar, length: int, xp) -> Any:
    """Coefficients with zeros for higher powers."""
    return xp.concatenate([xp.zeros(length - bar.shape[0], bar.dtype), bar])


def require_polynomials(primal, **polynomials) -> None:
    """Raise where NumPy has computed with what is no polynomial, but several; a number is one."""
    for argument, p in polynomials.items():
        if len(shape_of(p)) > 1:
            where = f"the rules of numpy.{primal.__name__}"
            got, instead = (
                f"{argument} is not one-dimensional",
                "call it for one polynomial at a time",
            )
            raise NotDifferentiableError(
                where, got, instead, primal=primal, argument=argument, value=p
            )


# --- Sums and products ---


def sum_body(function, of_two) -> None:
    """Give a body to a sum, or a difference, of which the shorter one has zeros for higher powers."""

    @composed(function)
    def of_polynomials(a1: Array | Scalar, a2: Array | Scalar, *, xp):
        both: list[Any] = [
            a if shape_of(a) else a * xp.ones(1, getattr(a, "dtype", type(a))) for a in (a1, a2)
        ]  # a number goes where the other's coefficients are
        length = max(len(a) for a in both)
        return of_two(*[a if len(a) == length else in_front(a, length, xp) for a in both])


sum_body(np.polyadd, operator.add)
sum_body(np.polysub, operator.sub)


def without_zeros_in_front(y, is_zero, xp) -> Any:
    """Coefficients from the first on that counts, one at least; of many examples, the longest.

    Compilers do not know which, and keep all of them.
    """
    if not is_at_hand(is_zero) or not any_known(is_zero[:1]):
        return y
    return y[y.shape[0] - max(length_of(~xp.flip(is_zero), xp), 1) :]


@composed(np.polymul)
def polymul(a1: Array | Scalar, a2: Array | Scalar, *, xp) -> Any:
    """NumPy drops the zeros in front of both factors, hence of the product."""
    shapes = shape_of(a1), shape_of(a2)
    if max(map(len, shapes)) > 1:
        np.polymul(*map(np.zeros, shapes))  # for its error
    pair = at_least_vectors((a1, a2), xp)
    factors = [a if a.shape[0] else xp.zeros(1, a.dtype) for a in pair]
    kept = [without_zeros_in_front(a, a == 0, xp).shape[0] for a in ignore_derivatives(factors)]
    y = xp.convolve(*factors)
    return y[y.shape[0] - (sum(kept) - 1) :]


@composed(np.polydiv)
def polydiv(u: Array, v: Array, *, xp) -> tuple[Any, Any]:
    """Long division; a remainder loses what is nearly zero in front."""
    require_polynomials(np.polydiv, u=u, v=v)
    u, v = [xp.reshape(a + 0.0, (-1,)) for a in (u, v)]
    dtype, length = np.result_type(u.dtype, v.dtype), v.shape[0]
    rest, quotients = u.astype(dtype), []
    scale = 1.0 / v[0]  # as NumPy's, which warns where it divides by zero
    for _ in range(u.shape[0] - length + 1):
        quotients.append(scale * rest[0])
        head = rest[1:length] - quotients[-1] * v[1:]
        rest = xp.concatenate([head, rest[length:]])
    q = xp.stack(quotients) if quotients else xp.zeros(1, dtype)
    if not is_at_hand(ignore_derivatives(rest)):
        return q, in_front(rest, u.shape[0], xp)
    r = rest if rest.shape[0] else 0 * q[:1]
    return q, without_zeros_in_front(r, xp.isclose(ignore_derivatives(r), 0, rtol=1e-14), xp)


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


@composed(np.polyval)
def polyval(p: ArrayLike, x: ArrayLike, *, xp):
    """Horner's scheme."""
    _, x = beside_arrays((p, x), xp)
    y = xp.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


@linearised_rule(np.roots)
def roots_linearised(p: Array, *, xp) -> Linearised:
    """p(r) = 0 moves r by -p_dot(r) / p'(r); infinite where roots coincide."""
    y, count = xp.roots(p), p.shape[0]

    def slope() -> Any:
        return xp.polyval(derivative_of(p, xp), y)

    def roots_pushforward(p_dot):
        return -xp.polyval(p_dot, y) / slope()

    def roots_pullback(y_bar):
        return -xp.matmul(y_bar / xp.conj(slope()), xp.conj(powers(y, count, xp)))

    return y, LinearMap(roots_pushforward, roots_pullback)


@composed(np.poly)
def poly(seq_of_zeros: ArrayLike, *, xp):
    """The product of factors, one for each root or eigenvalue; real where these come in pairs."""
    zeros = seq_of_zeros + 0.0
    is_real = zeros.dtype.kind != "c"
    if zeros.ndim != 1:
        np.poly(np.broadcast_to(0.0, zeros.shape))  # for its error
        zeros = xp.linalg.eigvals(zeros)
    if not zeros.shape[0]:
        return 1.0
    y = xp.ones_like(zeros[:1])
    nothing = xp.zeros_like(y)
    for zero in zeros:
        y = xp.concatenate([y, nothing]) - zero * xp.concatenate([nothing, y])
    if is_real:  # the eigenvalues of a real matrix come in pairs
        return xp.real(y)
    zeros = ignore_derivatives(zeros)
    in_pairs = xp.all(xp.sort(zeros) == xp.sort(xp.conj(zeros)))
    if not any_at_hand(in_pairs):
        return y
    return xp.where(in_pairs, xp.real(y), y) if any_at_hand(~in_pairs) else xp.real(y)


# --- Fits ---


@composed(np.polyfit)
def polyfit(x: Array, y: Array, *, deg: int, w: Any = None, xp):
    """The weights are an option: not differentiated."""
    ask_numpy(np.polyfit, x, y, deg, w)
    matrix = xp.vander(x + 0.0, operator.index(deg) + 1)  # they may be integers
    return least_squares_coefficients(np.polyfit, matrix, y, w, xp)
