"""Linear functions of a signal along an axis: analytic signals, other rates, smoothing polynomials."""

from typing import Any

import numpy as np
from scipy import ndimage, signal

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.scipy.linear_pairs import beside, linear_pair
from chainrules_py.rulesets.scipy.ndimage.boundaries import filter_adjoint
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, call


def cropped(x: Any, shape: Any, axes: Any) -> Any:
    """Cropped or continued with zeros along axes."""
    for axis in axes:
        x = np.moveaxis(x, axis, -1)[..., : shape[axis]]
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, shape[axis] - x.shape[-1])])
        x = np.moveaxis(x, -1, axis)
    return x


def hilbert_adjoint(y_bar: Any, shape: Any, N: int | None = None, axis: int = -1) -> Any:
    """A real factor for each frequency, which the answer to a unit impulse tells: its own adjoint."""
    impulse = np.zeros(y_bar.shape[axis])
    impulse[0] = 1
    lines = np.fft.fft(np.moveaxis(y_bar, axis, -1)) * beside(
        np.fft.fft(np.asarray(signal.hilbert(impulse))).real, y_bar
    )
    return cropped(np.moveaxis(np.fft.ifft(lines), -1, axis), shape, (axis,))


def hilbert2_adjoint(y_bar: Any, shape: Any, N: Any = None, axes: Any = (-2, -1)) -> Any:
    """In two axes."""
    impulse = np.zeros([y_bar.shape[axis] for axis in axes])
    impulse[0, 0] = 1
    planes = (
        np.fft.fft2(np.moveaxis(y_bar, axes, (-2, -1)))
        * np.fft.fft2(np.asarray(signal.hilbert2(impulse))).real
    )
    return cropped(np.moveaxis(np.fft.ifft2(planes), (-2, -1), axes), shape, axes)


linear_pair(signal.hilbert, hilbert_adjoint)
linear_pair(signal.hilbert2, hilbert2_adjoint)


def resample_adjoint(y_bar: Any, shape: Any, num: int, axis: int = 0, window: Any = None) -> Any:
    """The frequencies that were kept go back to their places.

    Of an unpaired one in the middle, both or half to each.
    """
    n, kept = shape[axis], min(num, shape[axis])
    high = np.fft.fft(np.moveaxis(y_bar, axis, -1))
    low = np.zeros((*high.shape[:-1], n), complex)
    middle = kept // 2 + 1
    low[..., :middle] = high[..., :middle]
    if middle < kept:
        low[..., middle - kept :] = high[..., middle - kept :]
    if kept % 2 == 0 and num < n:
        low[..., n - kept // 2] = high[..., kept // 2]
    if kept % 2 == 0 and n < num:
        low[..., kept // 2] = (high[..., kept // 2] + high[..., num - kept // 2]) / 2
    if window is not None:
        low = low * np.conj(window_at(window, n))
    return np.moveaxis(np.fft.ifft(low), -1, axis)


def window_at(window: Any, n: int) -> Any:
    """The window of the frequencies, in the order of the transform."""
    if callable(window):
        return window(np.fft.fftfreq(n))
    if hasattr(window, "shape"):
        return np.asarray(window)
    return np.fft.ifftshift(signal.get_window(window, n))


linear_pair(signal.resample, resample_adjoint)


@with_options(signal.savgol_filter, "window_length polyorder deriv delta axis mode")
def savgol_adjoint(y_bar: Any, shape: Any, *, options: Options) -> Any:
    """A convolution; at the ends, by default, two matrices, which the answers to unit vectors tell."""
    length, axis = options.window_length, options.axis
    form = length, options.polyorder, options.deriv, options.delta
    weights, half = signal.savgol_coeffs(*form), length // 2

    def convolved(x: Any, mode: str, axis: int = -1) -> Any:
        return ndimage.convolve1d(x, weights, mode=mode, axis=axis)

    # A filter with these weights sees no farther than their number.
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

# A filter between two rates


@linearised_rule(signal.upfirdn)
def upfirdn_linearised(
    h: Array, x: Array, *, up: int = 1, down: int = 1, axis: int = -1, out: Any, xp: Any
) -> tuple[LinearMap, LinearMap]:
    """Entries that are spread out, filtered and thinned out.

    The adjoint spreads, filters backwards and thins the other way.
    """
    rows, taps, of_x = xp.moveaxis(x, axis, -1), h.shape[0], x.shape[axis]
    one = xp.ones(1)

    def signal_pullback(y_bar: Any) -> Any:
        lines = xp.moveaxis(y_bar, axis, -1)
        wide = call(signal.upfirdn, xp.conj(xp.flip(h)), lines, up=down)
        missing = max(0, taps - 1 + (of_x - 1) * up + 1 - wide.shape[-1])
        wide = xp.pad(wide, [(0, 0)] * (wide.ndim - 1) + [(0, missing)])
        return xp.moveaxis(wide[..., taps - 1 :: up][..., :of_x], -1, axis)

    def filter_pullback(y_bar: Any) -> Any:
        lines = call(signal.upfirdn, one, xp.moveaxis(y_bar, axis, -1), up=down)
        spread = call(signal.upfirdn, one, rows, up=up)
        size = max(lines.shape[-1], spread.shape[-1] + taps - 1)
        lines = xp.pad(lines, [(0, 0)] * (lines.ndim - 1) + [(0, size - lines.shape[-1])])
        terms = [
            xp.sum(lines[..., k : k + spread.shape[-1]] * xp.conj(spread)) for k in range(taps)
        ]
        return xp.stack(terms)

    options = {"up": up, "down": down, "axis": axis}
    return (
        LinearMap(lambda dot: call(signal.upfirdn, dot, x, **options), filter_pullback),
        LinearMap(lambda dot: call(signal.upfirdn, h, dot, **options), signal_pullback),
    )
