"""Least squares of `scipy.optimize`: minima of a sum of squares, by its first-order conditions."""

from typing import Any

import numpy as np
from scipy import optimize

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.rules.config import RuleConfig, rrule_via_ad
from chainrules_py.rulesets.scipy.optimize.declaring import called, defined_by
from chainrules_py.rulesets.scipy.optimize.minimisation import (
    both_sides,
    first_order_conditions,
    flat,
)
from chainrules_py.tangents import materialize
from chainrules_py.values.arrays import common_namespace

# The loss of a squared residual z.
LOSSES = {
    "linear": lambda z, xp: z,
    "soft_l1": lambda z, xp: 2 * (xp.sqrt(1 + z) - 1),
    "huber": lambda z, xp: xp.where(z <= 1, z, 2 * xp.sqrt(xp.where(z <= 1, 1, z)) - 1),
    "cauchy": lambda z, xp: xp.log1p(z),
    "arctan": lambda z, xp: xp.arctan(z),
}


def bounds_on(x, bounds) -> tuple[Any, ...]:
    """The lower and the upper bounds, one for each unknown."""
    lower, upper = (bounds.lb, bounds.ub) if isinstance(bounds, optimize.Bounds) else bounds
    return both_sides(lower, upper, x)


def residuals(x, fun, args: Any = (), kwargs: Any = None) -> Any:
    """The residuals at the minimum."""
    return flat(fun(x, *(args if isinstance(args, tuple) else (args,)), **(kwargs or {})))


def cost(
    x, fun, loss: Any = "linear", f_scale: Any = 1.0, args: Any = (), kwargs: Any = None
) -> Any:
    """Half the sum of the losses of the squared residuals."""
    if loss not in LOSSES:
        where = "scipy.optimize.least_squares: loss"
        instead = f"choose one of {', '.join(LOSSES)}"
        raise NotDifferentiableError(
            where, f"got {loss!r}", instead, primal=optimize.least_squares, argument="loss"
        )
    scaled = residuals(x, fun, args, kwargs) / f_scale
    xp = common_namespace([scaled])
    return 0.5 * f_scale**2 * xp.sum(LOSSES[loss](scaled * scaled, xp))


@defined_by(optimize.least_squares, key="x", values={"fun": residuals, "cost": cost})
def least_squares_equation(
    x,
    fun,
    jac: Any = "2-point",
    bounds: Any = (-np.inf, np.inf),
    loss: Any = "linear",
    f_scale: Any = 1.0,
    args: Any = (),
    kwargs: Any = None,
    *,
    config: RuleConfig,
):
    """The cost is stationary, with the bounds that hold."""
    return first_order_conditions(
        config, lambda x: cost(x, fun, loss, f_scale, args, kwargs), x, bounds_on(x, bounds)
    )


@defined_by(optimize.leastsq, key=0)
def leastsq_equation(x, func, args: Any = (), Dfun: Any = None, *, config: RuleConfig):
    """The sum of squares is stationary."""

    def squares(x):
        return 0.5 * flat(called(func, x, args)) @ flat(called(func, x, args))

    return first_order_conditions(config, squares, x, ())


def deviations(x, f, xdata, ydata, sigma: Any = None) -> Any:
    """The deviations of the model from the data, in units of sigma or of a covariance matrix."""
    deviation = flat(f(array_of_parts(xdata), *x) - array_of_parts(ydata))
    if sigma is None:
        return deviation
    sigma = array_of_parts(sigma)
    if sigma.ndim < 2:
        return deviation / sigma
    xp = common_namespace([sigma, deviation])
    return xp.linalg.solve(xp.linalg.cholesky(sigma), deviation)


def covariance(
    x,
    f,
    xdata,
    ydata,
    sigma: Any = None,
    absolute_sigma: bool = False,
    *,
    config: RuleConfig,
) -> Any:
    """The inverse of J.T @ J, of the Jacobian of the deviations; times their mean square over the
    degrees of freedom, where the size of sigma is not absolute.
    """

    def pulled(x, deviation_bar) -> Any:
        _, pull = rrule_via_ad(config, lambda x: deviations(x, f, xdata, ydata, sigma), x)
        return materialize(pull(deviation_bar)[0], like=x)

    # J u is the derivative of J.T @ w by w: a sweep for each unknown, and not for each datum
    deviation = deviations(x, f, xdata, ydata, sigma)
    _, pull = rrule_via_ad(config, lambda w: pulled(x, w), np.zeros(deviation.shape))
    columns = [materialize(pull(unit)[0], like=deviation) for unit in np.eye(x.size)]
    xp = common_namespace(columns)
    jacobian = xp.stack(columns, axis=-1)
    of_squares = xp.linalg.inv(jacobian.T @ jacobian)
    if absolute_sigma:
        return of_squares
    return of_squares * (deviation @ deviation / (deviation.size - x.size))


@defined_by(optimize.curve_fit, key=0, values={1: covariance})
def curve_fit_equation(
    x,
    f,
    xdata,
    ydata,
    sigma: Any = None,
    bounds: Any = (-np.inf, np.inf),
    jac: Any = None,
    *,
    config: RuleConfig,
):
    """The sum of the squared deviations is stationary."""

    def squares(x):
        scaled = deviations(x, f, xdata, ydata, sigma)
        return 0.5 * scaled @ scaled

    return first_order_conditions(config, squares, x, bounds_on(x, bounds))


def misfit(x, A, b) -> Any:
    """The residuals of a linear system."""
    return array_of_parts(A) @ x - array_of_parts(b)


def norm_of_residual(x, A, b):
    """The length of A x - b."""
    return common_namespace([x]).linalg.norm(misfit(x, A, b))


@defined_by(optimize.nnls, key=0, values={1: norm_of_residual})
def nnls_equation(x, A, b):
    """Each unknown is zero, or the derivative of the cost with respect to it."""
    slope = array_of_parts(A).T @ misfit(x, A, b)
    return common_namespace([slope]).where(ignore_derivatives(x) <= 0, x, slope)


def cost_of_linear(x, A, b) -> Any:
    """Half the sum of the squared residuals."""
    return 0.5 * misfit(x, A, b) @ misfit(x, A, b)


@defined_by(optimize.lsq_linear, key="x", values={"fun": misfit, "cost": cost_of_linear})
def lsq_linear_equation(x, A, b, bounds: Any = (-np.inf, np.inf), *, config: RuleConfig):
    """The cost is stationary, with the bounds that hold."""
    return first_order_conditions(
        config, lambda x: cost_of_linear(x, A, b), x, bounds_on(x, bounds)
    )
