"""`scipy.optimize` for code that is differentiated: by the equation of the result, not the
iterations.

SciPy's functions to try solvers on ask their arguments for plain arrays; here they are written in
operations that have rules. Functions may take what is differentiated from `args` or from their surroundings. Solvers see plain
numbers.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import optimize
>>> grad(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 10.0))(4.0)
0.25
"""

from typing import Any

import numpy as np
from scipy import optimize

from chainrules_py.rulesets.scipy.optimize.linear_programs import moved_vertex, refused, vertex
from chainrules_py.rulesets.scipy.optimize.minimisation import bounds_of_unknowns
from chainrules_tape.core.levels import innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import closing, stand_in
from chainrules_tape.scipy.objects import floats, named_arguments, traced_option_error


@by_others(optimize.linprog)
def linprog(*args, **options) -> Any:
    """`scipy.optimize.linprog`: its minimum, vertex and slacks, by costs, matrices, right sides and
    bounds.
    """
    how = named_arguments(optimize.linprog, *args, **options)
    names = "c", "A_ub", "b_ub", "A_eq", "b_eq", "bounds"
    c, a_ub, b_ub, a_eq, b_eq, bounds = map(how.pop, names)
    c, moves = floats(c), innermost((a_ub, b_ub, a_eq, b_eq, bounds)) is not None
    if moves and how["integrality"] is not None:
        instead = "pass constant constraints: whole numbers jump where constraints move"
        raise traced_option_error(optimize.linprog, "integrality", how["integrality"], instead)
    a_ub, b_ub = rows_of(a_ub, b_ub, c.size)
    a_eq, b_eq = rows_of(a_eq, b_eq, c.size)
    lower, upper = limits(bounds, c.size)
    given = a_ub, b_ub, a_eq, b_eq
    solved = vertex(c, *given, np.stack([lower, upper], -1), moves=moves, options=how)
    x = moved_vertex(solved, *given, lower, upper) if moves else solved[: c.size]
    found = {"x": x, "fun": c @ x, "slack": b_ub - a_ub @ x, "con": b_eq - a_eq @ x}
    others = {name: Multipliers(name) for name in ("eqlin", "ineqlin", "lower", "upper")}
    said = {"success": True, "status": 0, "message": "the minimum was found"}
    return optimize.OptimizeResult(found | others | said)


def rows_of(matrix, rhs, size: int) -> tuple[Any, Any]:
    """A dense matrix and a right side, from sparse ones, lists, or None."""
    if matrix is None:
        return np.zeros((0, size)), np.zeros(0)
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.atleast_2d(floats(matrix)), np.reshape(floats(rhs), -1)


def limits(bounds, size: int) -> tuple[Any, Any]:
    """The lower and the upper bound of each unknown, from one pair or many."""
    pairs = [(0, None)] if bounds is None or not len(bounds) else list(bounds)
    are_many = isinstance(pairs[0], list | tuple) or getattr(pairs[0], "ndim", 0) > 0
    lower, upper = bounds_of_unknowns(pairs if are_many else [pairs])
    return np.broadcast_to(floats(lower), (size,)), np.broadcast_to(floats(upper), (size,))


class Multipliers:
    """Stands for the multipliers in the result of `linprog` if constraints are traced; raises when
    read.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        got = f"{self.name!r} of a linear program with traced arguments"
        instead = "take x, fun, slack or con; marginals are derivatives of fun by the right sides"
        raise refused(got, instead, self.name)


__getattr__, __dir__ = stand_in(optimize, globals(), closing)
