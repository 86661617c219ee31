"""numpy.gradient: a matrix with three diagonals along each axis, with one more entry in its first and last row for edges of
second order."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py.arrays import Array, Scalar
from chainrules_py.makers.linearised import LinearMap, linearised_rule
from chainrules_py.rulesets.differences import at, padded
from chainrules_py.rulesets.reducing import given, reduced_axes
from chainrules_py.tangents import ZERO, is_zero, not_implemented


@dataclass(frozen=True)
class Stencil:
    """y[i] = lower[i] f[i-1] + middle[i] f[i] + upper[i] f[i+1] along an axis, plus corner[0] f[2] and corner[1] f[-3]."""

    lower: Any
    middle: Any
    upper: Any
    corner: tuple[Any, Any] | None
    axis: int
    xp: Any

    def _along(self, coefficients: Any, f: Any) -> Any:
        return self.xp.reshape(coefficients, tuple(-1 if k == self.axis else 1 for k in range(f.ndim)))

    def _moved(self, f: Any, by: int) -> Any:
        """f[i + by], zero outside."""
        inside = f[at(self.axis, slice(by, None) if by > 0 else slice(None, by))]
        return padded(inside, self.axis, max(-by, 0), max(by, 0), self.xp)

    def _corners(self, f: Any, source: tuple[int, int], target: tuple[int, int], like: Any) -> Any:
        if self.corner is None:
            return like
        n, total = f.shape[self.axis], like
        for weight, read, write in zip(self.corner, source, target, strict=True):
            entry = f[at(self.axis, slice(read, read + 1))] * weight
            total = total + padded(entry, self.axis, write, n - 1 - write, self.xp)
        return total

    def push(self, f: Any) -> Any:
        """The derivative of the samples."""
        n = f.shape[self.axis]
        y = self._along(self.middle, f) * f
        y = y + self._along(self.lower, f) * self._moved(f, -1) + self._along(self.upper, f) * self._moved(f, 1)
        return self._corners(f, (2, n - 3), (0, n - 1), y)

    def pull(self, y_bar: Any) -> Any:
        """The transposed matrix."""
        n = y_bar.shape[self.axis]
        f_bar = self._along(self.middle, y_bar) * y_bar
        f_bar = f_bar + self._moved(self._along(self.lower, y_bar) * y_bar, 1)
        f_bar = f_bar + self._moved(self._along(self.upper, y_bar) * y_bar, -1)
        return self._corners(y_bar, (0, n - 1), (2, n - 3), f_bar)


def stencil(spacing: Any, n: int, axis: int, edge_order: int, xp: Any) -> Stencil:
    """The coefficients for a spacing or for the coordinates of the samples (quadratic interpolation; B. Fornberg 1988)."""
    steps = xp.diff(spacing) if getattr(spacing, "ndim", 0) else xp.ones(n - 1) * spacing
    before, after = steps[:-1], steps[1:]
    first, last = steps[:1], steps[-1:]
    zero = first * 0
    lower = [zero, -after / (before * (before + after))]
    middle = [(after - before) / (before * after)]
    upper = [before / (after * (before + after)), zero]
    if edge_order == 1:
        return Stencil(
            xp.concatenate([*lower, -1 / last]),
            xp.concatenate([-1 / first, *middle, 1 / last]),
            xp.concatenate([1 / first, *upper]),
            None,
            axis,
            xp,
        )
    second, third = steps[1:2], steps[-2:-1]
    return Stencil(
        xp.concatenate([*lower, -(last + third) / (third * last)]),
        xp.concatenate(
            [-(2 * first + second) / (first * (first + second)), *middle, (2 * last + third) / (last * (third + last))]
        ),
        xp.concatenate([(first + second) / (first * second), *upper]),
        (-first[0] / (second[0] * (first[0] + second[0])), last[0] / (third[0] * (third[0] + last[0]))),
        axis,
        xp,
    )


@linearised_rule(np.gradient)
def gradient_linearised(f: Array, *varargs: Array | Scalar, axis: Any = None, edge_order: int = 1, xp: Any) -> tuple[Any, ...]:
    """Linear in the samples. A spacing h divides the result; coordinates have a derivative that nobody has written yet."""
    y = xp.gradient(f, *varargs, **given(axis=axis, edge_order=None if edge_order == 1 else edge_order))
    axes = reduced_axes(axis, f.ndim)
    spacings = (varargs or (1.0,)) * (len(axes) if len(varargs) < 2 else 1)
    stencils = [stencil(h, f.shape[k], k, edge_order, xp) for h, k in zip(spacings, axes, strict=True)]
    several = isinstance(y, tuple | list)

    def gradient_pushforward(f_dot: Any) -> Any:
        parts = tuple(s.push(f_dot) for s in stencils)
        return parts if several else parts[0]

    def gradient_pullback(y_bar: Any) -> Any:
        bars = tuple(y_bar) if several else (y_bar,)
        return sum((s.pull(bar) for s, bar in zip(stencils, bars, strict=True) if not is_zero(bar)), start=ZERO)

    def spacing_map(position: int) -> LinearMap:
        h = varargs[position]
        concerned = range(len(axes)) if len(varargs) == 1 else (position,)
        ys = tuple(y) if several else (y,)
        if getattr(h, "ndim", 0):
            missing = not_implemented("numpy.gradient in the coordinates of the samples")
            return LinearMap(lambda h_dot: missing, lambda y_bar: missing)

        def spacing_pushforward(h_dot: Any) -> Any:
            parts = tuple(-out * h_dot / h if k in concerned else ZERO for k, out in enumerate(ys))
            return parts if several else parts[0]

        def spacing_pullback(y_bar: Any) -> Any:
            bars = tuple(y_bar) if several else (y_bar,)
            terms = (-xp.sum(xp.conj(ys[k]) * bars[k]) / h for k in concerned if not is_zero(bars[k]))
            return sum(terms, start=ZERO)

        return LinearMap(spacing_pushforward, spacing_pullback)

    return y, LinearMap(gradient_pushforward, gradient_pullback), *map(spacing_map, range(len(varargs)))
