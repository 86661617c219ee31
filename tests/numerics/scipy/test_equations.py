"""Solutions of scipy.optimize and scipy.integrate against closed forms, in both modes.

The parameters come by `args` and as captured values.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate as scipys, optimize as optimizers

from chainrules_py import (
    ChainRulesError,
    NotDifferentiableError,
    OptionError,
    default_rules as RULES,
    primitive,
)
from chainrules_py.rulesets.scipy.integrate import nodes, quadrature, steps_at_once
from chainrules_tape import checkpoint, grad, hessian, jacobian, jvp, vmap
from chainrules_tape.scipy import integrate, optimize

POINT = np.array([1.3, 2.1])

ALL = (
    ("forward", "reverse"),
    ("reverse", "reverse"),
    ("reverse", "forward"),
    ("forward", "forward"),
)


def agree(found, exact, rtol=1e-6, second=ALL[:1], at=POINT):
    """Check both modes, and second derivatives in combinations of them, against a closed form."""
    first = jacobian(exact)(at)
    for mode in ("reverse", "forward"):
        assert np.allclose(jacobian(found, mode=mode)(at), first, rtol=rtol, atol=rtol), mode
    for outer, inner in second:
        towers = jacobian(jacobian(found, mode=inner), mode=outer)(at)
        assert np.allclose(towers, jacobian(jacobian(exact))(at), rtol=10 * rtol, atol=10 * rtol), (
            outer,
            inner,
        )


# --- Roots ---


def kepler(x, m, e):
    return x - e * np.sin(x) - m


ROOTS = {
    "root": lambda f, args, p: optimize.root(f, 1.0, args=args, tol=1e-14).x[0],
    "root krylov": (
        lambda f, args, p: optimize.root(f, 1.0, args=args, method="krylov", tol=1e-12).x
    ),
    "fsolve": lambda f, args, p: optimize.fsolve(f, 1.0, args, xtol=1e-14)[0],
    "root_scalar": lambda f, args, p: optimize.root_scalar(f, args=args, bracket=(0.0, 9.0)).root,
    "brentq": lambda f, args, p: optimize.brentq(f, 0.0, 9.0, args=args),
    "brenth": lambda f, args, p: optimize.brenth(f, 0.0, 9.0, args),
    "bisect": lambda f, args, p: optimize.bisect(f, 0.0, 9.0, args=args),
    "ridder": lambda f, args, p: optimize.ridder(f, 0.0, 9.0, args=args),
    "toms748": lambda f, args, p: optimize.toms748(f, 0.0, 9.0, args=args),
    "newton": lambda f, args, p: optimize.newton(f, 1.0, args=args),
    "fixed_point": lambda f, args, p: optimize.fixed_point(
        lambda x, *rest: x - f(x, *rest), 1.0, args=args
    ),
}


@pytest.mark.parametrize("captured", [False, True], ids=["args", "captured"])
@pytest.mark.parametrize("name", ROOTS)
def test_roots_of_keplers_equation(name, captured):
    def found(p):
        e = 0.1 * p[1]
        args = () if captured else (p[0], e)
        return ROOTS[name]((lambda x: kepler(x, p[0], e)) if captured else kepler, args, p)

    x = found(POINT)
    e, slope = 0.21, 1 - 0.21 * np.cos(x)
    exact = np.array([1, 0.1 * np.sin(x)]) / slope
    for mode in ("reverse", "forward"):
        assert np.allclose(jacobian(found, mode=mode)(POINT), exact, rtol=1e-7)
    if name in ("root", "brentq"):
        by_m = -e * np.sin(x) / slope**3
        assert np.allclose(hessian(found)(POINT)[0, 0], by_m, rtol=1e-6)
        assert np.allclose(
            jacobian(jacobian(found, mode="forward"), mode="reverse")(POINT)[0, 0], by_m, rtol=1e-6
        )


def test_an_array_of_roots_and_functions_that_return_lists():
    found = jacobian(lambda a: optimize.newton(lambda x, a: x * x - a, np.ones(2), args=(a,)))
    assert np.allclose(found(np.array([4.0, 9.0])), np.diag([1 / 4, 1 / 6]))
    agree(
        lambda p: (
            optimize.root(
                lambda x: [x[0] + x[1] - p[0], x[0] * x[1] * 0 + x[0] - x[1] - p[1]], [0, 0]
            ).x
        ),
        lambda p: np.stack([p[0] + p[1], p[0] - p[1]]) / 2,
        second=(),
    )


def given_jacobians(count):
    """The equation of a chain of springs, its derivative by x, and a list of its pulls."""
    beside = np.eye(count, k=1) + np.eye(count, k=-1)
    pulls = []

    @primitive
    def cubed(x):
        return x**3

    @RULES.rrule.register(cubed)
    def cubed_rrule(x):
        return x**3, lambda y_bar: (pulls.append(1) or 3 * x**2 * y_bar,)

    RULES.frule.register(cubed)(lambda dots, x: (x**3, 3 * x**2 * dots[0]))
    return (
        lambda x, a: a * x + cubed(x) - 0.2 * (beside @ x) - 1,
        lambda x, a: np.diag(a + 3 * x**2) - 0.2 * beside,
        pulls,
    )


@pytest.mark.parametrize(("factor", "most"), [(1.0, 3), (1 + 1e-5, 6), (3.0, 30)])
def test_a_given_jacobian_takes_the_place_of_its_columns_unless_it_is_wrong(factor, most):
    force, slope, pulls = given_jacobians(12)
    a = np.linspace(1.0, 2.0, 12)
    wrong = lambda x, a: factor * slope(x, a)  # noqa: E731
    calls = {
        "columns": lambda a: optimize.root(force, np.zeros(12), args=(a,), tol=1e-12).x,
        "root": lambda a: optimize.root(force, np.zeros(12), args=(a,), jac=wrong, tol=1e-12).x,
        "beside": (
            lambda a: (
                optimize.root(
                    lambda x, a: (force(x, a), wrong(x, a)), np.zeros(12), (a,), jac=True, tol=1e-12
                ).x
            )
        ),
        "fsolve": lambda a: optimize.fsolve(force, np.zeros(12), (a,), fprime=wrong, xtol=1e-12),
        "minimize": lambda a: (
            optimize.minimize(
                lambda x, a: (
                    0.5 * x @ (a * x) + 0.25 * np.sum(x**4) - 0.2 * x[1:] @ x[:-1] - np.sum(x)
                ),
                *(np.zeros(12), (a,), "Newton-CG"),
                jac=force,
                hess=wrong if factor < 2 else slope,
                tol=1e-9,
            ).x
        ),
    }
    exact = -calls["columns"](a) * np.linalg.solve(slope(calls["columns"](a), a), np.ones(12))
    for name, found in calls.items():
        pulls.clear()
        assert np.allclose(grad(lambda a, found=found: np.sum(found(a)))(a), exact, rtol=1e-6), name
        assert len(pulls) <= most or name == "columns", name
        assert np.allclose(jvp(found, (a,), (np.ones(12),))[1].sum(), exact.sum(), rtol=1e-6), name
    pulls.clear()
    grad(lambda a: np.sum(calls["columns"](a)))(a)
    assert len(pulls) > 12


def test_columns_of_many_unknowns_are_computed_in_lanes():
    force, slope, pulls = given_jacobians(30)
    a = np.linspace(1.0, 2.0, 30)
    solved = lambda a: optimize.root(force, np.zeros(30), args=(a,), tol=1e-12).x  # noqa: E731
    exact = -solved(a) * np.linalg.solve(slope(solved(a), a), np.ones(30))
    assert np.allclose(grad(lambda a: np.sum(solved(a)))(a), exact, rtol=1e-8)
    assert len(pulls) <= 3


def test_an_equation_that_takes_no_lanes_has_its_columns_one_by_one():
    def by_branches(x, a):
        return np.stack([a * v + v**3 - 1 if v < 5 else v for v in x])

    solved = lambda a: optimize.root(by_branches, np.zeros(20), args=(a,), tol=1e-12).x  # noqa: E731
    x = solved(1.3)
    found = grad(lambda a: np.sum(solved(a)))(1.3)
    assert np.isclose(found, -np.sum(x / (1.3 + 3 * x**2)), rtol=1e-9)
    assert np.isclose(jvp(solved, (1.3,), (1.0,))[1].sum(), found, rtol=1e-9)


# --- Minima ---

TIGHT = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}


def bowl(x, p):
    return (x[0] - p[0]) ** 2 + 0.5 * (x[1] - p[0] * p[1]) ** 2


def minimum(p, **options):
    tols = {"L-BFGS-B": {"ftol": 1e-15, "gtol": 1e-11}, "SLSQP": {"ftol": 1e-15}}.get(
        options.get("method"), {"gtol": 1e-9}
    )
    return optimize.minimize(
        bowl, [0.1, 0.1], args=(p,), jac=lambda x, p: grad(bowl)(x, p), options=tols, **options
    )


def test_a_free_minimum_and_its_value():
    agree(lambda p: minimum(p).x, lambda p: np.stack([p[0], p[0] * p[1]]), second=ALL)
    assert np.allclose(
        grad(lambda p: minimum(p, method="SLSQP", bounds=[(None, p[0] / 2), (0, None)]).fun)(POINT),
        [0.65, 0],
        atol=1e-6,
    )


def test_minima_under_constraints_that_hold():
    sides = {"method": "L-BFGS-B"}
    agree(
        lambda p: minimum(p, bounds=[(None, p[0] / 2), (0, None)], **sides).x,
        lambda p: np.stack([p[0] / 2, p[0] * p[1]]),
    )
    agree(
        lambda p: minimum(p, bounds=[(-9, 9), (-9, 9)], **sides).x,
        lambda p: np.stack([p[0], p[0] * p[1]]),
        second=(),
    )

    def on_line(p):  # x + y = p1, to which the minimum is moved along the gradient
        line = [
            {"type": "eq", "fun": lambda x: x[0] + x[1] - p[1]},
            {"type": "ineq", "fun": lambda x: 9.0 - x[0]},
        ]
        return minimum(p, method="SLSQP", constraints=line).x

    def exact(p):
        gap = (p[1] - p[0] - p[0] * p[1]) / 3
        return np.stack([p[0] + gap, p[0] * p[1] + 2 * gap])

    agree(on_line, exact)
    agree(
        lambda p: (
            minimum(
                p,
                method="SLSQP",
                constraints={"type": "ineq", "fun": lambda x, c: c - x[0] - x[1], "args": (p[1],)},
            ).x
        ),
        exact,
        second=(),
    )


def test_minima_under_constraints_that_are_objects():
    def exact(p):
        gap = (p[1] - p[0] - p[0] * p[1]) / 3
        return np.stack([p[0] + gap, p[0] * p[1] + 2 * gap])

    linear, general = optimize.LinearConstraint, optimize.NonlinearConstraint
    for constraint in (
        lambda p: linear(np.ones((1, 2)), p[1], p[1]),
        lambda p: [
            linear(np.eye(2), -np.inf, 9.0),
            linear(np.stack([p[1:] / p[1], np.ones(1)], axis=1), -np.inf, p[1]),
        ],
        lambda p: general(lambda x: (x[0] + x[1]) / p[1], -np.inf, 1.0),
        lambda p: (
            general(
                lambda x: np.stack([x[0] + x[1], x[0]]),
                [-9.0, -9.0],
                np.stack([p[1], 0 * p[1] + 9.0]),
            ),
        ),
    ):
        agree(
            lambda p, c=constraint: minimum(p, method="SLSQP", constraints=c(p)).x,
            exact,
            second=ALL[:1],
        )


def test_minima_of_one_unknown():
    def f(x, p):
        return np.cosh(x - p[0] * p[1])

    agree(lambda p: optimize.minimize_scalar(f, args=(p,)).x, lambda p: p[0] * p[1])
    inner = {"bounds": (0.0, 9.0), "method": "bounded", "options": {"xatol": 1e-9}}
    agree(
        lambda p: optimize.minimize_scalar(f, args=(p,), **inner).x,
        lambda p: p[0] * p[1],
        second=(),
    )
    agree(
        lambda p: optimize.minimize_scalar(f, bounds=(0.0, p[1] / 2), args=(p,)).x,
        lambda p: p[1] / 2,
        second=(),
    )


TIMES = np.linspace(0.0, 2.0, 7)
DATA = np.exp(-1.1 * TIMES) + 0.1 * np.sin(9 * TIMES)
BASIS = np.stack([np.ones(7), TIMES], axis=-1)


def test_least_squares_of_a_line():
    def exact(p):
        return np.linalg.lstsq(BASIS, p[0] * DATA**2 + p[1] * TIMES * DATA, rcond=None)[0]

    def data(p):
        return p[0] * DATA**2 + p[1] * TIMES * DATA

    agree(
        lambda p: optimize.least_squares(lambda x: BASIS @ x - data(p), [0.0, 0.0], **TIGHT).x,
        exact,
    )
    agree(
        lambda p: optimize.leastsq(lambda x, y: BASIS @ x - y, [0.0, 0.0], args=(data(p),))[0],
        exact,
        second=(),
    )
    agree(lambda p: optimize.curve_fit(lambda t, a, b: a + b * t, TIMES, data(p))[0], exact)
    agree(lambda p: optimize.lsq_linear(BASIS, data(p)).x, exact, second=())
    agree(
        lambda p: optimize.lsq_linear(BASIS, data(p)).cost,
        lambda p: 0.5 * np.sum((BASIS @ exact(p) - data(p)) ** 2),
        second=(),
    )
    free = np.array([0.9, 0.2])
    agree(
        lambda p: optimize.nnls(BASIS, p[0] * BASIS @ free + p[1] * TIMES)[0],
        lambda p: p[0] * free + np.stack([0.0, p[1]]),
    )
    agree(
        lambda p: optimize.nnls(BASIS, -p[0] * TIMES + p[1])[0],
        lambda p: np.stack([p[1] - p[0], 0.0]),
        second=(),
    )


@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan"])
def test_robust_losses_are_stationary(loss):
    def fit(p):
        return optimize.least_squares(
            lambda x, p: BASIS @ x - p * DATA,
            [0.5, -0.1],
            args=(p,),
            loss=loss,
            f_scale=0.1,
            **TIGHT,
            jac=lambda x, p: +BASIS,
        ).x

    step = 1e-3
    difference = (fit(1 + step) - fit(1 - step)) / (2 * step)
    assert np.allclose(jacobian(fit, mode="reverse")(1.0), difference, rtol=1e-5)
    assert np.allclose(jvp(fit, (1.0,), (1.0,))[1], difference, rtol=1e-5)


def fitted(module, p, sigma=None, **options):
    """The parameters and covariances of a decay, of data and points that depend on p."""
    return module.curve_fit(
        lambda t, a, b: a * np.exp(-b * t),
        TIMES * p[0],
        DATA * p[1] + 0.3 * TIMES * p[0] ** 2,
        (1.0, 3.0),
        sigma,
        jac=lambda t, a, b: np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], -1),
        ftol=1e-14,
        xtol=1e-14,
        **options,
    )


SPREAD = np.linspace(0.5, 1.5, 7)
RELATED = np.diag(SPREAD) + 0.1
UNCERTAIN = {
    "none": lambda m, p: fitted(m, p),
    "of each": lambda m, p: fitted(m, p, SPREAD + p[1] * TIMES),
    "absolute": lambda m, p: fitted(m, p, p[1] * SPREAD, absolute_sigma=True),
    "related": lambda m, p: fitted(m, p, p[0] * RELATED, absolute_sigma=True),
    "bounds": lambda m, p: fitted(m, p, bounds=(0.0, 9.0)),
    "a bound that holds": lambda m, p: fitted(m, p, SPREAD, bounds=([0.0, 2.0 * p[0]], 9.0)),
}


@pytest.mark.parametrize("name", UNCERTAIN)
def test_parameters_of_a_fit_and_their_covariances(name):
    call = UNCERTAIN[name]

    def both(module, p):
        found, spread = call(module, p)
        return np.concatenate([found, np.reshape(spread, -1)])

    def quotients(f, step):
        return np.stack([(f(POINT + e) - f(POINT - e)) / (2 * step) for e in step * np.eye(2)], -1)

    expected = quotients(lambda p: both(optimizers, p), 1e-3)
    for mode in ("reverse", "forward"):
        found = jacobian(lambda p: both(optimize, p), mode=mode)
        np.testing.assert_allclose(found(POINT), expected, rtol=2e-5, atol=2e-6)
    second = jacobian(found, mode="reverse")(POINT)
    np.testing.assert_allclose(second, quotients(found, 1e-3), rtol=1e-4, atol=1e-4)
    points = POINT + np.array([[0.0, 0.0], [0.1, -0.2]])
    one_by_one = [found(point) for point in points]
    np.testing.assert_allclose(vmap(found)(points), one_by_one, rtol=1e-9)


def tilted(x, a):
    return np.sum((x - a) ** 2) + x[0] * x[1]


LANES = {  # of which some are at a bound or on another branch
    "bounds": lambda a: optimize.minimize(tilted, np.zeros(2), (a,), bounds=[(0, 0.5), (0, 1)]).x,
    "value": lambda a: optimize.minimize(tilted, np.zeros(2), (a,), bounds=[(0, 0.5), (0, 1)]).fun,
    "constraints": lambda a: (
        optimize.minimize(
            *(tilted, np.zeros(2), (a,)),
            constraints={"type": "ineq", "fun": lambda x: 1 - x[0] - a * x[1]},
            options={"ftol": 1e-14},
        ).x
    ),
    "one unknown": lambda a: (
        optimize.minimize_scalar(
            lambda x: (x - a) ** 2 * np.exp(x * a), bounds=(0, 0.5), method="bounded"
        ).x
    ),
    "least squares": lambda a: (
        optimize.least_squares(lambda x: x**2 - a * np.array([1, 2]), np.ones(2), bounds=(0, 1.2)).x
    ),
    "a branch": lambda a: optimize.brentq(
        lambda x: x - a if x > 0.5 else x + 0.1 * x * x - a, 0.0, 5.0
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", LANES)
def test_minima_in_lanes_in_which_other_constraints_hold(name):
    call, points = LANES[name], np.array([0.2, 0.6, 3.0])
    for derivative in (jacobian, lambda f: jacobian(f, mode="forward"), None):
        found = call if derivative is None else derivative(call)
        each = [found(point) for point in points]
        np.testing.assert_allclose(vmap(found)(points), each, rtol=1e-12)
    of_all = jacobian(lambda points: np.sum(vmap(call)(points)))(points)
    each = [np.sum(jacobian(call)(point)) for point in points]
    np.testing.assert_allclose(of_all, each, rtol=1e-12)
    second = vmap(jacobian(jacobian(call)))(points)
    each = [jacobian(jacobian(call))(point) for point in points]
    np.testing.assert_allclose(second, each, rtol=1e-9, atol=1e-12)


# --- Integrals ---


def decay(x, a, b):
    return np.exp(-a * x) * np.cos(b * x)


def test_integrals_by_parameters_and_limits():
    agree(
        lambda p: integrate.quad(decay, 0.0, np.inf, args=(p[0], p[1]))[0],
        lambda p: p[0] / (p @ p),
        rtol=1e-7,
        second=(),
    )
    agree(
        lambda p: integrate.quad(lambda x: np.sin(x * p[0]), p[0], p[1] ** 2)[0],
        lambda p: (np.cos(p[0] ** 2) - np.cos(p[0] * p[1] ** 2)) / p[0],
        rtol=1e-7,
        second=(),
    )
    agree(
        lambda p: integrate.quad(lambda x: np.sin(x * p), 0.0, 1.0)[0],
        lambda p: (1 - np.cos(p)) / p,
        1e-7,
        ALL[::2],
        1.3,
    )
    agree(
        lambda p: integrate.quad_vec(lambda x: np.cos(x * p), 0.0, 1.0)[0],
        lambda p: np.sin(p) / p,
        rtol=1e-7,
    )
    double = lambda p: integrate.dblquad(  # noqa: E731
        lambda y, x: x * y * p[1], 0, p[0], lambda x: 0.0, lambda x: p[1] * x
    )[0]
    exact = lambda p: p[1] ** 3 * p[0] ** 4 / 8  # noqa: E731
    assert np.allclose(grad(double)(POINT), grad(exact)(POINT), rtol=1e-9)
    agree(
        lambda p: integrate.fixed_quad(lambda x: p[1] * x**2, 0.0, p[0])[0],
        lambda p: p[1] * p[0] ** 3 / 3,
        rtol=1e-9,
    )


def test_integrals_in_integrals_with_limits_that_are_functions():
    def found(module, p):
        return module.nquad(
            lambda x, y, c: c * np.exp(x * y),
            [lambda y, c: (c * y, p[0]), (0.0, p[1] / 3)],
            args=(p[1],),
        )[0]

    difference = [
        (found(scipys, POINT + e) - found(scipys, POINT - e)) / 2e-5 for e in 1e-5 * np.eye(2)
    ]
    assert np.allclose(grad(lambda p: found(integrate, p))(POINT), difference, rtol=1e-6)
    assert np.allclose(
        jvp(lambda p: found(integrate, p), (POINT,), (np.ones(2),))[1], sum(difference), rtol=1e-6
    )


def test_what_a_triple_integral_is_differentiated_as():
    limits = (0, 1.2, lambda x: 0.1, lambda x: 0.5 + x, lambda x, y: x * y, lambda x, y: 2.0)
    f = lambda z, y, x, c: c * x * y**2 * z  # noqa: E731
    composed = quadrature.as_triple_integral(f, *limits, (0.7,), quadrature="gk15", epsrel=1e-6)
    assert np.isclose(composed, scipys.tplquad(f, *limits, args=(0.7,))[0], rtol=1e-6)


INTEGRALS = {  # of limits that move, and of branches that are taken elsewhere in other examples
    "quad": lambda a: integrate.quad(lambda x: x * a if x > a else x * x, 0.0, 2.0)[0],
    "dblquad": lambda a: integrate.dblquad(
        lambda y, x: np.exp(x * a * y), 0.0, 1.7, 0.0, lambda x: x * a
    )[0],
    "nquad": lambda a: integrate.nquad(lambda y, x: x * a * np.cos(y), [(0, 1), (0, 2 * a)])[0],
    "tplquad": lambda a: integrate.tplquad(
        lambda z, y, x: a * x * y * z, 0.0, 1.5, 0.0, 1.0, 0.0, lambda x, y: a + x
    )[0],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals_in_lanes(name):
    call, points = lambda a: INTEGRALS[name](a) ** 2, np.array([0.2, 0.6])
    for mode in ("reverse", "forward"):
        found = jacobian(call, mode=mode)
        each = [found(point) for point in points]
        np.testing.assert_allclose(vmap(found)(points), each, rtol=1e-8)
        of_all = jacobian(lambda points: np.sum(vmap(call)(points)), mode=mode)(points)
        np.testing.assert_allclose(of_all, each, rtol=1e-8)
        weighted = jacobian(lambda a: call(a * np.ones(2)[0]) * np.arange(3.0), mode=mode)
        each = [weighted(point) for point in points]
        np.testing.assert_allclose(vmap(weighted)(points), each, rtol=1e-8)


@pytest.mark.parametrize("name", ["dblquad", "nquad"])
def test_second_derivatives_of_integrals_in_lanes(name):
    call, points = lambda a: INTEGRALS[name](a) ** 2, np.array([0.2, 0.6])
    second = jacobian(jacobian(call))
    each = [second(point) for point in points]
    np.testing.assert_allclose(vmap(second)(points), each, rtol=1e-9)


def test_a_complex_integrand():
    found = lambda a: np.abs(integrate.quad_vec(lambda x: np.exp(1j * a * x), 0.0, 1.0)[0]) ** 2  # noqa: E731
    exact = lambda a: np.abs((np.exp(1j * a) - 1) / (1j * a)) ** 2  # noqa: E731
    assert np.isclose(grad(found)(1.3 + 0.2j), grad(exact)(1.3 + 0.2j), rtol=1e-8)


# --- Differential equations ---

PRECISE = {"rtol": 1e-7, "atol": 1e-9}
LOGISTIC = np.array([0.3, 1.2, 2.0, 0.1, 1.7])  # value at the start, rate, capacity, start, end


def logistic(q, share):
    return q[2] / (1 + (q[2] / q[0] - 1) * np.exp(-q[1] * (q[4] - q[3]) * share))


def rate(t, y, r, capacity):
    return r * y * (1 - y / capacity)


def test_a_logistic_curve_by_everything():
    def at_end(q):
        return integrate.solve_ivp(rate, (q[3], q[4]), q[:1], args=(q[1], q[2]), **PRECISE).y[0, -1]

    def at_times(q):
        t = q[3] + np.array([0.0, 0.3, 0.9]) * (q[4] - q[3])
        return integrate.solve_ivp(
            lambda t, y: [rate(t, y[0], q[1], q[2])], (q[3], q[4]), q[:1], t_eval=t, **PRECISE
        ).y[0]

    def by_odeint(q):
        t = q[3] + np.array([0.0, 0.3, 0.9]) * (q[4] - q[3])
        return integrate.odeint(rate, q[0], t, args=(q[1], q[2]), tfirst=True)[:, 0]

    several = lambda q: np.stack([logistic(q, share) for share in (0.0, 0.3, 0.9)])  # noqa: E731
    agree(at_end, lambda q: logistic(q, 1.0), rtol=1e-6, second=(), at=LOGISTIC)
    agree(at_times, several, rtol=1e-6, second=(), at=LOGISTIC)
    agree(by_odeint, several, rtol=1e-6, second=(), at=LOGISTIC)


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"])
def test_each_method_on_a_rotation(method):
    def found(p):
        tolerances = {"rtol": 1e-6, "atol": 1e-8} if method in ("RK23", "BDF") else PRECISE
        field = lambda t, y, w, d: np.stack([-d * y[0] - w * y[1], w * y[0] - d * y[1]])  # noqa: E731
        return integrate.solve_ivp(
            field, (0.0, 1.5), np.array([1.0, 0.5]), method, args=(p[0], p[1] / 9), **tolerances
        ).y[:, -1]

    def exact(p):
        c, s = np.cos(1.5 * p[0]), np.sin(1.5 * p[0])
        return np.exp(-p[1] / 6) * np.stack([c - 0.5 * s, s + 0.5 * c])

    agree(found, exact, rtol=3e-5, second=())


@pytest.mark.parametrize("tower", ALL, ids="-".join)
def test_second_derivatives_of_solutions(tower):
    def found(p):
        field = lambda t, y: -p[1] * y * y  # noqa: E731
        return integrate.solve_ivp(field, (0.0, 0.5), p[:1], t_eval=[0.5], rtol=1e-5, atol=1e-7).y[
            0, 0
        ]

    agree(found, lambda p: p[0] / (1 + 0.5 * p[0] * p[1]), rtol=5e-5, second=[tower])


def test_complex_values_backwards_in_time():
    def found(p):
        field = lambda t, y: (1j * p[0] - 0.2 * p[1]) * y  # noqa: E731
        return (
            np.abs(
                integrate.solve_ivp(field, (2.0, 0.5), np.array([1 + 1j, 2j]) * p[0], **PRECISE).y[
                    :, -1
                ]
            )
            ** 2
        )

    agree(
        found, lambda p: np.array([2.0, 4.0]) * p[0] ** 2 * np.exp(0.6 * p[1]), rtol=1e-5, second=()
    )


def test_many_parameters_leave_the_state_its_precision():
    weights = np.full(10_000, 1e-4)
    found = grad(
        lambda w: integrate.solve_ivp(lambda t, y: -np.sum(w) * y, (0.0, 1.0), [1.0], args=None).y[
            0, -1
        ]
    )(weights)
    assert np.allclose(found, -np.exp(-1.0), rtol=2e-3)  # the solver's own tolerance is 1e-3


def test_observations_within_steps_cost_no_more_slopes():
    calls = []

    def field(t, y, w):
        calls.append(t)
        return w * np.sin(y) - y

    def found(times):
        calls.clear()
        slope = grad(
            lambda w: np.sum(
                integrate.solve_ivp(field, (0.0, 3.0), [1.0, 2.0], t_eval=times, args=(w,)).y ** 2
            )
        )(0.7)
        return slope, len(calls)

    few, many = found(np.array([2.9])), found(np.linspace(0.0, 2.9, 100))
    assert many[1] <= 1.3 * few[1]
    each = sum(found(np.array([t]))[0] for t in np.linspace(0.0, 2.9, 100))
    assert np.isclose(many[0], each, rtol=1e-3)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853"])
def test_a_point_of_rest_where_steps_are_longer_than_the_derivative_allows(method):
    """The solution stays at 1, which the solver follows in few steps; its derivatives decay and
    swing many times in each.
    """

    def found(p):
        field = lambda t, y: -p[0] * (y - 1) + (p[1] - 2.1) * np.cos(9 * t)  # noqa: E731
        times = np.linspace(0.1, 3.0, 7)
        y0 = np.stack([p[0] - 0.3, 1.0])
        return integrate.solve_ivp(
            field, (0.0, 3.0), y0, method, t_eval=times, rtol=1e-3, atol=1e-6
        ).y[0]

    t = np.linspace(0.1, 3.0, 7)
    swing = (1.3 * np.cos(9 * t) + 9 * np.sin(9 * t) - 1.3 * np.exp(-1.3 * t)) / (1.3**2 + 81)
    exact = np.stack([np.exp(-1.3 * t), swing], axis=1)
    for mode in ("reverse", "forward"):
        assert np.allclose(jacobian(found, mode=mode)(POINT), exact, atol=5e-3), mode


@pytest.mark.long
def test_checkpoints_hold_the_memory():
    import tracemalloc

    turn = np.repeat([1.0, -1.0], 150)

    def piece(y, w):
        return integrate.solve_ivp(
            lambda t, y, w: w * y[::-1] * turn, (0.0, 70.0), y, args=(w,), t_eval=[70.0]
        ).y[:, -1]

    def peak(step, pieces):
        def loss(w):
            y = np.repeat([1.0, 0.0], 150)
            for _ in range(pieces):
                y = step(y, w)
            return y[0]

        tracemalloc.start()
        try:
            return grad(loss)(1.0), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    (deep, kept), (light, flat) = peak(piece, 4), peak(checkpoint(piece), 4)
    assert np.isclose(light, deep, rtol=1e-9)
    more_kept, more_flat = kept - peak(piece, 2)[1], flat - peak(checkpoint(piece), 2)[1]
    assert more_flat < 0.4 * more_kept


# --- What is refused ---

REFUSED = {
    "maxfev": lambda a: optimize.root(kepler, 1.0, args=(a, 0.9), options={"maxfev": 2}).x[0],
    "singular": lambda a: optimize.brentq(lambda x: a * x**3, -1.0, 1.0),
    "found out on its way": lambda a: optimize.root(kepler, 1.0, args=(a, 0.5)).qtf[0],
    "full_output": lambda a: optimize.brentq(kepler, 0.0, 9.0, args=(a, 0.5), full_output=True)[0],
    "loss": (
        lambda a: optimize.least_squares(
            lambda x: x - a, 0.5, loss=lambda z: np.stack([z, 1 + 0 * z, 0 * z])
        ).x[0]
    ),
    "opts": lambda a: integrate.nquad(lambda x, y: a * x, [(0, 1), (0, 1)], opts={"limit": 9})[0],
    "weight": lambda a: integrate.quad(lambda x: a * x, 0.0, np.inf, weight="cos", wvar=2.0)[0],
    "step size": lambda a: integrate.solve_ivp(lambda t, y: a * y * y, (0.0, 3.0), [1.0]).y[0, -1],
}


@pytest.mark.parametrize("word", REFUSED)
def test_what_has_no_rule_is_refused_by_name(word):
    for derivative in (grad, lambda f: lambda x: jvp(f, (x,), (1.0,))):
        with pytest.raises((NotDifferentiableError, OptionError, ChainRulesError), match=word):
            derivative(REFUSED[word])(1.0)


def test_the_error_for_an_option_without_rule_carries_its_value():
    def end(y0):
        return integrate.odeint(lambda y, t: -y, y0, [0.0, 1.0], full_output=1)[0][-1, 0]

    with pytest.raises(OptionError) as caught:
        grad(end)(np.ones(1))
    assert (caught.value.option, caught.value.value) == ("full_output", 1)


def test_plain_calls_are_scipys():
    assert optimize.brentq(kepler, 0.0, 9.0, args=(1.0, 0.2), full_output=True)[1].converged
    assert optimize.linear_sum_assignment(np.eye(2))[1].tolist() == [1, 0]
    assert (
        integrate.solve_ivp(rate, (0.0, 1.0), [0.3], args=(1.0, 2.0), dense_output=True).sol
        is not None
    )


# --- What a gradient costs ---


def calls_of(run, *args):
    """How often a function is called in a computation that is given it."""
    counted = [0]

    def counting(f):
        def wrapped(*args):
            counted[0] += 1
            return f(*args)

        return wrapped

    run(counting, *args)
    return counted[0]


def test_all_nodes_of_a_double_integral_are_evaluated_at_once():
    def run(counting, module, a):
        f = counting(lambda y, x: np.exp(-a * x * y) + y * a)
        return module.dblquad(f, 0, 1, 0, lambda x: a * x + 0.3)[0]

    def gradient(counting):
        grad(lambda a: run(counting, integrate, a))(1.3)

    plain = calls_of(lambda counting: run(counting, scipys, 1.3))
    assert calls_of(gradient) <= plain + 10
    ahead, behind = (run(lambda f: f, scipys, a) for a in (1.3 + 1e-5, 1.3 - 1e-5))
    assert np.isclose(
        grad(lambda a: run(lambda f: f, integrate, a))(1.3), (ahead - behind) / 2e-5, rtol=1e-8
    )


def test_numbers_are_integrated_at_fewer_nodes_than_the_integral():
    traced = []

    def run(module, a):
        def f(y, x):
            traced.append(type(y * a) is not float)
            return np.exp(-a * x * y) + y * a if y >= 0 else 0.0

        return module.dblquad(f, 0.1 * a, a, 0.2, lambda x: a * x + 0.3)[0]

    found = grad(lambda a: run(integrate, a))(1.3)
    assert (
        sum(traced) <= 210
    )  # 169 nodes, and 13 at each of three limits that move; SciPy takes 441
    assert np.isclose(found, (run(scipys, 1.3 + 1e-5) - run(scipys, 1.3 - 1e-5)) / 2e-5, rtol=1e-8)
    forward = jvp(lambda a: run(integrate, a), (1.3,), (1.0,))[1]
    assert np.isclose(forward, found, rtol=1e-12)


@pytest.mark.parametrize("gauss", sorted(nodes.KRONROD))
def test_kronrods_rules_are_exact_for_polynomials(gauss):
    x, (exact, rough) = nodes.unit_rule(1, gauss)
    for degree in range(3 * gauss + 2):
        assert np.isclose(exact @ x**degree, 1 / (degree + 1), rtol=1e-14)
    for degree in range(2 * gauss):
        assert np.isclose(rough @ x**degree, 1 / (degree + 1), rtol=1e-14)
    assert np.count_nonzero(rough) == gauss


INTEGRANDS = {
    "which branches": lambda m, a: m.quad(
        lambda x: a * x if x > 0.5 else a**2 * x, 0.0, 1.0, epsabs=1e-9
    )[0],
    "of a norm, which takes arrays for one vector": lambda m, a: m.quad(
        lambda x: np.linalg.norm(np.stack([x, a])), 0.0, 1.0
    )[0],
    "that is steep": lambda m, a: m.quad(lambda x: np.tanh((x - a / 4) * 50), 0.0, 1.0)[0],
    "with a kink that moves": lambda m, a: m.quad(lambda x: np.abs(x - a / 4), 0.0, 1.0)[0],
    "with a pole at an end": lambda m, a: m.quad(lambda x: a**2 / np.sqrt(x), 0.0, 1.0)[0],
    "on the half line": lambda m, a: m.quad(lambda x: np.exp(-a * x), a, np.inf)[0],
    "on the other half": lambda m, a: m.quad(lambda x: np.exp(a * x), -np.inf, a)[0],
    "on the line": lambda m, a: m.quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf)[0],
    "that is constant": lambda m, a: m.quad(lambda x: a**2, 0.0, a)[0],
    "over three variables": lambda m, a: m.tplquad(
        lambda z, y, x: np.exp(a * x * y * z), 0, a, 0, lambda x: x, 0, lambda x, y: x * y
    )[0],
    "of half lines": lambda m, a: m.dblquad(
        lambda y, x: np.exp(-a * x - y), 0, np.inf, 0, lambda x: a
    )[0],
    "which branches, between limits that move": lambda m, a: m.dblquad(
        lambda y, x: np.exp(-a * x * y) if y > -9 else 0.0, 0.1 * a, a, -a, lambda x: a * x
    )[0],
    "which branches, on half lines": lambda m, a: m.quad(
        lambda x: np.exp(-a * x * x) if x > -9 else 0.0, a, np.inf
    )[0],
    "in any order": lambda m, a: m.nquad(
        lambda x, y, c: c * np.exp(x * y), [lambda y, c: (c * y, a), (0.0, a / 3)], args=(a,)
    )[0],
}


@pytest.mark.parametrize("name", INTEGRANDS)
def test_integrands_of_every_kind(name):
    call, step = INTEGRANDS[name], 1e-2  # what SciPy adds at a kink is as small as this allows
    found = grad(lambda a: call(integrate, a))(1.3)
    forward = jvp(lambda a: call(integrate, a), (1.3,), (1.0,))[1]
    quotient = (8 * (call(scipys, 1.3 + step) - call(scipys, 1.3 - step))) / (12 * step)
    quotient -= (call(scipys, 1.3 + 2 * step) - call(scipys, 1.3 - 2 * step)) / (12 * step)
    assert np.isclose(found, quotient, rtol=3e-5, atol=1e-7)
    assert np.isclose(forward, found, rtol=1e-6, atol=1e-9)


# the integral of an integrand with a kink, and its derivative by a
KINKED = {
    "that is bent in the middle": (
        lambda m, a: m.quad(lambda x: abs(x - 0.4 * a) * a, 0.0, 1.0)[0],
        lambda a: 0.5 - 0.8 * a + 0.48 * a**2,
    ),
    "that is bent, up to a limit that moves": (
        lambda m, a: m.quad(lambda x: max(x, 0.5) * a, 0.0, a)[0],
        lambda a: 0.125 + 1.5 * a**2,
    ),
    "that takes arrays": (
        lambda m, a: m.quad(lambda x: np.abs(np.sin(x) - a / 2), 0.0, np.pi / 2)[0],
        lambda a: np.arcsin(a / 2) - np.pi / 4,
    ),
    "that is bent twice": (
        lambda m, a: m.quad(lambda x: abs(x - a / 4) + 2 * abs(x - a), 0.0, 1.0)[0],
        lambda a: 4 * a - 2 + a / 8 - 0.25,
    ),
    "that is bent at a point of the call": (
        lambda m, a: m.quad(lambda x: abs(x - 0.5) * a**2, 0.0, 1.0, points=[0.5])[0],
        lambda a: 0.5 * a,
    ),
    "that is bent along a diagonal": (
        lambda m, a: m.dblquad(lambda y, x: abs(y - a * x), 0.0, 1.0, 0.0, 1.0)[0],
        lambda a: 2 * a / 3 - 0.5,
    ),
    "that is bent, between limits that move": (
        lambda m, a: m.dblquad(lambda y, x: abs(y - x / 2) * a, 0.0, a, 0.0, lambda x: a * x)[0],
        lambda a: a**3 / 3 * (0.5 + 2 * (a - 0.5) ** 2 + a * (a - 0.5)),
    ),
}


@pytest.mark.parametrize("name", KINKED)
@pytest.mark.long
def test_integrands_with_kinks(name):
    call, exact = KINKED[name]
    for differentiated in (
        grad(lambda a: call(integrate, a)),
        lambda a: jvp(lambda a: call(integrate, a), (a,), (1.0,))[1],
    ):
        assert np.isclose(differentiated(0.6), exact(0.6), rtol=1e-7)


# integrals whose integrands take arrays, and their second derivative
TWICE = {
    "of a wave": (
        lambda a: integrate.quad(lambda x: np.exp(a * x), 0.0, 1.0)[0],
        lambda a: (np.exp(a) * (a * a - 2 * a + 2) - 2) / a**3,
    ),
    "up to a limit": (
        lambda a: integrate.quad(lambda x: x**2 * a, 0.0, a)[0],
        lambda a: 4 * a**2,
    ),
    "on the line": (
        lambda a: integrate.quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf)[0],
        lambda a: 0.75 * np.sqrt(np.pi) * a**-2.5,
    ),
    "over two variables": (
        lambda a: integrate.dblquad(lambda y, x: (a * x + y) ** 3, 0.0, 1.0, 0.0, lambda x: a)[0],
        None,
    ),
    "bent in the second derivative": (
        lambda a: integrate.quad(lambda x: np.maximum(x - a, 0) ** 2, 0.0, 1.0)[0],
        lambda a: 2 * (1 - a),
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives_of_integrals(name):
    f, exact = TWICE[name]
    if exact is None:  # the integral is a polynomial in a
        powers = np.linspace(0.5, 1.5, 7)
        fitted = np.polynomial.Polynomial.fit(powers, [two_variables(b) for b in powers], 6)
        exact = fitted.deriv(2)
    for twice in (
        grad(grad(f)),
        lambda a: jvp(grad(f), (a,), (1.0,))[1],
        grad(lambda a: jvp(f, (a,), (1.0,))[1]),
    ):
        assert np.isclose(twice(0.7), exact(0.7), rtol=1e-8)


def two_variables(a):
    """The integral over two variables, exactly: the sum over nodes of Gauss's rule is."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    x, y = (nodes + 1) / 2, a * (nodes + 1) / 2
    values = (a * x[:, None] + y) ** 3
    return weights @ values @ weights * a / 4


def test_a_second_derivative_of_an_integral_calls_the_integrand_few_times():
    def run(counting, module, a):
        return module.dblquad(counting(lambda y, x: np.exp(-a * x * y)), 0.0, 1.0, 0.0, 1.0)[0]

    plain = calls_of(lambda counting: run(counting, scipys, 0.7))
    twice = calls_of(lambda counting: grad(grad(lambda a: run(counting, integrate, a)))(0.7))
    assert twice <= 2 * plain


def test_a_kink_costs_few_calls_of_the_integrand():
    def run(counting, module, a):
        return module.quad(counting(lambda x: abs(x - 0.4 * a) * a), 0.0, 1.0)[0]

    plain = calls_of(lambda counting: run(counting, scipys, 1.3))
    both = calls_of(lambda counting: grad(lambda a: run(counting, integrate, a))(1.3))
    assert both <= 2.5 * plain


def test_a_kink_of_inner_integrals_costs_few_calls_of_the_integrand():
    def run(counting, module, a):
        return module.dblquad(counting(lambda y, x: abs(y - a * x)), 0.0, 1.0, 0.0, 1.0)[0]

    plain = calls_of(lambda counting: run(counting, scipys, 0.37))
    both = calls_of(lambda counting: grad(lambda a: run(counting, integrate, a))(0.37))
    assert both <= 5 * plain


@pytest.mark.parametrize("method", ["BDF", "LSODA"])
def test_a_gradient_of_few_unknowns_calls_the_slope_few_times(method):
    def run(counting, module, p, **options):
        f = counting(lambda t, y: np.stack([y[1], p[0] * (1 - y[0] ** 2) * y[1] - p[1] * y[0]]))
        times, start = np.linspace(0.0, 20.0, 11), np.array([2.0, 0.0])
        return np.sum(module.solve_ivp(f, (0.0, 20.0), start, t_eval=times, **options).y ** 2)

    p, options = np.array([5.0, 1.0]), {"method": method, "rtol": 1e-6, "atol": 1e-9}
    plain = calls_of(lambda counting: run(counting, scipys, p, **options))
    both = calls_of(lambda counting: grad(lambda p: run(counting, integrate, p, **options))(p))
    assert both <= 3 * plain

    found = grad(lambda p: run(lambda f: f, integrate, p, **options))(p)
    exact = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    differences = [
        (
            run(lambda f: f, scipys, p + 1e-3 * e, **exact)
            - run(lambda f: f, scipys, p - 1e-3 * e, **exact)
        )
        / 2e-3
        for e in np.eye(2)
    ]
    assert np.allclose(found, differences, rtol=3e-3)


def test_a_gradient_through_radau_calls_the_slope_few_times():
    def run(counting, module, p):
        f = counting(lambda t, y: np.stack([p[0] * y[1], -p[1] * np.sin(y[0])]))
        return module.solve_ivp(f, (0.0, 5.0), np.array([1.0, 0.0]), method="Radau", rtol=1e-6).y[
            0, -1
        ]

    p = np.array([1.0, 1.3])
    plain = calls_of(lambda counting: run(counting, scipys, p))
    assert calls_of(lambda counting: grad(lambda p: run(counting, integrate, p))(p)) <= 2 * plain


HUNT = np.array([1.1, 0.4, 0.4, 0.1])
HUNTING_TIMES = np.linspace(0.0, 6.0, 7)


def hunt(t, y, p):
    prey, hunters = y
    return [p[0] * prey - p[1] * prey * hunters, -p[2] * hunters + p[3] * prey * hunters]


def variational_hunt(t, z, p):
    (prey, hunters), columns = z[:2], z[2:].reshape(2, 4)
    by_state = np.array(
        [[p[0] - p[1] * hunters, -p[1] * prey], [p[3] * hunters, p[3] * prey - p[2]]]
    )
    met = prey * hunters
    by_rates = np.array([[prey, -met, 0.0, 0.0], [0.0, 0.0, -hunters, met]])
    return np.concatenate([hunt(t, z[:2], p), (by_state @ columns + by_rates).reshape(-1)])


@pytest.fixture(scope="module")
def hunting_by_rates():
    start = np.array([10.0, 5.0, *np.zeros(8)])
    tight = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "t_eval": HUNTING_TIMES}
    z = scipys.solve_ivp(variational_hunt, (0.0, 6.0), start, args=(HUNT,), **tight).y
    return z[2:].reshape(2, 4, 7).transpose(0, 2, 1)


METHODS = ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"]
TRACED = []  # of what class the values were with which a slope was called


def traced_calls():
    return sum(cls is not np.ndarray for cls in TRACED)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("method", METHODS)
def test_all_steps_are_differentiated_at_once(method, mode, hunting_by_rates):
    TRACED.clear()

    def solved(p):
        def slope(t, y):
            TRACED.append(type(y))
            return hunt(t, y, p)

        start, options = np.array([10.0, 5.0]), {"rtol": 1e-6, "atol": 1e-8}
        return integrate.solve_ivp(
            slope, (0.0, 6.0), start, method, t_eval=HUNTING_TIMES, **options
        ).y

    found = jacobian(solved, mode=mode)(HUNT)
    assert 0 < traced_calls() <= 8
    scale = np.max(np.abs(hunting_by_rates))
    # forward, the points are those of a closer solution
    most = {"forward": 5e-6, "reverse": 5e-5}[mode]
    assert np.max(np.abs(found - hunting_by_rates)) <= most * scale


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("method", METHODS)
def test_the_value_at_the_first_time_alone(method, mode):
    def first(y0):
        return integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), y0, method, t_eval=[0.0]).y[:, 0]

    assert np.array_equal(jacobian(first, mode=mode)(POINT), np.eye(2))


@pytest.mark.parametrize("method", ["RK45", "LSODA"])
def test_where_all_jacobians_take_too_much_memory_steps_are_taken_one_by_one(method, monkeypatch):
    def solved(p):
        start, options = np.array([10.0, 5.0]), {"rtol": 1e-8, "atol": 1e-10}
        found = integrate.solve_ivp(hunt, (0.0, 1.0), start, method, args=(p,), **options)
        return found.y[:, -1]

    at_once = [jacobian(solved, mode=mode)(HUNT) for mode in ("forward", "reverse")]
    monkeypatch.setattr(steps_at_once, "MOST_ENTRIES", 0)
    one_by_one = [jacobian(solved, mode=mode)(HUNT) for mode in ("forward", "reverse")]
    for found in (*at_once[1:], *one_by_one):
        assert np.allclose(found, at_once[0], rtol=1e-6, atol=1e-6)
    assert not np.array_equal(one_by_one, at_once)


def decay_until(t, y, p):
    return -p * y if t < 0.5 else 0.0 * y


def decay_by_numbers(t, y, p):
    return -p * y if y[0] > 0 else y


def decay_of_numbers(t, y, p):
    return [-p * v * (math.cos(t) ** 2 + math.sin(t) ** 2) for v in y]


@pytest.mark.parametrize("slope", [decay_until, decay_by_numbers, decay_of_numbers])
@pytest.mark.parametrize("method", ["RK45", "LSODA"])
def test_slopes_that_decide_by_numbers_are_differentiated_step_by_step(method, slope):
    def end(p):
        options = {"rtol": 1e-8, "atol": 1e-10, "max_step": 0.05, "args": (p,)}
        return integrate.solve_ivp(slope, (0.0, 1.0), [2.0], method, **options).y[0, -1]

    time = 0.5 if slope is decay_until else 1.0
    exact = -2.0 * time * np.exp(-0.7 * time)
    assert np.isclose(grad(end)(0.7), exact, rtol=1e-5)
    assert np.isclose(jvp(end, (0.7,), (1.0,))[1], exact, rtol=1e-5)


JITTER = itertools.cycle([1.0, 1.0 + 1e-6, 1.0 - 1e-6])


def test_a_slope_that_is_another_one_when_called_again_is_differentiated_step_by_step():
    def slope(t, y, p):
        TRACED.append(type(y))
        return -p * y * next(JITTER)

    def end(p):
        return integrate.solve_ivp(slope, (0.0, 1.0), [2.0], args=(p,), rtol=1e-4).y[0, -1]

    for derivative in (grad(end), lambda p: jvp(end, (p,), (1.0,))[1]):
        TRACED.clear()
        assert np.isclose(derivative(0.7), -2.0 * np.exp(-0.7), rtol=1e-3)
        assert traced_calls() > 10


def test_radau_of_a_stiff_problem():
    def robertson(module, p, tolerance=1e-6):
        def slope(t, y):
            first, last = p[0] * y[0] - 1e4 * y[1] * y[2], p[1] * 1e7 * y[1] ** 2
            return np.stack([-first, first - last, last])

        options = {"method": "Radau", "rtol": tolerance, "atol": 1e-4 * tolerance}
        return module.solve_ivp(slope, (0.0, 40.0), np.array([1.0, 0.0, 0.0]), **options).y[0, -1]

    p = np.array([0.04, 3.0])
    found = grad(lambda p: robertson(integrate, p))(p)
    for k, e in enumerate(np.diag(1e-4 * p)):
        quotient = (robertson(scipys, p + e, 1e-11) - robertson(scipys, p - e, 1e-11)) / (2 * e[k])
        assert np.isclose(found[k], quotient, rtol=1e-6)


WEIGHTED = {
    "cos": lambda m, p: m.quad(lambda x: np.exp(-p[0] * x), 0.1, p[2], weight="cos", wvar=5 * p[1])[
        0
    ],
    "sin": lambda m, p: m.quad(
        lambda x, c: np.exp(-c * x), 0.1, p[2], (p[0],), weight="sin", wvar=p[1]
    )[0],
    **{
        name: lambda m, p, name=name: m.quad(
            lambda x: np.exp(-p[0] * x),
            0.1,
            p[2],
            weight=name,
            wvar=(p[1] - 1.2, p[1] * 0.3),
            epsabs=1e-12,
            epsrel=1e-12,
        )[0]
        for name in ("alg", "alg-loga", "alg-logb", "alg-log")
    },
    "cauchy": lambda m, p: m.quad(
        lambda x: np.exp(-p[0] * x), 0.1, p[2], weight="cauchy", wvar=p[1]
    )[0],
    "cauchy above": lambda m, p: m.quad(
        lambda x: np.exp(-p[0] * x), 0.1, p[2], weight="cauchy", wvar=1 + p[1]
    )[0],
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", WEIGHTED)
def test_integrals_with_weights(name):
    call, at = WEIGHTED[name], np.array([1.3, 0.7, 2.1])
    expected = [(call(scipys, at + e) - call(scipys, at - e)) / 2e-4 for e in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(grad(lambda p: call(integrate, p))(at), expected, rtol=1e-6)
    np.testing.assert_allclose(
        jacobian(lambda p: call(integrate, p), mode="forward")(at), expected, rtol=1e-6
    )


def test_integrals_of_complex_functions():
    found = lambda a: (  # noqa: E731
        np.abs(integrate.quad(lambda x: np.exp(1j * a * x), 0.0, 1.0, complex_func=True)[0]) ** 2
    )
    agree(found, lambda a: 2 * (1 - np.cos(a)) / a**2, 1e-7, ALL[:1], 1.3)


def test_cotangents_that_are_traced_where_the_values_are_not():
    squared = lambda a: integrate.quad(lambda x: np.sin(a * x), 0.0, 1.0)[0] ** 2  # noqa: E731
    agree(squared, lambda a: ((1 - np.cos(a)) / a) ** 2, 1e-5, ALL, 1.3)

    def decayed(a):
        slope = lambda t, y: -a * y  # noqa: E731
        return (
            integrate.solve_ivp(
                slope, (0.0, 1.0), np.ones(1), method="Radau", rtol=1e-7, atol=1e-9
            ).y[0, -1]
            ** 2
        )

    agree(decayed, lambda a: np.exp(-2 * a), 1e-5, ALL[:2], 1.3)


STRICT = {"rtol": 1e-7, "atol": 1e-9}


def growing(t, y, rate):
    return rate * t * y


BY_TIMES = [
    pytest.param(towers, marks=() if towers[0] != towers[1] else pytest.mark.long) for towers in ALL
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("towers", BY_TIMES, ids=map(str, ALL))
def test_second_derivatives_by_times(towers):
    def ended(p):  # from p[1] to p[2]
        return integrate.solve_ivp(growing, (p[1], p[2]), np.ones(1), args=(p[0],), **STRICT).y[
            0, -1
        ]

    def asked(p):
        times = np.stack([p[1], p[2]])
        return integrate.solve_ivp(
            growing, (0.5, 2.0), np.ones(1), t_eval=times, args=(p[0],), **STRICT
        ).y[0] @ [1.0, 2.0]

    def by_odeint(p):
        times = np.stack([0.0 * p[1], p[1], p[2]])
        return integrate.odeint(growing, np.ones(1), times, args=(p[0],), tfirst=True)[1:, 0] @ [
            1.0,
            2.0,
        ]

    exact = lambda rate, start, end: np.exp(rate * (end**2 - start**2) / 2)  # noqa: E731
    at, how = np.array([0.6, 0.7, 1.4]), (towers,)
    agree(ended, lambda p: exact(*p), 1e-5, how, at)
    agree(asked, lambda p: exact(p[0], 0.5, p[1]) + 2 * exact(p[0], 0.5, p[2]), 1e-5, how, at)
    agree(by_odeint, lambda p: exact(p[0], 0.0, p[1]) + 2 * exact(p[0], 0.0, p[2]), 1e-5, how, at)
