"""Filters of `scipy.signal` designed from traced frequencies: a prototype of SciPy's, whose zeros and
poles are moved.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_tape.core.levels import innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import interceptable
from chainrules_tape.scipy.objects import constant, example, floats, is_in_lanes, named, refused

BANDS = {
    **dict.fromkeys(("low", "lowpass", "lp", "l"), "low"),
    **dict.fromkeys(("high", "highpass", "hp", "h"), "high"),
    **dict.fromkeys(("band", "bandpass", "pass", "bp"), "band"),
    **dict.fromkeys(("stop", "bandstop", "bands", "bs"), "stop"),
}


def designed(function) -> Any:
    """One of SciPy's functions that design a filter, by its frequencies and the sampling rate."""

    @by_others(function)
    def design(*args, **options):
        given = named(function, *args, **options)
        in_lanes = is_in_lanes(given["Wn"]) or is_in_lanes(given["fs"])
        if in_lanes and given["output"].lower() != "ba":  # each example has an order of its own
            return interceptable(function)(*args, **options)
        fixed = {name: value for name, value in given.items() if name not in ("Wn", "fs")}
        for name, value in fixed.items():
            if innermost((value,)) is not None:
                raise refused(function, name, value, "pass a constant")
        plain = function(**{name: example(value) for name, value in given.items()})
        as_prototype = {"Wn": 1.0, "fs": None, "btype": "low", "analog": True, "output": "zpk"}
        prototype = function(**{**fixed, **as_prototype})

        frequencies = floats(given["Wn"])
        if given["fs"] is not None:
            frequencies = 2.0 * frequencies / given["fs"]
        band, is_analog = BANDS[fixed["btype"].lower()], fixed["analog"]
        if not is_analog:
            frequencies = 4.0 * np.tan(0.5 * np.pi * frequencies)
        zeros, poles, gain = prototype
        z, p, k = moved(zeros, poles, gain, frequencies, band)
        if not is_analog:
            z, p, k = in_discrete_time(z, p, k)
        output = fixed["output"].lower()
        if output == "zpk":
            return z[in_order(z, plain[0])], p[in_order(p, plain[1])], k
        if output == "ba":
            return k * polynomial(z), polynomial(p)
        return in_sections(plain, z, p, k)

    return design


def moved(z, p, k, frequencies, band: str) -> tuple[Any, Any, Any]:
    """The zeros, poles and gain of a low-pass filter of the frequency 1, moved to a band."""
    degree = len(p) - len(z)
    gain = np.real(np.prod(-z) / np.prod(-p))
    if band in ("low", "high"):
        at = np.reshape(frequencies, -1)[0]
        if band == "low":
            return z * at, p * at, k * at**degree
        return np.concatenate([at / z, np.zeros(degree)]), at / p, k * gain
    width, square = frequencies[1] - frequencies[0], frequencies[0] * frequencies[1]

    def split(roots) -> Any:
        halves = np.sqrt(roots**2 - square)
        return np.concatenate([roots + halves, roots - halves])

    if band == "band":
        zeros = np.concatenate([split(0.5 * width * z), np.zeros(degree)])
        return zeros, split(0.5 * width * p), k * width**degree
    middle = 1j * np.sqrt(square) * np.repeat([1.0, -1.0], degree)
    return np.concatenate([split(0.5 * width / z), middle]), split(0.5 * width / p), k * gain


def in_discrete_time(z, p, k) -> tuple[Any, Any, Any]:
    """The bilinear transform, of a sampling rate of 2."""
    gain = np.real(np.prod(4.0 - z) / np.prod(4.0 - p))
    zeros = np.concatenate([(4.0 + z) / (4.0 - z), -np.ones(p.shape[0] - z.shape[0])])
    return zeros, (4.0 + p) / (4.0 - p), k * gain


def in_sections(plain, z, p, k) -> Any:
    """Sections of second order, in which zeros and poles are where SciPy has put them."""
    above, below = chosen(plain[:, :3], z), chosen(plain[:, 3:], p)
    gains = np.concatenate([np.reshape(k, 1), np.ones(len(plain) - 1)])
    return np.concatenate([gains[:, None] * above, below], axis=1)


def chosen(plain, roots) -> Any:
    """Polynomials, a row for each, of some of the roots: those of which SciPy has made them."""
    roots = np.concatenate([roots, np.zeros(1)])  # beside those of an odd number
    wanted = [np.roots(coefficients) for coefficients in plain]
    order, rows = in_order(roots, np.concatenate(wanted)), []
    for own in wanted:
        row = polynomial(roots[order[: len(own)]])
        rows.append(np.concatenate([np.zeros(3 - row.shape[0]), row]))
        order = order[len(own) :]
    return np.stack(rows)


def polynomial(roots) -> Any:
    """The real coefficients of the polynomial with these roots, also of none."""
    return np.real(np.poly(roots)) if roots.shape[0] else np.ones(1)


def in_order(roots, wanted) -> list[int]:
    """Which of some roots each of the plain ones is: the nearest that is left."""
    distances = np.abs(constant(roots) - np.reshape(wanted, (-1, 1)))
    found: list[int] = []
    for own in distances:
        own[found] = np.inf
        found.append(int(np.argmin(own)))
    return found


butter, cheby1, cheby2, ellip, bessel, iirfilter = map(
    designed,
    (signal.butter, signal.cheby1, signal.cheby2, signal.ellip, signal.bessel, signal.iirfilter),
)
