"""Wrong rules of what is defined by an equation are noticed: by each argument, in both modes, as
the mutation gate has it.

The gate runs rules without an engine. These ask an engine to differentiate functions that they were
given, so that here the tape runs them, with a changed rule in a table of its own, on programs in
which one argument depends on the parameter.
"""

import importlib

import numpy as np
import pytest

from chainrules_py import RuleConfig, RuleTable, default_rules, implicit_function
from chainrules_py.makers.implicit import solution
from chainrules_py.rules.rule import with_defaults
from chainrules_py.testing.mutation import Mutant
from chainrules_py.values.identity import qualified_name
from chainrules_tape import grad, jvp
from chainrules_tape.core.config import TapeConfig

integrate = importlib.import_module("chainrules_tape.scipy.integrate")
optimize = importlib.import_module("chainrules_tape.scipy.optimize")
values, quadrature, odes, boundaries = (
    importlib.import_module(f"chainrules_py.rulesets.scipy.integrate.{name}")
    for name in ("initial_values", "quadrature", "odeint", "boundary_values")
)
scipys = importlib.import_module("scipy.optimize")

T = np.linspace(0.2, 1.4, 5)
TIGHTEST = {"ftol": 1e-15, "xtol": 1e-15}
TIGHT = {"rtol": 1e-9, "atol": 1e-11}
LINE = np.stack([np.ones(5), T], axis=-1)
BRACKETED = [scipys.bisect, scipys.brentq, scipys.brenth, scipys.ridder, scipys.toms748]


def cubic(x, p):
    return x**3 + p * x - 1


def bowl(x, p):
    return np.sum((x - p) ** 2 + 0.1 * x**4)


def decay(t, y, p):
    return -p * y


def product(x, p):
    return np.sin(p * x)


def decayed_between_ends(rate, start):
    """The last value of a boundary value problem, on a mesh that stays as it is."""
    mesh = np.linspace(0.0, 1.0, 9)
    return integrate.solve_bvp(
        lambda t, y: -rate * y, lambda first, last: first - start, mesh, np.ones((1, 9)), tol=1.0
    ).y[0, -1]


# A primal, the argument that depends on the parameter, and a program of it.
PROGRAMS = [
    *(
        (each, 3, lambda p, f=each.__name__: getattr(optimize, f)(cubic, -1.0, 2.0, args=(p,)))
        for each in BRACKETED
    ),
    *(
        (each, 0, lambda p, f=each.__name__: getattr(optimize, f)(lambda x: cubic(x, p), -1.0, 2.0))
        for each in BRACKETED
    ),
    (scipys.newton, 3, lambda p: optimize.newton(cubic, 0.5, args=(p,))),
    (
        scipys.fixed_point,
        2,
        lambda p: optimize.fixed_point(lambda x, p: np.cos(p * x), 0.5, args=(p,), xtol=1e-13),
    ),
    (scipys.fsolve, 2, lambda p: optimize.fsolve(cubic, 0.5, args=(p,), xtol=1e-13)[0]),
    (scipys.root, 2, lambda p: optimize.root(cubic, 0.5, args=(p,), tol=1e-13).x[0]),
    (
        scipys.root_scalar,
        1,
        lambda p: optimize.root_scalar(cubic, args=(p,), bracket=(-1.0, 2.0)).root,
    ),
    (scipys.minimize, 2, lambda p: np.sum(optimize.minimize(bowl, np.zeros(2), (p,), tol=1e-9).x)),
    (
        scipys.minimize_scalar,
        0,
        lambda p: optimize.minimize_scalar(lambda x: bowl(x, p), tol=1e-13).x,
    ),
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
        lambda p: np.sum(optimize.curve_fit(lambda t, a, b: a + b * t, T * p, T**2, **TIGHTEST)[0]),
    ),
    (
        scipys.curve_fit,
        2,
        lambda p: np.sum(optimize.curve_fit(lambda t, a, b: a + b * t, T, p * T**2, **TIGHTEST)[0]),
    ),
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
    (quadrature.fixed_quad, 1, lambda p: integrate.fixed_quad(np.sin, p, 2.0)[0]),
    (quadrature.fixed_quad, 2, lambda p: integrate.fixed_quad(np.sin, 0.0, p)[0]),
    (quadrature.fixed_quad, 3, lambda p: integrate.fixed_quad(product, 0.0, 1.0, args=(p,))[0]),
    (quadrature.dblquad, 2, lambda p: integrate.dblquad(lambda y, x: x * y, 0.0, p, 0.0, 1.0)[0]),
    (quadrature.dblquad, 4, lambda p: integrate.dblquad(lambda y, x: x * y, 0.0, 1.0, 0.0, p)[0]),
    (
        quadrature.tplquad,
        2,
        lambda p: integrate.tplquad(lambda z, y, x: x * y * z, 0.0, p, 0.0, 1.0, 0.0, 1.0)[0],
    ),
    (quadrature.nquad, 1, lambda p: integrate.nquad(lambda x, y: x * y, [(0.0, 1.0), (0.0, p)])[0]),
    (
        values.solve,
        0,
        lambda p: integrate.solve_ivp(lambda t, y: -p * y, (0.0, 1.0), np.ones(1), **TIGHT).y[
            0, -1
        ],
    ),
    (
        values.solve,
        1,
        lambda p: integrate.solve_ivp(decay, (0.0, p), np.ones(1), args=(0.7,), **TIGHT).y[0, -1],
    ),
    (
        values.solve,
        2,
        lambda p: integrate.solve_ivp(decay, (0.0, 1.0), np.stack([p]), args=(0.7,), **TIGHT).y[
            0, -1
        ],
    ),
    (
        values.solve,
        3,
        lambda p: integrate.solve_ivp(decay, (0, 2), [1.0], t_eval=T * p, args=(0.7,), **TIGHT).y[
            0, -1
        ],
    ),
    (
        values.solve,
        4,
        lambda p: integrate.solve_ivp(decay, (0.0, 1.0), np.ones(1), args=(p,), **TIGHT).y[0, -1],
    ),
    (
        values.solve,
        4,
        lambda p: integrate.solve_ivp(decay, (0, 1), [1.0], "LSODA", args=(p,), **TIGHT).y[0, -1],
    ),
    (
        odes.odeint,
        1,
        lambda p: integrate.odeint(
            decay, np.stack([p]), T, args=(0.7,), tfirst=True, rtol=1e-10, atol=1e-12
        )[-1, 0],
    ),
    (
        odes.odeint,
        2,
        lambda p: integrate.odeint(
            decay, 1.0, T * p, args=(0.7,), tfirst=True, rtol=1e-10, atol=1e-12
        )[-1, 0],
    ),
    (
        odes.odeint,
        3,
        lambda p: integrate.odeint(decay, 1.0, T, args=(p,), tfirst=True, rtol=1e-10, atol=1e-12)[
            -1, 0
        ],
    ),
    (boundaries.boundary_values, 0, lambda p: decayed_between_ends(p, 1.0)),
    (boundaries.boundary_values, 1, lambda p: decayed_between_ends(0.7, p)),
    (solution, 1, lambda p: implicit_function(lambda p: np.sqrt(p), lambda x, p: x * x - p)(p)),
]
PLACES = ("scipy/optimize", "scipy/integrate", "functions/implicit.py")
P = 1.2


def derivatives(program, rules):
    """The derivative of a program in each mode, by the rules of a table."""
    yield "reverse", lambda: grad(program, rules=rules)(P)
    yield "forward", lambda: jvp(program, (P,), (1.0,), rules=rules)[1]


def with_mutants(primal, argument, change, mode):
    """A table in which each rule of a primal has the derivative by one argument changed."""
    table = RuleTable(parent=default_rules)
    for rule in default_rules.rules(primal):
        if rule.mode == mode and rule.config is not RuleConfig:
            config = {"config": TapeConfig(default_rules)} if "config" in rule.wants else {}
            right = rule.replaced(
                function=with_defaults(rule.function, config),
                wants=rule.wants - config.keys(),
            )
            table.add(Mutant(right, argument, change).mutated())
    return table


def test_every_such_primal_has_a_program():
    default_rules.load_all()
    known = {
        rule.primal
        for rule in default_rules.rules()
        if rule.config is not RuleConfig
        and rule.where
        and any(place in rule.where for place in PLACES)
    }
    assert {qualified_name(primal) for primal in known} == {
        qualified_name(primal) for primal, _, _ in PROGRAMS
    }


# integrals of integrals, which take long
NESTED = (quadrature.dblquad, quadrature.tplquad, quadrature.nquad)
CASES = [
    pytest.param(
        *case,
        id=f"{case[0].__name__}-{case[1]}-{k}",
        marks=[pytest.mark.slow] if case[0] in NESTED else [],
    )
    for k, case in enumerate(PROGRAMS)
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("primal", "argument", "program"), CASES)
def test_no_mutant_survives(primal, argument, program):
    difference = (program(P + 1e-4) - program(P - 1e-4)) / 2e-4
    for mode, right in derivatives(program, default_rules):
        assert np.isclose(right(), difference, rtol=2e-5, atol=1e-7), mode
        for change in ("scaled", "negated"):
            wrong = dict(derivatives(program, with_mutants(primal, argument, change, mode)))[mode]
            assert not np.isclose(wrong(), difference, rtol=1e-2, atol=1e-3), (mode, change)
