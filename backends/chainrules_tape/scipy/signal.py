"""`scipy.signal` for code that is differentiated."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import interceptable, stand_in
from chainrules_tape.scipy.objects import constant, floats, is_in_lanes, named_arguments


@by_others(signal.bilinear)
def bilinear(b, a, fs: Any = 1.0) -> Any:
    """`scipy.signal.bilinear`: s = 2 fs (z - 1) / (z + 1), by the coefficients and the sampling
    frequency.
    """
    plain = signal.bilinear(constant(b), constant(a), constant(fs))
    above, below = (np.reshape(floats(v), -1) for v in (b, a))
    above, below = (
        v[len(v) - len(np.trim_zeros(np.reshape(constant(v), -1), "f")) :] for v in (above, below)
    )
    order = max(above.shape[0], below.shape[0]) - 1
    numerator, denominator = in_z(above, order, fs), in_z(below, order, fs)
    # coefficients in front that SciPy takes for zeros
    lost = [order + 1 - part.shape[0] for part in plain]
    return (
        numerator[lost[0] :] / denominator[lost[1]],
        denominator[lost[1] :] / denominator[lost[1]],
    )


def in_z(coefficients, order: int, fs) -> Any:
    """A polynomial in s times a power of (z + 1), as one in z; the highest power is the first one
    in both.
    """
    count = coefficients.shape[0]
    powers = np.arange(count - 1, -1, -1)
    rows = [np.poly([1.0] * power + [-1.0] * (order - power)) for power in powers.tolist()]
    return (coefficients * (2.0 * fs) ** powers) @ np.reshape(rows, (count, order + 1))


@by_others(signal.find_peaks)
def find_peaks(x, *args, **options) -> Any:
    """`scipy.signal.find_peaks`: positions of peaks are constant, heights and widths have
    derivatives.
    """
    if is_in_lanes(x):
        return interceptable(signal.find_peaks)(x, *args, **options)
    given = named_arguments(signal.find_peaks, x, *args, **options)
    peaks, found = signal.find_peaks(**{name: constant(value) for name, value in given.items()})
    x = floats(x)
    traced: dict[str, Any] = {"peak_heights": x[peaks]}
    if "left_thresholds" in found:
        traced["left_thresholds"] = x[peaks] - x[peaks - 1]
        traced["right_thresholds"] = x[peaks] - x[peaks + 1]
    if "prominences" in found:
        base = np.maximum(x[found["left_bases"]], x[found["right_bases"]])
        traced["prominences"] = x[peaks] - base
    if "widths" in found:
        height = x[peaks] - traced["prominences"] * given["rel_height"]
        left = crossing(x, height, found["left_ips"], 1)
        right = crossing(x, height, found["right_ips"], -1)
        ends = {"left_ips": left, "right_ips": right}
        traced |= {"widths": right - left, "width_heights": height, **ends}
    return peaks, found | {name: value for name, value in traced.items() if name in found}


def crossing(x, height, known, step: int) -> Any:
    """The points where lines between samples cross a height; the line from a sample below it ends
    one step away.
    """
    below = (np.floor if step > 0 else np.ceil)(known).astype(int)
    is_between = below != known
    rise = x[below + step * is_between] - x[below]
    return below + step * np.where(
        is_between, (height - x[below]) / np.where(is_between, rise, 1), 0
    )


__getattr__, __dir__ = stand_in(signal, globals())
