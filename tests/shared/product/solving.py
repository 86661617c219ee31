"""Solutions of equations: roots, minima, fits, integrals and differential equations of SciPy's.

`OF_EACH` has a program for each argument of each such function, by one number: what
`test_equation_mutants` changes the rules of.
"""

import importlib
import math

import numpy as np
from scipy.sparse.linalg import LinearOperator

from chainrules_py import implicit_function
from chainrules_py.makers.implicit import solution
from chainrules_tape import grad, jvp, vmap
from chainrules_tape.scipy import integrate, interpolate, optimize
from chainrules_tape.scipy.sparse.linalg import cg
from late import Late

values, quadrature, odes = (
    importlib.import_module(f"chainrules_py.rulesets.scipy.integrate.{name}")
    for name in ("initial_values", "quadrature", "odeint")
)
scipys = importlib.import_module("scipy.optimize")
stats = Late("chainrules_tape.scipy.stats")

P, POINT = 1.2, np.array([1.3, 2.1])
T = np.linspace(0.2, 1.4, 5)
TIGHTEST = {"ftol": 1e-15, "xtol": 1e-15}
AROUND = np.array([0.3, 0.8, 0.5])
TIGHT = {"rtol": 1e-9, "atol": 1e-11}
ROUGH = {"rtol": 1e-7, "atol": 1e-9}
EXACT = {"epsabs": 1e-13, "epsrel": 1e-13}
LINE = np.stack([np.ones(5), T], axis=-1)
BRACKETED = [scipys.bisect, scipys.brentq, scipys.brenth, scipys.ridder, scipys.toms748]
METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")


def cubic(x, p):
    return x**3 + p * x - 1


def bowl(x, p):
    return np.sum((x - p) ** 2 + 0.1 * x**4)


def decay(t, y, p):
    return -p * y


def product(x, p):
    return np.sin(p * x)


def product_of(y, x, p):
    return p * x * y


def end(slope, times, start, method="RK45", **options):
    return integrate.solve_ivp(slope, times, start, method, **{**TIGHT, **options}).y[..., -1]


def along(slope, start, times, *args):
    options = {"args": args, "tfirst": True, "rtol": 1e-10, "atol": 1e-12}
    return integrate.odeint(slope, start, times, **options)


def line(t, a, b):
    return a + b * t


# A primal, the argument that depends on the parameter, and a program of it.
OF_EACH = [
    *(
        (each, 3, lambda p, f=each.__name__: getattr(optimize, f)(cubic, -1.0, 2.0, args=(p,)))
        for each in BRACKETED
    ),
    *(
        (each, 0, lambda p, f=each.__name__: getattr(optimize, f)(lambda x: cubic(x, p), -1.0, 2.0))
        for each in BRACKETED
    ),
    *(
        (
            each,
            0,
            lambda p, f=each.__name__: getattr(optimize, f)(
                lambda x: cubic(x, p), 0.5, f_tol=1e-12
            ),
        )
        for each in (scipys.anderson, scipys.broyden1, scipys.broyden2, scipys.newton_krylov)
    ),
    (scipys.newton, 3, lambda p: optimize.newton(cubic, 0.5, args=(p,), tol=1e-13)),
    (
        scipys.fixed_point,
        2,
        lambda p: optimize.fixed_point(lambda x, p: np.cos(p * x), 0.5, args=(p,), xtol=1e-13),
    ),
    (scipys.fsolve, 2, lambda p: optimize.fsolve(cubic, 0.5, args=(p,), xtol=1e-10)[0]),
    (scipys.root, 2, lambda p: optimize.root(cubic, 0.5, args=(p,), tol=1e-10).x[0]),
    (
        scipys.root_scalar,
        1,
        lambda p: optimize.root_scalar(cubic, args=(p,), bracket=(-1.0, 2.0)).root,
    ),
    (
        scipys.minimize,
        2,
        lambda p: np.sum(optimize.minimize(bowl, np.zeros(2), (p,), jac=grad(bowl), tol=1e-7).x),
    ),
    (
        scipys.minimize_scalar,
        0,
        lambda p: optimize.minimize_scalar(lambda x: np.cosh(x - p * p), tol=1e-13).x,
    ),
    (scipys.brent, 0, lambda p: optimize.brent(lambda x: np.cosh(x - p * p), tol=1e-13)),
    (scipys.golden, 0, lambda p: optimize.golden(lambda x: np.cosh(x - p * p), tol=1e-13)),
    (
        scipys.least_squares,
        0,
        lambda p: np.sum(optimize.least_squares(lambda x: LINE @ x - p * T**2, np.zeros(2)).x),
    ),
    (
        scipys.leastsq,
        2,
        lambda p: np.sum(optimize.leastsq(lambda x, p: LINE @ x - p * T**2, np.zeros(2), (p,))[0]),
    ),
    (
        scipys.curve_fit,
        1,
        lambda p: np.sum(optimize.curve_fit(line, T * p, T**2, **TIGHTEST)[0]),
    ),
    (scipys.curve_fit, 2, lambda p: np.sum(optimize.curve_fit(line, T, p * T**2, **TIGHTEST)[0])),
    (scipys.nnls, 0, lambda p: np.sum(optimize.nnls(p * LINE, 1 + T)[0])),
    (scipys.nnls, 1, lambda p: np.sum(optimize.nnls(LINE, p + T)[0])),
    (scipys.lsq_linear, 0, lambda p: np.sum(optimize.lsq_linear(p * LINE, 1 + T).x)),
    (scipys.lsq_linear, 1, lambda p: np.sum(optimize.lsq_linear(LINE, p + T).x)),
    (quadrature.integral, 1, lambda p: quadrature.integral(np.sin, p, 2.0, ())),
    (quadrature.integral, 2, lambda p: quadrature.integral(np.sin, 0.0, p, ())),
    (quadrature.integral, 3, lambda p: quadrature.integral(product, 0.0, 1.0, (p,))),
    (quadrature.quad, 1, lambda p: integrate.quad(np.sin, p, 2.0)[0]),
    (quadrature.quad, 2, lambda p: integrate.quad(np.sin, 0.0, p)[0]),
    (quadrature.quad, 3, lambda p: integrate.quad(product, 0.0, 1.0, args=(p,))[0]),
    (quadrature.quad_vec, 2, lambda p: integrate.quad_vec(np.sin, 0.0, p)[0]),
    (quadrature.quad_vec, 3, lambda p: integrate.quad_vec(product, 0.0, 1.0, args=(p,))[0]),
    (quadrature.nquad, 1, lambda p: integrate.dblquad(product_of, 0.0, 1.0, 0.0, 1.0, (p,))[0]),
    (quadrature.nquad, 3, lambda p: integrate.dblquad(lambda y, x: x * y, 0.0, 1.0, 0.0, p)[0]),
    (
        quadrature.nquad,
        7,
        lambda p: integrate.tplquad(lambda z, y, x: x * y * z, 0.0, p, 0.0, 1.0, 0.0, 1.0)[0],
    ),
    (quadrature.nquad, 5, lambda p: integrate.nquad(lambda x, y: x * y, [(0.0, 1.0), (0.0, p)])[0]),
    (values.solve, 0, lambda p: end(lambda t, y: -p * y, (0.0, 1.0), np.ones(1))[0]),
    (values.solve, 1, lambda p: end(decay, (0.0, p), np.ones(1), args=(0.7,))[0]),
    (values.solve, 2, lambda p: end(decay, (0.0, 1.0), np.stack([p]), args=(0.7,))[0]),
    (values.solve, 3, lambda p: end(decay, (0, 3), [1.0], t_eval=T * p, args=(0.7,))[0]),
    *(
        (values.solve, 4, lambda p, how=how: end(decay, (0, 1), [1.0], how, args=(p,))[0])
        for how in ("RK45", "LSODA")
    ),
    (odes.odeint, 1, lambda p: along(decay, np.stack([p]), T, 0.7)[-1, 0]),
    (odes.odeint, 2, lambda p: along(decay, 1.0, T * p, 0.7)[-1, 0]),
    (odes.odeint, 3, lambda p: along(decay, 1.0, T, p)[-1, 0]),
    (solution, 1, lambda p: implicit_function(lambda p: np.sqrt(p), lambda x, p: x * x - p)(p)),
]


MARKS = {values.solve: "counts", quadrature.nquad: "twice", scipys.minimize: "rough"}


# --- Roots and minima ---


def branching(x, a):
    return np.stack([a * v + v**3 - 1 if v < 5 else v for v in x])


def valley(x, p):
    return (x[0] - p[0]) ** 2 + 0.5 * (x[1] - p[0] * p[1]) ** 2


def lowest(p, method="SLSQP", **options):
    tols = {"ftol": 1e-15, "gtol": 1e-11} if method == "L-BFGS-B" else {"ftol": 1e-15}
    return optimize.minimize(
        *(valley, [0.1, 0.1], (p,), method), jac=grad(valley), options=tols, **options
    )


LINEAR, GENERAL = optimize.LinearConstraint, optimize.NonlinearConstraint
CONSTRAINED = {
    "equality": lambda p: [
        {"type": "eq", "fun": lambda x: x[0] + x[1] - p[1]},
        {"type": "ineq", "fun": lambda x: 9.0 - x[0]},
    ],
    "args": lambda p: {"type": "ineq", "fun": lambda x, c: c - x[0] - x[1], "args": (p[1],)},
    "a linear object": lambda p: LINEAR(np.ones((1, 2)), p[1], p[1]),
    "linear objects": lambda p: [
        LINEAR(np.eye(2), -np.inf, 9.0),
        LINEAR(np.stack([p[1:] / p[1], np.ones(1)], axis=1), -np.inf, p[1]),
    ],
    "an object": lambda p: GENERAL(lambda x: (x[0] + x[1]) / p[1], -np.inf, 1.0),
    "objects": lambda p: (
        GENERAL(
            lambda x: np.stack([x[0] + x[1], x[0]]), [-9.0] * 2, np.stack([p[1], 0 * p[1] + 9.0])
        ),
    ),
}


def between(end):
    return {"bounds": (0, end), "method": "bounded", "options": {"xatol": 1e-12}}


def tilted(x, a):
    return np.sum((x - a) ** 2) + x[0] * x[1]


HELD = {"bounds": [(0, 0.5), (0, 1)], "jac": grad(tilted), "tol": 1e-12}
SOME_AT_BOUNDS = {  # or on another branch
    "bounds": lambda a: optimize.minimize(tilted, np.zeros(2), (a,), **HELD).x,
    "value": lambda a: optimize.minimize(tilted, np.zeros(2), (a,), **HELD).fun,
    "constraints": lambda a: (
        optimize.minimize(
            *(tilted, np.zeros(2), (a,)),
            jac=grad(tilted),
            constraints={
                "type": "ineq",
                "fun": lambda x: 1 - x[0] - a * x[1],
                "jac": lambda x: np.stack([-1 + 0 * a, -a]),
            },
            options={"ftol": 1e-12},
        ).x
    ),
    "one unknown": lambda a: (
        optimize.minimize_scalar(lambda x: (x - a) ** 2 * np.exp(x * a), **between(0.5)).x
    ),
    "least squares": lambda a: (
        optimize.least_squares(
            lambda x: x**2 - a * np.array([1, 2]), np.ones(2), bounds=(0, 1.2), xtol=1e-15
        ).x
    ),
    "a branch": lambda a: optimize.brentq(
        lambda x: x - a if x > 0.5 else x + 0.1 * x * x - a, -1.0, 5.0
    ),
}


# --- Fits ---

TIMES = np.linspace(0.0, 2.0, 7)
DATA = np.exp(-1.1 * TIMES) + 0.1 * np.sin(9 * TIMES)
BASIS = np.stack([np.ones(7), TIMES], axis=-1)
SPREAD = np.linspace(0.5, 1.5, 7)
RELATED = np.diag(SPREAD) + 0.1


def sampled(p):
    return p[0] * DATA**2 + p[1] * TIMES * DATA


def fitted(p, sigma=None, **options):
    """The parameters and covariances of a decay, of data and points that depend on p."""
    return optimize.curve_fit(
        lambda t, a, b: a * np.exp(-b * t),
        TIMES * p[0],
        DATA * p[1] + 0.3 * TIMES * p[0] ** 2,
        (1.0, 4.0),
        sigma,
        jac=lambda t, a, b: np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], -1),
        **TIGHTEST,
        **options,
    )


def robust(loss, p):
    options = TIGHTEST | {"gtol": 1e-15, "loss": loss, "f_scale": 0.1, "args": (p,)}
    return optimize.least_squares(
        lambda x, p: BASIS @ x - p * DATA, [0.5, -0.1], lambda x, p: +BASIS, **options
    ).x


def planned(p):
    """A linear program of which all parts move."""
    matrix = np.array([[1.0, 0.4, 0.7], [0.3, 1.2, 0.5]]) + 0.1 * p[0]
    equation, bounds = (
        [[1.0, -0.5, 0.2 * p[0]]],
        [(0.1 * p[0], None), (0.0, 0.4 * p[1]), (0.0, 9.0)],
    )
    rhs = np.stack([0.9 * p[1], p[0] + 2.0])
    costs = -np.stack([p[0], 2.0 * p[1], 1.0])
    found = optimize.linprog(costs, matrix, rhs, equation, [0.1 * p[1]], bounds)
    return np.stack([found.fun, *found.x, *found.slack, *found.con])


def moved_earth(p):
    """The least costs of a transport between places that move, of goods that add up to 1."""
    goods = np.exp(p[0] * np.array([0.1, 0.7, 0.2, 0.5]))
    places = p[1] * np.array([0.3, 1.1, 2.0, 2.2])
    costs = np.abs(places[:, None] - np.array([0.4, 1.3, 2.6])) ** 1.5
    rows = np.concatenate(
        [np.kron(np.eye(4), np.ones(3)), np.kron(np.ones(4), np.eye(3))],
    )
    sums = np.concatenate([goods / np.sum(goods), np.array([0.31, 0.22, 0.47])])
    return np.stack([optimize.linprog(np.reshape(costs, -1), A_eq=rows, b_eq=sums).fun])


SOLVED = {
    **{
        f"root by {method}": lambda p, method=method: (
            optimize.root(lambda x: x**3 + x - p, POINT, method=method, tol=1e-12).x
        )
        for method in ("krylov", "lm")
    },
    "roots of newton": lambda p: optimize.newton(lambda x, a: x * x - a, np.ones(2), args=(p,)),
    "root of a list": lambda p: (
        optimize.root(lambda x: [x[0] + x[1] - p[0], x[0] - x[1] ** 3 - p[1]], [0, 0]).x
    ),
    "root by branches": lambda p: optimize.root(branching, np.zeros(20), (p[0],), tol=1e-12).x,
    "minimum, value": lambda p: lowest(p, bounds=[(-9, p[0] / 2), (0, 9 * p[1])]).fun,
    "minimum, a bound": lambda p: lowest(p, "L-BFGS-B", bounds=[(-9, p[0] / 2), (0, 9 * p[1])]).x,
    "minimum, no bound": lambda p: lowest(p, "L-BFGS-B", bounds=[(-9, 9), (-9, 9)]).x,
    **{
        f"minimum, {name}": lambda p, c=c: lowest(p, constraints=c(p)).x
        for name, c in CONSTRAINED.items()
    },
    "minimum, between": lambda p: (
        optimize.minimize_scalar(lambda x: np.cosh(x - p[0] * p[1]), **between(p[1] / 2)).x
    ),
    "linear program": planned,
    "earth mover": moved_earth,
    "lsq_linear": lambda p: optimize.lsq_linear(BASIS, sampled(p)).cost,
    "a solver in a solver": lambda p: optimize.brentq(
        lambda x: optimize.brentq(lambda y: y**3 + y - x, -9.0, 9.0) - p[0], 0.0, 50.0
    ),
    **{
        f"loss {loss}": lambda p, loss=loss: robust(loss, p[0])
        for loss in ("soft_l1", "huber", "cauchy", "arctan")
    },
    "fit": fitted,
    "fit, sigma": lambda p: fitted(p, SPREAD + p[1] * TIMES),
    "fit, absolute": lambda p: fitted(p, p[1] * SPREAD, absolute_sigma=True),
    "fit, related": lambda p: fitted(p, p[0] * RELATED, absolute_sigma=True),
    "fit, bounds": lambda p: fitted(p, bounds=(0.0, 9.0)),
    "fit, at a bound": lambda p: fitted(p, SPREAD, bounds=([0.0, 2.0 * p[0]], 9.0)),
}


# --- Integrals ---


def mean_of_square(distribution):
    return integrate.quad(lambda t: t * t * np.sum(distribution.pdf(t)), -1.0, 2.0)[0]


def slope_of_interpolant(a):
    slope = interpolate.CubicSpline([0.0, 0.4, 1.0, 1.5], [a, a * a, 1.0, np.sin(a)]).derivative()
    return integrate.quad(lambda t: slope(t) ** 2, 0.0, 1.2)[0]


IN_LANES = {  # of limits that move, and of branches that are taken elsewhere in other examples
    "quad": lambda a: integrate.quad(lambda x: x * a if x > a else x * x, 0.0, 2.0)[0],
    "dblquad": lambda a: integrate.dblquad(
        lambda y, x: np.exp(x * a * y), 0.0, 1.7, 0.0, lambda x: x * a
    )[0],
    "nquad": lambda a: integrate.nquad(lambda y, x: x * a * np.cos(y), [(0, 1), (0, 2 * a)])[0],
    "tplquad": lambda a: integrate.tplquad(
        lambda z, y, x: a * x * y * z, 0.0, 1.5, 0.0, 1.0, 0.0, lambda x, y: a + x
    )[0],
}
BY_TANGENTS = {
    "quad": lambda a: integrate.quad(lambda x: np.exp(-a * x), 0.0, 1.0),
    "over the line": lambda a: integrate.quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf),
    "by panels": lambda a: integrate.quad(lambda x: np.exp(-a * x), 0.0, 1.0, points=[0.3]),
}
INTEGRANDS = {
    "half line": lambda a: integrate.quad(lambda x: np.exp(-a * x), a, np.inf)[0],
    "other half": lambda a: integrate.quad(lambda x: np.exp(a * x), -np.inf, a)[0],
    "line": lambda a: integrate.quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf)[0],
    "constant": lambda a: integrate.quad(lambda x: a**2, 0.0, a)[0],
    "limits that are functions": lambda a: integrate.dblquad(
        lambda y, x: x * y * a, 0, a, lambda x: 0.0, lambda x: a * x
    )[0],
    "a sum to powers": lambda a: integrate.dblquad(
        lambda y, x: (a * x + y) ** 3, 0.0, 1.0, 0.0, lambda x: a
    )[0],
    "a complex function": lambda a: (
        np.abs(integrate.quad(lambda x: np.exp(1j * a * x), 0.0, 1.0, complex_func=True)[0]) ** 2
    ),
    "a complex vector": lambda a: (
        np.abs(integrate.quad_vec(lambda x: np.exp(1j * a * x), 0.0, 1.0)[0]) ** 2
    ),
    "an interpolant": lambda a: integrate.quad(
        interpolate.CubicSpline([0.0, 0.4, 1.0, 1.5], [a, a * a, 1.0, np.sin(a)]), 0.0, 1.2
    )[0],
    "a slope of an interpolant": slope_of_interpolant,
    "a distribution": lambda a: mean_of_square(stats.norm(a, 1 + a * a)),
    "a density of a sample": lambda a: mean_of_square(
        stats.gaussian_kde(np.stack([0.0, a, 1.0, a * a]))
    ),
}
FIRST_ORDER = {
    "limits of a function of plain numbers": lambda a: integrate.quad(
        math.pow, a, 3.0 * a, args=(2.0,)
    )[0],
    "branches": lambda a: integrate.quad(lambda x: a * x if x > 0.5 else a**2 * x, 0.0, 1.0)[0],
    "a norm, which takes arrays for one vector": lambda a: integrate.quad(
        lambda x: np.linalg.norm(np.stack([x, a])), 0.0, 1.0
    )[0],
    "half lines": lambda a: integrate.dblquad(
        lambda y, x: np.exp(-a * x - y), 0, np.inf, 0, lambda x: a
    )[0],
    "three variables": lambda a: integrate.tplquad(
        lambda z, y, x: np.exp(a * x * y * z), 0, a, 0, lambda x: x, 0, lambda x, y: x * y
    )[0],
    "weight above": lambda a: integrate.quad(
        lambda x: np.exp(-a * x), 0.1, 1.6 * a, weight="cauchy", wvar=1.3 * a
    )[0],
    "weight beside": lambda a: integrate.quad(
        lambda x: np.exp(-a * x), 0.1, 1.6 * a, weight="cauchy", wvar=2.0 * a
    )[0],
    **{
        f"weight {name}": lambda a, name=name, w=w: integrate.quad(
            lambda x: np.exp(-a * x), 0.1, 1.6 * a, weight=name, wvar=w(a), **EXACT
        )[0]
        for name, w in {
            "cos": lambda a: 4 * a,
            "sin": lambda a: a,
            "cauchy": lambda a: 0.5 * a,
            **dict.fromkeys(
                ("alg", "alg-loga", "alg-logb", "alg-log"), lambda a: (a - 1.1, a * 0.2)
            ),
        }.items()
    },
    "any order": lambda a: integrate.nquad(
        lambda x, y, c: c * np.exp(x * y), [lambda y, c: (c * y, a), (0.0, a / 3)], args=(a,)
    )[0],
    "branches, half lines": lambda a: integrate.quad(
        lambda x: np.exp(-a * x * x) if x > -9 else 0.0, a, np.inf
    )[0],
    "branches, limits that move": lambda a: integrate.dblquad(
        lambda y, x: np.exp(-a * x * y) if y > -9 else 0.0, 0.1 * a, a, -a, lambda x: a * x
    )[0],
    "a pole at an end": lambda a: integrate.quad(lambda x: a**2 / np.sqrt(x), 0.0, 1.0)[0],
    "steep": lambda a: integrate.quad(lambda x: np.tanh((x - a / 4) * 20), 0.0, 1.0)[0],
}
# Of kinks that move: without a warning, SciPy's are off by 1e-5 at one point of ten.
KINKED = {
    "middle": lambda a: integrate.quad(lambda x: abs(x - 0.4 * a) * a, 0.0, 1.0)[0],
    "a limit that moves": lambda a: integrate.quad(lambda x: max(x, 0.5) * a, 0.0, a)[0],
    "arrays": lambda a: integrate.quad(lambda x: np.abs(np.sin(x) - a / 2), 0.0, np.pi / 2)[0],
    "twice": lambda a: integrate.quad(lambda x: abs(x - a / 4) + abs(x - a), 0.0, 1.0)[0],
    "a point of the call": lambda a: integrate.quad(
        lambda x: abs(x - 0.5) * a**2, 0.0, 1.0, points=[0.5]
    )[0],
    "the second derivative": lambda a: integrate.quad(
        lambda x: np.maximum(x - a, 0) ** 2, 0.0, 1.0
    )[0],
    "a parameter that is zero": lambda a: integrate.quad(
        lambda x, p: 1.0 + p * abs(x - 0.3), 0.0, 1.0, args=(a - 0.6,)
    )[0],
    "a diagonal": lambda a: integrate.dblquad(lambda y, x: abs(y - a * x), 0.0, 1.0, 0.0, 1.0)[0],
    "two limits that move": lambda a: integrate.dblquad(
        lambda y, x: abs(y - x / 2) * a, 0.0, a, 0.0, lambda x: a * x
    )[0],
}


# --- Differential equations ---

LOGISTIC = np.array([0.3, 1.2, 2.0, 0.1, 1.7])  # value at the start, rate, capacity, start, end
SHARES = np.array([0.0, 0.3, 0.9])


def rate(t, y, r, capacity):
    return r * y * (1 - y / capacity)


def turning(t, y, w, d):
    return np.stack([-d * y[0] - w * y[1], w * y[0] - d * y[1]])


def rotated(method, **options):
    return lambda q: end(
        turning, (0.0, 0.4), q[1:3], method, args=(q[0], q[4]), t_eval=[0.4], **options
    )


def hunt(t, y, p):
    prey, hunters = y
    return [p[0] * prey - p[1] * prey * hunters, -p[2] * hunters + p[3] * prey * hunters]


def decay_until(t, y, p):
    return -p * y if t < 0.5 else 0.0 * y


def decay_by_numbers(t, y, p):
    return -p * y if y[0] > 0 else y


def decay_of_numbers(t, y, p):
    return [-p * v * (math.cos(t) ** 2 + math.sin(t) ** 2) for v in y]


def growing(t, y, rate):
    return rate * t * y


def sol(p, t, method="RK45"):
    slope = lambda t, y, rate: np.stack([y[1], -rate * y[0]])  # noqa: E731
    start, options = np.stack([p[0], 0.3 * p[0]]), {"args": (p[1],), "dense_output": True}
    return integrate.solve_ivp(slope, (0.0, 3.0), start, method, **options, **TIGHT).sol(0.3 + t)


def heated(heat, at=0.53):
    """The temperature in a rod that heats itself, whose end is kept at a tenth of its heat."""
    mesh = np.linspace(0.0, 1.0, 21)
    return integrate.solve_bvp(
        lambda x, y: np.stack([y[1], -heat * np.exp(y[0])]),
        lambda first, last: np.stack([first[0], last[0] - 0.1 * heat]),
        mesh,
        np.zeros((2, 21)),
        tol=1e-8,
    ).sol(at)[0]


DIFFERENTIAL = {
    "logistic, times": lambda q: (
        integrate.solve_ivp(
            lambda t, y: [rate(t, y[0], q[1], q[2])],
            *((q[3], q[4]), q[:1]),
            t_eval=q[3] + SHARES * (q[4] - q[3]),
            **TIGHT,
        ).y
    ),
    "logistic, odeint": lambda q: along(rate, q[0], q[3] + SHARES * (q[4] - q[3]), q[1], q[2]),
    **{f"rotation, {method}": rotated(method) for method in ("RK45", "DOP853", "LSODA")},
    **{
        f"hunt, {method}": lambda q, method=method: end(
            hunt, (0.0, 0.5), np.array([2.0, 1.0]), method, args=(q[:4],), t_eval=[0.5]
        )
        for method in ("RK45", "LSODA")
    },
    "complex values backwards": lambda q: np.abs(
        end(lambda t, y: (1j * q[0] - q[1]) * y, (0.5, 0.3), np.array([1 + 1j, 2j]) * q[0]) ** 2
    ),
    "growing between times": lambda q: end(growing, (q[3], q[4]), np.ones(1), args=(q[0],)),
    "squared": lambda q: end(lambda t, y: -q[0] * y, (0, 0.3), np.ones(1), "Radau", **ROUGH) ** 2,
    "as a function of time": lambda q: sol(q[1:3], q[3:]),
    "by a class of solver": lambda q: sol(q[1:3], q[3:], integrate.LSODA),
}
SAME_TIMES = ("rotation, RK45", "rotation, LSODA", "hunt, RK45", "logistic, times")
OF_FIRST_ORDER = {
    **{f"rotation, {method}": rotated(method, **ROUGH) for method in ("RK23", "Radau", "BDF")},
    **{
        f"{slope.__name__}, {method}": lambda q, slope=slope, method=method: end(
            slope, (0.0, 1.0), [2.0], method, max_step=0.05, args=(q[0],)
        )
        for slope in (decay_until, decay_by_numbers, decay_of_numbers)
        for method in ("RK45", "LSODA")
    },
}


# --- Events ---

THROWN = np.array([9.8, 1.0, 2.0])


def counted(event, terminal=None, direction=0):
    event.terminal, event.direction = terminal, direction
    return event


def fall(p, **options):
    """A ball that is thrown up, until it is down at a height that is a parameter."""
    down = counted(lambda t, y, pull: y[0] - 0.1 * p[1], True, -1)
    return integrate.solve_ivp(
        lambda t, y, pull: [y[1], -pull * (1 + 0.1 * y[0])],
        (0.0, 3.0),
        np.stack([p[2], 0.3 * p[1]]),
        **{"args": p[:1], "events": (lambda t, y, pull: y[1] * pull, down), **TIGHT, **options},
    )


def swing(p, events=lambda t, y: y[0] - 0.1 * t, **options):
    """An oscillator that passes zero several times, begun at a time that is a parameter."""
    return integrate.solve_ivp(
        *(lambda t, y: [y[1], -p[0] * y[0] - 0.1 * y[1]], (0.1 * p[1], 4.0), np.ones(2)),
        **{"events": events, **TIGHT, **options},
    )


def halved(p, times, start):
    """A decay until it is half a parameter."""
    event = counted(lambda t, y: y[0] - 0.2 * p[1], True)
    slope = lambda t, y: -0.1 * p[0] * y  # noqa: E731
    return integrate.solve_ivp(slope, times, start, events=event, **ROUGH)


def until_now(p):
    result = fall(p, dense_output=True)
    return result.sol(0.5 * result.t_events[1])


EVENTS = {
    "until one": fall,
    "at times": lambda p: fall(p, t_eval=[0.0, 0.1, 0.3, 2.0]),
    "at times after it": lambda p: fall(p, t_eval=[2.0, 2.5]),
    **{name: lambda p, name=name: fall(p, method=name) for name in ("LSODA", "Radau")},
    "several times": swing,
    "the second time": lambda p: swing(p, counted(lambda t, y: y[0], 2)),
    "of two that end it": lambda p: swing(
        p, [counted(lambda t, y: y[1] + p[2], 1), counted(lambda t, y: y[0], 1)]
    ),
    "never": lambda p: swing(p, lambda t, y: y[0] + 9.0),
    "backwards": lambda p: integrate.solve_ivp(
        *(lambda t, y: -p[1] * y + 0.1 * p[0], (1.0, -1.0), np.ones(1) * 0.2),
        **{"events": lambda t, y: y[0] + 0.2 * p[2], **TIGHT},
    ),
}


def all_events(result):
    last = +result.y[:, -1] if len(result.y) else [], result.t[-1:]
    return [*last, *result.t_events, *result.y_events]


# --- Functions whose surroundings change after they were called ---


def solution(rate, x, method="RK45"):
    return end(lambda t, y: -rate() * y + x[0], (0.0, 1.0), x[1:], method)[0]


def system(rate, x):
    operator = LinearOperator((3, 3), matvec=lambda v: v * rate())
    return np.sum(np.sin(cg(operator, x, rtol=1e-13)[0]))


OF_A_RATE = {
    "quad": lambda rate, x: integrate.quad(lambda t: np.cos(rate() * t * x[0]), 0.0, 1.0)[0],
    "quad_vec": lambda rate, x: integrate.quad_vec(lambda t: np.cos(rate() * t * x[0]), 0, 1)[0],
    "solve_ivp": solution,
    "odeint": lambda rate, x: along(lambda t, y: -rate() * y + x[0], x[1:], np.array([0.0, 1.0]))[
        -1, 0
    ],
    "cg": system,
    "brentq": lambda rate, x: optimize.brentq(
        lambda z: z**3 + rate() * z - x[0], -4.0, 4.0, xtol=1e-14
    ),
    "lines": lambda rate, x: np.apply_along_axis(lambda v: np.sin(v * rate()), 0, x),
}


class Settings:
    """An object whose attribute is assigned to, and which is read through a method."""

    value = 0.0

    def rate(self):
        return self.value


def by_variable():
    rate = 0.0

    def change(new):
        nonlocal rate
        rate = new

    return lambda: rate, change


def by_entry(rates):
    return lambda: rates[1], lambda new: rates.__setitem__(1, new)


def by_attribute():
    settings = Settings()
    return lambda: settings.value, lambda new: setattr(settings, "value", new)


def by_method():
    settings = Settings()
    return settings.rate, lambda new: setattr(settings, "value", new)


FORMS = (by_attribute, by_method, lambda: by_entry([0.0, 0.0]), lambda: by_entry(np.zeros(2)))


def over_rates(f, form):
    """A sum over rates, each of which is gone when the next one comes."""

    def total(x):
        rate, change = form()
        found = 0.0
        for new in (0.5, 1.5):
            change(new)
            found = found + f(rate, x)
        change(70.0)
        return found

    return total


MARKS_OF_RATES = {"cg": " textless"} | dict.fromkeys(("solve_ivp", "odeint"), " once rough counts")
ROWS = {
    **{
        f"a loop variable, {name}": (
            over_rates(f, by_variable),
            (AROUND,),
            "solver" + MARKS_OF_RATES.get(name, ""),
        )
        for name, f in OF_A_RATE.items()
    },
    **{
        f"other surroundings, {k}": (over_rates(OF_A_RATE["quad"], form), (AROUND,), "solver")
        for k, form in enumerate(FORMS)
    },
    **{
        f"{primal.__name__} by {argument}, {k}": (
            program,
            (P,),
            f"solver number {MARKS.get(primal, '')}",
        )
        for k, (primal, argument, program) in enumerate(OF_EACH)
    },
    **{f"solved, {name}": (program, (POINT,), "solver") for name, program in SOLVED.items()},
    **{
        f"some at bounds, {name}": (
            lambda x, f=f: vmap(f)(x),
            (np.array([0.2, 0.6, 3.0]),),
            "solver unserial" + " rough" * (name == "constraints"),
        )
        for name, f in SOME_AT_BOUNDS.items()
    },
    **{
        f"integrals in lanes, {name}": (
            lambda x, f=f: vmap(f)(x),
            (np.array([0.2, 0.6]),),
            "solver once",
        )
        for name, f in IN_LANES.items()
    },
    **{
        f"integral by tangents, {name}": (
            lambda x, f=f: jvp(lambda a: f(a)[0], (0.5,), (x,))[1],
            (1.0,),
            "solver number once classed",
        )
        for name, f in BY_TANGENTS.items()
    },
    **{f"integral, {name}": (f, (1.3,), "solver number") for name, f in INTEGRANDS.items()},
    **{
        f"first derivative, {name}": (f, (0.6,), "solver number once" + " rough" * (name in KINKED))
        for name, f in (FIRST_ORDER | KINKED).items()
    },
    **{
        f"differential, {name}": (
            f,
            (LOGISTIC,),
            "solver rough" + " counts" * (name not in SAME_TIMES),
        )
        for name, f in DIFFERENTIAL.items()
    },
    **{
        f"slope, {name}": (f, (LOGISTIC,), "solver once rough counts")
        for name, f in OF_FIRST_ORDER.items()
    },
    **{
        f"event, {name}": (lambda p, f=f: all_events(f(p)), (THROWN,), "solver once counts list")
        for name, f in EVENTS.items()
    },
    "event, twice": (
        lambda p: all_events(halved(p, (0.0, 9.0), p[2:])),
        (THROWN,),
        "solver twice rough counts list",
    ),
    "event, solution until then": (until_now, (THROWN,), "solver once counts"),
    "event, in lanes": (
        lambda p: vmap(lambda p: swing(p, t_eval=[1.0, 2.0]).t_events[0])(
            p + np.array([[0.0, 0.0, 0.0], [0.5, -0.1, 0.1]])
        ),
        (THROWN,),
        "solver once counts",
    ),
    "boundary values": (heated, (0.8, 0.53), "solver number refined counts"),
}
