"""Waveforms, by time: chirps, sawteeth, Gaussian pulses."""

from math import pi
from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule, non_differentiable, scalar_rule
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array, Scalar, call


def frequency(t, options: Options) -> Any:
    """The frequency of a chirp at a time."""
    f0, t1, f1, method = options.f0, options.t1, options.f1, options.method
    if method in ("linear", "lin", "li"):
        return f0 + (f1 - f0) / t1 * t
    if method in ("quadratic", "quad", "q"):
        if options.vertex_zero:
            return f0 + (f1 - f0) / t1**2 * t * t
        return f1 - (f1 - f0) / t1**2 * (t1 - t) ** 2
    if method in ("logarithmic", "log", "lo"):
        return f0 * (f1 / f0) ** (t / t1)
    return f0 * f1 * t1 / ((f0 - f1) * t + f1 * t1)


@with_options(signal.chirp, "f0 t1 f1 method phi vertex_zero", linearised_rule)
def chirp_linearised(t: Array | Scalar, *, options: Options, out, xp) -> LinearMap:
    """A cosine, whose slope is that of a quarter of a turn later."""
    quarter_later = {**options, "phi": options.phi + 90}

    def slope() -> Any:
        return 2 * pi * frequency(t, options) * call(signal.chirp, t, **quarter_later)

    return LinearMap(lambda dot: slope() * dot, lambda y_bar: slope() * y_bar)


@composed(signal.gausspulse)
def gausspulse(t: Array | Scalar, *, fc: float = 1000, bw: float = 0.5, bwr: float = -6, xp) -> Any:
    """A cosine under exp(-a t^2)."""
    scipys: Any = signal.gausspulse
    scipys(0.0, fc, bw, bwr)  # for its errors
    time: Any = t
    a = -((pi * fc * bw) ** 2) / (4 * np.log(10 ** (bwr / 20)))  # NumPy's number, as SciPy's
    return xp.exp(-a * time * time) * xp.cos(2 * pi * fc * time)


def sawtooth_by_time(t, width, xp):
    """Upwards for this part of a turn, then down."""
    rises = xp.mod(t, 2 * pi) < width * 2 * pi
    return xp.where(
        rises, 1 / (pi * xp.where(rises, width, 1)), -1 / (pi * (1 - xp.where(rises, 0, width)))
    )


def sawtooth_by_width(t, width, xp):
    """The derivative of a sawtooth by its width: the corner between rise and fall moves."""
    turn = xp.mod(t, 2 * pi)
    rises = turn < width * 2 * pi
    falls = (2 * pi - turn) / (pi * (1 - xp.where(rises, 0, width)) ** 2)
    return xp.where(rises, -turn / (pi * xp.where(rises, width, 1) ** 2), falls)


scalar_rule(signal.sawtooth, "t", "1 / pi")
scalar_rule(signal.sawtooth, "t, width", sawtooth_by_time, sawtooth_by_width)
scalar_rule(
    signal.gauss_spline,
    "x, n",
    "-12 * x * out / (n + 1)",
    "out * (6 * (x / (n + 1)) ** 2 - 0.5 / (n + 1))",
)
non_differentiable(signal.square)
