"""A fit to its end: the best parameters by SciPy's optimizers, and how certain they are."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

import numpy as np
from rich import get_console
from scipy import optimize, special

from chainrules_py.annotations import Function
from chainrules_py.values.identity import qualified_name
from chainrules_tape.gradients import value_and_grad
from chainrules_tape.matrices import hessian, jacobian
from chainrules_tape.vectors import as_vector


@dataclass(frozen=True)
class Fit:
    """The best parameters, in the form of the first ones, and their `covariance`.

    The covariance has a row for each number, in the order of `as_vector`. `value` is the loss, or
    the sum of squares; `freedom` is the number of residuals less that of parameters, inf for a
    loss; `result` is what SciPy returned.
    """

    params: Any
    covariance: Any
    value: float
    freedom: float
    result: Any

    @property
    def standard_errors(self) -> Any:
        """The standard deviation of each parameter, built as the parameters are."""
        return as_vector(self.params)[1](np.sqrt(np.diagonal(self.covariance)))

    def interval(self, f: Callable[[Any], Any] = lambda params: params, level: float = 0.95) -> Any:
        """The bounds between which a function of the parameters lies with a probability.

        Its variance is, to first order, J C Jᵀ, with its Jacobian J and the covariance C.
        """
        vector, rebuilt = as_vector(self.params)
        middle, made = as_vector(f(self.params))
        slopes = jacobian(lambda vector: as_vector(f(rebuilt(vector)))[0])(vector)
        deviations = np.sqrt(np.sum(slopes @ self.covariance * slopes, axis=1))
        spread = special.stdtrit(self.freedom, (1 + level) / 2) * deviations
        return made(middle - spread), made(middle + spread)


def fit(
    function: Function,
    params: Any,
    *data,
    bounds: tuple[Any, Any] | None = None,
    progress: bool = False,
    **options,
) -> Fit:
    """Fit parameters, in any container, to data, where ``function(params, *data)`` is an array of
    residuals or a number, the negative logarithm of a likelihood.

    For residuals, `least_squares` minimizes the sum of squares; the covariance of the parameters is
    their estimated variance times (JᵀJ)⁻¹. For a loss, `minimize` runs, and the covariance is the
    inverse of its Hessian. `bounds` is a lower and an upper bound, each built as `params`: a
    parameter at its bound has no such covariance. Options are SciPy's.

    >>> t = np.arange(4.0)
    >>> line = fit(lambda p, t, y: p["a"] + p["b"] * t - y, {"a": 0.0, "b": 0.0}, t, 2 * t + 1)
    >>> float(round(line.params["a"], 6)), float(round(line.params["b"], 6))
    (1.0, 2.0)
    """
    start, rebuilt = as_vector(params)
    limits: tuple[Any, ...] = (-np.inf, np.inf)
    if bounds is not None:
        limits = tuple(as_vector(each)[0] for each in bounds)

    def of_vector(vector) -> Any:
        return function(rebuilt(vector), *data)

    def residuals(vector) -> Any:
        return np.ravel(of_vector(vector))

    with get_console().status("a fit begins") if progress else nullcontext() as line:
        if np.ndim(of_vector(start)):
            told, slopes = telling_of_calls(residuals, line), cast(Any, jacobian(residuals))
            found = optimize.least_squares(told, start, slopes, limits, **options)
            value, freedom = 2 * found.cost, found.fun.size - start.size
            scale, curvature = value / max(freedom, 1), found.jac.T @ found.jac
        else:
            own = options if bounds is None else {"bounds": optimize.Bounds(*limits), **options}
            told = telling_of_calls(value_and_grad(of_vector), line)
            found = optimize.minimize(told, start, jac=True, **own)
            value, freedom, scale = found.fun, np.inf, 1.0
            curvature = hessian(of_vector)(found.x)
    where = f"fit({qualified_name(function)})"
    if not found.success:
        instead = "start nearer, bring parameters to size 1, or pass SciPy's options"
        raise RuntimeError(f"{where}: SciPy stopped ({found.message}); {instead}")
    sizes = np.sqrt(np.abs(np.diagonal(curvature)))
    of_size_one = curvature / np.outer(sizes, sizes) if np.all(sizes) else 0 * curvature
    if np.min(np.linalg.eigvalsh(of_size_one)) < 1e-13:
        instead = "fit fewer parameters, or add what is known of them to the loss"
        raise RuntimeError(f"{where}: the data do not determine all parameters; {instead}")
    covariance = scale * np.linalg.inv(of_size_one) / np.outer(sizes, sizes)
    return Fit(rebuilt(found.x), covariance, value, freedom, found)


def telling_of_calls(function: Function, line) -> Function:
    """The function with a line that tells of each call, and of the value there; if there is one."""
    calls = count(1)

    def told(vector):
        y = function(vector)
        if line is not None:
            value = y[0] if type(y) is tuple else np.sum(y**2)
            line.update(f"{next(calls)} evaluations, {value:.6g}")
        return y

    return told
