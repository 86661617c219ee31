"""Waveforms, by time: chirps, sawteeth, Gaussian pulses."""

from math import pi

from scipy import signal

from chainrules_py.makers import non_differentiable, scalar_rule
from chainrules_py.makers.by_source import by_source

by_source(signal.chirp, signal.gausspulse)


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
