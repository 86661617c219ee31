"""Filters with memory: `lfilter` and `sosfilt` by coefficients, signal and initial state.

`filtfilt` by the signal.

The output of `lfilter` and its final state solve, as polynomials in the delay, with n entries and K
of state,

    a y + a_0 delay^n zf = b x + a_0 zi

whose derivative is an equation of the same kind: pushing tangents is filtering. For the adjoint,
multipliers m of the n + K coefficients end with the cotangent of the final state, and the others
solve sum_k conj(a_k / a_0) m[i + k] = y_bar[i]: a filter that runs backwards. Then x_bar, b_bar and
a_bar are correlations of m with b, x and -y.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, on_arrays
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.scipy.linear_pairs import ADJOINTS, CALLS, transposed
from chainrules_py.rulesets.scipy.ndimage.boundaries import folded
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import is_zero, not_implemented
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
        def pushforward(dot) -> Any:
            y_dot, zf_dot = f.push(in_rows(dot, position), position)
            y_dot = xp.moveaxis(y_dot, -1, axis)
            return y_dot if zi is None else (y_dot, xp.moveaxis(zf_dot, -1, axis))

        def pullback(bars) -> Any:
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

ENDS = {"even": "reflect", "constant": "edge"}


def unextended(wide, n: int, edge: int, kind: str | None) -> Any:
    """The adjoint of SciPy's extensions of a signal along the last axis.

    An odd one is twice the end less the even one.
    """
    others = wide.ndim - 1
    shape = (*wide.shape[:-1], n)
    widths = [(0, 0)] * others + [(edge, edge)]

    def folded_by(mode: str) -> Any:
        return folded(wide, shape, widths, ["constant"] * others + [mode])

    if kind == "odd":
        return 2 * folded_by("edge") - folded_by("reflect")
    return folded_by(ENDS.get(kind or "", "constant"))


def there_and_back(y_bar, shape, run, zi, ntaps: int, axis: int, padtype, padlen) -> Any:
    """The adjoint of an extension, a filter that starts in the steady state of the first entry, and
    the same backwards.
    """
    length = 3 * ntaps if padlen is None else padlen
    edge = 0 if padtype is None else length
    wide = np.pad(np.moveaxis(y_bar, axis, -1), [(0, 0)] * (y_bar.ndim - 1) + [(edge, edge)])
    response = run(np.zeros(wide.shape[-1]), zi)[0]
    for _ in range(2):  # the adjoint of: filter, turn round
        wide = np.flip(wide, -1)
        first = (wide * np.conj(response)).sum(-1)
        wide = np.conj(np.flip(run(np.conj(np.flip(wide, -1)), None), -1))
        wide[..., 0] += first
    return np.moveaxis(unextended(wide, shape[axis], edge, padtype), -1, axis)


def filtfilt_adjoint(
    y_bar, shape, b, a, axis: int = -1, padtype: Any = "odd", padlen: Any = None
) -> Any:
    b, a = np.atleast_1d(b), np.atleast_1d(a)

    def run(x, zi) -> Any:
        return signal.lfilter(b, a, x) if zi is None else signal.lfilter(b, a, x, zi=zi)

    return there_and_back(
        y_bar, shape, run, signal.lfilter_zi(b, a), max(len(a), len(b)), axis, padtype, padlen
    )


def sosfiltfilt_adjoint(
    y_bar, shape, sos, axis: int = -1, padtype: Any = "odd", padlen: Any = None
) -> Any:
    ntaps = 2 * len(sos) + 1 - min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum())

    def run(x, zi) -> Any:
        return signal.sosfilt(sos, x) if zi is None else signal.sosfilt(sos, x, zi=zi)

    return there_and_back(y_bar, shape, run, signal.sosfilt_zi(sos), ntaps, axis, padtype, padlen)


ADJOINTS[signal.filtfilt] = filtfilt_adjoint
ADJOINTS[signal.sosfiltfilt] = sosfiltfilt_adjoint
CALLS[signal.filtfilt] = lambda x, b, a, **options: call(signal.filtfilt, b, a, x, **options)
CALLS[signal.sosfiltfilt] = lambda x, sos, **options: call(signal.sosfiltfilt, sos, x, **options)


def by_coefficients() -> LinearMap:
    """A derivative that is refused when somebody uses it."""
    reason = (
        "the derivative of a filter that runs forwards and backwards, by its coefficients: call"
        " lfilter or sosfilt twice"
    )
    return LinearMap(lambda dot: not_implemented(reason), lambda y_bar: not_implemented(reason))


@linearised_rule(signal.filtfilt)
@with_options(signal.filtfilt, "axis padtype padlen")
def filtfilt_linearised(
    b: Array | Scalar, a: Array | Scalar, x: Array, *, options: Options, out
) -> tuple[LinearMap, LinearMap, LinearMap]:
    shape, dtype = x.shape, x.dtype
    given = {"b": b, "a": a, **options}
    of_signal = LinearMap(
        lambda dot: call(signal.filtfilt, b, a, dot, **options),
        lambda y_bar: transposed(y_bar, signal.filtfilt, shape, dtype, given),
    )
    return by_coefficients(), by_coefficients(), of_signal


@linearised_rule(signal.sosfiltfilt)
@with_options(signal.sosfiltfilt, "axis padtype padlen")
def sosfiltfilt_linearised(sos: ArrayLike, x: Array, *, options: Options, xp) -> Linearised:
    def on_both(sos, x, xp) -> Linearised:
        shape, dtype = x.shape, x.dtype
        sos = xp.copy(sos)  # SciPy wants coefficients that it may write to
        given = {"sos": sos, **options}
        of_signal = LinearMap(
            lambda dot: call(signal.sosfiltfilt, sos, dot, **options),
            lambda y_bar: transposed(y_bar, signal.sosfiltfilt, shape, dtype, given),
        )
        return call(signal.sosfiltfilt, sos, x, **options), by_coefficients(), of_signal

    return on_arrays(on_both, (sos, x), xp)
