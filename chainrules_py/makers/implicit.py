"""Functions that are defined by an equation: `implicit_function`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

from chainrules_py.annotations import Function
from chainrules_py.makers.declarations import primitive
from chainrules_py.values.captured_values import closed

LinearSolver = Callable[[Callable[[Any], Any], Any], Any]


@dataclass(frozen=True, eq=False)
class ImplicitFunction:
    """The function that `solver` computes, with ``residual(solver(*args), *args) == 0``."""

    solver: Function
    residual: Function
    linear_solver: LinearSolver | None = None

    def __call__(self, *args, **options) -> Any:
        """The solution; options are the solver's, and constants."""
        return solution(closed(self), *closed(args), **options)


@primitive
def solution(implicit: ImplicitFunction, *args, **options) -> Any:
    """Solve an equation with plain values; its rules are in `rulesets/functions/implicit`."""
    return implicit.solver(*args, **options)


@overload
def implicit_function(
    solver: Function,
    residual: Function,
    *,
    linear_solver: LinearSolver | None = None,
) -> ImplicitFunction: ...
@overload
def implicit_function(
    *, residual: Function, linear_solver: LinearSolver | None = None
) -> Callable[[Function], ImplicitFunction]: ...
def implicit_function(
    solver: Any = None, residual: Any = None, *, linear_solver: LinearSolver | None = None
) -> ImplicitFunction | Callable[[Function], ImplicitFunction]:
    """Make a solver a function that is differentiated by its equation, not by its iterations.

    The function is ``solver(*args) -> x``, and the equation ``residual(x, *args) = 0``.

    Both may capture values that are differentiated. The solver only gets plain values, and has to
    raise where it does not converge. `x` and the residual are numbers, arrays or containers with as
    many entries. For large systems ``linear_solver(product, b)`` solves ``product(x) = b`` for a
    vector, and no Jacobian is made: GMRES, say.

    >>> import numpy as np
    >>> @implicit_function(residual=lambda x, a: x * x - a)
    ... def square_root(a):
    ...     return np.sqrt(a)
    >>> from chainrules_tape import grad
    >>> float(grad(square_root)(4.0))
    0.25
    """
    if solver is None:
        return partial(implicit_function, residual=residual, linear_solver=linear_solver)
    return ImplicitFunction(solver, residual, linear_solver)
