"""Samples of scipy.optimize and scipy.integrate, which only an engine can differentiate."""

from typing import Any

import numpy as np
from scipy import optimize

from chainrules_py.errors import NoRuleError
from chainrules_py.makers.implicit import ImplicitFunction, solution
from chainrules_py.rulesets.formulas.each_example import each_example
from chainrules_py.rulesets.scipy.integrate import initial_values, odeint, quadrature
from chainrules_py.rulesets.scipy.integrate.collocation import radau
from chainrules_py.rulesets.scipy.integrate.linear_steps import (
    LinearSteps,
    cotangents_given,
    tangents_read,
)
from chainrules_py.rulesets.scipy.optimize.isotonic import blocks_of
from chainrules_py.rulesets.scipy.optimize.linear_programs import vertex
from chainrules_py.testing.samples import Draw, Sample, Samples, samples_for

LINE = (np.ones(3), np.arange(3.0))
CALLS: dict[Any, tuple[Any, ...]] = {
    **dict.fromkeys(
        (optimize.bisect, optimize.brentq, optimize.brenth, optimize.ridder), (np.sin, 1.0, 4.0)
    ),
    optimize.toms748: (np.sin, 1.0, 4.0),
    **dict.fromkeys(
        (optimize.newton, optimize.fixed_point, optimize.fsolve, optimize.root), (np.sin, 3.0)
    ),
    **dict.fromkeys(
        (optimize.anderson, optimize.broyden1, optimize.broyden2, optimize.newton_krylov),
        (np.sin, 3.0),
    ),
    **dict.fromkeys((optimize.minimize, optimize.least_squares, optimize.leastsq), (np.sin, 3.0)),
    **dict.fromkeys(
        (optimize.root_scalar, optimize.minimize_scalar, optimize.brent, optimize.golden),
        (np.sin,),
    ),
    optimize.curve_fit: (np.multiply, *LINE),
    **dict.fromkeys((optimize.nnls, optimize.lsq_linear), (np.eye(3), LINE[1])),
    quadrature.integral: (np.sin, 0.0, 1.0, ()),
    quadrature.quad: (np.sin, 0.0, 1.0, ()),
    quadrature.quad_vec: (np.sin, 0.0, 1.0, ()),
    quadrature.nquad: (np.multiply, (), 0.0, 1.0, 0.0, 1.0),
    initial_values.solve: (np.multiply, (0.0, 1.0), np.ones(1), None, ()),
    odeint.odeint: (np.multiply, np.ones(1), LINE[1], ()),
    solution: (ImplicitFunction(np.sqrt, np.subtract), 4.0),
    each_example: (np.sin, 1.0),
}


@samples_for(*CALLS, dtypes=["float64"])
def without_an_engine(draw: Draw, primal) -> Samples:
    """One call, which no plain caller can have differentiated."""
    yield Sample(*CALLS[primal], error=NoRuleError)


@samples_for(vertex, dtypes=["float64"])
def vertex_samples(draw: Draw) -> Samples:
    """By the costs; the constraints move it by the equations that hold there."""
    rows, none = (-np.ones((1, 2)), -np.ones(1)), (np.zeros((0, 2)), np.zeros(0))
    bounds, options = np.array([[0.0, 3.0]] * 2), {"moves": True, "options": {}}
    yield Sample(draw.positive(2), *rows, *none, bounds, options=options, fixed=range(1, 6))


@samples_for(optimize.linear_sum_assignment, dtypes=["float64"])
def linear_sum_assignment_samples(draw: Draw) -> Samples:
    """Any matrix of costs."""
    yield Sample(draw.real(3, 3))


@samples_for(
    *(optimize.rosen, optimize.rosen_der, optimize.rosen_hess, optimize.rosen_hess_prod),
    dtypes=["float64"],
)
def rosenbrock_samples(draw: Draw, primal) -> Samples:
    """The function of Rosenbrock, and its derivatives."""
    count = 2 if primal is optimize.rosen_hess_prod else 1
    yield Sample(*[draw.any(4) for _ in range(count)])


@samples_for(optimize.isotonic_regression, blocks_of, dtypes=["float64"])
def isotonic_regression_samples(draw: Draw) -> Samples:
    """Values in blocks, and weights of them."""
    yield Sample(draw.distinct(7))
    yield Sample(draw.distinct(4), options={"weights": np.arange(1.0, 5.0), "increasing": False})


def few_steps(draw: Draw) -> LinearSteps:
    """Three steps of a problem of two unknowns, read at its start, between two and at its end."""
    formula = radau(3)
    h, jacobians = np.array([0.1, 0.3, 0.2]), draw.real(3, len(formula.nodes), 2, 2)
    return LinearSteps(formula, h, jacobians, np.array([0, 1, 3]))


@samples_for(tangents_read, dtypes=["float64"])
def tangents_read_samples(draw: Draw) -> Samples:
    """Steps of Radau's formula."""
    steps = few_steps(draw)
    yield Sample(draw.real(2 + 6 * steps.count), options={"steps": steps})


@samples_for(cotangents_given, dtypes=["float64"])
def cotangents_given_samples(draw: Draw) -> Samples:
    """These steps, back."""
    yield Sample(draw.real(2, 3), options={"steps": few_steps(draw)})
