"""Integrals of many samples at once, along axes that are counted from the end."""

from functools import partial
from typing import Any

from scipy import integrate

from chainrules_py import batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.lanes import Lanes, behind_lanes, with_lanes
from chainrules_py.batching.loop import looped
from chainrules_py.rulesets.scipy.lanes_first import CHANGES, Given, lanes_first
from chainrules_py.values.arrays import call, library_of_types, shape_of


def of_points(options: Given, rank: int) -> Given | None:
    """The option `axis`, counted from the end; None for points in an array of the samples' rank."""
    if len(shape_of(options.get("x"))) > 1 or len(shape_of(options.get("initial"))) > 0:
        return None
    return {**options, "axis": from_the_end(options.get("axis", -1), rank)}


lanes_first(integrate.romb, integrate.cumulative_simpson, change=of_points)


def of_samples_and_points(primal) -> None:
    """Register an integral of samples at points, which are the same for all rows or as many."""

    @batched.register(primal)
    def integral_batched(lanes: Lanes, *args, axis: int = -1, **options) -> Any:
        y: Any = args[0]
        x: Any = args[1] if len(args) > 1 else None
        rank = len(shape_of(y)) - lanes[0]
        shapes = [shape_of(arg)[bool(lane) :] for lane, arg in zip(lanes, args, strict=True)]
        are_broadcast = len(shapes) > 1 and len(shapes[1]) > 1 and shapes[1] != shapes[0]
        counts = [arg.shape[0] for lane, arg in zip(lanes, args, strict=True) if lane]
        if not counts[0] or rank < 1 or are_broadcast:
            return looped(partial(call, primal), lanes, args, {"axis": axis, **options})
        own = from_the_end(axis, rank)
        if not lanes[0]:
            y = with_lanes(y, counts[0])
        if x is None:
            return call(primal, y, axis=own, **options)
        if lanes[1]:
            x = x if x.ndim > 2 else x.reshape((*x.shape, *(1,) * (-own - 1)))
            x = behind_lanes(x, rank)
            xp = library_of_types((type(x), type(y))).namespace
            x = xp.broadcast_to(x, y.shape)
        elif len(shape_of(x)) > 1:
            x = with_lanes(x, counts[0])
        return call(primal, y, x, axis=own, **options)


of_samples_and_points(integrate.simpson)
of_samples_and_points(integrate.cumulative_trapezoid)
CHANGES[integrate.simpson] = of_points  # of its adjoint, of which the points are an option
