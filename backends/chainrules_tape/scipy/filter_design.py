"""Filters of `scipy.signal` designed from traced frequencies: a prototype of SciPy's, whose zeros and
poles are moved.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.makers import non_differentiable, primitive
from chainrules_tape.core.levels import innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import interceptable
from chainrules_tape.scipy.objects import (
    constant,
    example,
    floats,
    is_in_lanes,
    named_arguments,
    traced_option_error,
)

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
        given = named_arguments(function, *args, **options)
        fixed = {name: value for name, value in given.items() if name not in ("Wn", "fs")}
        for name, value in fixed.items():
            if innermost((value,)) is not None:
                raise traced_option_error(function, name, value, "pass a constant")
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
        if output == "ba":
            return k * polynomial(z), polynomial(p)
        own = plain
        if is_in_lanes(given["Wn"]) or is_in_lanes(given["fs"]):  # each example has its order
            own = interceptable(function)(
                **{name: constant(value) for name, value in given.items()}
            )
        if output == "zpk":
            return z[in_order(z, own[0])], p[in_order(p, own[1])], k
        return in_sections(plain, own, z, p, k)

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


def in_sections(plain, own, z, p, k) -> Any:
    """Sections of second order, in which zeros and poles are where SciPy has put them."""
    above = chosen_polynomials(plain[:, :3], own[:, :3], z)
    below = chosen_polynomials(plain[:, 3:], own[:, 3:], p)
    gains = np.concatenate([np.reshape(k, 1), np.ones(len(plain) - 1)])
    return np.concatenate([gains[:, None] * above, below], axis=1)


def chosen_polynomials(plain, own, roots) -> Any:
    """Polynomials, a row for each, of some of the roots: those of which SciPy has made its `own`.

    How many each has is as in the `plain` ones.
    """
    roots = np.concatenate([roots, np.zeros(1)])  # beside those of an odd number
    order, rows = in_order_of_roots(roots, own), []
    for count in [np.roots(coefficients).size for coefficients in plain]:
        row = polynomial(roots[order[:count]])
        rows.append(np.concatenate([np.zeros(3 - row.shape[0]), row]))
        order = order[count:]
    return np.stack(rows)


def polynomial(roots) -> Any:
    """The real coefficients of the polynomial with these roots, also of none."""
    return np.real(np.poly(roots)) if roots.shape[0] else np.ones(1)


@primitive
def in_order(roots, wanted) -> Any:
    """Which of some roots each of the plain ones is: the nearest that is left."""
    distances = np.abs(roots - np.reshape(wanted, (-1, 1)))
    found: list[int] = []
    for own in distances:
        own[found] = np.inf
        found.append(int(np.argmin(own)))
    return np.array(found, int)


@primitive
def in_order_of_roots(roots, rows) -> Any:
    """Which of some roots those of each row of coefficients are."""
    return in_order(roots, np.concatenate([np.roots(row) for row in rows]))


non_differentiable(in_order, in_order_of_roots)


butter, cheby1, cheby2, ellip, bessel, iirfilter = map(
    designed,
    (signal.butter, signal.cheby1, signal.cheby2, signal.ellip, signal.bessel, signal.iirfilter),
)
