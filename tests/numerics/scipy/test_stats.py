"""scipy.stats: every row of the tables against finite differences, and the edges of supports."""

import numpy as np
import pytest
from scipy import stats

from chainrules_py import frule, rrule
from chainrules_py.errors import ExpressionError
from chainrules_py.rulesets.scipy.stats import families as declared, methods
from chainrules_py.rulesets.without_rules import listed
from chainrules_py.tangents import NO_TANGENT, ZERO, NotImplementedTangent
from chainrules_py.testing import Settings, check_rule
from chainrules_samples.scipy import stats as samples
from chainrules_tape import grad, jvp, vmap
from chainrules_tape.scipy import stats as traced
from product.judge import Case
from product.programs import Program
from product.ways import DERIVATIVES
from slopes import along, quotients

NORMAL = samples.NORMAL


FAMILIES = list(samples.FAMILIES.values())
SLOW = ("norminvgauss", "dpareto_lognorm", "genhyperbolic", "geninvgauss")  # SciPy integrates
# but for those of which the method is their own, and has no rule
DRAWN = [
    family
    for family in FAMILIES
    if getattr(type(getattr(stats, family.name)), "rvs", None) is methods.Distribution.rvs
]


def points(family):
    """Arguments inside of the support, at none of which a density has a kink."""
    distribution, shapes = getattr(stats, family.name), samples.shapes_of(family.name)
    p = np.array([0.2, 0.45, 0.83]) * (0.5 if family.name == "bernoulli" else 1)  # of 1, sf is 0
    if isinstance(distribution, stats.rv_discrete):
        return distribution, p, (distribution.ppf(p, *shapes), *shapes)
    return distribution, p, (distribution.ppf(p, *shapes, 0.2, 1.3) * 1.01, *shapes, 0.2, 1.3)


def slope(function, args, position, step=1e-4):
    """The derivative of the sum of the values along one argument."""
    moved = along(function, args, position)
    return np.sum(quotients(lambda change: moved(args[position] + change), 0.0, step))


@pytest.mark.parametrize("family", DRAWN, ids=lambda family: family.name)
def test_the_probability_below_a_draw_stays(family):
    distribution = getattr(stats, family.name)
    args = (*samples.shapes_of(family.name), 0.2, 1.3)
    y, pullback = rrule(distribution.rvs, *args, size=3, random_state=2)
    np.testing.assert_array_equal(y, distribution.rvs(*args, size=3, random_state=2))
    density = distribution.pdf(y, *args)
    for position, bar in enumerate(pullback(density)):
        if bar is not NO_TANGENT and not isinstance(bar, NotImplementedTangent):
            moved = slope(lambda *parameters: distribution.cdf(y, *parameters), args, position)
            assert np.isclose(bar, -moved, rtol=1e-5, atol=1e-8), position


def test_calls_of_draws():
    def total(p, make):
        rng = np.random.default_rng(1)
        frozen = make.gamma(p, scale=2.0)
        own = make.gamma.rvs(a=p, scale=2.0, random_state=rng) + frozen.rvs(2, rng).sum()
        return own + make.gamma.rvs(p, 0.0, 2.0, 3, random_state=rng).sum()

    y, slope_of_total = jvp(lambda p: total(p, traced), (2.5,), (1.0,))
    assert y == total(2.5, stats)
    draws = np.random.default_rng(1).gamma(2.5, size=6) * 2.0
    below = quotients(lambda p: stats.gamma.cdf(draws, p, scale=2.0), 2.5)
    by_shape = -below / stats.gamma.pdf(draws, 2.5, scale=2.0)
    assert slope_of_total == pytest.approx(by_shape.sum(), rel=1e-7)

    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    many = vmap(lambda p: traced.gamma.rvs(p, random_state=rng))(np.array([2.5, 1.5, 0.7]))
    assert many.tolist() == [stats.gamma.rvs(p, random_state=same) for p in (2.5, 1.5, 0.7)]


def moving_along(method, args, places):
    """A method as a function of some of its arguments."""
    return lambda *moved: method(
        *(moved[places.index(k)] if k in places else arg for k, arg in enumerate(args))
    )


@pytest.mark.filterwarnings("ignore:invalid value")  # of SciPy, beyond the support
@pytest.mark.parametrize(
    "family",
    [
        pytest.param(f, id=f.name, marks=[pytest.mark.long] if f.name in SLOW else [])
        for f in FAMILIES
    ],
)
def test_each_family_of_the_tables_along_a_line(family):
    distribution, p, args = points(family)
    discrete = isinstance(distribution, stats.rv_discrete)
    for name in ("logpmf", "cdf") if discrete else ("logpdf", "cdf", "ppf"):
        own = (p, *args[1:]) if name == "ppf" else args
        bars = rrule(getattr(distribution, name), *own)[1](np.ones(3))
        assert not discrete or bars[0] is ZERO  # at a jump
        places = [
            k
            for k, bar in enumerate(bars)
            if not isinstance(bar, type(ZERO) | type(NO_TANGENT) | NotImplementedTangent)
        ]
        function, plain = (
            moving_along(getattr(made, name), own, places)
            for made in (traced.Distribution(distribution), distribution)
        )
        arguments = tuple(own[k] for k in places)
        case = Case(Program(f"{family.name}.{name}", function, plain, arguments, frozenset()))
        ways = ["reverse", "forward"]
        if name.startswith("log") and not unknown(family):
            ways.append("forward-reverse")
        for way in ways:
            case.require(DERIVATIVES[way](case.line(function)))


MOMENTS = ("mean", "var", "entropy")
FURTHER = ("pdf", "pmf", "logcdf", "sf", "logsf", "isf", "median", "std", *MOMENTS)
METHODS = [
    *(
        pytest.param(f, [name for name in MOMENTS if f.tables[name]], id=f"{f.name}, moments")
        for f in FAMILIES
    ),
    *(
        pytest.param(f, FURTHER, id=f.name, marks=pytest.mark.long)
        for f in FAMILIES
        if f.name not in SLOW
    ),
]


@pytest.mark.filterwarnings("ignore")  # SciPy's, beyond supports and of Erlang's real shapes
@pytest.mark.parametrize(("family", "names"), METHODS)
def test_each_method_of_the_tables_by_each_argument(family, names):
    """Those that lines leave out; but for moments that are infinite, and for medians at a density of
    zero, by which we divide.
    """
    distribution, p, args = points(family)
    compared = 0
    for name in names:
        is_flat = name == "median" and family.name in ("dgamma", "dweibull")
        if is_flat or not hasattr(distribution, name):
            continue
        function = getattr(distribution, name)
        own = args[1:] if name in ("median", "std", *MOMENTS) else args
        own = (p, *args[1:]) if name == "isf" else own
        y, pullback = rrule(function, *own)
        for position, bar in enumerate(pullback(np.ones(np.shape(y)))):
            if isinstance(bar, float | np.ndarray | np.floating):
                expected = slope(function, own, position)
                close = np.isclose(np.sum(bar), expected, rtol=1e-5, atol=1e-7)
                assert close or not np.isfinite(expected), (name, position)
                compared += 1
    assert compared or not names


# Shapes at which a power vanishes
VANISHING = [
    *((name, (0.4, 1.0)) for name in ("loggamma", "powerlaw", "lomax", "chi", "invgamma")),
    *((name, (0.4, 1.0, 1.0)) for name in ("exponweib", "gengamma")),
    *(("beta", (0.3, *shapes)) for shapes in ((1.0, 2.0), (2.5, 1.0), (1.0, 1.0))),
    *(("gamma", (2.0, 1.0)), ("weibull_min", (2.0, 1.0)), ("weibull_max", (-2.0, 1.0))),
    *(("chi2", (3.0, 2.0)), ("nakagami", (0.4, 0.5)), ("betaprime", (0.4, 1.0, 2.0))),
]


@pytest.mark.parametrize(("name", "at"), VANISHING, ids=str)
def test_second_derivatives_at_shapes_where_a_power_vanishes(name, at):
    function, plain = (getattr(made, name).logpdf for made in (traced, stats))
    case = Case(Program(name, function, plain, at, frozenset()))
    case.require(DERIVATIVES["forward-reverse"](case.line(function)))


# The name, the method, and where a probability or its density underflows, or is 1
FAR = [
    ("weibull_min", "logsf", (3.25, 19.2)),
    ("weibull_max", "logcdf", (-3.25, 19.2)),
    ("invweibull", "logcdf", (0.42, 7.3)),
    ("gumbel_l", "logsf", (119.8,)),
    ("gumbel_r", "logcdf", (-60.0,)),
    ("genextreme", "logcdf", (-9.0, -0.1)),
    ("genpareto", "logsf", (800.0, 1e-4)),
    ("gompertz", "logsf", (5.0, 3.5)),
    ("rayleigh", "logsf", (1e9,)),
    ("burr", "logcdf", (0.037, 15.9, 41.0)),
    ("burr12", "logsf", (3.9, 56.1, 27.6)),
    ("lomax", "logsf", (9.0, 500.0)),
    ("pareto", "logsf", (9.0, 300.0)),
    ("powerlaw", "logcdf", (0.03, 296.0)),
    ("powernorm", "logsf", (177.0, 10.6)),
    ("powerlognorm", "logsf", (3.6, 204.0, 0.14)),
    ("lognorm", "logsf", (320.0, 0.024)),
    ("lognorm", "logcdf", (0.026, 0.053)),
    ("exponweib", "logsf", (2.1, 3.0, 5.0)),
    ("exponweib", "logcdf", (0.01, 45.0, 3.0)),
    ("exponpow", "logsf", (2.3, 2.2)),
    ("genlogistic", "logcdf", (-500.0, 2.4)),
    ("kappa3", "logsf", (89.3, 26.2)),
    ("truncweibull_min", "logsf", (2.9, 6.0, 0.8, 200.0)),
    ("planck", "logsf", (258.0, 11.75)),
    ("ncx2", "logsf", (282.0, 0.73, 0.39)),
    ("betaprime", "ppf", (0.1, 0.04, 1.1)),
    ("betaprime", "isf", (1e-3, 14.8, 0.25)),
    ("loggamma", "logcdf", (-900.0, 0.018)),
    ("f", "sf", (7e15, 0.7, 0.26)),
    *(("norm", "logsf", (40.0,)), ("norm", "logcdf", (-40.0,)), ("norm", "sf", (12.0,))),
    ("erlang", "logpdf", (2.3, 4.0)),
    ("erlang", "cdf", (1.7, 2.0)),
]


@pytest.mark.filterwarnings("ignore:The shape parameter of the erlang")
@pytest.mark.parametrize(("name", "method", "args"), FAR, ids=str)
def test_far_in_the_tails(name, method, args):
    distribution = getattr(stats, name)
    moves = [*range(1 if isinstance(distribution, stats.rv_discrete) else 0, len(args))]
    if name == "ncx2":
        moves.remove(1)  # by df there is no derivative
    with np.errstate(divide="raise", invalid="raise", over="ignore"):
        traced_method = getattr(traced.Distribution(distribution), method)
        found = grad(traced_method, argnums=tuple(moves))(*args)
    for place, slope_found in zip(moves, found, strict=True):
        expected = slope(getattr(distribution, method), args, place, 1e-4 * abs(args[place]))
        assert np.isclose(slope_found, expected, rtol=1e-6, atol=0), place


def unknown(family):
    """The shapes by which the table has no second derivative of the log-density."""
    names = methods.shape_names(getattr(stats, family.name))
    known = {name for name, text in family.tables["log_density"].items() if "ve_by_v" not in text}
    return {name for name in names if name not in known}


def test_outside_of_the_support_derivatives_are_zero():
    for method in ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf"):
        bars = rrule(getattr(stats.gamma, method), -1.0, 2.0, 0.1, 1.5)[1](1.0)
        assert all(bar == 0 for bar in bars), method
    assert grad(lambda p: traced.binom.logpmf(1.5, 6, p))(0.4) == 0  # no whole number
    assert grad(lambda x: traced.beta.cdf(x, 2.0, 3.0))(1.5) == 0


def test_parameters_of_no_distribution_give_nan():
    assert np.isnan(grad(lambda x: traced.norm.logpdf(x, 0.0, -1.0))(0.5))
    assert np.isnan(grad(lambda a: traced.gamma.logpdf(0.5, a))(-1.0))


def test_distributions_are_in_the_tables_or_have_a_reason():
    found = {name: getattr(stats, name) for name in stats.__all__}
    every = {
        name
        for name, each in found.items()
        if isinstance(each, stats.rv_continuous | stats.rv_discrete)
    }
    assert {name for name in every if type(found[name]) not in samples.FAMILIES} == every & listed(
        "no known density", "scipy.stats"
    ).keys()


def test_a_misspelt_name_fails_where_a_distribution_is_declared():
    before = dict(declared.FAMILIES)
    with pytest.raises(ExpressionError) as caught:
        declared.declare_family("gamma", {"x": "1 + psii(a)"}, "1.0")
    assert caught.value.name == "psii"
    assert caught.value.column == 4
    assert "    1 + psii(a)\n        ^^^^\n" in str(caught.value)
    assert "psi" in caught.value.instead
    with pytest.raises(ExpressionError):  # a distribution has no output beside its density
        declared.declare_family("gamma", {"x": "1.0"}, "1.0", cdf={"a": "out * a"})
    with pytest.raises(ExpressionError):
        declared.declare_family("gamma", {"x": "part"}, "1.0", given={"part": "x.real"})
    assert before == declared.FAMILIES


SHORT = {
    "a number": np.array(2.0),
    "rows of one": np.array([[1.0, 2.0, 3.0]]),
    "rows of none": np.ones((0, 3)),
}


@pytest.mark.parametrize("x", SHORT.values(), ids=SHORT)
@pytest.mark.parametrize("f", [stats.gmean, stats.hmean, stats.variation, stats.moment])
@pytest.mark.filterwarnings("ignore")  # SciPy's, of samples that are too small
def test_statistics_of_one_number_or_none(f, x):
    """The deviation of one number does not move."""
    slope = 1.0 if f in (stats.gmean, stats.hmean) else 0.0
    y, pullback = rrule(f, x)
    np.testing.assert_allclose(pullback(np.ones_like(y))[0], np.full(x.shape, slope), rtol=1e-15)
    if x.size:
        y_dot = frule((x,), f, x)[1]
        np.testing.assert_allclose(y_dot, slope * np.reshape(x, y.shape), rtol=1e-15)


def test_one_number_for_all_coordinates_of_a_point():
    """SciPy broadcasts a point against the mean, and a diagonal against nothing."""
    normal, mean = stats.multivariate_normal, np.array([0.5, -0.3])
    cov = np.array([[1.2, 0.3], [0.3, 0.9]])
    for x in (0.4, np.array([0.4]), np.array([[0.4], [0.1], [-0.2]])):
        check_rule(NORMAL.logpdf, normal, x, mean, cov, settings=Settings(fixed=(3,)))


def test_the_probability_of_an_octant_moves_with_the_angles():
    """1/8, and the sum of arcsin of the correlations over 4 pi: W. F. Sheppard (1899)."""
    cov = np.array([[2.0, 0.5, 0.3], [0.5, 1.0, -0.2], [0.3, -0.2, 1.5]])

    def by_angles(cov):
        scale = 1 / np.sqrt(np.diagonal(cov))
        correlations = (cov * np.outer(scale, scale))[np.tril_indices(3, -1)]
        return 1 / 8 + np.sum(np.arcsin(correlations)) / (4 * np.pi)

    found = grad(lambda cov: traced.multivariate_normal.cdf(np.zeros(3), None, cov))(cov)
    expected = grad(by_angles)(cov)
    np.testing.assert_allclose(found, (expected + expected.T) / 2, atol=1e-12)


def test_limits_beyond_all_numbers_leave_a_coordinate_out():
    limits, cov = np.array([0.3, np.inf, 0.1]), np.diag([2.0, 3.0, 4.0]) + 0.5
    slopes = grad(lambda x: traced.multivariate_normal.cdf(x, None, cov))(limits)
    others = grad(lambda x: traced.multivariate_normal.cdf(x, None, cov[::2, ::2]))(limits[::2])
    np.testing.assert_allclose(slopes, [others[0], 0.0, others[1]], rtol=1e-5)


def test_the_second_derivative_of_a_harmonic_mean_with_a_zero():
    """As of precision and recall, 2 p r / (p + r): -4 / r and 0, with p at 0."""
    bend = jvp(grad(lambda x: traced.hmean(x)), (np.array([0.0, 0.5]),), (np.array([1.0, 0.0]),))[1]
    np.testing.assert_allclose(bend, [-8.0, 0.0])
