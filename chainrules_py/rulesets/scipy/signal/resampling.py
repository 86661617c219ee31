"""Linear functions of a signal: analytic signals, other rates, smoothing polynomials."""

from typing import Any

import numpy as np
from scipy import ndimage, signal

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.scipy.linear_pairs import beside, linear_pair
from chainrules_py.rulesets.scipy.ndimage.boundaries import filter_adjoint
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, call


def cropped(x, shape, axes) -> Any:
    """The array cropped, or continued with zeros, to a shape along some axes."""
    for axis in axes:
        x = np.moveaxis(x, axis, -1)[..., : shape[axis]]
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, shape[axis] - x.shape[-1])])
        x = np.moveaxis(x, -1, axis)
    return x


def hilbert_adjoint(y_bar, shape, N: int | None = None, axis: int = -1) -> Any:
    """Multiply each frequency by its real factor, the transform of the response to an impulse."""
    impulse = np.zeros(y_bar.shape[axis])
    impulse[0] = 1
    factors = np.fft.fft(np.asarray(signal.hilbert(impulse))).real
    lines = np.fft.fft(np.moveaxis(y_bar, axis, -1)) * beside(factors, y_bar)
    return cropped(np.moveaxis(np.fft.ifft(lines), -1, axis), shape, (axis,))


def hilbert2_adjoint(y_bar, shape, N: Any = None, axes: Any = (-2, -1)) -> Any:
    """Multiply each frequency of two axes by its real factor."""
    impulse = np.zeros([y_bar.shape[axis] for axis in axes])
    impulse[0, 0] = 1
    factors = np.fft.fft2(np.asarray(signal.hilbert2(impulse))).real
    planes = np.fft.fft2(np.moveaxis(y_bar, axes, (-2, -1))) * factors
    return cropped(np.moveaxis(np.fft.ifft2(planes), (-2, -1), axes), shape, axes)


linear_pair(signal.hilbert, hilbert_adjoint)
linear_pair(signal.hilbert2, hilbert2_adjoint)


def resample_adjoint(y_bar, shape, num: int, axis: int = 0, window: Any = None) -> Any:
    """Copy the frequencies that both lengths have.

    The highest one, if it is alone for one length, is a pair for the other: one is copied to both,
    or the mean of both to one.
    """
    n, common = shape[axis], min(num, shape[axis])
    of_y = np.fft.fft(np.moveaxis(y_bar, axis, -1))
    of_x = np.zeros((*of_y.shape[:-1], n), complex)
    half = common // 2
    positive, negative = half + 1, half + 1 - common
    of_x[..., :positive] = of_y[..., :positive]
    if negative < 0:
        of_x[..., negative:] = of_y[..., negative:]
    if common % 2 == 0 and num < n:
        of_x[..., n - half] = of_y[..., half]
    if common % 2 == 0 and n < num:
        of_x[..., half] = (of_y[..., half] + of_y[..., num - half]) / 2
    if window is not None:
        impulse = np.zeros(n, complex)
        impulse[0] = 1
        factors = np.fft.fft(np.asarray(signal.resample(impulse, n, window=window)))
        of_x = of_x * np.conj(factors)
    return np.moveaxis(np.fft.ifft(of_x), -1, axis)


linear_pair(signal.resample, resample_adjoint)


@with_options(signal.savgol_filter, "window_length polyorder deriv delta axis mode")
def savgol_adjoint(y_bar, shape, *, options: Options) -> Any:
    """The adjoint of a convolution and, by default, of a dense matrix at each end."""
    length, axis = options.window_length, options.axis
    form = length, options.polyorder, options.deriv, options.delta
    weights, half = signal.savgol_coeffs(*form), length // 2

    def convolved(x, mode: str, axis: int = -1) -> Any:
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

# A filter between two rates


@linearised_rule(signal.upfirdn)
def upfirdn_linearised(
    h: Array, x: Array, *, up: int = 1, down: int = 1, axis: int = -1, out, xp
) -> tuple[LinearMap, LinearMap]:
    """Zeros between the entries, a filter, then every `down`-th entry.

    The adjoint in x does the same with the reversed filter and the two rates exchanged.
    """
    rows, taps, length = xp.moveaxis(x, axis, -1), h.shape[0], x.shape[axis]
    one = xp.ones(1)

    def padded(lines, count: int) -> Any:
        missing = max(0, count - lines.shape[-1])
        return xp.pad(lines, [(0, 0)] * (lines.ndim - 1) + [(0, missing)])

    def signal_pullback(y_bar) -> Any:
        lines = xp.moveaxis(y_bar, axis, -1)
        wide = call(signal.upfirdn, xp.conj(xp.flip(h)), lines, up=down)
        wide = padded(wide, taps + (length - 1) * up)
        return xp.moveaxis(wide[..., taps - 1 :: up][..., :length], -1, axis)

    def filter_pullback(y_bar) -> Any:
        lines = call(signal.upfirdn, one, xp.moveaxis(y_bar, axis, -1), up=down)
        spread = call(signal.upfirdn, one, rows, up=up)
        count = spread.shape[-1]
        lines = padded(lines, count + taps - 1)
        terms = [xp.sum(lines[..., k : k + count] * xp.conj(spread)) for k in range(taps)]
        return xp.stack(terms)

    options = {"up": up, "down": down, "axis": axis}
    return (
        LinearMap(lambda dot: call(signal.upfirdn, dot, x, **options), filter_pullback),
        LinearMap(lambda dot: call(signal.upfirdn, h, dot, **options), signal_pullback),
    )
