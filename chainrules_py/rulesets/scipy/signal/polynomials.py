"""Polynomials in the delay: frequency responses, division, steady states."""

from typing import Any

from scipy import signal

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import Array, Scalar, call


@linearised_rule(signal.freqz)
@with_options(signal.freqz, "worN whole fs include_nyquist")
def freqz_linearised(
    b: Array | Scalar, a: Array | Scalar | int = 1, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap]:
    """h = B / A, so that A h' = B' - A' h; frequencies do not move.

    Coefficients lie along the first axis; further axes broadcast against the frequencies.
    """
    w, h = out

    def in_columns(coefficients) -> Any:
        """Coefficients along the first axis, and behind it as many axes as the responses have."""
        found = xp.asarray(coefficients)
        count, *others = found.shape or (1,)
        missing = h.ndim - len(others)
        return xp.reshape(found, (count, *[1] * missing, *others))

    def powers_for(columns) -> Any:
        """The powers by which coefficients are multiplied, which lie as these do."""
        exponents = xp.reshape(xp.arange(len(columns)), (-1,) + (1,) * h.ndim)
        return xp.exp(-2j * xp.pi / options.fs * w * exponents)

    def map_of(factor, coefficients) -> LinearMap:
        columns = in_columns(coefficients)
        shape, size = getattr(coefficients, "shape", ()), columns.shape
        terms = factor * powers_for(columns)

        def pullback(bars) -> Any:
            if is_zero(bars[1]):
                return ZERO
            return xp.reshape(unbroadcast(xp.conj(terms) * bars[1], size, xp), shape)

        return LinearMap(lambda dot: (ZERO, xp.sum(terms * in_columns(dot), axis=0)), pullback)

    below = in_columns(a)
    below = xp.sum(below * powers_for(below), axis=0)
    return map_of(1 / below, b), map_of(-h / below, a)


@linearised_rule(signal.deconvolve)
def deconvolve_linearised(
    signal_: Array, divisor: Array, *, out, xp
) -> tuple[LinearMap, LinearMap]:
    """s = d q + r, where r has no entries but the last, so that q' solves the first equations of d
    q' = s' - d' q.
    """
    q, r = out
    count, n, d = len(q), r.shape[0], divisor
    if not count:  # then SciPy's is a list
        of_signal = LinearMap(lambda dot: (ZERO, dot), lambda bars: bars[1])
        of_divisor = LinearMap(lambda dot: (ZERO, ZERO), lambda bars: ZERO)
        return of_signal, of_divisor

    def pushed(change) -> tuple[Any, Any]:
        q_dot = call(signal.lfilter, xp.ones(1), d, change[:count])
        return q_dot, change - call(signal.convolve, d, q_dot)

    def pulled(bars) -> Any:
        q_bar, r_bar = (
            xp.zeros_like(like) if is_zero(bar) else bar
            for bar, like in zip(bars, (q, r), strict=True)
        )
        rest = q_bar - call(signal.correlate, r_bar, d, mode="valid")
        first = xp.flip(call(signal.lfilter, xp.ones(1), xp.conj(d), xp.flip(rest)))
        return r_bar + xp.concatenate([first, xp.zeros(n - count)])

    of_divisor = LinearMap(
        lambda dot: pushed(-call(signal.convolve, dot, q)),
        lambda bars: -call(signal.correlate, pulled(bars), q, mode="valid"),
    )
    return LinearMap(pushed, pulled), of_divisor


@linearised_rule(signal.lfilter_zi)
def lfilter_zi_linearised(b: Array, a: Array, *, out, xp) -> tuple[LinearMap, LinearMap]:
    """M z = b[1:] - a[1:] b[0], with a scaled to a[0] = 1, the first column of M being that of the
    identity plus a[1:].
    """
    b_length, a_length, n = b.shape[0], a.shape[0], out.shape[0] + 1
    a0 = a[0]
    scaled_b = xp.pad(b / a0, (0, n - b_length))
    scaled_a = xp.pad(a / a0, (0, n - a_length))
    first_column = scaled_a[1:, None] * xp.eye(1, n - 1)
    matrix = xp.eye(n - 1) - xp.eye(n - 1, k=1) + first_column
    weight = scaled_b[0] + out[0]

    def of_scaled(b_dot, a_dot) -> Any:
        """The tangent by coefficients that are scaled, and continued with zeros."""
        right = b_dot[1:] - scaled_a[1:] * b_dot[0] - a_dot[1:] * weight
        return xp.linalg.solve(matrix, right)

    def to_scaled(bar) -> tuple[Any, Any]:
        """The cotangents of these."""
        m = xp.linalg.solve(xp.conj(matrix).T, bar)
        first_b_bar = -xp.sum(xp.conj(scaled_a[1:]) * m)
        b_bar = xp.concatenate([first_b_bar[None], m])
        a_bar = xp.concatenate([xp.zeros(1), -xp.conj(weight) * m])
        return b_bar, a_bar

    def long(dot) -> Any:
        return xp.pad(dot, (0, n - dot.shape[0]))

    def by_numerator(dot) -> Any:
        return of_scaled(long(dot) / a0, xp.zeros(n))

    def to_numerator(bar) -> Any:
        b_bar, _ = to_scaled(bar)
        return b_bar[:b_length] / xp.conj(a0)

    def by_denominator(dot) -> Any:
        a_dot = (long(dot) - scaled_a * dot[0]) / a0
        return of_scaled(-scaled_b * dot[0] / a0, a_dot)

    def to_denominator(bar) -> Any:
        b_bar, a_bar = to_scaled(bar)
        scale = -xp.sum(xp.conj(scaled_b) * b_bar) - xp.sum(xp.conj(scaled_a) * a_bar)
        first = xp.concatenate([xp.ones(1), xp.zeros(a_length - 1)])
        return (a_bar[:a_length] + scale * first) / xp.conj(a0)

    of_numerator = LinearMap(by_numerator, to_numerator)
    of_denominator = LinearMap(by_denominator, to_denominator)
    return of_numerator, of_denominator
