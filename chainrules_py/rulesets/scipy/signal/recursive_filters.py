"""Filters with memory: by coefficients, signal and initial state.

As polynomials in the delay, the output of a filter that begins at rest solves

    a y = b x

whose derivative is an equation of the same kind: pushing tangents is filtering. For the adjoint, w
with conj(a) w = y_bar is a filter that runs backwards, and x_bar, b_bar and a_bar are correlations
of w with b, x and -y.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.matrices import zero_padded
from chainrules_py.rulesets.scipy.options import blank
from chainrules_py.values.arrays import Array, Scalar, call, shape_of


@primitive
def from_rest(b, a, x) -> Any:
    """`scipy.signal.lfilter` along the last axis, without a state at the start."""
    return call(signal.lfilter, b, a, x)


@linearised_rule(from_rest)
def from_rest_linearised(b: Array, a: Array, x: Array, *, out, xp) -> tuple[LinearMap, ...]:
    """Linear in b and x; the derivative with respect to a filters the output once more."""
    n = x.shape[-1]

    def backwards(b, y_bar) -> Any:
        return xp.flip(from_rest(b, xp.conj(a), xp.flip(y_bar, -1)), -1)

    def used(y_bar, other, count: int) -> Any:
        """The cotangent of each coefficient of a product with `other`."""
        w, other = backwards(xp.ones(1), y_bar), xp.conj(other)
        parts = [(w[..., k:], other[..., : max(n - k, 0)]) for k in range(count)]
        return xp.stack([xp.sum(one * another) for one, another in parts])

    return (
        LinearMap(lambda dot: from_rest(dot, a, x), lambda y_bar: used(y_bar, x, b.shape[0])),
        LinearMap(lambda dot: from_rest(-dot, a, out), lambda y_bar: -used(y_bar, out, a.shape[0])),
        LinearMap(lambda dot: from_rest(b, a, dot), lambda y_bar: backwards(xp.conj(b), y_bar)),
    )


@composed(signal.lfilter)
def lfilter(
    b: Array | Scalar, a: Array | Scalar, x: Array, axis: Any = -1, zi: Array | None = None, *, xp
) -> Any:
    """Add the first state to b x; the last state is what would follow, less the feedback."""
    require_filter(b, a, x, axis, zi)
    b, a = [xp.reshape(xp.asarray(each), -1) for each in (b, a)]
    lines = xp.moveaxis(x, axis, -1)
    if zi is None:
        return xp.moveaxis(from_rest(b, a, lines), -1, axis)

    state, unit = xp.moveaxis(zi, axis, -1), xp.ones(1, dtype=a.dtype)
    n, count = lines.shape[-1], state.shape[-1]
    driven = from_rest(b, unit, cut_or_padded(lines, n + count, xp))
    driven = driven + a[0] * cut_or_padded(state, n + count, xp)
    y = from_rest(unit, a, driven[..., :n])
    near = y[..., max(n - count, 0) :]
    fed_back = from_rest(a, unit, cut_or_padded(near, near.shape[-1] + count, xp))
    last = (driven[..., n:] - fed_back[..., near.shape[-1] :]) / a[0]
    return xp.moveaxis(y, -1, axis), xp.moveaxis(last, -1, axis)


def require_filter(b, a, x, axis: int, zi) -> None:
    """Raise SciPy's errors, by a call with a short signal of as many axes."""
    state = None
    if zi is not None:
        along = range(zi.ndim)[axis]
        state = np.zeros([n if k == along else min(n, 1) for k, n in enumerate(zi.shape)])
    short = np.zeros([min(n, 1) for n in x.shape])
    signal.lfilter(np.ones(shape_of(b)), np.ones(shape_of(a)), short, axis, state)


@composed(signal.sosfilt)
def sosfilt(sos: ArrayLike, x: Array, axis: Any = -1, zi: Array | None = None, *, xp) -> Any:
    """Apply filters of second order in turn; the first coefficient of each denominator must be one."""
    # for SciPy's errors
    signal.sosfilt(np.ones(sos.shape, sos.dtype), blank(x), axis, blank(zi))
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


def cut_or_padded(lines, count: int, xp) -> Any:
    """Cut the last axis to so many entries, or append zeros."""
    missing = count - lines.shape[-1]
    if missing <= 0:
        return lines[..., :count]
    return zero_padded(lines, (0, missing), xp=xp)


by_source(signal.filtfilt, arguments=3)
by_source(signal.sosfiltfilt, arguments=2)
