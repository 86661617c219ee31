"""NumPy's older functions of polynomials, highest degree first, of many examples at once.

Roots drop coefficients at an end that are zero. Where these are not as many in all lanes, or where
values are not at hand, lanes are computed one by one.
"""

import operator
from typing import Any

import numpy as np

from chainrules_py import Array, batched
from chainrules_py.batching.lanes import Lanes, behind_lanes, is_known, with_lanes
from chainrules_py.batching.parts import as_laned, in_one, library_of_parts
from chainrules_py.batching.words import in_a_loop
from chainrules_py.rulesets.formulas.matrices import values_in_all_lanes
from chainrules_py.rulesets.polynomial.polynomial_fit import scaled_inverse
from chainrules_py.values.arrays import is_numpys, shape_of


@batched.register(np.vander)
def vander_batched(lanes: Lanes, x: Array, *, N: Any = None, increasing: bool = False, xp):
    """Powers of the points, along a new axis."""
    if x.ndim != 2:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.shape[1] if N is None else operator.index(N)
    own = x.astype(np.promote_types(x.dtype, int))
    columns = [xp.ones_like(own)]
    for _ in range(count - 1):
        columns.append(columns[-1] * own)
    kept = columns[:count] if increasing else columns[:count][::-1]
    if not kept:
        return xp.zeros((*x.shape, 0), own.dtype)
    return xp.stack(kept, axis=-1)


@batched.register(np.polyval)
def polyval_batched(lanes: Lanes, p: object, x: object):
    """Horner's scheme, in which a coefficient is a number in each lane."""
    if isinstance(p, np.poly1d) or isinstance(x, np.poly1d):
        return in_a_loop(np.polyval, lanes)(p, x)
    coefficients: Any = in_one(lanes[0], p) if lanes[0] else p
    if np.ndim(coefficients) - bool(lanes[0]) != 1:  # several polynomials
        return in_a_loop(np.polyval, lanes)(p, x)
    places: Any = x
    if lanes[1]:
        places = in_one(lanes[1], x)
    elif isinstance(x, list):
        places = np.asarray(x)
    rank = len(shape_of(places)) - bool(lanes[1])
    xp = library_of_parts([coefficients, places])
    y = xp.zeros_like(places)
    for place in range(coefficients.shape[1] if lanes[0] else len(coefficients)):
        own = behind_lanes(coefficients[:, place], rank) if lanes[0] else coefficients[place]
        y = y * places + own
    if lanes[0] and not coefficients.shape[1]:
        return with_lanes(y, coefficients.shape[0]) if not lanes[1] else y
    return y


@batched.register(np.polyfit)
def polyfit_batched(lanes: Lanes, x: object, y: object, *, deg, xp, **options):
    """Many samples at the same points are columns of one fit; points in lanes have matrices of
    their own.
    """
    values: Any = y
    asks_for_more = options.get("full") or options.get("cov")
    points_of_none: Any = x
    if lanes[0] is True and points_of_none.shape[0] == 0 and not asks_for_more:
        # NumPy warns of points that are equal, as ones in the place of no lanes are
        others = np.shape(values)[2 if lanes[1] else 1 :]
        return np.zeros((0, deg + 1, *others), np.result_type(points_of_none, values, 0.0))
    takes_matrices = not asks_for_more and options.get("rcond") is None
    # NumPy divides by the largest power of the points, and raises where that is zero
    if lanes[0] is True and takes_matrices and not has_no_point(points_of_none):
        return fits_of_matrices(lanes, points_of_none, values, deg, options.get("w"), xp)
    if lanes[0] or lanes[1] is not True or asks_for_more or values.ndim not in (2, 3):
        return in_a_loop(np.polyfit, lanes)(x, y, deg=deg, **options)
    count, points = values.shape[:2]
    columns = xp.moveaxis(values, 0, 1).reshape((points, values.size // max(points, 1)))
    found = xp.polyfit(x, columns, deg, **options)
    return xp.moveaxis(found.reshape((found.shape[0], count, *values.shape[2:])), 1, 0)


def has_no_point(x) -> bool:
    """Whether all points of a lane are zero."""
    points = values_in_all_lanes(x)
    return is_numpys(points) and not points.any(axis=-1).all()


def fits_of_matrices(lanes: Lanes, x, y, deg, weights, xp):
    """The coefficients of fits whose points have lanes."""
    values = as_laned(lanes[1], y, x.shape[0])
    is_vector = values.ndim == 2
    columns = values[..., None] if is_vector else values
    matrix = vander_batched((True,), x + 0.0, N=operator.index(deg) + 1, xp=xp)
    if weights is not None:
        column = xp.asarray(weights)[:, None]
        matrix, columns = column * matrix, column * columns
    c = xp.matmul(scaled_inverse(matrix, xp), columns)
    return c[..., 0] if is_vector else c


# --- Roots ---


def zeros_in_front(is_zero) -> int | None:
    """How many coefficients are zero before the first that is not; None where lanes differ in that,
    where all are zero, and where it is not known.
    """
    if not is_known(is_zero) or not is_zero.shape[0] or not is_zero.shape[1]:
        return None
    found = is_zero.argmin(axis=1)
    if is_zero.all(axis=1).any() or (found != found[0]).any():
        return None
    return int(found[0])


def lost_with(dropped: int, x) -> bool:
    """Whether dropping this many coefficients that are zero would lose derivatives: of a traced
    polynomial, those by the coefficients that are dropped.
    """
    return bool(dropped) and not is_known(x)


@batched.register(np.roots)
def roots_batched(lanes: Lanes, p: object):
    """The eigenvalues of companion matrices, and zeros for coefficients at the end that are zero."""
    own: Any = behind_lanes(in_one(lanes[0], p), 1)
    is_zero = own == 0
    first = zeros_in_front(is_zero) if own.ndim == 2 else None
    last = zeros_in_front(is_zero[:, ::-1]) if own.ndim == 2 else None
    if first is None or last is None or lost_with(first + last, own):
        return in_a_loop(np.roots, lanes)(p)
    if own.shape[1] - first - last < 2:
        return in_a_loop(np.roots, lanes)(p)
    xp = library_of_parts([own])
    c = own[:, first : own.shape[1] - last]
    c = c if np.dtype(c.dtype).kind in "fc" else c.astype(float)
    size = c.shape[1] - 1
    below = xp.broadcast_to(xp.eye(size, dtype=c.dtype)[:-1], (len(c), size - 1, size))
    top = (-c[:, 1:] / c[:, :1])[:, None, :]
    found = real_if_all_are(xp.linalg.eigvals(xp.concatenate([top, below], axis=1)), c)
    if not last:
        return found
    return xp.concatenate([found, xp.zeros((len(c), last), found.dtype)], axis=1)


def real_if_all_are(roots, coefficients):
    """The real parts of roots that are all real: since NumPy 2.5, eigenvalues are always complex,
    but the roots of one real polynomial are not.
    """
    if np.dtype(roots.dtype).kind == "f" or np.dtype(coefficients.dtype).kind == "c":
        return roots
    is_real = roots.imag == 0
    return roots.real if is_known(is_real) and is_real.all() else roots


@batched.register(np.poly)
def poly_batched(lanes: Lanes, seq_of_zeros: object):
    """Products of factors, one for each root or eigenvalue; real where roots come in pairs."""
    given: Any = in_one(lanes[0], seq_of_zeros)
    xp = library_of_parts([given])
    is_matrix = given.ndim == 3 and given.shape[1] == given.shape[2]
    if not (given.ndim == 2 or is_matrix) or not given.shape[0] or not given.shape[1]:
        return in_a_loop(np.poly, lanes)(seq_of_zeros)
    zeros = xp.linalg.eigvals(given) if is_matrix else given
    zeros = zeros if np.dtype(zeros.dtype).kind in "fc" else zeros.astype(float)
    y = xp.ones_like(zeros[:, :1])
    nothing = xp.zeros_like(y)
    for place in range(zeros.shape[1]):
        shifted = xp.concatenate([nothing, y], axis=1)
        y = xp.concatenate([y, nothing], axis=1) - zeros[:, place : place + 1] * shifted
    if np.dtype(zeros.dtype).kind != "c":
        return y
    in_pairs = xp.sort(zeros, axis=1) == xp.sort(xp.conj(zeros), axis=1)
    if not is_known(in_pairs):
        return in_a_loop(np.poly, lanes)(seq_of_zeros)
    real = in_pairs.all(axis=1)
    return xp.real(y) if real.all() else xp.where(real[:, None], xp.real(y), y)
