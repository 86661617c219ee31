"""Derivatives at ties, zeros, infinities and ends of domains: a call, and numbers known by hand.

Equal entries share equally; what is multiplied by an exact zero does not count; at ends of domains
a derivative is the limit. Forward mode is the adjoint of reverse mode at each of these points.
"""

import math

import numpy as np
import pytest
from numpy.polynomial import polynomial
from scipy import special, stats

from chainrules_py import frule, is_zero, rrule, unthunk
from chainrules_py.tangents import zero_tangent

INF, NAN, F32 = np.inf, np.nan, np.float32
EXTREMES = (np.max, np.min, np.nanmax, np.nanmin, np.amax, np.amin)
KINKED = np.array([1.0, 2.0, 4.0])
TINY = math.exp(-37.5)  # of 1, this is no digit
LINE = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
EXPONENT, LOGARITHM = 0.5 + 0.5j, math.log(2) + 1j * math.pi  # of -2
RAISED = np.exp(EXPONENT * LOGARITHM)
ROUND = np.array([1000.0, 1000.5], np.float16)  # between them, 1000.25 is no float16


def of_norm(x, order):
    """The gradient of (sum of |x|**order)**(1/order)."""
    length = np.sum(np.abs(x) ** order) ** (1 / order)
    return np.sign(x) * (np.abs(x) / length) ** (order - 1)


# the call, its options, the cotangent of its value, and the cotangent of each argument or None
ROWS = [
    # --- norms, and what else there is of matrices ---
    *(
        (np.linalg.norm, (np.zeros(3),), {"ord": order}, 1.0, [np.zeros(3)])
        for order in (None, 1, 2, 3, 0.5, -1, INF, -INF)
    ),
    *(
        (
            *(np.linalg.norm, (np.array([0.0, 3.0, -4.0]),), {"ord": order}, 1.0),
            [[0.0, *of_norm(np.array([3.0, -4.0]), order)]],
        )
        for order in (3, 2.5, 1.5, 0.5)
    ),
    (np.linalg.norm, (np.array([0.0, 3.0, -4.0]),), {"ord": -1}, 1.0, [np.zeros(3)]),
    (np.linalg.norm, (np.array([1.0, -2.0, 2.0]),), {"ord": INF}, 1.0, [[0.0, -0.5, 0.5]]),
    (np.linalg.norm, (3 * np.eye(4),), {"ord": 2}, 1.0, [np.eye(4) / 4]),
    (np.linalg.norm, (np.diag([3.0, 1.0, 0.0]),), {"ord": "nuc"}, 1.0, [np.diag([1.0, 1, 0])]),
    (
        *(np.linalg.norm, (np.array([3e200, 4e200]),), {"ord": 4 / 3}, 1.0),
        [of_norm(np.array([3.0, 4.0]), 4 / 3)],
    ),
    (np.linalg.cond, (np.diag([1.0, 0.0]),), {}, 1.0, [np.zeros((2, 2))]),
    (np.linalg.det, (np.diag([1e-200, 1e-200, 1]),), {}, 1.0, [np.diag([1e-200, 1e-200, 0])]),
    (
        *(np.linalg.solve, (np.stack([np.eye(2), 2 * np.eye(2)]), np.ones((2, 2))), {}),
        *(np.ones((2, 2, 2)), [None, np.full((2, 2), 1.5)]),
    ),
    # --- reductions ---
    *(
        (np.max, (np.array([3.0, 1.0, 3.0]),), {"initial": initial}, 1.0, [[share, 0.0, share]])
        for initial, share in ((9.0, 0.0), (-9.0, 0.5), (3.0, 1 / 3))
    ),
    *(
        (primal, (np.full((2, 3), 2.0),), {"axis": axis}, np.ones(shape), [np.full((2, 3), share)])
        for primal in EXTREMES
        for axis, shape, share in ((None, (), 1 / 6), (1, 2, 1 / 3))
    ),
    *(
        (
            *(np.max, (np.ones((2, count), dtype),), {"axis": 1, **start}, np.ones(2, dtype)),
            [np.full((2, count), 1 / (count + len(start)))],
        )
        for count in (126, 127, 128, 32766, 32767, 32768)
        for dtype in ("float32", "float64")
        for start in ({}, {"initial": 1.0})
    ),
    # as many ties as extremes, of which one is nan
    *(
        (
            *(primal, (np.array([[2.0, 2.0, other], [1.0, NAN, 3.0]]),), {"axis": 1}, np.ones(2)),
            [[[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]],
        )
        for primal, other in ((np.max, -7.0), (np.min, 7.0))
    ),
    *(
        (primal, (np.full((2, 4), 0.1),), {"axis": 1}, np.ones(2), [np.zeros((2, 4))])
        for primal in (np.std, np.nanstd)
    ),
    (np.std, (np.ones(1),), {"ddof": 1}, 1.0, [[0.0]]),
    *((primal, (ROUND,), {}, np.float16(1), [[-0.25, 0.25]]) for primal in (np.var, np.nanvar)),
    (np.median, (np.array([2.0, 1, 2, 2, 5]),), {}, 1.0, [[1 / 3, 0.0, 1 / 3, 1 / 3, 0.0]]),
    *(
        (np.quantile, (x, q), {"method": method}, 1.0, [None, slope])
        for x, q, method, slope in (
            (KINKED, 0.5, "linear", 3.0),  # slopes 2 and 4: a kink
            (KINKED, 0.0, "linear", 2.0),  # only one slope
            (KINKED, 1.0, "linear", 4.0),
            (KINKED, 0.75, "linear", 4.0),
            (np.array([1.0, 2.0, 3.0]), 0.5, "linear", 2.0),  # no kink
            (np.array([0.1, 0.2, 0.3, 0.4, 0.5]), 0.5, "linear", 0.4),  # none but for rounding
            *((KINKED, q, "hazen", y) for q, y in ((0.1, 0.0), (0.5 / 3, 1.5), (0.2, 3.0))),
        )
    ),
    (
        *(np.quantile, (np.array([2.0, 2.0, 2.0, 5.0]), 0.5)),
        *({"weights": np.array([1.0, 0.0, 1.0, 1.0]), "method": "inverted_cdf"}, 1.0),
        [[0.5, 0.0, 0.5, 0.0], 0.0],
    ),
    (
        np.maximum.accumulate,
        (np.array([2.0, 2, 1, 2]),),
        {},
        np.array([0, 0, 0, 6.0]),
        [[2.0, 2, 0, 2]],
    ),
    (np.logaddexp.reduce, (np.full(3, -INF),), {}, 6.0, [[0.0, 0.0, 0.0]]),
    (np.logaddexp.reduce, (np.array([INF, INF, -INF]),), {}, 6.0, [[3.0, 3.0, 0.0]]),
    (
        *(np.hypot.reduceat, (np.array([-3.0, 0, 4, 0, 0]), [0, 1, 2, 3]), {}),
        *(np.arange(1.0, 5.0), [[1.0, 2.0, 3.0, 0.0, 0.0], None]),
    ),
    (np.hypot.reduce, (np.zeros(1),), {}, 1.0, [[1.0]]),
    (np.hypot.reduce, (np.zeros(1),), {"initial": 0.0}, 1.0, [[0.0]]),
    # --- entry by entry ---
    *(
        (primal, (np.full(2, value), np.full(2, value)), {}, np.ones(2), [[0.5, 0.5]] * 2)
        for primal in (np.maximum, np.minimum, np.fmax, np.fmin)
        for value in (1.5, INF, -INF)
    ),
    (np.fmax, (np.array([NAN, 1]), np.array([1, NAN])), {}, np.ones(2), [[0.0, 1.0], [1.0, 0.0]]),
    *((primal, (0.0, 0.0), {}, 1.0, [0.0, 0.0]) for primal in (np.hypot, np.arctan2)),
    (np.arctan2, (3e200, 4e200), {}, 1.0, [0.16e-200, -0.12e-200]),
    (np.absolute, (np.array([0j, 3 + 4j]),), {}, np.ones(2), [[0, 0.6 + 0.8j]]),
    *(
        (np.power, (np.zeros(1), np.full(1, p)), {}, np.ones(1), [[slope], [0.0]])
        for p, slope in ((0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0))
    ),
    (np.power, (np.zeros(2), 0.5), {}, np.array([1.0, 0.0]), [[INF, 0.0], None]),
    (np.power, (np.full(2, -2.0), np.array([3.0, -1])), {}, np.ones(2), [[12.0, -0.25], [0.0, 0]]),
    *(
        (np.power, (base, exponent), {}, 1.0, [slope, None])
        for base, exponent, slope in (
            *((0.0, 0.5, INF), (0.0, -1.0, -INF), (INF, 0.0, 0.0), (-2.0, 0.5, NAN)),
        )
    ),
    (
        *(np.power, (np.array([-2.0]), np.array([EXPONENT])), {}, np.ones(1)),
        [[np.real(np.conj(EXPONENT * RAISED / -2.0))], [np.conj(RAISED * LOGARITHM)]],
    ),
    (np.sqrt, (np.array([0.0]),), {}, np.ones(1), [[INF]]),
    (np.sqrt, (np.array([0.0, 4.0]),), {}, np.array([0.0, 1.0]), [[0.0, 0.25]]),
    *(
        (primal, (np.array([x]), np.array([y])), {}, np.ones(1), [[share], [other]])
        for primal in (np.logaddexp, np.logaddexp2)
        for x, y, share, other in (
            *((-INF, 0.0, 0.0, 1.0), (0.0, -INF, 1.0, 0.0), (1e4, -1e4, 1.0, 0.0)),
            *((INF, 0.0, 1.0, 0.0), (0.0, INF, 0.0, 1.0), (INF, INF, 0.5, 0.5)),
            (-INF, -INF, 0.0, 0.0),
        )
    ),
    (np.nan_to_num, (np.array([NAN, 1.0, INF, -INF]),), {}, np.ones(4), [[0.0, 1.0, 0.0, 0.0]]),
    (np.nan_to_num, (np.array([complex(NAN, 1.0)]),), {}, np.array([2 + 3j]), [[3j]]),
    (
        np.where,
        (np.array([True, False]), np.ones(2), 0.0),
        {},
        np.array([INF, NAN]),
        [None, [INF, 0.0], None],
    ),
    (np.clip, (LINE, -1.0, 1.0), {}, np.ones(5), [[0.0, 0.5, 1.0, 0.5, 0.0], None, None]),
    # --- entries ---
    (np.sort, (np.array([3.0, 1, 2, 2]),), {}, np.array([INF, 1, 3, 5]), [[5.0, INF, 2.0, 2.0]]),
    (
        np.unique,
        (np.array([NAN, 1, NAN]),),
        {"equal_nan": False},
        np.array([1.0, 4, 4]),
        [[4.0, 1, 4]],
    ),
    (np.unique, (np.array([NAN, 1.0, NAN]),), {}, np.array([1.0, 4.0]), [[4.0, 1.0, 0.0]]),
    (
        *(np.union1d, (np.array([1.0, 2.0, 2.0]), np.array([2.0, 3.0])), {}),
        *(np.array([1.0, 6.0, 5.0]), [[1.0, 2.0, 2.0], [2.0, 5.0]]),
    ),
    (
        np.pad,
        (np.ones(4), (1, 0)),
        {"mode": "maximum"},
        np.array([4.0, 0, 0, 0, 0]),
        [np.ones(4), None],
    ),
    (np.vander, (np.zeros(2), 3), {}, np.ones((2, 3)), [[1.0, 1.0], None]),
    *(
        (np.trim_zeros, (np.zeros((2, 3)), trim), {}, np.zeros((0, 0)), [np.zeros((2, 3)), None])
        for trim in ("fb", "f", "b")
    ),
    # where x[booleans] selects, take reads entries 0 and 1
    *(
        (
            np.take,
            (np.zeros(3), booleans),
            {"mode": mode},
            np.array([1.0, 2, 4]),
            [[2.0, 5, 0], None],
        )
        for booleans in (np.array([True, False, True]), [True, False, True])
        for mode in ("raise", "wrap", "clip")
    ),
    *((np.take, (np.zeros(3), one), {}, 2.0, [[0.0, 2.0, 0.0], None]) for one in (True, np.True_)),
    # --- polynomials, statistics, special functions ---
    (
        # of a root that is there twice
        *(polynomial.polyvalfromroots, (np.array([1.0, 3.0]), np.array([1.0, 1.0, 2.0])), {}),
        *(np.ones(2), [[0.0, 8.0], [-2.0, -2.0, -4.0]]),
    ),
    # 2 p r / (p + r) moves by 2 with p at 0, and not with r
    (
        *(stats.hmean, (np.array([[0.0, 0.5], [0.3, 0.6]]),), {"axis": 1}, np.ones(2)),
        [[[2.0, 0.0], [8 / 9, 2 / 9]]],
    ),
    (special.xlogy, (0.0, 0.0), {}, 1.0, [None, 0.0]),
    (special.entr, (0.0,), {}, 1.0, [INF]),
    # by mpmath: single precision, complex numbers and large ones
    (
        *(special.voigt_profile, (F32(12.5), F32(1), F32(0.5)), {}, F32(1)),
        [-0.00016897759732182013, 4.156020084264074e-05, 0.0020671884478796095],
    ),
    *(
        (special.agm, tuple(map(F32, (start, 1))), {}, F32(1), slopes)
        for start, slopes in ((1e-20, [6.980189576876348e16, 0.032414600712776125]), (1, [0.5] * 2))
    ),
    *(
        (primal, (np.array([z]),), {}, np.ones(1), [[np.conj(slope)]])
        for primal, z, slope in (
            (special.dawsn, -30 - 30j, -59.73657419724159 + 45.67749805171696j),
            (special.wofz, 1e5 - 1e-3j, 1.1283791674340261e-18 - 5.6418958363238456e-11j),
            (special.erfcx, 0.5 + 100j, 5.642318995277001e-05 + 5.643306743319803e-07j),
        )
    ),
    *(
        (special.logsumexp, (np.array(x),), {}, 1.0, [shares])
        for x, shares in (
            ([1e15, 1e15], [0.5, 0.5]),
            ([1e15, 1e15 + 1], [1 / (1 + math.e), math.e / (1 + math.e)]),
            ([INF, 1.0], [1.0, 0.0]),
            ([INF, -INF, INF], [0.5, 0.0, 0.5]),
            ([-INF, -INF], [0.0, 0.0]),
        )
    ),
    # what is left out is of no account; the logarithm of 0 stays one
    *(
        (special.logsumexp, (x, None, np.array(b)), {}, 1.0, [[1.0, 0.0], None, slopes])
        for x, b, slopes in (
            (np.array([0.0, -1.0]), [1.0, 0.0], [1.0, math.exp(-1)]),
            (np.array([0.0, 1000.0]), [1.0, 0.0], [1.0, INF]),
        )
    ),
    (np.logaddexp.accumulate, (np.full(2, -INF),), {}, np.array([0.0, 1.0]), [[0.0, 0.0]]),
    (special.log_softmax, (np.array([37.5, 0.0]),), {}, np.array([1.0, 0]), [[TINY, -TINY]]),
    (special.softmax, (np.array([37.5, 0.0]),), {}, np.array([1.0, 0]), [[TINY, -TINY]]),
    # other factors overflow next to a zero
    *(
        (product, (np.array([1e13, 0, 0, *[1e13] * 4], F32),), {}, y_bar, [np.zeros(7)])
        for product, y_bar in (
            (np.prod, F32(1)),
            (np.multiply.reduce, F32(1)),
            (np.cumprod, np.array([0, 0, *[1] * 5], F32)),
        )
    ),
    (special.softmax, (np.array([1e15, 1e15]),), {}, np.array([1.0, 0]), [[0.25, -0.25]]),
    *(
        (stats.rv_continuous.entropy, (family, *shapes), {}, 1.0, [None, *slopes])
        for family, shapes, slopes in (
            (stats.gamma, (1e10,), [5.000000000333333e-11]),
            (stats.chi2, (1e12,), [5.000000000006667e-13]),
            (stats.beta, (1e10, 3e10), [1.25000000028125e-11, -2.0833333333483795e-11]),
        )
    ),
    # (x - x0) / (x1 - x0), whose denominator has no square in range
    (
        *(np.interp, (5e-201, np.array([0.0, 1e-200]), np.array([0.0, 1.0])), {}, 1.0),
        [1e200, [-5e199, -5e199], [0.5, 0.5]],
    ),
    (special.huber, (1.0, 1.0), {}, 1.0, [None, 1.0]),
    *(
        (getattr(special, name), args, {}, 1.0, limits)
        for name, args, limits in (
            ("gammainc", (2.0, INF), [0.0, 0.0]),
            ("gammaincc", (2.0, INF), [0.0, 0.0]),
            ("chdtr", (3.0, INF), [0.0, 0.0]),
            ("gdtr", (2.0, 3.0, INF), [0.0, 0.0, 0.0]),
            ("gdtr", (1.0, 0.5, 0.0), [0.0, 0.0, INF]),
            ("fdtr", (1.0, 3.0, 0.0), [0.0, 0.0, INF]),
            ("stdtr", (INF, 0.5), [0.0, math.exp(-0.125) / math.sqrt(2 * math.pi)]),
            ("stdtr", (3.0, INF), [0.0, 0.0]),
            ("stdtr", (3.0, -INF), [0.0, 0.0]),
            ("fdtr", (2.0, 3.0, INF), [0.0, 0.0, 0.0]),
            ("fdtrc", (2.0, 3.0, INF), [0.0, 0.0, 0.0]),
            ("gammaincinv", (2.0, 0.0), [0.0, INF]),
            ("gammaincinv", (1.0, 0.0), [0.0, 1.0]),
            ("gammaincinv", (0.5, 0.0), [0.0, 0.0]),
            ("gammaincinv", (2.0, 1.0), [INF, INF]),
            ("gammainccinv", (2.0, 1.0), [0.0, -INF]),
            ("betaincinv", (2.0, 3.0, 0.0), [0.0, 0.0, INF]),
            ("betaincinv", (2.0, 3.0, 1.0), [0.0, 0.0, INF]),
            ("betaincinv", (1.0, 3.0, 0.0), [0.0, 0.0, 1 / 3]),
            ("betainccinv", (2.0, 3.0, 1.0), [0.0, 0.0, -INF]),
        )
    ),
]


def name_of(row):
    primal, args, options, *_ = row
    args = tuple([getattr(x, "name", x) for x in args])  # a distribution prints where it lies
    return f"{primal.__name__}{args if np.size(args[0]) < 9 else np.shape(args[0])}{options or ''}"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_derivatives_are_those_known_by_hand(row):
    primal, args, options, seed, expected = row
    bars = rrule(primal, *args, **options)[1](seed)
    known = [k for k, bar in enumerate(expected) if bar is not None]
    for k in known:
        found = np.zeros(np.shape(args[k])) if is_zero(bars[k]) else np.asarray(unthunk(bars[k]))
        is_wide = np.result_type(args[k]).itemsize >= 8
        assert is_zero(bars[k]) or found.dtype == np.result_type(args[k])
        finite = np.abs(expected[k])[np.isfinite(expected[k])]
        size = np.max(finite, initial=0) or 1e-3
        digits = 1e-12 if is_wide else 1e-6
        np.testing.assert_allclose(found, expected[k], rtol=digits, atol=digits * size)
        assert np.shape(found) == np.shape(args[k])

    dots = [zero_tangent(arg) for arg in args]
    for k in known:
        dots[k] = np.reshape(1 + np.arange(np.size(args[k])), np.shape(args[k])).astype(
            np.result_type(args[k])
        )[()]
    _, y_dot = frule(tuple(dots), primal, *args, **options)
    products = [np.sum(np.conj(expected[k]) * dots[k]) for k in known]
    if np.isfinite(products).all() and np.isfinite(seed).all():
        moved = 0.0 if is_zero(y_dot) else np.sum(np.where(seed == 0, 0, np.conj(seed) * y_dot))
        np.testing.assert_allclose(
            np.real(moved), np.real(sum(products)), rtol=1e-3 if not is_wide else 1e-9, atol=1e-12
        )
