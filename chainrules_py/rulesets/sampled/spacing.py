"""`linspace`, `logspace` and `geomspace` in their two ends.

With weights w from 0 to 1, the samples are (1 - w) start + w stop; base to that power; and
start (stop / start)**w. The partial of a sample in an end is the weight of that end, times a factor
for the last two.
"""

from typing import Any

import numpy as np

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.array_likes import dense
from chainrules_py.rulesets.reductions.statistics import both
from chainrules_py.values.arrays import Array, Scalar, shape_of


def end_weights(y, num: int, endpoint: bool, axis: int, xp) -> tuple[Any, Any]:
    """How much of each end is in each sample, along the axis of the samples."""
    column = (num,) + (1,) * (y.ndim - axis % y.ndim - 1)
    dtype = np.zeros((), y.dtype).real.dtype if y.dtype.kind in "fc" else float
    of_stop = xp.reshape(xp.arange(num, dtype=dtype) / max(num - 1 if endpoint else num, 1), column)
    return 1 - of_stop, of_stop


def along_samples(end, ndim: int, axis: int, xp) -> Any:
    """A value for each entry of an end, with the axis of the samples added at length one."""
    shape = shape_of(end)
    return xp.expand_dims(xp.reshape(end, (1,) * (ndim - 1 - len(shape)) + shape), axis)


def share(partial, end, y, axis: int, xp) -> LinearMap:
    """The map of an end to the samples y, each of which has this partial derivative.

    Between complex ends, samples of a real dtype are the real parts.
    """
    shape, is_real = shape_of(end), y.dtype.kind == "f"

    def end_pushforward(end_dot) -> Any:
        y_dot = partial * along_samples(end_dot, y.ndim, axis, xp)
        return xp.real(y_dot) if is_real and y_dot.dtype.kind == "c" else y_dot

    def end_pullback(y_bar) -> Any:
        return unbroadcast(xp.sum(xp.conj(partial) * y_bar, axis=axis), shape, xp)

    return LinearMap(end_pushforward, end_pullback)


@linearised_rule(np.linspace)
def linspace_linearised(
    start: Array | Scalar,
    stop: Array | Scalar,
    *,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    xp,
) -> Linearised:
    found = xp.linspace(
        start,
        stop,
        num=num,
        endpoint=endpoint,
        dtype=dtype,
        axis=axis,
        **({"retstep": True} if retstep else {}),
    )
    y = found[0] if retstep else found
    of_start, of_stop = (
        xp.broadcast_to(w, y.shape) for w in end_weights(y, num, endpoint, axis, xp)
    )
    maps = share(of_start, start, y, axis, xp), share(of_stop, stop, y, axis, xp)
    if not retstep:
        return found, *maps
    count = num - 1 if endpoint else num  # 0 where the step is nan
    rates = (-1 / count, 1 / count) if count > 0 else (0.0, 0.0)
    steps = [
        step_map(end, rate, shape_of(found[1]), xp)
        for end, rate in zip((start, stop), rates, strict=True)
    ]
    return found, both(maps[0], steps[0]), both(maps[1], steps[1])


def step_map(end, rate: float, shape: tuple[int, ...], xp) -> LinearMap:
    """The map of an end to the step between samples."""
    return LinearMap(
        lambda dot: xp.broadcast_to(rate * dot, shape),
        lambda step_bar: unbroadcast(rate * dense(step_bar, xp), shape_of(end), xp),
    )


@linearised_rule(np.logspace)
def logspace_linearised(
    start: Array | Scalar,
    stop: Array | Scalar,
    *,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    xp,
) -> Linearised:
    """The partials of the samples y, log(base) y w; the base is not differentiated."""
    y = xp.logspace(start, stop, num=num, endpoint=endpoint, base=base, axis=axis)
    given = y if dtype is None else xp.asarray(y, dtype=dtype)
    of_start, of_stop = end_weights(y, num, endpoint, axis, xp)
    base = xp.asarray(base)
    # the powers of 0 are constant where they have a derivative
    zero = base == 0
    log_base = xp.where(zero, 0, xp.log(xp.where(zero, 1, base)))
    zero, log_base = (along_samples(part, y.ndim, axis, xp) for part in (zero, log_base))
    factor = xp.where(zero, 0, y) * log_base
    by_start, by_stop = factor * of_start, factor * of_stop
    return given, share(by_start, start, given, axis, xp), share(by_stop, stop, given, axis, xp)


@linearised_rule(np.geomspace)
def geomspace_linearised(
    start: Array | Scalar,
    stop: Array | Scalar,
    *,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    xp,
) -> Linearised:
    y = xp.geomspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    given = y if dtype is None else xp.asarray(y, dtype=dtype)
    of_start, of_stop = end_weights(y, num, endpoint, axis, xp)
    by_start = y / along_samples(start, y.ndim, axis, xp) * of_start
    by_stop = y / along_samples(stop, y.ndim, axis, xp) * of_stop
    return given, share(by_start, start, given, axis, xp), share(by_stop, stop, given, axis, xp)
