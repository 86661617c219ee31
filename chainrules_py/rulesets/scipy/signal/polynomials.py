"""Polynomials in the delay: frequency responses, division, steady states."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import Array, Scalar, composed
from chainrules_py.makers.declarations import as_primitive
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.scipy.options import Options, blank, with_options
from chainrules_py.values.arrays import call, library_of_types


def first_units(x) -> Any:
    """An array like this one, of ones along the first row and zeros elsewhere."""
    units = np.zeros(x.shape or 1, x.dtype)
    units[:1] = 1
    return units


@with_options(signal.freqz, "worN whole fs include_nyquist", composed)
def freqz(
    b: Array | Scalar, a: Array | Scalar | int = 1, *, options: Options, xp
) -> tuple[Any, Any]:
    """B / A; coefficients lie along the first axis, and further axes broadcast against the
    frequencies.
    """
    b, a = xp.asarray(b), xp.asarray(a)
    units = [xp.asarray(first_units(x)) for x in (b, a)]
    own = library_of_types(map(type, units)).implementation(signal.freqz)
    w, like = (as_primitive(own) if own is signal.freqz else own)(*units, **options)
    w = xp.asarray(w)
    angles = 2 * np.pi / options.fs * w

    def response(x) -> Any:
        count, *others = x.shape or (1,)
        columns = xp.reshape(x, (count, *[1] * (like.ndim - len(others)), *others))
        delays = xp.asarray(np.reshape(np.arange(count), (-1,) + (1,) * like.ndim))
        return xp.sum(columns * xp.exp(-1j * angles * delays), axis=0)

    return w, (response(b) / response(a)).astype(like.dtype)


@composed(signal.deconvolve)
def deconvolve(signal_: Array, divisor: Array, *, xp) -> tuple[Any, Any]:
    """s = d q + r, where r has no entries but the last, so that q solves the first equations."""
    signal_, divisor = xp.atleast_1d(signal_), xp.atleast_1d(divisor)
    if signal_.ndim != 1 or divisor.ndim != 1 or not (signal_.size and divisor.size):
        signal.deconvolve(blank(signal_), np.ones(divisor.shape))  # for its errors
    count = signal_.shape[0] - divisor.shape[0] + 1
    if count <= 0:
        return [], signal_

    quotient = call(signal.lfilter, xp.ones(1), divisor, signal_[:count])
    return quotient, signal_ - xp.convolve(divisor, quotient)


@composed(signal.lfilter_zi)
def lfilter_zi(b: Array, a: Array, *, xp) -> Any:
    """M z = b[1:] - a[1:] b[0], with a scaled to a[0] = 1, the first column of M being that of the
    identity plus a[1:].
    """
    b, a = xp.atleast_1d(b), xp.atleast_1d(a)
    if b.ndim != 1 or a.ndim != 1 or not a.size or max(b.size, a.size) < 2:
        signal.lfilter_zi(np.ones(b.shape), np.ones(a.shape))  # for its errors
    while a.shape[0] > 1 and any_at_hand(a[0] == 0):
        if any_at_hand(a[0] != 0):
            raise ValueError("lfilter_zi: the first coefficient of `a` is zero in some examples")
        a = a[1:]
    n = max(b.shape[0], a.shape[0])
    b, a = [xp.pad(x / a[0], (0, n - x.shape[0])) for x in (b, a)]
    units = [xp.eye(n - 1, k=k, dtype=np.result_type(a.dtype, b.dtype)) for k in (0, 1)]
    matrix = units[0] - units[1] + a[1:, None] * units[0][0]
    return xp.linalg.solve(matrix, b[1:] - a[1:] * b[0])
