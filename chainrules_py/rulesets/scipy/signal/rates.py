"""Changes of the sampling rate, transforms along chirps, splines: adjoints as cheap as the functions."""

from math import ceil, gcd
from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import Array, composed
from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.signal.recursive_filters import cut_or_padded
from chainrules_py.values.arrays import call

# --- Polyphase filters ---

STATISTICS: dict[str, Any] = {
    "mean": np.mean,
    "median": np.median,
    "maximum": np.max,
    "minimum": np.min,
}


@with_options(signal.resample_poly, "up down axis window padtype cval", composed)
def resample_poly(x: Array, *, options: Options, xp) -> Any:
    """A signal that is continued, spread out by `up`, filtered, and thinned out by `down`."""
    signal.resample_poly(np.ones((2,) * x.ndim), **options)  # for its errors
    axis, padtype = options.axis, options.padtype
    common = gcd(int(options.up), int(options.down))
    up, down, n = int(options.up) // common, int(options.down) // common, x.shape[axis]
    if up == down == 1:
        return xp.copy(x)
    if padtype in STATISTICS:
        middle = STATISTICS[padtype](x, axis=axis, keepdims=True)
        own = {**options, "padtype": "constant"}
        return call(signal.resample_poly, x - middle, **own) + middle

    taps, half = taps_of(up, down, options.window, x.dtype)
    fills = padtype != "constant" or options.cval
    reach = ceil(len(taps) / up) + 1 if fills else 0
    lines = xp.moveaxis(x, axis, -1).astype(np.result_type(x.dtype, taps.dtype))
    wide = continued(lines, reach, padtype, options.cval or 0, xp)
    middle = half + reach * up
    shift = -middle % down
    shifted = xp.asarray(np.concatenate([np.zeros(shift, taps.dtype), taps]))
    y = call(signal.upfirdn, shifted, wide, up=up, down=down)[..., (middle + shift) // down :]
    return xp.moveaxis(cut_or_padded(y, -(-n * up // down), xp), -1, axis)


def taps_of(up: int, down: int, window, dtype) -> tuple[Any, int]:
    """The coefficients of SciPy's filter, and which is the middle one."""
    if isinstance(window, list) or hasattr(window, "shape"):
        return up * np.asarray(window), (len(window) - 1) // 2
    half = 10 * max(up, down)
    taps: Any = up * signal.firwin(2 * half + 1, 1.0 / max(up, down), window=window)
    return taps.astype(dtype) if dtype.kind in "fc" else taps, half


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


by_source(signal.decimate, signal.czt, signal.zoom_fft)

# --- Splines ---


def spline_adjoint(function, pole: float, gain: float) -> Any:
    """The adjoint of a filter that runs forwards from a sum over all entries, and backwards."""

    def adjoint(y_bar, shape, lamb: float = 0.0):
        if len(shape) != 1:
            raise ValueError(f"got a signal with {len(shape)} axes; pass one with one axis")
        if lamb or shape[0] < 2:
            # a product with the answer to each unit vector
            places = np.arange(shape[0])
            answers = [function((places == k) * 1.0, lamb) for k in places]
            return np.stack([np.vdot(answer, y_bar) for answer in answers])
        a = np.array([1.0, -pole])
        filtered: Any = signal.lfilter([gain], a, y_bar)
        back = -pole * filtered
        back[-1] /= 1 - pole
        found = signal.lfilter([1.0], a, back[::-1])[::-1]
        return found + pole ** np.arange(1, shape[0] + 1) * found[0]

    return adjoint


linear_pair(signal.cspline1d, spline_adjoint(signal.cspline1d, 3**0.5 - 2, 6.0), "lamb")
linear_pair(signal.qspline1d, spline_adjoint(signal.qspline1d, 8**0.5 - 3, 8.0), "lamb")
