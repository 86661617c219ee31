"""Minima of `scipy.optimize`, by their first-order conditions.

The value at the minimum, by composition.

With constraints c(x) = 0, those that hold at the solution among the inequalities and bounds
included, the conditions are written in x alone: ``grad f - A^T l + A^T c = 0``, where A is the
derivative of c and l = (A A^T)^-1 A grad f are the multipliers. Its tangential part says that x is
stationary, its normal part that the constraints hold (Fletcher 1970). What holds by chance, with a
multiplier of zero, counts as a constraint.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import optimize
from scipy.sparse.linalg import LinearOperator

from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import non_differentiable, primitive
from chainrules_py.makers.by_source import by_source
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.rules.config import RuleConfig, rrule_via_ad
from chainrules_py.rulesets.scipy.optimize.declaring import called, defined_by
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import materialize
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.structure import container

for _constraint in (optimize.Bounds, optimize.LinearConstraint, optimize.NonlinearConstraint):
    container(_constraint)  # what is differentiated may be in their attributes
non_differentiable(optimize.linear_sum_assignment)  # the minimum is a permutation

# how near to its bound, in units of 1 + |bound|, a constraint holds: what SciPy's solvers leave
HOLDS = 1e-5


def number(value) -> Any:
    """The real number that a function to minimise returns, also as an array of one."""
    # with jac=True, its gradient stands beside it
    value = value[0] if isinstance(value, tuple) else value
    return value[(0,) * value.ndim] if getattr(value, "ndim", 0) else value


def gradient(config: RuleConfig, function: Callable[[Any], Any], x) -> Any:
    """The gradient of a real function."""
    _, pull = rrule_via_ad(config, lambda x: number(function(x)), x)
    return materialize(pull(1.0)[0], like=x)


# --- Constraints ---


def constraint_residuals(x, bounds: Sequence[Any], constraints) -> Iterator[Callable[[Any], Any]]:
    """Functions of x that are zero where the active constraints hold, one for each group of them."""
    for bound in bounds:
        rows = unknowns_at(bound, x)
        if rows.size:
            yield partial(distance_from, bound, rows, lambda x: x)
    objects = dict | optimize.LinearConstraint | optimize.NonlinearConstraint
    for constraint in [constraints] if isinstance(constraints, objects) else constraints:
        function, low, high = function_of_constraint(constraint)
        value = ignore_derivatives(function(x))
        low, high = both_sides(low, high, value)
        equal = ignore_derivatives(low) == ignore_derivatives(high)
        for bound, counted in ((low, True), (high, ~equal)):
            rows = np.flatnonzero((is_at_bound(x, value, bound) | equal) & counted)
            if rows.size:
                yield partial(distance_from, bound, rows, function)


def both_sides(lower, upper, like) -> tuple[Any, ...]:
    """The lower and the upper bounds, one for each entry of an array."""
    sides = map(array_of_parts, (lower, upper))
    return tuple([common_namespace([side]).broadcast_to(side, like.shape) for side in sides])


def flat(value) -> Any:
    """The values of a function, or a list of them, as a vector."""
    value = array_of_parts(value)
    return common_namespace([value]).reshape(value, (-1,))


def is_at_bound(x, value, bound) -> Any:
    """Whether values of a constraint are at a bound, to the accuracy of solvers."""
    size = 1 + np.abs(ignore_derivatives(x)).max()
    return np.abs(value - ignore_derivatives(bound)) <= HOLDS * size


def distance_from(bound, rows, function: Callable[[Any], Any], x):
    """The distances of some values of a function from a bound."""
    return (function(x) - bound)[rows]  # where rows differ from lane to lane, bounds may not


def function_of_constraint(constraint) -> tuple[Callable[[Any], Any], Any, Any]:
    """The function of a constraint, whose values become an array, and its lower and upper bounds."""
    if isinstance(constraint, dict):
        written = constraint["fun"]
        low = 0.0
        high = 0.0 if constraint["type"] == "eq" else np.inf
        args = constraint.get("args", ())
    elif isinstance(constraint, optimize.LinearConstraint | optimize.NonlinearConstraint):
        given: Any = constraint
        written = (
            (lambda x: given.A @ x) if isinstance(given, optimize.LinearConstraint) else given.fun
        )
        args, low, high = (), constraint.lb, constraint.ub
    else:
        where, got = "scipy.optimize.minimize: constraints", f"a {type(constraint).__name__}"
        instead = (
            'write each as {"type": "eq" or "ineq", "fun": f, "args": (...)}, or as an object of'
            " SciPy's"
        )
        raise NotDifferentiableError(
            where, got, instead, primal=optimize.minimize, argument="constraints"
        )

    return lambda x: flat(called(written, x, args)), low, high


def bounds_of_unknowns(bounds) -> tuple[Any, ...]:
    """The lower and the upper bounds as arrays.

    Given are SciPy's `Bounds`, or a pair for each unknown, with None for an absent one.
    """
    if bounds is None:
        return ()
    if isinstance(bounds, optimize.Bounds):
        return bounds.lb, bounds.ub
    pairs = [
        [-np.inf if low is None else low, np.inf if high is None else high] for low, high in bounds
    ]
    lower, upper = array_of_parts(pairs).T
    return lower, upper


def unknowns_at(bound, x) -> Any:
    """The positions of the unknowns that are at a bound."""
    x = ignore_derivatives(x)
    bound = np.broadcast_to(ignore_derivatives(bound), np.shape(x))
    is_finite = np.isfinite(bound)
    edge = np.where(is_finite, bound, np.inf)
    size = np.where(is_finite, bound, 0.0)
    return np.flatnonzero(np.abs(x - edge) <= HOLDS * (1 + np.abs(size)))


def first_order_conditions(
    config: RuleConfig,
    function: Callable[[Any], Any],
    x,
    bounds: Sequence[Any],
    constraints: Any = (),
) -> Any:
    """The residuals of the first-order conditions at x, as many as there are unknowns."""
    slope = gradient(config, function, x)
    groups = list(constraint_residuals(x, bounds, constraints))
    if not groups:
        return slope

    def constraint(x):
        values = [group(x) for group in groups]
        return common_namespace(values).concatenate(values)

    value, pull = rrule_via_ad(config, constraint, x)
    rows = [materialize(pull(unit)[0], like=x) for unit in np.eye(value.shape[0])]
    xp = common_namespace([*rows, slope])
    normal = xp.stack(rows)
    multipliers = xp.linalg.solve(normal @ normal.T, normal @ slope)
    return slope + (value - multipliers) @ normal


# --- Functions ---


def value_of_minimum(x, fun, args: Any = ()):
    """The function at its minimum."""
    return number(called(fun, x, args))


def minimize_hessian(x, args: Any = (), hess: Any = None):
    """The second derivative that the caller gave."""
    return called(hess, x, args) if callable(hess) else None


minimize = primitive(optimize.minimize)


def minimize_with_arrays(*args, **options):
    """The result of `minimize`; an inverse Hessian becomes a matrix if it is an operator."""
    result = minimize(*args, **options)
    inverse = result.get("hess_inv")
    if isinstance(inverse, LinearOperator):
        result.hess_inv = inverse @ np.eye(inverse.shape[0])
    return result


@default_rules.batched.register(optimize.minimize)
def minimize_batched(lanes: Lanes, *args: object, **options):
    """Compute the minima of all examples one by one."""
    return looped(minimize_with_arrays, lanes, args, options)


@defined_by(
    optimize.minimize,
    key="x",
    values={"fun": value_of_minimum},
    jacobian=minimize_hessian,
    run=minimize_with_arrays,
)
def minimize_equation(
    x,
    fun,
    args: Any = (),
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    *,
    config: RuleConfig,
):
    """The first-order conditions, with the constraints that hold."""
    return first_order_conditions(
        config, lambda x: called(fun, x, args), x, bounds_of_unknowns(bounds), constraints
    )


@defined_by(optimize.minimize_scalar, key="x", values={"fun": value_of_minimum})
def minimize_scalar_equation(x, fun, bounds: Any = None, args: Any = (), *, config: RuleConfig):
    """The slope is zero, or x is at a bound."""
    for bound in bounds if bounds is not None else ():
        if unknowns_at(bound, x).size:
            return x - bound
    return gradient(config, lambda x: called(fun, x, args), x)


@defined_by(optimize.brent, optimize.golden)
def line_minimum_equation(x, func, args: Any = (), *, config: RuleConfig):
    """The slope is zero."""
    return gradient(config, lambda x: called(func, x, args), x)


by_source(optimize.rosen, optimize.rosen_der, optimize.rosen_hess, optimize.rosen_hess_prod)
