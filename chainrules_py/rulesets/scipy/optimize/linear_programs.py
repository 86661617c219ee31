"""Linear programs of `scipy.optimize`: the vertex at which the minimum is.

The constraints that hold there are linear equations for it. So it moves by them, and by no costs;
the derivative of the minimum by the costs is the vertex, and that by the right sides are the
multipliers (the envelope theorem). Where the best vertex changes, the minimum has a kink: by the
costs its slope is then one of those at both sides.
"""

from typing import Any

import numpy as np
from scipy import optimize

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import non_differentiable, primitive

HOLDS = 1e-9  # how near to its bound, in units of 1 + |x|, a constraint holds at a vertex


@primitive
def vertex(c, a_ub, b_ub, a_eq, b_eq, bounds, moves: bool, options: dict[str, Any]) -> Any:
    """The solution of a linear program, and behind it which constraints hold, as 0 and 1.

    First are those of the inequalities, then the lower and the upper bounds. Where they move, they
    have to be independent.
    """
    found = optimize.linprog(c, a_ub, b_ub, a_eq, b_eq, bounds, **options)
    if not found.success:
        raise refused(found.message, "pass costs and constraints of which there is a minimum")
    near = HOLDS * (1 + np.abs(found.x).max())
    sides = found.ineqlin.residual, found.lower.residual, found.upper.residual
    holds = [residual <= near for residual in sides]
    if moves:
        require_regular(a_ub, a_eq, holds)
    return np.concatenate([found.x, *holds])


non_differentiable(vertex)


def require_regular(a_ub, a_eq, holds: list[Any]) -> None:
    """Raise where the constraints that hold are not as many independent ones as there are unknowns.

    Of equations some may follow from others, as in transport.
    """
    at_inequality, *at_bounds = holds
    free = ~np.any(at_bounds, axis=0)
    rows = np.concatenate([a_eq, a_ub[at_inequality]])[:, free]
    rank = rank_of(rows)
    if rank == free.sum() and rank - rank_of(a_eq) == at_inequality.sum():
        return
    got = "more or fewer constraints hold at the minimum than it takes: it has a kink there"
    instead = (
        "move the constraints a little, or pass stop_gradient of them, where only costs are meant"
    )
    raise refused(got, instead)


def refused(got: str, instead: str, argument: str = "b_ub") -> NotDifferentiableError:
    """The error of a linear program that has no derivative."""
    where = "scipy.optimize.linprog"
    return NotDifferentiableError(where, got, instead, primal=optimize.linprog, argument=argument)


def rank_of(matrix) -> int:
    """The rank of a matrix, which may have no rows or columns."""
    return int(np.linalg.matrix_rank(matrix)) if matrix.size else 0


def moved_vertex(solved, a_ub, b_ub, a_eq, b_eq, lower, upper) -> Any:
    """The solution as a function of the constraints, at which it is a constant already."""
    n, count = a_eq.shape[1], a_ub.shape[0]
    x, at_inequality, at_lower, at_upper = np.split(solved, np.cumsum([n, count, n]))
    share = at_lower / np.maximum(at_lower + at_upper, 1)  # equal bounds move together
    edge = share * np.where(at_lower, lower, 0) + (1 - share) * np.where(at_upper, upper, 0)
    is_fixed = np.maximum(at_lower, at_upper)
    rows = np.concatenate([a_eq, at_inequality[:, None] * a_ub, np.diag(is_fixed)])
    away = [b_eq - a_eq @ x, at_inequality * (b_ub - a_ub @ x), is_fixed * (edge - x)]
    return x + np.linalg.lstsq(rows, np.concatenate(away), rcond=None)[0]
