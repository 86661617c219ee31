"""Filters with memory: by coefficients, signal and initial state.

The output of `lfilter` and its final state solve, as polynomials in the delay, with n entries and K
of state,

    a y + a_0 delay^n zf = b x + a_0 zi

whose derivative is an equation of the same kind: pushing tangents is filtering. For the adjoint,
multipliers m of the n + K coefficients end with the cotangent of the final state, and the others
solve sum_k conj(a_k / a_0) m[i + k] = y_bar[i]: a filter that runs backwards. Then x_bar, b_bar and
a_bar are correlations of m with b, x and -y.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.formulas.known_values import any_at_hand, greatest_known
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import is_zero
from chainrules_py.values.arrays import Array, Scalar, call, shape_of


class Filter(NamedTuple):
    """One filter along the last axis, with the coefficients as vectors, and its result.

    The state that it ends with is None where nobody asked for it.
    """

    b: Any
    a: Any
    x: Any
    zi: Any
    y: Any
    zf: Any
    xp: Any

    def last_state(self) -> Any:
        """The state at the end."""
        if self.zf is not None:
            return self.zf
        return call(signal.lfilter, self.b, self.a, self.x, zi=self.zi)[1]

    def no_state(self) -> Any:
        """The state of a filter that has met nothing yet: zeros."""
        return self.xp.zeros(self.zi.shape, self.zi.dtype)

    def long(self, coefficients) -> Any:
        """Continued with zeros, so that a filter has as many numbers of state as this one."""
        return self.xp.pad(coefficients, (0, self.zi.shape[-1] + 1 - coefficients.shape[0]))

    def push(self, dot, position: int) -> Any:
        """The tangents of the output and of the final state along one of b, a, x and zi."""
        b, a, state = self.b, self.a, self.no_state()
        if position == 0:
            return call(signal.lfilter, self.long(dot), a, self.x, zi=state)
        if position == 1:
            scale = dot[0] / a[0]
            start = state + scale * self.zi
            y_dot, zf_dot = call(signal.lfilter, -self.long(dot), a, self.y, zi=start)
            return y_dot, zf_dot - scale * self.last_state()
        if position == 2:
            return call(signal.lfilter, b, a, dot, zi=state)
        still = self.xp.zeros(self.x.shape, self.y.dtype)
        return call(signal.lfilter, b, a, still, zi=dot)

    def multipliers(self, y_bar, zf_bar) -> Any:
        """The multipliers of the equation above, divided by conj(a_0)."""
        xp, n = self.xp, self.x.shape[-1]
        a = xp.conj(self.a / self.a[0])
        last = xp.flip(zf_bar, -1)
        start = call(signal.lfilter, a, xp.ones(1), last) if last.shape[-1] else last
        both = xp.concatenate([start, xp.flip(y_bar, -1)], axis=-1)
        found = call(signal.lfilter, xp.ones(1), a, both) if n else both
        return xp.flip(found, -1)

    def pull(self, y_bar, zf_bar, position: int) -> Any:
        """The cotangent of one of b, a, x and zi."""
        xp, n, count = self.xp, self.x.shape[-1], self.zi.shape[-1]
        if position == 2 and self.zf is None:  # without a state, its transpose runs backwards
            back = call(signal.lfilter, xp.conj(self.b), xp.conj(self.a), xp.flip(y_bar, -1))
            return xp.flip(back, -1)
        m, a0 = self.multipliers(y_bar, zf_bar), xp.conj(self.a[0])

        def used(other, length: int) -> Any:
            """How much each coefficient of a product with `other` was used."""
            shifted = [m[..., k : k + n] for k in range(length)]
            return xp.stack([xp.sum(part * xp.conj(other)) for part in shifted]) / a0

        if position == 0:
            return used(self.x, self.b.shape[0])
        if position == 1:
            start, end = xp.conj(self.zi), xp.conj(self.last_state())
            states = xp.sum(m[..., :count] * start) - xp.sum(m[..., n:] * end)
            first = xp.concatenate([xp.ones(1), xp.zeros(self.a.shape[0] - 1)])
            return first * states / a0 - used(self.y, self.a.shape[0])
        if position == 2:
            back = call(signal.lfilter, xp.conj(self.b) / a0, xp.ones(1), xp.flip(m, -1))
            return xp.flip(back, -1)[..., :n]
        return m[..., :count]


@linearised_rule(signal.lfilter)
def lfilter_linearised(
    b: Array | Scalar,
    a: Array | Scalar,
    x: Array,
    axis: Any = -1,
    zi: Array | None = None,
    *,
    out,
    xp,
) -> tuple[LinearMap | None, ...]:
    shapes = shape_of(b), shape_of(a)
    b, a = xp.reshape(xp.asarray(b), -1), xp.reshape(xp.asarray(a), -1)
    count = max(b.shape[0], a.shape[0]) - 1
    rows = xp.moveaxis(x, axis, -1)
    if zi is None:
        y, zf = xp.moveaxis(out, axis, -1), None
        state = own_state = xp.zeros((*rows.shape[:-1], count), out.dtype)
    else:
        y, zf = (xp.moveaxis(part, axis, -1) for part in out)
        own_state = xp.moveaxis(zi, axis, -1)
        state = xp.broadcast_to(own_state, (*rows.shape[:-1], count))
    f = Filter(b, a, rows, state, y, zf, xp)

    def in_rows(dot, position: int) -> Any:
        """The tangent of an argument in the form in which the filter has it."""
        if position < 2:
            return xp.reshape(xp.asarray(dot), -1)
        dot = xp.moveaxis(dot, axis, -1)
        return xp.broadcast_to(dot, state.shape) if position == 3 else dot

    def like_argument(bar, position: int) -> Any:
        """The cotangent of an argument in the form in which it was given."""
        if position < 2:
            return xp.reshape(bar, shapes[position])
        if position == 3:
            bar = unbroadcast(bar, own_state.shape, xp)
        return xp.moveaxis(bar, -1, axis)

    def dense(part, like) -> Any:
        """The cotangent of a result along the last axis; zeros where there is none."""
        is_absent = part is None or is_zero(part)
        return xp.zeros(like.shape, like.dtype) if is_absent else xp.moveaxis(part, axis, -1)

    def map_of(position: int) -> LinearMap:
        def pushforward(dot):
            y_dot, zf_dot = f.push(in_rows(dot, position), position)
            y_dot = xp.moveaxis(y_dot, -1, axis)
            return y_dot if zi is None else (y_dot, xp.moveaxis(zf_dot, -1, axis))

        def pullback(bars):
            y_bar, zf_bar = (bars, None) if zi is None else bars
            found = f.pull(dense(y_bar, y), dense(zf_bar, state), position)
            return like_argument(found, position)

        return LinearMap(pushforward, pullback)

    return map_of(0), map_of(1), map_of(2), None, None if zi is None else map_of(3)


@composed(signal.sosfilt)
def sosfilt(sos: ArrayLike, x: Array, axis: Any = -1, zi: Array | None = None, *, xp) -> Any:
    """One filter of second order after the other, whose first coefficients below must be one."""
    state = None if zi is None else np.zeros(zi.shape, zi.dtype)
    # for SciPy's errors
    signal.sosfilt(np.ones(sos.shape, sos.dtype), np.zeros(x.shape, x.dtype), axis, state)
    if any_at_hand(sos[:, 3] != 1):
        raise ValueError("sos[:, 3] should be all ones")

    y, states = x, []
    for k in range(sos.shape[0]):
        b, a = sos[k, :3], sos[k, 3:]
        if zi is None:
            y = call(signal.lfilter, b, a, y, axis=axis)
        else:
            y, last = call(signal.lfilter, b, a, y, axis=axis, zi=zi[k])
            states.append(last)
    return y if zi is None else (y, xp.stack(states))


# Forwards and backwards

ENDS: dict[Any, dict[str, str]] = {
    "even": {"mode": "reflect"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
    "constant": {"mode": "edge"},
    "zeros": {"mode": "constant"},
}


def cut_or_padded(lines, count: int, xp) -> Any:
    """So many entries along the last axis: the first ones, or all of them and zeros behind."""
    missing = count - lines.shape[-1]
    if missing <= 0:
        return lines[..., :count]
    return xp.pad(lines, [(0, 0)] * (lines.ndim - 1) + [(0, missing)])


def extended(lines, edge: int, kind: str | None, xp) -> Any:
    """A signal continued at both ends of the last axis by so many entries, as SciPy does it."""
    if kind is None or not edge:
        return lines
    widths = [(0, 0)] * (lines.ndim - 1) + [(edge, edge)]
    return xp.pad(lines, widths, **ENDS[kind])


def there_and_back(run, gain, x, edge: int, options: Options, xp) -> Any:
    """A filter that starts in the steady state of the first entry, forwards and backwards.

    What it makes of that entry alone is the gain at frequency zero times it.
    """
    lines = xp.moveaxis(x, options.axis, -1)
    y = extended(lines, edge, options.padtype, xp)
    for _ in range(2):
        first = y[..., :1]
        y = xp.flip(run(y - first) + gain * first, -1)
    return xp.moveaxis(y[..., edge : edge + lines.shape[-1]], -1, options.axis)


def edge_of(function, coefficients, x, options: Options, ntaps: Callable[[], int]) -> int:
    """How many entries a signal is continued by."""
    edge = 0
    if options.padtype is not None:
        edge = 3 * ntaps() if options.padlen is None else options.padlen
    if options.padtype not in (None, "even", "odd", "constant") or x.shape[options.axis] <= edge:
        function(*coefficients, np.zeros(x.shape), **{**options, "padlen": edge})  # for its errors
    return edge


@composed(signal.filtfilt)
@with_options(signal.filtfilt, "axis padtype padlen")
def filtfilt(b: Array | Scalar, a: Array | Scalar, x: Array, *, options: Options, xp) -> Any:
    b, a = xp.atleast_1d(b), xp.atleast_1d(a)
    like = np.ones(b.shape), np.ones(a.shape)
    if max(b.size, a.size) < 2:
        signal.filtfilt(*like, np.zeros(x.shape))  # for its error
    edge = edge_of(signal.filtfilt, like, x, options, lambda: max(b.shape[0], a.shape[0]))

    def run(lines) -> Any:
        return call(signal.lfilter, b, a, lines)

    return there_and_back(run, xp.sum(b) / xp.sum(a), x, edge, options, xp)


def taps_of_sections(sos, xp) -> int:
    """How many coefficients sections have together, of which zeros at the end are not counted."""
    zeros = xp.min(xp.sum(sos[:, 2::3] == 0, axis=0))
    absent = greatest_known(zeros)
    if any_at_hand(zeros != absent):
        raise ValueError("sosfiltfilt: some examples have more coefficients that are zero")
    return 2 * int(sos.shape[0]) + 1 - absent


@composed(signal.sosfiltfilt)
@with_options(signal.sosfiltfilt, "axis padtype padlen")
def sosfiltfilt(sos: ArrayLike, x: Array, *, options: Options, xp):
    like = np.ones(sos.shape)
    edge = edge_of(signal.sosfiltfilt, (like,), x, options, lambda: taps_of_sections(sos, xp))

    def run(lines) -> Any:
        return call(signal.sosfilt, sos, lines)

    gain = xp.prod(xp.sum(sos[:, :3], axis=1) / xp.sum(sos[:, 3:], axis=1))
    return there_and_back(run, gain, x, edge, options, xp)
