"""Convolution and correlation of sequences.

Every mode is a part of the full convolution, so the adjoint puts the cotangent back into a full one
and correlates it with the other sequence.
"""

from typing import Any

import numpy as np

from chainrules_py import Array, Space, linear_rule


def full_cotangent(y_bar, a, v, mode: str | int, xp) -> Any:
    """The cotangent of the full result from that of its part."""
    long, short = max(a.size, v.size), min(a.size, v.size)
    before = {"f": 0, "s": (short - 1) // 2, "v": short - 1}[initial(mode)]
    after = long + short - 1 - before - y_bar.shape[0]
    return xp.concatenate([xp.zeros(before, y_bar.dtype), y_bar, xp.zeros(after, y_bar.dtype)])


def initial(mode: str | int) -> str:
    """The first letter of a mode, which may also be given by NumPy's number for it."""
    return mode[0].lower() if isinstance(mode, str) else "vsf"[mode]


def against(full_bar, other, xp) -> Any:
    """The cotangent of x in full = convolve(x, other): sum_k full_bar[i + k] conj(other[k])."""
    return xp.correlate(full_bar, other, mode="valid")


def convolve_adjoint_a(y_bar, a: Space, v: Array, *, mode: str | int = "full", xp):
    return xp.reshape(
        against(full_cotangent(y_bar, a, v, mode, xp), xp.reshape(v, -1), xp), a.shape
    )


def convolve_adjoint_v(y_bar, a: Array, v: Space, *, mode: str | int = "full", xp):
    return xp.reshape(
        against(full_cotangent(y_bar, a, v, mode, xp), xp.reshape(a, -1), xp), v.shape
    )


linear_rule(np.convolve, convolve_adjoint_a, convolve_adjoint_v)

# correlate(a, v) is convolve(a, conj(reversed v)); NumPy's mode "same" takes the middle after
# putting the longer one first.


def correlation_cotangent(y_bar, a, v, mode: str | int, xp) -> Any:
    """The cotangent of the full correlation from that of its part."""
    if initial(mode) == "s" and v.shape[0] > a.shape[0]:
        reverse = full_cotangent(xp.flip(y_bar), a, v, mode, xp)
        return xp.flip(reverse)
    return full_cotangent(y_bar, a, v, mode, xp)


def correlate_adjoint_a(y_bar, a: Space, v: Array, *, mode: str | int = "valid", xp):
    return against(correlation_cotangent(y_bar, a, v, mode, xp), xp.conj(xp.flip(v)), xp)


def correlate_adjoint_v(y_bar, a: Array, v: Space, *, mode: str | int = "valid", xp):
    return xp.conj(xp.flip(against(correlation_cotangent(y_bar, a, v, mode, xp), a, xp)))


linear_rule(np.correlate, correlate_adjoint_a, correlate_adjoint_v)
