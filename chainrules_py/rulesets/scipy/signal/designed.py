"""Bodies of filter designs from frequencies and gains.

How many frequencies there are decides, and what options say of them. What SciPy refuses is found by
a call of its function with others, and by what is known of these.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import Array, Scalar, composed
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.scipy.options import Options, with_options


def require_between(function, frequencies, are_strict: bool) -> None:
    """Raise for frequencies that do not increase from 0 to 1, in units of half the sampling rate."""
    steps = frequencies[1:] - frequencies[:-1]
    if are_strict:
        is_wrong = any_at_hand(steps <= 0) or any_at_hand((frequencies <= 0) | (frequencies >= 1))
    else:
        is_wrong = any_at_hand(steps < 0) or any_at_hand((frequencies < 0) | (frequencies > 1))
    if is_wrong:
        said = "frequencies outside of 0 to fs/2, or not increasing"
        raise ValueError(f"scipy.signal.{function.__name__}: {said}; pass increasing ones inside")


def half_rate(fs) -> float:
    """Half of the sampling rate, which is 2 where none is given."""
    return 0.5 * (2.0 if fs is None else float(fs))


@with_options(signal.firwin, "width window pass_zero scale fs", composed)
def firwin(numtaps: int, cutoff: Array | Scalar, *, options: Options, xp) -> Any:
    """Differences of sines over the distance from the middle, times a window."""
    nyquist = half_rate(options.fs)
    edges = xp.reshape(xp.asarray(cutoff), (-1,)) / nyquist
    evenly = np.arange(1.0, edges.shape[0] + 1) / (edges.shape[0] + 1)
    signal.firwin(numtaps, evenly * nyquist, **options)  # for its errors
    require_between(signal.firwin, edges, are_strict=True)
    passes_zero = options.pass_zero in (True, "lowpass", "bandstop")
    passes_nyquist = (edges.shape[0] % 2 == 0) == passes_zero
    parts = [xp.zeros(int(passes_zero)), edges, xp.ones(int(passes_nyquist))]
    bands = xp.reshape(xp.concatenate(parts), (-1, 2))

    window = options.window
    if options.width is not None:
        attenuation = signal.kaiser_atten(numtaps, float(options.width) / nyquist)
        window = ("kaiser", signal.kaiser_beta(attenuation))
    places = xp.asarray(np.arange(numtaps) - 0.5 * (numtaps - 1))
    waves = bands[:, :, None] * xp.sinc(bands[:, :, None] * places)
    h = xp.sum(waves[:, 1] - waves[:, 0], axis=0)
    h = h * xp.asarray(signal.get_window(window, numtaps, fftbins=False))
    if not options.scale:
        return h
    if passes_zero:
        return h / xp.sum(h)
    is_high = bands.shape[0] == 1 and passes_nyquist
    middle = 1.0 if is_high else 0.5 * (bands[0, 0] + bands[0, 1])
    return h / xp.sum(h * xp.cos(np.pi * middle * places))


@with_options(signal.firls, "weight fs", composed)
def firls(numtaps: int, bands: ArrayLike, desired: ArrayLike, *, options: Options, xp) -> Any:
    """The least squares of a response that is linear in each band, by the normal equations."""
    edges = xp.reshape(bands, (-1, 2)) / half_rate(options.fs)
    wanted = xp.reshape(desired, (-1, 2))
    if any_at_hand(wanted < 0):
        raise ValueError("desired must be non-negative.")
    count = edges.shape[0]
    evenly = np.linspace(0.0, half_rate(options.fs), 2 * count)
    is_at_hand = isinstance(options.weight, np.ndarray | list | tuple)
    given = {"weight": options.weight if is_at_hand else None, "fs": options.fs}
    signal.firls(numtaps, evenly, np.ones(2 * wanted.shape[0]), **given)  # for its errors
    require_between(signal.firls, xp.reshape(edges, (-1,)), are_strict=False)
    weight = xp.asarray(np.ones(count) if options.weight is None else np.ravel(options.weight))

    half = (numtaps - 1) // 2
    n = np.arange(numtaps)[:, None, None]
    waves = edges * xp.sinc(edges * xp.asarray(n))
    q = (waves[:, :, 1] - waves[:, :, 0]) @ weight
    lines, places = np.indices((half + 1, half + 1))
    matrix = q[abs(lines - places)] + q[lines + places]

    slopes = (wanted[:, 1:] - wanted[:, :1]) / (edges[:, 1:] - edges[:, :1])
    starts = wanted[:, :1] - edges[:, :1] * slopes
    n = n[1 : half + 1]
    turned = xp.cos(np.pi * edges * xp.asarray(n)) / xp.asarray((np.pi * n) ** 2)
    at_zero = xp.expand_dims(-(edges**2) / 2, 0)  # of the cosine over n**2, but for a constant
    sides = (slopes * edges + starts) * waves[: half + 1]
    sides = sides + slopes * xp.concatenate([at_zero, turned])
    a = xp.linalg.solve(matrix, (sides[:, :, 1] - sides[:, :, 0]) @ weight)
    return xp.concatenate([xp.flip(a[1:]), 2 * a[:1], a[1:]])


def second_order(function) -> None:
    """Declare the body of a filter of second order that removes one frequency, or all others."""

    @composed(function)
    def numerator_and_denominator(
        w0: Array | Scalar, Q: Array | Scalar, fs: Array | Scalar | float = 2.0, *, xp
    ) -> tuple[Any, Any]:
        frequency: Any = w0
        at = xp.asarray(2 * frequency / fs)
        if any_at_hand((at < 0) | (at > 1)):
            function(2.0, 1.0)  # for its error
        gain = 1 / (1 + xp.tan(np.pi / 2 * at / Q))
        middle = -2 * xp.cos(np.pi * at)
        ones = xp.ones_like(gain)
        a = xp.stack([ones, gain * middle, 2 * gain - 1])
        if function is signal.iirnotch:
            return gain * xp.stack([ones, middle, ones]), a
        return (1 - gain) * xp.asarray(np.array([1.0, 0.0, -1.0])), a


second_order(signal.iirnotch)
second_order(signal.iirpeak)
