"""The roots of NumPy's older polynomials, highest degree first, of many examples at once.

Coefficients at an end that are zero are dropped. Where these are not as many in all lanes, or where
values are not at hand, lanes are computed one by one.
"""

from typing import Any

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes, behind_lanes, is_known
from chainrules_py.batching.parts import in_one, library_of_parts
from chainrules_py.batching.words import in_a_loop


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


def real_if_all_are(roots, coefficients) -> Any:
    """The real parts of roots that are all real: since NumPy 2.5, eigenvalues are always complex,
    but the roots of one real polynomial are not.
    """
    if np.dtype(roots.dtype).kind == "f" or np.dtype(coefficients.dtype).kind == "c":
        return roots
    is_real = roots.imag == 0
    return roots.real if is_known(is_real) and is_real.all() else roots
