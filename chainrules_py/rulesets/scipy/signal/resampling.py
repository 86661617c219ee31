"""Linear functions of a signal: analytic signals, other rates, smoothing polynomials."""

from typing import Any

import numpy as np
from scipy import ndimage, signal

from chainrules_py import composed
from chainrules_py.makers import linear_rule, primitive
from chainrules_py.makers.by_source import by_source
from chainrules_py.projection import Space
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair
from chainrules_py.rulesets.scipy.ndimage.boundaries import filter_adjoint
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.signal.recursive_filters import cut_or_padded
from chainrules_py.values.arrays import Array, call

by_source(signal.hilbert, signal.hilbert2, signal.resample, arguments=1)


@with_options(signal.savgol_filter, "window_length polyorder deriv delta axis mode")
def savgol_adjoint(y_bar, shape, *, options: Options):
    """The adjoint of a convolution and, by default, of a dense matrix at each end."""
    length, axis = options.window_length, options.axis
    form = length, options.polyorder, options.deriv, options.delta
    weights, half = signal.savgol_coeffs(*form), length // 2

    def convolved(x, mode: str, axis: int = -1):
        return ndimage.convolve1d(x, weights, mode=mode, axis=axis)

    # the filter reads no farther than it has weights
    filtered = filter_adjoint(convolved, lambda axis: len(weights), -1)
    if options.mode != "interp":
        return filtered(y_bar, shape, axis=axis, mode=options.mode)

    lines = np.moveaxis(y_bar, axis, -1)
    n = lines.shape[-1]
    inner = np.array(lines)
    inner[..., :half] = 0
    inner[..., n - half :] = 0
    ends = signal.savgol_filter(np.eye(length), *form)
    bars = filtered(inner, inner.shape, axis=-1, mode="constant")
    bars[..., :length] += lines[..., :half] @ ends[:, :half].T
    bars[..., n - length :] += lines[..., n - half :] @ ends[:, length - half :].T
    return np.moveaxis(bars, -1, axis)


linear_pair(signal.savgol_filter, savgol_adjoint, value_only=("cval",))

# A filter between two rates: zeros between the entries, the filter, then every `down`-th entry


@primitive
def filtered(h, x, up: int = 1, down: int = 1, axis: int = -1) -> Any:
    """The result of `scipy.signal.upfirdn` for a signal between zeros."""
    return call(signal.upfirdn, h, x, up=up, down=down, axis=axis)


def adjoint_h(y_bar, h: Space, x: Array, *, up: int = 1, down: int = 1, axis: int = -1, xp) -> Any:
    """The cotangent of each coefficient."""
    one = xp.ones(1)
    lines = filtered(one, xp.moveaxis(y_bar, axis, -1), up=down)
    spread = filtered(one, xp.moveaxis(x, axis, -1), up=up)
    taps, count = h.shape[0], spread.shape[-1]
    lines = cut_or_padded(lines, count + taps - 1, xp)
    return xp.stack([xp.sum(lines[..., k : k + count] * xp.conj(spread)) for k in range(taps)])


def adjoint_x(y_bar, h: Array, x: Space, *, up: int = 1, down: int = 1, axis: int = -1, xp) -> Any:
    """The reversed filter, with the two rates exchanged."""
    taps, length = h.shape[0], x.shape[axis]
    lines = xp.moveaxis(y_bar, axis, -1)
    wide = filtered(xp.conj(xp.flip(h)), lines, up=down)
    wide = cut_or_padded(wide, taps + (length - 1) * up, xp)
    return xp.moveaxis(wide[..., taps - 1 :: up], -1, axis)


linear_rule(filtered, adjoint_h, adjoint_x)


@with_options(signal.upfirdn, "up down axis mode cval", composed)
def upfirdn(h: Array, x: Array, *, options: Options, xp) -> Any:
    """A signal that goes on for as long as the filter is, of which as much is taken as without that."""
    up, down = options.up, options.down
    if options.mode == "constant" and not options.cval:
        return filtered(h, x, up=up, down=down, axis=options.axis)
    lines = xp.moveaxis(x, options.axis, -1)
    taps, n = h.shape[0], lines.shape[-1]
    reach = down * (taps // (up * down) + 1)
    start, count = reach * up // down, -(-((n - 1) * up + taps) // down)
    wide = continued(lines, reach, options.mode, options.cval, xp)
    y = filtered(h, wide, up=up, down=down)[..., start : start + count]
    return xp.moveaxis(y, -1, options.axis)


def continued(lines, reach: int, padtype: str, fill, xp) -> Any:
    """Signals continued at both ends of the last axis, as `scipy.signal.upfirdn` does it."""
    n, widths = lines.shape[-1], [(0, 0)] * (lines.ndim - 1) + [(reach, reach)]
    if padtype == "constant":
        return xp.pad(lines, widths, constant_values=fill)
    if padtype == "antireflect":
        return xp.pad(lines, widths, "reflect", reflect_type="odd")
    if padtype == "antisymmetric":
        signs = (-1.0) ** (np.arange(-reach, n + reach) // n)
        return xp.pad(lines, widths, "symmetric") * signs.astype(lines.dtype)
    if padtype not in ("line", "smooth"):
        return xp.pad(lines, widths, padtype)

    first, last = lines[..., :1], lines[..., -1:]
    slopes = lines[..., 1:2] - first, last - lines[..., -2:-1]
    if padtype == "line":
        slopes = ((last - first) / (n - 1),) * 2
    steps = np.arange(1, reach + 1, dtype=lines.dtype)
    left, right = first - slopes[0] * steps[::-1], last + slopes[1] * steps
    return xp.concatenate([left, lines, right], axis=-1)
