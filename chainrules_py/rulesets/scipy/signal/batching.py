"""Signals of many examples at once: along axes that are counted from the end."""

from functools import partial
from typing import Any

from scipy import signal

from chainrules_py import axes_rule, batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import Lanes, has_no_lane, with_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.rulesets.scipy.lanes_first import lanes_first
from chainrules_py.values.arrays import Array, call, library_of_types

axes_rule(signal.chirp, kind="elementwise")

# --- Along one axis ---

lanes_first(
    *(signal.detrend, signal.savgol_filter, signal.resample),
    *(signal.czt, signal.zoom_fft),
)

# --- Filters with memory: of signals and states; coefficients in lanes are a loop ---


def filters(primal, before: int) -> None:
    """Register a filter whose first arguments are coefficients."""

    @batched.register(primal)
    def filter_batched(lanes: Lanes, *args, **options):
        x, *others = args[before:]
        if any(lanes[:before]) or lanes[before] is not True or not x.shape[0]:
            return looped(partial(call, primal), lanes, args, options)
        axis, *state = others or [options.pop("axis", -1)]
        own = from_the_end(axis, x.ndim - 1)
        if state and state[0] is not None:
            options["zi"] = state_in_lanes(lanes[-1], state[0], x)
        return call(primal, *args[:before], x, axis=own, **options)


def state_in_lanes(lane: bool, zi, x) -> Any:
    """The state at the start, with lanes."""
    xp = library_of_types((type(zi), type(x))).namespace
    return zi if lane else xp.broadcast_to(zi, (x.shape[0], *zi.shape))


filters(signal.lfilter, 2)
filters(signal.upfirdn, 1)

# --- Convolutions ---


def aligned_for_axes(lanes: Lanes, in1, in2) -> tuple[Any, Any]:
    """Two arrays with lanes first, of which the second may have one for all."""
    own = in1 if lanes[0] else with_lanes(in1, in2.shape[0])
    return own, in2 if lanes[1] else in2[None]


def along_axes(primal) -> None:
    """Register a convolution along `axes`, beside which others broadcast."""

    @batched.register(primal)
    def convolution_batched(lanes: Lanes, in1: Array, in2: Array, *, axes: Any = None, **options):
        rank = in1.ndim - lanes[0]
        if has_no_lane(lanes, (in1, in2)) or not rank:
            return looped(partial(call, primal), lanes, (in1, in2), {"axes": axes, **options})
        own = (axes,) if isinstance(axes, int) else axes
        along = from_the_end(own if own is None else tuple(own), rank)
        return call(primal, *aligned_for_axes(lanes, in1, in2), axes=along, **options)


along_axes(signal.fftconvolve)
along_axes(signal.oaconvolve)


def over_all_axes(primal) -> None:
    """Register a convolution, or a correlation, over all axes of two arrays."""

    @batched.register(primal)
    def convolution_batched(lanes: Lanes, in1: Array, in2: Array, **options):
        mode, boundary = options.get("mode", "full"), options.get("boundary", "fill")
        is_plain = boundary == "fill" and not options.get("fillvalue", 0)
        are_floats = in1.dtype.kind in "fc" and in2.dtype.kind in "fc"
        rank = in1.ndim - lanes[0]
        if has_no_lane(lanes, (in1, in2)) or not (is_plain and are_floats and rank):
            return looped(partial(call, primal), lanes, (in1, in2), options)
        axes = tuple(range(-rank, 0))
        own, other = aligned_for_axes(lanes, in1, in2)
        if primal is not signal.correlate2d:
            return call(signal.fftconvolve, own, other, mode=mode, axes=axes)

        xp = library_of_types((type(in1), type(in2))).namespace
        other = xp.conj(xp.flip(other, axes))
        if mode != "same":
            return call(signal.fftconvolve, own, other, mode=mode, axes=axes)
        y = call(signal.fftconvolve, own, other, mode="full", axes=axes)

        def centre(axis: int) -> slice:
            start = (y.shape[axis] - own.shape[axis] + 1) // 2
            return slice(start, start + own.shape[axis])

        return y[(slice(None), *map(centre, axes))]


for _function in (signal.convolve, signal.convolve2d, signal.correlate2d):
    over_all_axes(_function)
