"""Draws of numpy.random, differentiated at the state that the generator is in: against differences
of draws from the same state, where a draw is one formula of its parameters; else against those of
distribution functions, and of means.
"""

import numpy as np
import pytest
from scipy import special, stats

from chainrules_py import NO_TANGENT, NotDifferentiableError, OptionError, frule, rrule
from chainrules_py.rulesets.draws import (
    CONSTANTS,
    DRAWS,
    OF_SCIPY,
    UNKNOWN,
    WHOLE_NUMBERS,
    draws_of,
)
from chainrules_tape import grad, hessian, vmap
from chainrules_tape.core.levels import call_traced
from product.judge import Case
from product.programs import Program
from product.ways import DERIVATIVES, WHOLE
from slopes import along, quotients

SOURCES = [lambda: np.random.default_rng(5), lambda: np.random.RandomState(5)]
each_source = pytest.mark.parametrize("new", SOURCES, ids=["Generator", "RandomState"])
X = np.random.default_rng(1).normal(size=(4, 3))
OF_DATA = {
    "permutation": ("permutation", X, {}),
    "permutation of a vector": ("permutation", X[:, 0], {}),
    "permutation along an axis": ("permutation", X, {"axis": 1}),
    "permuted": ("permuted", X, {}),
    "permuted along an axis": ("permuted", X, {"axis": 0}),
    "choice": ("choice", X[:, 0], {"size": 6}),
    "choice of one": ("choice", X[:, 0], {}),
    "choice of a matrix": ("choice", X[:, 0], {"size": (2, 3)}),
    "choice without replacement": ("choice", X[:, 0], {"size": 3, "replace": False}),
    "choice by weights": ("choice", X[:, 0], {"size": 5, "p": [0.1, 0.2, 0.3, 0.4]}),
    "choice of rows": ("choice", X, {"size": 5}),
    "choice of columns": ("choice", X, {"size": 2, "axis": 1, "shuffle": False}),
}
OF_PARAMETERS = {
    f"{name}, {shapes}": (name, parameters, options)
    for name in ("normal", "laplace", "logistic", "gumbel", "uniform", "lognormal")
    for shapes, parameters, options in (
        ("numbers", (0.3, 1.4), {}),
        ("numbers, many", (0.3, 1.4), {"size": (2, 3)}),
        ("arrays", (X[0], np.abs(X[:2]) + 1.0), {}),
        ("array and number", (X[0], 1.4), {"size": (2, 3)}),
        ("the first alone", (0.3,), {"size": 4}),
    )
}
OF_PARAMETERS |= {
    f"{name}, {shapes}": (name, parameters, options)
    for name in ("exponential", "rayleigh", "weibull", "pareto", "power")
    for shapes, parameters, options in (
        ("number", (1.4,), {}),
        ("array", (np.abs(X[0]) + 0.5,), {"size": (2, 3)}),
    )
}
OF_PARAMETERS |= {
    f"triangular, {shapes}": ("triangular", parameters, options)
    for shapes, parameters, options in (
        ("numbers", (-0.4, 0.6, 1.4), {"size": 7}),
        ("arrays", (X[0], X[0] + np.abs(X[1]), X[0] + np.abs(X[1:3]) + 2.0), {}),
    )
}
OF_PARAMETERS |= {
    f"multivariate_normal, {shapes}": ("multivariate_normal", (X[0], X), options)
    for shapes, options in (
        ("one", {}),
        ("many", {"size": (2, 3), "check_valid": "ignore"}),
        ("by Cholesky", {"size": 4, "method": "cholesky"}),
        ("by eigenvalues", {"size": 4, "method": "eigh"}),
    )
}
CALLS = {name: (draw, (x,), options) for name, (draw, x, options) in OF_DATA.items()}
CALLS |= OF_PARAMETERS


def bound(new, name):
    source = new()
    if not hasattr(source, name):
        pytest.skip("the legacy state has no such method")
    return getattr(source, name)


def skip_what_is_not_there(new, args, options):
    is_legacy = isinstance(new(), np.random.RandomState)
    if is_legacy and (
        {"axis", "shuffle", "method"} & options.keys()
        or ("size" in options and np.ndim(args[0]) == 2)
    ):
        pytest.skip("the legacy state has no such call")


@each_source
@pytest.mark.parametrize("name", CALLS)
def test_draws_from_the_same_state(new, name):
    draw, args, options = CALLS[name]
    skip_what_is_not_there(new, args, options)
    bound(new, draw)
    of_covariance = (lambda x: x.T @ x) if draw == "multivariate_normal" else lambda x: x

    def plain(*args):
        return getattr(new(), draw)(*args[:1], *map(of_covariance, args[1:]), **options)

    def traced(*args):
        return call_traced(
            getattr(type(new()), draw), (new(), *args[:1], *map(of_covariance, args[1:])), options
        )

    case = Case(Program(name, traced, plain, args, frozenset({"classed"})))
    for way in ("pullback", "pushforward"):
        WHOLE[way](case)
    for order in ("forward-reverse", "series"):
        case.require(DERIVATIVES[order](case.line(traced)))
    one, other = new(), new()
    plain_args = args[:1] + tuple(map(of_covariance, args[1:]))
    getattr(one, draw)(*plain_args, **options)
    rrule(getattr(other, draw), *plain_args, **options)
    assert one.standard_normal() == other.standard_normal()


# The parameters, and the distribution that they mean.
DISTRIBUTIONS = {
    "standard_gamma": ((2.3,), stats.gamma),
    "standard_gamma, small": ((0.04,), stats.gamma),
    "standard_gamma, large": ((2000.0,), stats.gamma),
    "gamma": ((0.7, 2.0), lambda shape, scale: stats.gamma(shape, scale=scale)),
    "chisquare": ((3.5,), stats.chi2),
    "standard_t": ((3.0,), stats.t),
    "beta": ((1.5, 0.4), stats.beta),
    "beta, large": ((150.0, 40.0), stats.beta),
    "noncentral_chisquare": ((2.5, 1.5), stats.ncx2),
    "noncentral_chisquare, far off": ((0.8, 300.0), stats.ncx2),
    "wald": ((1.5, 0.6), lambda mean, scale: stats.invgauss(mean / scale, scale=scale)),
    "wald, narrow": ((1.5, 4e3), lambda mean, scale: stats.invgauss(mean / scale, scale=scale)),
    "vonmises": ((0.0, 1.7), lambda mu, kappa: stats.vonmises(kappa)),
    "vonmises, narrow": ((0.0, 1e3), lambda mu, kappa: stats.vonmises(kappa)),
}
MOVING = [
    pytest.param(name, position, id=f"{name}-{position}")
    for name, (parameters, _) in DISTRIBUTIONS.items()
    for position in range(len(parameters))
    if not (name.startswith("vonmises") and position == 0)
]


@each_source
@pytest.mark.parametrize(("name", "position"), MOVING)
def test_the_probability_below_a_draw_stays(new, name, position):
    parameters, distribution = DISTRIBUTIONS[name]
    draw, h = bound(new, name.partition(",")[0]), 1e-4 * parameters[position]
    dots = tuple(float(k == position) for k in range(len(parameters)))
    y, y_dot = frule(dots, draw, *parameters, size=200)
    assert y.tolist() == bound(new, name.partition(",")[0])(*parameters, size=200).tolist()

    below = along(lambda *moved: distribution(*moved).cdf(y), parameters, position)
    density = distribution(*parameters).pdf(y)
    expected = -quotients(below, parameters[position], h) / density
    # a distribution function has an error of its own, which counts for more at the ends
    error = 1e-10 / h / density * 1e-3
    np.testing.assert_array_less(abs(y_dot - expected), 1e-6 * abs(expected) + error + 1e-9)


# The parameters; a function of a draw, with its derivative; its mean. Of draws, and parameters, of which
# no distribution function says more.
MEANS = {
    "f": ((3.0, 9.0), lambda y: (y, 1.0), lambda m, n: n / (n - 2) + 0.0 * m),
    "f, squared": (
        (3.0, 12.0),
        lambda y: (y**2, 2 * y),
        lambda m, n: (n / m) ** 2 * m * (m + 2) / ((n - 2) * (n - 4)),
    ),
    "vonmises": (
        (0.4, 1.7),
        lambda y: (np.cos(y), -np.sin(y)),
        lambda mu, kappa: np.cos(mu) * special.i1(kappa) / special.i0(kappa),
    ),
}


@pytest.mark.parametrize("name", MEANS)
def test_a_mean_moves_by_the_mean_of_the_derivatives(name):
    parameters, function, mean = MEANS[name]
    rng = np.random.default_rng(3)
    for position, a in enumerate(parameters):
        dots = tuple(float(k == position) for k in range(len(parameters)))
        draw = getattr(rng, name.partition(",")[0])
        y, y_dot = frule(dots, draw, *parameters, size=20_000)
        slopes = function(y)[1] * y_dot
        expected = quotients(along(mean, parameters, position), a)
        error = np.std(slopes) / np.sqrt(slopes.size)
        assert abs(np.mean(slopes) - expected) < 4 * error + 1e-8


@pytest.mark.one_in(3)
@each_source
@pytest.mark.parametrize("alpha", [[0.7, 2.0, 1.2], [0.05, 0.09, 0.02], np.linspace(0.5, 3, 9)])
def test_dirichlet(new, alpha):
    alpha, count = np.array(alpha), 10_000
    y, pullback = rrule(bound(new, "dirichlet"), alpha, size=(2, count // 2))
    np.testing.assert_array_equal(y, bound(new, "dirichlet")(alpha, size=(2, count // 2)))
    # of each draw by itself, of which the mean is that of its derivatives
    (alpha_bar,), slope = pullback(np.eye(alpha.size)[0] + 0.0 * y), []
    expected = quotients(lambda alpha: (alpha / alpha.sum())[0], alpha)
    for k in range(alpha.size):
        _, y_dot = frule((np.eye(alpha.size)[k],), bound(new, "dirichlet"), alpha, size=count)
        assert np.sum(y_dot, axis=-1) == pytest.approx(0.0, abs=1e-12)
        error = np.std(y_dot[:, 0]) / np.sqrt(count)
        assert abs(np.mean(y_dot[:, 0]) - expected[k]) < 4 * error + 1e-8
        slope.append(np.sum(y_dot[:, 0]))
    np.testing.assert_allclose(alpha_bar, slope, rtol=1e-9)


def of_parameters(name, *parameters, seed=1, **options):
    """A draw of a new generator, as an operation of the tape."""
    draw = getattr(np.random.Generator, name.partition(",")[0])
    return call_traced(draw, (np.random.default_rng(seed), *parameters), options)


SECOND = [name for name in DISTRIBUTIONS if name not in ("beta, large", "standard_gamma, small")]


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name):
    parameters, distribution = DISTRIBUTIONS[name]
    point = np.array(parameters)
    found = hessian(lambda p: of_parameters(name, *p))(point)
    y = of_parameters(name, *parameters)
    below = distribution(*parameters).cdf(y)

    def quantile(p):
        return distribution(*p).ppf(below)

    steps = 2e-3 * np.diag(point)
    moving = range(name.startswith("vonmises"), point.size)
    for j in moving:
        for k in moving:
            corners = [
                s * t * quantile(point + s * steps[j] + t * steps[k])
                for s in (-1, 1)
                for t in (-1, 1)
            ]
            expected = sum(corners) / (4 * steps[j, j] * steps[k, k])
            size = abs(y) / (point[j] * point[k])
            assert found[j, k] == pytest.approx(expected, rel=1e-3, abs=1e-4 * size)


ONE_FORMULA = {
    name: parameters
    for name, parameters, options in OF_PARAMETERS.values()
    if not options and all(np.ndim(x) == 0 for x in parameters)
}


IN_LANES = {
    **{name.partition(",")[0]: parameters for name, (parameters, _) in DISTRIBUTIONS.items()},
    **ONE_FORMULA,
    "f": (3.0, 9.0),
    "triangular": (0.0, 1.0, 3.0),
    "dirichlet": (np.array([2.0, 0.7]),),
    "permutation": (X[:, 0],),
    "permuted": (X[:, 0],),
    "choice": (X[:, 0],),
}


@pytest.mark.parametrize("name", IN_LANES)
def test_each_of_many_examples_has_a_draw_of_its_own(name):
    lanes = [np.stack([x, x * 1.1, x * 1.2]) for x in IN_LANES[name]]
    draw = getattr(np.random.Generator, name)

    def drawn(rng):
        def value(*parameters):
            y = call_traced(draw, (rng, *parameters), {})
            return y if np.ndim(y) == 0 else y[0]

        return value

    positions = tuple(range(len(lanes)))
    one, many = drawn(np.random.default_rng(1)), drawn(np.random.default_rng(1))
    alone = [one(*x) for x in zip(*lanes, strict=True)]
    np.testing.assert_array_equal(vmap(many)(*lanes), alone)
    one, many = (grad(drawn(np.random.default_rng(1)), argnums=positions) for _ in range(2))
    alone = [one(*x) for x in zip(*lanes, strict=True)]
    for found, expected in zip(vmap(many)(*lanes), zip(*alone, strict=True), strict=True):
        np.testing.assert_allclose(found, np.stack(expected), rtol=1e-12)


@pytest.mark.parametrize("name", ["normal", "gamma", "beta", "weibull", "uniform"])
def test_derivatives_by_parameters_of_single_precision_are_of_that(name):
    draw = getattr(np.random.default_rng(1), name)
    parameters = np.float32([0.5, 0.7]), np.float32([1.5, 2.0])
    parameters = parameters[: 1 if name == "weibull" else 2]
    y, pullback = rrule(draw, *parameters)
    single = pullback(y)
    draw = getattr(np.random.default_rng(1), name)
    double = rrule(draw, *(x.astype(float) for x in parameters))[1](y)
    for bar, expected in zip(single, double, strict=True):
        assert bar.dtype == np.float32
        np.testing.assert_allclose(bar, expected, rtol=1e-6)


@each_source
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        *(("normal", (0.0, -1.0)), ("gamma", (-1.0, 2.0)), ("chisquare", (0.0,))),
        *(("exponential", (-1.0,)), ("dirichlet", ([-1.0, 1.0],)), ("f", (0.0, 1.0))),
        ("multivariate_normal", (np.ones(2), np.ones(2))),
    ],
)
def test_parameters_of_no_distribution_are_refused_as_by_numpy(new, name, parameters):
    parameters = [np.array(x) if type(x) is list else x for x in parameters]
    with pytest.raises(ValueError) as expected:  # noqa: PT011, whatever NumPy says
        bound(new, name)(*parameters)
    with pytest.raises(ValueError) as found:  # noqa: PT011
        rrule(bound(new, name), *parameters)
    assert str(found.value) == str(expected.value)


def test_an_array_to_write_into_is_refused():
    rng, x = np.random.default_rng(1), np.ones(3)
    with pytest.raises(OptionError, match="leave it out"):
        rrule(rng.permuted, x, out=x)


REFUSED = {
    "noncentral_f": ((2.5, 3.0, 1.0), "no derivative by it yet"),
    "shuffle": ((X[0],), r"permutation\(x\) returns the order"),
    "poisson": ((2.5,), "whole numbers jumps"),
    "binomial": ((3, 0.4), "whole numbers jumps"),
}


@each_source
@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_is_refused(new, name):
    args, reason = REFUSED[name]
    with pytest.raises(NotDifferentiableError, match=reason):
        rrule(bound(new, name), *args)
    dots = tuple(np.ones_like(x) if np.result_type(x).kind == "f" else NO_TANGENT for x in args)
    with pytest.raises(NotDifferentiableError, match=reason):
        frule(dots, bound(new, name), *args)


@each_source
def test_of_constants_all_draw(new):
    args = (2.5, 3.0, 1.0)
    y, pullback = rrule(bound(new, "noncentral_f"), *args, needs=(False, False, False))
    assert y == bound(new, "noncentral_f")(*args)
    assert pullback(1.0) == (NO_TANGENT,) * 3
    assert rrule(bound(new, "permutation"), 4)[0].tolist() == bound(new, "permutation")(4).tolist()
    assert rrule(bound(new, "choice"), 4, 2)[0].tolist() == bound(new, "choice")(4, 2).tolist()
    assert rrule(bound(new, "integers" if "integers" in dir(new()) else "randint"), 3, 9)[0] < 9
    assert rrule(bound(new, "standard_normal"), 3)[0].shape == (3,)


def test_each_method_that_draws_is_in_one_list():
    others = {"bit_generator", "spawn", "seed", "get_state", "set_state", "tomaxint"}
    others |= {"random_integers", "ranf", "sample"}
    for source in (np.random.Generator, np.random.RandomState):
        methods = {name for name in vars(source) if not name.startswith("_")}
        assert methods - others <= set(DRAWS)
    assert len(DRAWS) == len(set(DRAWS))
    assert len(draws_of((*CONSTANTS, *WHOLE_NUMBERS, *UNKNOWN, *OF_SCIPY))) > 45
