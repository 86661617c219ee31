"""The oracle: what the derivative of any Python function is, by evaluating it and nothing else.

A function of any nesting of containers becomes a curve t -> f(x + t x_dot) in real coordinates,
sampled at ±h, ±h/2, ... in float64 or better whatever the dtype of x, so that a float32 rule is
held against a float64 derivative. From the same samples come a central and two one-sided estimates
(see `stencils`), and they are compared before anybody is blamed:

    smooth     left and right agree: the central estimate, which is the most accurate
    edge       f is defined on one side only (log at its branch point, sqrt near 0): that side's estimate
    kink       both sides converge, to different values (abs at 0, ties of max): there is no derivative here
    divergent  nothing converges (sqrt at 0, a jump), or f is not finite: there is no derivative here

Steps start near 1/8 of the size of x and are halved until every coordinate has converged, at most
to 2e-11 of it.

Why not the `fdm` package: it returns one number without its error estimate, takes one step for all
output coordinates (measured: see docs/design/testing.md), keeps the last step in the method object,
knows arrays only, cannot tell a kink or a domain edge, and brings SymPy in.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.testing.coordinates import Layout, Leaf, Vector
from chainrules_py.testing.stencils import Estimate, estimates

# rows of the tableau: how often the step is halved at first, and at most
FIRST_ROUND, LAST_ROUND = 5, 33
ROUND = 4  # of 100 curves 98 need no second one
# rows at which a kink is looked at again: a bend that is sharp from afar may be smooth
FAR_ROUNDS = (12, 16, 20, 24, 28, 32)
CONVERGED = 1e-8  # relative error at which no further halving is worth its evaluations
MEANINGLESS = 1e-3  # relative error above which an estimate has not converged at all


class Verdict(IntEnum):
    """The answer of the oracle at one output coordinate."""

    SMOOTH = 0
    EDGE = 1
    KINK = 2
    DIVERGENT = 3


@dataclass(frozen=True)
class Derivative:
    """A directional derivative in coordinates, with error bounds and one-sided values.

    `rate` is the slope at which each coordinate would change by its own size over the size of x:
    the yardstick of a zero slope. `side_error` bounds the errors of the two one-sided values.
    """

    value: Vector
    error: Vector
    left: Vector
    right: Vector
    side_error: Vector
    rate: Vector
    verdicts: NDArray[np.int8]
    output: Any
    layout: Layout

    @property
    def exists(self) -> NDArray[np.bool_]:
        """Whether each output coordinate has a derivative in this direction."""
        return self.verdicts <= Verdict.EDGE

    def tangent(self) -> Any:
        """The derivative as a tangent of the output."""
        return self.layout.tangent(self.value)

    def require(self, where: str, primal: Any = None, argument: str | None = None) -> "Derivative":
        """This derivative, or `NotDifferentiableError` where some coordinate has none."""
        if self.exists.all():
            return self
        index = int(np.flatnonzero(~self.exists)[0])
        got = f"not differentiable here: {self._describe(index)}"
        instead = "move the test point, or tag the sample 'kink' or 'tie' to test conventions only"
        raise NotDifferentiableError(
            where, got, instead, primal=primal, argument=argument, derivative=self, index=index
        )

    def _describe(self, index: int) -> str:
        label = f"output{self.layout.labels()[index]}"
        if self.verdicts[index] == Verdict.KINK:
            return (
                f"{label} has slope {self.left[index]:.6g} on the left and {self.right[index]:.6g}"
                " on the right"
            )
        return f"the difference quotients of {label} do not converge"


def directional(f: Callable[[Any], Any], x: Any, x_dot: Any) -> Derivative:
    """d/dt f(x + t x_dot) at t = 0, for any nesting of containers in and out.

    >>> d = directional(np.sin, 0.5, 1.0)
    >>> bool(abs(d.value[0] - np.cos(0.5)) < 1e-11), bool(d.error[0] < 1e-9)
    (True, True)
    """
    layout = Layout(x)
    return curve_derivative(Curve(f, layout, layout.vector(x), layout.tangent_vector(x_dot)))


class Curve:
    """The curve t -> f(x + t d) in output coordinates; nan wherever f fails.

    `terms` is the size of what f sums, where that may cancel: a derivative that is zero comes out
    as the roundoff of its terms, or by luck as exactly zero, from which nobody could tell how
    accurate it is.
    """

    def __init__(
        self,
        f: Callable[[Any], Any],
        layout: Layout,
        x: Vector,
        direction: Vector,
        terms: float = 0.0,
    ) -> None:
        self.f = f
        self.layout = layout
        self.x = x
        self.direction = direction
        self.terms = terms
        # Evaluated as it came: an error at the point itself is the caller's, not the oracle's.
        with np.errstate(all="ignore"):
            self.output = f(layout.restore(x, widen=True))
        self.out_layout = Layout(self.output)
        self.centre = self.out_layout.vector(self.output)

    def __call__(self, t: float) -> Vector:
        """The output coordinates at t, with whatever warnings that gives."""
        try:
            return self.out_layout.vector(
                self.f(self.layout.restore(self.x + t * self.direction, widen=True))
            )
        except (ValueError, ArithmeticError, LookupError, np.linalg.LinAlgError):
            return np.full_like(self.centre, np.nan)

    def sampled(self, rounds: Iterable[int]) -> "Samples":
        """The curve at ± its scale/8, halved so many times."""
        steps = [self.scale * 2.0 ** -(k + 3) for k in rounds]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Samples(
                np.array(steps),
                np.array([self(h) for h in steps]),
                np.array([self(-h) for h in steps]),
            )

    def has_slope(self, slope: Vector) -> bool:
        """Whether quotients of steps far smaller than those that were taken are a given slope."""
        samples = self.sampled(FAR_ROUNDS)
        with np.errstate(all="ignore"):
            steps = samples.steps[:, None]
            off = np.abs((samples.after - samples.before) / (2 * steps) - slope)
            allowed = 1e-3 * np.abs(slope) + 4 * _noise(self, samples) / steps
        return bool((off <= allowed).all(axis=1).any())

    def complex_step(self) -> Vector | None:
        """Compute Im f(x + ih d)/h (Squire and Trapp, SIAM Review 40, 1998), to the last digits; None
        where f takes no complex numbers.
        """
        h = 1e-40 * self.scale
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                shifted = self.f(self.layout.restore(self.x + 1j * h * self.direction, widen=True))
                stepped = Layout(shifted)
                if stepped.size != 2 * self.out_layout.size or self.layout.is_complex:
                    return None
                return _imaginary(stepped, shifted) / h
        except (ValueError, ArithmeticError, LookupError, TypeError, np.linalg.LinAlgError):
            return None

    @cached_property
    def scale(self) -> float:
        """The size of the coordinates that move: the unit of the steps."""
        moving = np.abs(self.x[(self.direction != 0) & (self.x != 0) & np.isfinite(self.x)])
        return float(np.clip(np.median(moving), 1e-3, 1e3)) if moving.size else 1.0

    @cached_property
    def input_noise(self) -> float:
        """Bound how far off x + t d is rounded."""
        moving = np.abs(self.x[(self.direction != 0) & np.isfinite(self.x)])
        return float(np.finfo(self.x.dtype).eps * moving.max(initial=0.0))

    @cached_property
    def noise(self) -> Vector:
        """The relative error of one evaluation of each output coordinate."""
        eps = np.empty_like(self.centre)
        for leaf in self.out_layout.leaves:
            eps[leaf.start : leaf.stop] = np.finfo(leaf.dtype).eps
        return eps


def curve_derivative(curve: Curve) -> Derivative:
    """The derivative of a curve at 0, halving the step until each coordinate has converged."""
    samples = curve.sampled(range(FIRST_ROUND))
    while (
        not _settled(found := _judge(curve, samples), curve, samples)
        and (done := len(samples.steps)) < LAST_ROUND
    ):
        samples = samples.followed_by(curve.sampled(range(done, min(done + ROUND, LAST_ROUND))))
    return found


@dataclass(frozen=True)
class Samples:
    """The curve at ±steps, a row per step, largest step first."""

    steps: Vector
    after: Vector
    before: Vector

    def followed_by(self, others: "Samples") -> "Samples":
        """These and others, at smaller steps."""
        pairs = zip(
            (self.steps, self.after, self.before),
            (others.steps, others.after, others.before),
            strict=True,
        )
        return Samples(*map(np.concatenate, pairs))

    def size(self, curve: Curve) -> Vector:
        """The largest finite magnitude of each coordinate, and no less than the terms that it sums."""
        rows = np.abs(np.concatenate([self.after, self.before, curve.centre[None]]))
        return np.asarray(
            np.max(np.where(np.isfinite(rows), rows, 0.0), axis=0, initial=curve.terms)
        )


def _settled(found: Derivative, curve: Curve, samples: Samples) -> bool:
    """Whether smaller steps would not help: converged, or down in the roundoff."""
    kinks = found.verdicts == Verdict.KINK
    slopes = np.where(kinks, np.maximum(np.abs(found.left), np.abs(found.right)), found.value)
    roundoff = 64 * curve.noise * samples.size(curve) / samples.steps[0]
    goal = np.maximum(CONVERGED * _magnitude(slopes, found.rate), roundoff)
    converged = (found.exists | kinks) & (np.where(kinks, found.side_error, found.error) <= goal)
    hopeless = ~np.isfinite(curve.centre)  # no step makes a derivative there
    return bool((converged | hopeless).all()) and (not kinks.any() or _persist(found, curve, kinks))


def _persist(found: Derivative, curve: Curve, kinks: NDArray[np.bool_]) -> bool:
    """Whether the two slopes of each kink are still there at far smaller steps."""
    samples = curve.sampled(FAR_ROUNDS)
    with np.errstate(all="ignore"):
        steps, gap = samples.steps[:, None], np.abs(found.right - found.left)
        off = [
            (samples.after - curve.centre) / steps - found.right,
            (curve.centre - samples.before) / steps - found.left,
        ]
        allowed = 0.1 * gap + 2 * _noise(curve, samples) / steps
    return bool((np.abs(off) <= allowed)[..., kinks].all())


def _magnitude(values: Vector, rate: Vector) -> Vector:
    """Return the size of each slope, at least a small part of the typical one."""
    finite = np.abs(values[np.isfinite(values)])
    typical = np.maximum(1e-4 * rate, 1e-2 * (finite.mean() if finite.size else 1.0))
    return np.maximum(np.abs(values), typical) + np.finfo(np.float64).tiny


def _judge(curve: Curve, samples: Samples) -> Derivative:
    steps, after, before = samples.steps, samples.after, samples.before
    with np.errstate(all="ignore"):
        noise = _noise(curve, samples)
        right, left, central = estimates(after, before, curve.centre, noise, steps)
        one_sided = np.isfinite(after[-1]) ^ np.isfinite(before[-1])
        return _compare(curve, left, right, central, one_sided, samples.size(curve) / curve.scale)


def _noise(curve: Curve, samples: Samples) -> Vector:
    """Bound the error of each sample: the roundoff of the value, and that of x."""
    after, before, centre = np.abs(samples.after), np.abs(samples.before), curve.centre
    moved = np.fmax(np.abs(samples.after - centre), np.abs(samples.before - centre))
    size = np.fmax(np.fmax(after, before), np.maximum(np.abs(centre), curve.terms))
    return np.asarray(curve.noise * size + curve.input_noise * moved / samples.steps[:, None])


def _compare(
    curve: Curve,
    left: Estimate,
    right: Estimate,
    central: Estimate,
    one_sided: NDArray[np.bool_],
    rate: Vector,
) -> Derivative:
    left_holds, right_holds, central_holds = (_meaningful(e, rate) for e in (left, right, central))
    is_right_better = right.error <= left.error
    better = Estimate(
        np.where(is_right_better, right.value, left.value), np.minimum(left.error, right.error)
    )
    size = MEANINGLESS * _magnitude(np.maximum(np.abs(left.value), np.abs(right.value)), rate)

    gap = np.abs(left.value - right.value)
    is_gap_certain = gap > np.maximum(10 * (left.error + right.error), size)
    kink = left_holds & right_holds & is_gap_certain

    # The central quotient of a jump or of an even singularity converges to something that is not a
    # derivative.
    difference = np.abs(central.value - better.value)
    confirmed = difference <= 10 * (central.error + better.error) + size
    smooth = central_holds & ~kink & ~one_sided & (left_holds | right_holds) & confirmed
    edge = one_sided & (left_holds ^ right_holds)

    cases = [kink, smooth, edge]
    verdicts = np.select(cases, [Verdict.KINK, Verdict.SMOOTH, Verdict.EDGE], Verdict.DIVERGENT)
    mean = (left.value + right.value) / 2
    value = np.select(cases, [mean, central.value, better.value], np.nan)
    error = np.select([smooth, edge], [central.error, better.error], np.inf)
    sides = left.value, right.value, np.maximum(left.error, right.error)
    return Derivative(
        value, error, *sides, rate, verdicts.astype(np.int8), curve.output, curve.out_layout
    )


def _meaningful(estimate: Estimate, rate: Vector) -> NDArray[np.bool_]:
    return np.isfinite(estimate.value) & (
        estimate.error <= MEANINGLESS * _magnitude(estimate.value, rate)
    )


def _imaginary(layout: Layout, value) -> Vector:
    vector = layout.vector(value)

    def imaginary(leaf: Leaf) -> Vector:
        return vector[leaf.start + leaf.entries : leaf.stop]

    return np.concatenate([imaginary(leaf) for leaf in layout.leaves]) if layout.leaves else vector


def oracle_jacobian(f: Callable[[Any], Any], x: Any) -> tuple[Vector, Vector]:
    """Compute the Jacobian in real coordinates, and a bound on its errors."""
    layout = Layout(x)
    point = layout.vector(x)
    columns = [curve_derivative(Curve(f, layout, point, unit)) for unit in np.eye(layout.size)]
    return side_by_side(columns, columns[0].layout.size if columns else Layout(f(x)).size)


def side_by_side(columns: list[Derivative], rows: int) -> tuple[Vector, Vector]:
    """Put derivatives along the coordinates into the columns of a matrix, their errors of another."""
    shape = len(columns), rows
    values, errors = [each.value for each in columns], [each.error for each in columns]
    return np.reshape(values, shape).T, np.reshape(errors, shape).T
