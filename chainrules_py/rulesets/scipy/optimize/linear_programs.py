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
    """The solution of a linear program, followed by 1 for each active constraint and 0 for others.

    First are those of the inequalities, then the lower and the upper bounds. Where they move, they
    have to be independent.
    """
    found = optimize.linprog(c, a_ub, b_ub, a_eq, b_eq, bounds, **options)
    if not found.success:
        raise refused(found.message, "pass costs and constraints of which there is a minimum")
    sides = found.ineqlin.residual, found.lower.residual, found.upper.residual
    holds = np.concatenate(sides) <= HOLDS * (1 + np.abs(found.x).max())
    if moves:
        require_regular(a_ub, a_eq, holds)
    return np.concatenate([found.x, holds])


non_differentiable(vertex)


def inequalities(a_ub, size: int) -> Any:
    """The matrix of all inequalities; those of lower and upper bounds come last."""
    return np.concatenate([a_ub, -np.eye(size), np.eye(size)])


def require_regular(a_ub, a_eq, holds) -> None:
    """Raise if the active constraints are not independent, or not as many as the unknowns.

    Of equations some may follow from others, as in transport; and equal bounds are one constraint.
    """
    size = a_eq.shape[1]
    are_equal = np.all(np.reshape(holds[-2 * size :], (2, size)), axis=0)
    rank = np.linalg.matrix_rank(np.concatenate([a_eq, inequalities(a_ub, size)[holds]]))
    count = holds.sum() - are_equal.sum()
    if rank == size and rank - np.linalg.matrix_rank(a_eq) == count:
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


def moved_vertex(solved, a_ub, b_ub, a_eq, b_eq, lower, upper) -> Any:
    """The known solution as a function of the constraints.

    Equal bounds, of which both hold, move together.
    """
    x, holds = np.split(solved, [a_eq.shape[1]])
    limits = np.where(holds, np.concatenate([b_ub, -lower, upper]), 0)
    rows = np.concatenate([a_eq, holds[:, None] * inequalities(a_ub, x.size)])
    away = np.concatenate([b_eq, limits]) - rows @ x
    return x + np.linalg.lstsq(rows, away, rcond=None)[0]
