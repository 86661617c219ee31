"""Roots and fixed points of `scipy.optimize`: the equation is the one that the caller wrote."""

from typing import Any

from scipy import optimize

from chainrules_py.rulesets.scipy.optimize.declaring import called, defined_by


@defined_by(optimize.bisect, optimize.brentq, optimize.brenth, optimize.ridder, optimize.toms748)
def bracketed_equation(x, f, args: Any = ()):
    """Zero of a function of one unknown, which does not depend on the bracket."""
    return called(f, x, args)


def fsolve_jacobian(x, func, args: Any = (), fprime: Any = None):
    """The derivative of the function that the caller gave."""
    return None if fprime is None else called(fprime, x, args)


@defined_by(optimize.fsolve, jacobian=fsolve_jacobian)
def fsolve_equation(x, func, args: Any = (), fprime: Any = None):
    """Zero of a function of several unknowns."""
    return called(func, x, args)


@defined_by(optimize.newton)
def newton_equation(x, func, args: Any = (), fprime2: Any = None):
    """Zero of a function of one unknown, or of an array of them, entry by entry."""
    return called(func, x, args)


def with_derivatives(value, *flags) -> Any:
    """The value alone of a function that, by a flag, also returns its derivatives."""
    return value[0] if any(flag is True for flag in flags) else value


@defined_by(optimize.root_scalar, key="root")
def root_scalar_equation(
    x, f, args: Any = (), fprime: Any = None, fprime2: Any = None, x1: Any = None
):
    """Zero of a function of one unknown, which does not depend on where the search begins."""
    return with_derivatives(called(f, x, args), fprime, fprime2)


@defined_by(optimize.anderson, optimize.broyden1, optimize.broyden2, optimize.newton_krylov)
def nonlinear_equation(x, F, xin):
    """Zero of a function of several unknowns."""
    return F(x)


def root_equation(x, fun, args: Any = (), jac: Any = None):
    """Zero of a function of several unknowns."""
    return with_derivatives(called(fun, x, args), jac)


def root_jacobian(x, fun, args: Any = (), jac: Any = None):
    """The derivative of the function that the caller gave, as a function or beside the value."""
    if jac is True:
        return called(fun, x, args)[1]
    return called(jac, x, args) if callable(jac) else None


defined_by(optimize.root, key="x", values={"fun": root_equation}, jacobian=root_jacobian)(
    root_equation
)


@defined_by(optimize.fixed_point)
def fixed_point_equation(x, func, args: Any = ()):
    """The x with f(x, ...) = x."""
    return called(func, x, args) - x
