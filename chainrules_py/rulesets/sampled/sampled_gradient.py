"""The rule of `numpy.gradient`.

Along each axis it is a product with a matrix of three diagonals, with one more entry in its first
and last row for edges of second order.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import ZERO, Array, LinearMap, Scalar, is_zero, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import one_of_several
from chainrules_py.rulesets.formulas.reducing import given, reduced_axes
from chainrules_py.rulesets.formulas.runs import index_along
from chainrules_py.rulesets.sampled.differences import padded


class Stencil(NamedTuple):
    """y[i] = lower[i] f[i-1] + middle[i] f[i] + upper[i] f[i+1] along an axis, plus corner[0] f[2]
    and corner[1] f[-3].

    Of equal steps, the middle is zero but at both ends.
    """

    lower: Any
    middle: Any
    upper: Any
    corner: tuple[Any, Any] | None
    axis: int
    xp: Any
    is_even: bool = False

    def _along(self, coefficients: Any, f: Any) -> Any:
        return self.xp.reshape(
            coefficients, tuple(-1 if k == self.axis else 1 for k in range(f.ndim))
        )

    def _moved(self, f: Any, by: int) -> Any:
        """f[i + by], zero outside."""
        inside = f[index_along(self.axis, slice(by, None) if by > 0 else slice(None, by))]
        return padded(inside, self.axis, max(-by, 0), max(by, 0), self.xp)

    def _entries(
        self, weights: Any, f: Any, source: tuple[int, int], target: tuple[int, int]
    ) -> Any:
        """Two entries of f times weights, at other places; zero elsewhere."""
        n = f.shape[self.axis]
        first, last = (
            padded(
                f[index_along(self.axis, slice(read, read + 1))] * weight,
                self.axis,
                write,
                n - 1 - write,
                self.xp,
            )
            for weight, read, write in zip(weights, source, target, strict=True)
        )
        return first + last

    def _middle(self, f: Any) -> Any:
        if not self.is_even:
            return self._along(self.middle, f) * f
        ends = (0, f.shape[self.axis] - 1)
        return self._entries((self.middle[0], self.middle[-1]), f, ends, ends)

    def push(self, f: Any) -> Any:
        """The product of the matrix with samples."""
        n = f.shape[self.axis]
        y = self._middle(f) + self._along(self.lower, f) * self._moved(f, -1)
        y = y + self._along(self.upper, f) * self._moved(f, 1)
        if self.corner is None:
            return y
        return y + self._entries(self.corner, f, (2, n - 3), (0, n - 1))

    def pull(self, y_bar: Any) -> Any:
        """The product of the transposed matrix with a cotangent."""
        n = y_bar.shape[self.axis]
        f_bar = self._middle(y_bar) + self._moved(self._along(self.lower, y_bar) * y_bar, 1)
        f_bar = f_bar + self._moved(self._along(self.upper, y_bar) * y_bar, -1)
        if self.corner is None:
            return f_bar
        return f_bar + self._entries(self.corner, y_bar, (0, n - 1), (2, n - 3))


def stencil(spacing: Any, n: int, axis: int, edge_order: int, xp: Any) -> Stencil:
    """The coefficients for a spacing or for the coordinates of the samples (quadratic
    interpolation; B. Fornberg 1988).
    """
    is_even = not getattr(spacing, "ndim", 0)
    steps = xp.ones(n - 1) * spacing if is_even else xp.diff(spacing)
    return stencil_of_steps(steps, axis, edge_order, xp)._replace(is_even=is_even)


def stencil_of_steps(steps: Any, axis: int, edge_order: int, xp: Any) -> Stencil:
    """The coefficients for the steps between samples, which lie along the first axis."""
    before, after = steps[:-1], steps[1:]
    first, last = steps[:1], steps[-1:]
    zero = first * 0
    lower_inside = -after / (before * (before + after))
    middle_inside = (after - before) / (before * after)
    upper_inside = before / (after * (before + after))

    if edge_order == 1:
        upper_first, middle_first = 1 / first, -1 / first
        lower_last, middle_last = -1 / last, 1 / last
        corner = None
    else:
        second, third = steps[1:2], steps[-2:-1]
        upper_first = (first + second) / (first * second)
        middle_first = -(2 * first + second) / (first * (first + second))
        lower_last = -(last + third) / (third * last)
        middle_last = (2 * last + third) / (last * (third + last))
        corner = (
            -first[0] / (second[0] * (first[0] + second[0])),
            last[0] / (third[0] * (third[0] + last[0])),
        )

    lower = xp.concatenate([zero, lower_inside, lower_last])
    middle = xp.concatenate([middle_first, middle_inside, middle_last])
    upper = xp.concatenate([upper_first, upper_inside, zero])
    return Stencil(lower, middle, upper, corner, axis, xp)


class Steps(NamedTuple):
    """The derivative of the result in the steps between samples, along the last axis.

    Inside it moves by the step before each sample, times `before`, and by that behind it; at either
    end by one or two steps there, times `edges`.
    """

    before: Any
    behind: Any
    edges: tuple[Any, Any]
    xp: Any

    def push(self, h_dot: Any) -> Any:
        """From steps to the result."""
        first, last = (
            self.xp.sum(edge * h_dot[..., part], axis=-1, keepdims=True)
            for edge, part in self._edges()
        )
        inner = self.before * h_dot[..., :-1] + self.behind * h_dot[..., 1:]
        return self.xp.concatenate([first, inner, last], axis=-1)

    def pull(self, y_bar: Any) -> Any:
        """The adjoint, in steps of each row."""
        inner, (first, last) = y_bar[..., 1:-1], (y_bar[..., :1], y_bar[..., -1:])
        axis, count = y_bar.ndim - 1, y_bar.shape[-1] - 1
        h_bar = padded(self.xp.conj(self.before) * inner, axis, 0, 1, self.xp)
        h_bar = h_bar + padded(self.xp.conj(self.behind) * inner, axis, 1, 0, self.xp)
        for bar, (edge, part) in zip((first, last), self._edges(), strict=True):
            missing = count - edge.shape[-1]
            before, behind = (0, missing) if part.start is None else (missing, 0)
            h_bar = h_bar + padded(self.xp.conj(edge) * bar, axis, before, behind, self.xp)
        return h_bar

    def _edges(self) -> tuple[tuple[Any, slice], tuple[Any, slice]]:
        first, last = self.edges
        return (first, slice(None, first.shape[-1])), (last, slice(-last.shape[-1], None))


def in_steps(f: Any, h: Any, edge_order: int, xp: Any) -> Steps:
    """The derivative of the result in the steps `h`.

    With the slopes d = (f[i+1] - f[i]) / h, the result is (h' d + h d') / (h + h') inside, and
    each slope moves by -d / h. At an edge it is d, or in second order d + (d - d') h / (h + h'),
    with the step and the slope there and the next ones.
    """
    slopes = xp.diff(f, axis=-1) / h
    d, d_next, h_here, h_next = slopes[..., :-1], slopes[..., 1:], h[:-1], h[1:]
    width = h_here + h_next
    before = h_next * ((d_next - d) / width - d / h_here) / width
    behind = h_here * ((d - d_next) / width - d_next / h_next) / width
    if edge_order == 1:
        return Steps(before, behind, (-slopes[..., :1] / h[:1], -slopes[..., -1:] / h[-1:]), xp)

    def edge(d: Any, other: Any, h: Any, h_other: Any) -> tuple[Any, Any]:
        width = h + h_other
        own = (d - other) * h_other / width**2 - (1 + h / width) * d / h
        return own, -(d - other) * h / width**2 + h / width * other / h_other

    own, other = edge(slopes[..., :1], slopes[..., 1:2], h[:1], h[1:2])
    last, last_but_one = edge(slopes[..., -1:], slopes[..., -2:-1], h[-1:], h[-2:-1])
    ends = xp.concatenate([own, other], axis=-1), xp.concatenate([last_but_one, last], axis=-1)
    return Steps(before, behind, ends, xp)


def in_coordinates(f: Any, x: Any, axis: int, edge_order: int, xp: Any) -> LinearMap:
    """The derivative of the result along an axis in the coordinates of the samples there."""
    steps = in_steps(xp.moveaxis(f, axis, -1), xp.diff(x), edge_order, xp)

    def coordinates_pushforward(x_dot: Any) -> Any:
        return xp.moveaxis(steps.push(xp.diff(x_dot)), -1, axis)

    def coordinates_pullback(y_bar: Any) -> Any:
        rows = steps.pull(xp.moveaxis(y_bar, axis, -1))
        h_bar = xp.sum(rows, axis=tuple(range(rows.ndim - 1)))
        return padded(h_bar, 0, 1, 0, xp) - padded(h_bar, 0, 0, 1, xp)

    return LinearMap(coordinates_pushforward, coordinates_pullback)


@linearised_rule(np.gradient)
def gradient_linearised(
    f: Array, *varargs: Array | Scalar, axis: Any = None, edge_order: int = 1, xp: Any
) -> tuple[Any, ...]:
    """Linear in the samples, divided by a spacing; coordinates move the result of their axis."""
    y = xp.gradient(
        f, *varargs, **given(axis=axis, edge_order=None if edge_order == 1 else edge_order)
    )
    axes = reduced_axes(axis, f.ndim)
    spacings = varargs if len(varargs) > 1 else (varargs or (1.0,)) * len(axes)
    pairs = zip(spacings, axes, strict=True)
    stencils = [stencil(h, f.shape[k], k, edge_order, xp) for h, k in pairs]
    several = isinstance(y, tuple | list)

    def result_of(parts: Sequence[Any]) -> Any:
        return tuple(parts) if several else parts[0]

    def parts_of(result: Any) -> tuple[Any, ...]:
        return tuple(result) if several else (result,)

    def gradient_pushforward(f_dot: Any) -> Any:
        return result_of([each.push(f_dot) for each in stencils])

    def gradient_pullback(y_bar: Any) -> Any:
        pairs = zip(stencils, parts_of(y_bar), strict=True)
        bars = [each.pull(bar) for each, bar in pairs if not is_zero(bar)]
        return sum(bars, start=ZERO)

    def coordinates_map(position: int) -> LinearMap:
        """The derivative in the coordinates of the samples along one axis."""
        of_axis = in_coordinates(f, varargs[position], axes[position], edge_order, xp)
        return one_of_several(of_axis, position, len(axes)) if several else of_axis

    def distance_map(position: int) -> LinearMap:
        """The derivative in the distance of samples along one axis, or along all: y = f' / h."""
        h = varargs[position]
        concerned = range(len(axes)) if len(varargs) == 1 else (position,)
        ys = parts_of(y)

        def distance_pushforward(h_dot: Any) -> Any:
            moved = {k: -ys[k] * h_dot / h for k in concerned}
            return result_of([moved.get(k, ZERO) for k in range(len(ys))])

        def distance_pullback(y_bar: Any) -> Any:
            bars = parts_of(y_bar)
            reached = [k for k in concerned if not is_zero(bars[k])]
            terms = [-xp.sum(xp.conj(ys[k]) * bars[k]) / h for k in reached]
            return sum(terms, start=ZERO)

        return LinearMap(distance_pushforward, distance_pullback)

    def spacing_map(position: int) -> LinearMap:
        has_coordinates = getattr(varargs[position], "ndim", 0)
        return coordinates_map(position) if has_coordinates else distance_map(position)

    return (
        y,
        LinearMap(gradient_pushforward, gradient_pullback),
        *map(spacing_map, range(len(varargs))),
    )
