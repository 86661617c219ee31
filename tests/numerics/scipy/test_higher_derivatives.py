"""Derivatives of smooth functions up to the sixth: at zeros, ties, removable singularities, and beside
ends of domains.

Each function is differentiated in nested reverse mode, in nested forward mode, by its series, and in
lanes, and compared with mpmath. An error counts beyond a millionth of the derivative, and beyond
rounding on the scale of the function: that of x**n / n! times its derivatives, where x is the way to
the nearest point at which it is not analytic. So a wrong formula shows, and a lost digit does not,
of which `test_special_digits` looks after. What is not as it should be has a reason in
`higher_points`.
"""

import re
import warnings

import numpy as np
import pytest

import special_points as points
from chainrules_py import default_rules
from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.values.identity import qualified_name
from chainrules_tape import grad, jvp, taylor, vmap

mpmath = pytest.importorskip("mpmath")

from higher_points import (  # noqa: E402, it needs mpmath
    DEAR,
    DEAREST,
    INEXACT,
    MORE,
    PROGRAMS,
    QUICK,
    REFUSED,
    WITHOUT_ROW,
)

ORDER = 6
ALLOWED, ROUNDING, ROUNDING_OF_VALUE = 1e-6, 1e-8, 1e-14
FURTHEST, NEAREST = 40.0, 1e-10
FACTORIALS = [float(mpmath.factorial(k)) for k in range(ORDER + 1)]


def distance(row, x):
    """How far the nearest point is at which the function is not analytic, at most 1."""
    return min((abs(x - s) for s in row.singular), default=1.0) if row.singular else 1.0


def points_of(row):
    """The points of a row that are neither far out nor too near to where it is not analytic, and 0."""
    near_zero = any(0 < x <= 1e-5 for x in row.points)
    all_points = [0.0, *row.points] if near_zero else row.points
    return [
        x
        for x in sorted(all_points)
        if abs(x) <= FURTHEST and distance(row, x) >= NEAREST and (not x or abs(x) >= 1e-300)
    ]


def few_points_of(row):
    """Zero, both sides of it, ties, and one other point."""
    all_points = points_of(row)
    hard = [x for x in all_points if x in (0.0, 1e-8, -1e-8, 1e-300, 1.3)]
    return sorted({*hard, all_points[len(row.ours) % len(all_points)]})


ROWS = [
    row
    for row in (*PROGRAMS, *MORE, *points.UFUNCS, *points.SPECIAL)
    if row.is_there() and points_of(row) and row.ours not in REFUSED
]


def is_among(row, names):
    """Whether it is a row of a function of `scipy.special` that is named."""
    root, _, name = row.ours.partition("(")[0].partition(".")
    return root == "special" and name in names


QUICK_ROWS = [row for row in ROWS if row in (*PROGRAMS, *points.UFUNCS) or is_among(row, QUICK)]
DEAR_ROWS = [row for row in ROWS if is_among(row, DEAR)]
DEAREST_ROWS = [row for row in ROWS if is_among(row, DEAREST)]
OTHER_ROWS = [row for row in ROWS if not is_among(row, (*DEAR, *DEAREST))]


def marked(rows, mark):
    return [pytest.param(row, id=row.ours, marks=mark) for row in rows]


# Ours


def in_reverse(f):
    return lambda x: grad(lambda x: np.sum(f(x)))(x)


def forward(f):
    return lambda x: np.broadcast_to(jvp(f, (x,), (np.ones_like(x),))[1], x.shape)


def nested(derivative, f, x):
    """The derivatives of all orders, each by that of the one below."""
    found = []
    for _ in range(ORDER):
        f = derivative(f)
        found.append(f(x))
    return found


def by_lanes(f, x):
    """The derivatives of all orders of a function of one number, in lanes."""
    found = []
    for _ in range(ORDER):
        f = grad(f)
        found.append(vmap(f)(x))
    return found


def by_series(f, x):
    """The Taylor coefficients, each times the factorial of its order."""
    coefficients = taylor(f, x, ORDER)[1:]
    return [
        factorial * np.broadcast_to(c, x.shape)
        for c, factorial in zip(coefficients, FACTORIALS[1:], strict=True)
    ]


MODES = {
    "reverse": lambda f, x: nested(in_reverse, f, x),
    "forward": lambda f, x: nested(forward, f, x),
    "series": by_series,
    "lanes": by_lanes,
}


# The truth


def exact_derivatives(row, x):
    """The value of mpmath's expression, and its derivatives; None where it has no value."""
    function, known = row.of_mpmath()
    with mpmath.workdps(25):
        try:
            found = mpmath.taylor(
                lambda x: mpmath.re(function(x)),
                mpmath.mpf(x),
                ORDER - known,
                singular=True,
                chop=False,
            )
        except ValueError:
            return None
        derivatives = [c * mpmath.factorial(k) for k, c in enumerate(found)]
        return [mpmath.mpf(0), *derivatives] if known else derivatives


def tolerances(row, x, exact):
    """What each derivative may be off by."""
    length = mpmath.mpf(distance(row, x))
    terms = [abs(d) * length**k / FACTORIALS[k] for k, d in enumerate(exact)]
    scale = ROUNDING * max(terms[1:]) + ROUNDING_OF_VALUE * terms[0]
    return [ALLOWED * abs(d) + scale * FACTORIALS[k] / length**k for k, d in enumerate(exact)]


def errors_of(row, x, modes):
    """The mode, the order, the point, what was found, and what is right, wherever these differ."""
    f, x = row.function(), np.array(x)
    exact = [exact_derivatives(row, float(each)) for each in x]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = {mode: MODES[mode](f, x) for mode in modes}
    for i, each in enumerate(map(float, x)):
        if exact[i] is None:
            continue
        allowed = tolerances(row, each, exact[i])
        for mode, orders in found.items():
            for k, values in enumerate(orders, 1):
                got, right = float(np.broadcast_to(values, x.shape)[i]), exact[i][k]
                if abs(right) < 1e290 and not abs(got - right) <= allowed[k]:
                    yield mode, k, each, got, float(right)


def allows(inexact, row, order, x):
    """Whether an exception is for this derivative there."""
    low, high = inexact.between
    return inexact.call == row.ours and inexact.order <= order and low <= abs(x) <= high


def unexplained(row, errors):
    return [
        error
        for error in errors
        if not any(allows(inexact, row, error[1], error[2]) for inexact in INEXACT)
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", [*marked(QUICK_ROWS, ()), *marked(DEAR_ROWS, pytest.mark.long)])
def test_hard_points(row):
    other = ("reverse", "forward", "lanes")[len(row.ours) % 3]
    assert unexplained(row, errors_of(row, few_points_of(row), ("series", other))) == []


@pytest.mark.parametrize("row", marked([*OTHER_ROWS, *DEAR_ROWS, *DEAREST_ROWS], pytest.mark.long))
def test_all_points(row):
    errors = list(errors_of(row, points_of(row), MODES))
    assert unexplained(row, errors) == []
    for inexact in INEXACT:
        if inexact.call == row.ours:
            assert any(allows(inexact, row, order, x) for _, order, x, *_ in errors), (
                f"no longer needed: {inexact}"
            )


def public_name(primal):
    """The name of a function as a row calls it, without the modules that SciPy keeps to itself."""
    return re.sub(r"\._\w+", "", qualified_name(primal))


def test_every_function_with_written_partials_has_a_row_or_a_reason():
    """Of those of our own that derivatives are made of, each is reached by a row of theirs."""
    default_rules.load_all()
    ours = [rule for rule in default_rules.rules() if "rulesets" in rule.where]
    primals = {public_name(rule.primal) for rule in ours if rule.written_partials}
    theirs = {name for name in primals if not name.startswith("chainrules_py.")}
    calls = " ".join(row.ours for row in (*PROGRAMS, *MORE, *points.UFUNCS, *points.SPECIAL))
    called = re.findall(r"\b(?:np|special)(?:\.\w+)+", calls)
    named = {re.sub("^np", "numpy", re.sub("^special", "scipy.special", name)) for name in called}
    reasons = {name for names in WITHOUT_ROW.values() for name in names}
    assert theirs - named - reasons == set()
    assert reasons & named == set()


@pytest.mark.parametrize("call", REFUSED)
def test_third_derivatives_that_are_not_there_are_refused(call):
    f = points.Row(call, "").function()
    with pytest.raises(NotImplementedTangentError):
        grad(grad(grad(f)))(0.7)
