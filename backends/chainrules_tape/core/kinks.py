"""Second derivatives where a length is zero.

A tape whose values are traced has its derivative differentiated. There, the value y of a length
gets a level of its own, a `Kink`: what is computed of y carries its derivative by y, the cotangent
y_bar too. Where y is zero, this is the limit of y_bar / y (see `rulesets.formulas.kinks`). The levels
end with the tape, which hands on no handle of theirs.
"""

import itertools
from math import floor
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import is_numpys
from chainrules_tape.core.duals import Pushforward
from chainrules_tape.refusals.handles import TracedArray

_numbers = itertools.count()
MANY = 2**20
STRAIGHT = {np.absolute, np.hypot}  # t**n of arguments is abs(t**n) of the length


class Kink(Pushforward):
    """The derivative by the value of a length, between the tape and the levels beneath it."""

    __slots__ = ()
    is_kink = True
    after = 0.0  # poles are above all others of a tape

    def __init__(self, engine, beneath: float) -> None:
        super().__init__(engine)
        self.serial = floor(beneath) + 0.5 * (self.after + (1 + next(_numbers) % MANY) / (2 + MANY))

    def ended(self, x) -> Any:
        """A value without the handle of this level."""
        return x.value

    def by_length(self, y_bar) -> tuple[Any, Any]:
        """A cotangent, and its derivative by the length."""
        while is_of_kink(y_bar) and y_bar.level.serial > self.serial:
            y_bar = y_bar.level.ended(y_bar)  # of a length that was computed later
        if is_of_kink(y_bar) and y_bar.level is self:
            return y_bar.value, y_bar.tangent
        return y_bar, 0.0


class Pole(Kink):
    """What cotangents have of 1 / y, where y_bar is not zero and the length y is."""

    __slots__ = ()
    after = 1.0

    def ended(self, x) -> Any:
        """A value whose derivative is nan, unless all that it has of 1 / y has canceled."""
        from chainrules_py.rulesets.formulas.kinks import undetermined

        over_length = x.tangent
        is_pole = ignore_derivatives(over_length) != 0
        with np.errstate(invalid="ignore"):  # of zeros, which have no pole
            pole = np.inf * over_length
        return x.value + np.where(is_pole, pole, undetermined(over_length))


class Length(NamedTuple):
    """A length that has zeros, and its levels; `weights` are what these differentiate by."""

    primal: Any
    args: tuple[Any, ...]
    options: dict[str, Any]
    half_gradient: Any
    levels: list[tuple[Kink, Any]]
    pole: Pole

    def is_that_of(self, primal, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
        """Whether this is the same length, as far as values and tangents say."""
        return (
            self.primal is primal
            and self.options == options
            and len(self.args) == len(args)
            and all(map(is_same, self.args, args))
        )


def is_same(x, other) -> bool:
    """Whether two values are the same, and move in the same way."""
    if x is other:
        return True
    if not isinstance(x, TracedArray):
        return not isinstance(other, TracedArray) and bool(np.array_equal(x, other))
    if not isinstance(other, TracedArray) or x.level is not other.level:
        return False
    carried = getattr(type(x), "carries", None)
    moves = carried is None or is_same(getattr(x, carried), getattr(other, carried))
    return moves and is_same(x.value, other.value)


def is_of_kink(x) -> bool:
    """Whether a value is a handle of such a level."""
    return isinstance(x, TracedArray) and x.level.is_kink


def differentiating(x) -> Any:
    """The innermost level of derivatives of a traced value; None where there is none."""
    while isinstance(x, TracedArray):
        if getattr(x.level, "mode", None) in ("forward", "reverse"):
            return x.level
        x = x.value
    return None


def zeros_of(y) -> int | None:
    """How many zeros a value has that is differentiated once more; None on a device, where they are
    not looked for.
    """
    from chainrules_py.rulesets.formulas.matrices import values_in_all_lanes

    if differentiating(y) is None:
        return 0
    known = values_in_all_lanes(y)
    if not (isinstance(known, np.generic | float) or is_numpys(known)):
        return None
    return int(np.sum(known == 0))


def with_limits(primal, stage: Function, engine) -> Function:
    """The stage of a length, for values that are traced."""
    from chainrules_py.rulesets.formulas.kinks import half_gradients

    def stage_with_limits(*args, **options) -> Any:
        y, pull, residuals = stage(*args, **options)
        half_gradient = half_gradients[primal](*args, **options)
        count = zeros_of(y) if half_gradient is not None else None
        if not count:
            return y, pull, residuals
        beneath = differentiating(y)
        known = [each for each in beneath.lengths if each.is_that_of(primal, args, options)]
        if not known:
            several = (1.0, various(y.shape))[: min(count, 2)]
            levels = [(Kink(engine, beneath.serial), weights) for weights in several]
            pole = Pole(engine, beneath.serial)
            known = [Length(primal, args, options, half_gradient, levels, pole)]
            beneath.lengths = (*beneath.lengths, *known)
        is_zero, value = ignore_derivatives(y) == 0, y
        for level, weights in known[0].levels:
            value = level.dual(value, np.where(is_zero, weights, 0.0).astype(y.dtype)[()])
        return value, pull_with_limits, (pull, residuals, known[0], is_zero)

    return stage_with_limits


def various(shape: tuple[int, ...]) -> Any:
    """Different numbers between 1 and 2: where several lengths are zero, a cotangent that depends on
    others than its own has another derivative by these than by ones.
    """
    return np.reshape(1.0 + np.modf(np.sqrt(2.0) * np.arange(np.prod(shape)))[0], shape)


def pull_with_limits(kept, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back, by the limit where the length is zero."""
    from chainrules_py.rulesets.formulas.kinks import is_curved, is_unknown, undetermined
    from chainrules_py.rulesets.formulas.matrices import values_in_all_lanes

    pull, residuals, length, is_zero = kept
    slopes: list[Any] = []
    for level, weights in reversed(length.levels):
        slopes = [level.by_length(slope)[0] for slope in slopes]
        y_bar, slope = level.by_length(y_bar)
        slopes.append(slope / weights)
    if y_bar is ZERO:
        return pull(residuals, y_bar)

    slope, known = slopes[0], ignore_derivatives(slopes[0])
    differences = np.abs(known - ignore_derivatives(slopes[-1]))
    apart = differences > np.sqrt(np.finfo(y_bar.dtype).eps) * np.max(np.abs(known), initial=0.0)
    is_kink = is_zero & (ignore_derivatives(y_bar) != 0)
    is_pole = is_kink & is_curved(length.primal, length.args[0])
    has_pole = np.any(values_in_all_lanes(is_pole))
    limits = length.half_gradient(np.where(is_zero & ~apart, slope, 0.0))
    lost = length.half_gradient(is_zero & is_unknown(length.primal, known, is_kink, apart))
    over_length = length.half_gradient(np.where(is_pole, y_bar, 0.0))

    def with_parts(bar, limit, lost, over_length) -> Any:
        """The cotangent of an argument, with what the limits add, and what nobody knows."""
        if limit is None:
            return bar
        bar = bar + limit + undetermined(lost)
        if not has_pole:
            return bar
        return length.pole.dual(bar, np.broadcast_to(over_length, bar.shape)[()])

    bars = pull(residuals, np.where(is_pole, 0.0, y_bar))
    return tuple(map(with_parts, bars, limits, lost, over_length))


def without_limits(primal, run: Function, _engine) -> Function:
    """The forward rule of a length, for values that are traced: its derivative is not known there,
    unless what it is the length of rests.
    """
    from chainrules_py.rulesets.formulas.kinks import at_rest, half_gradients, undetermined_anyhow

    def run_without_limits(dots, *args, **options) -> Any:
        y, y_dot = run(dots, *args, **options)
        is_length = half_gradients[primal](*args, **options) is not None
        if not is_length or is_zero(y_dot) or zeros_of(y) == 0:
            return y, y_dot
        value = ignore_derivatives(y)
        if primal in STRAIGHT:
            return y, y_dot + at_rest(value, *args, *[dot for dot in dots if dot is not ZERO])
        return y, y_dot + np.where(value == 0, undetermined_anyhow(y), 0.0)

    return run_without_limits
