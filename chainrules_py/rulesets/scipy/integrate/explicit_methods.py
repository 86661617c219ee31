"""The coefficients of SciPy's explicit Runge-Kutta methods, read from its classes.

From them are made the tables of weights that lead from stage to stage, forwards and backwards.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import integrate


@dataclass(frozen=True, eq=False)
class Method:
    """The coefficients of a method: the matrix a, the nodes c, and weights of the slopes."""

    solver: Any
    matrix: Any
    nodes: tuple[float, ...]
    end: int  # the stage at the end of the step, which is the first one of the next step
    last: Any  # the weights b of the value at the end
    errors: tuple[Any, ...]  # of the estimates of the error: of DOP853 two, of order 5 and 3
    order: int  # of the estimate of the error
    between: Any  # of the values between: a polynomial in s, or in s and 1 - s in turn
    filter: Any = None  # of an implicit method: by which of its eigenvalues errors are filtered

    @property
    def is_implicit(self) -> bool:
        """Whether the slopes of a step depend on each other."""
        return self.filter is not None

    def joint_error(self, error, other: Any = None) -> Any:
        """The error by all estimates.

        The other one of DOP853 is of a lower order, and that of an implicit method for fast decay.
        """
        if other is None:
            return error
        if self.is_implicit:
            return np.where(error <= 1.0, error, other)
        return error**2 / np.maximum(np.hypot(error, 0.1 * other), np.finfo(float).tiny)

    def weights(self, s) -> Any:
        """The weights w(s) of the slopes in the values at these shares of a step, a column for
        each.
        """
        if len(self.errors) == 1:
            return self.between @ s ** np.arange(1, self.between.shape[1] + 1)[:, None]
        w: Any = 0.0
        for k, row in enumerate(reversed(self.between)):
            w = (w + row[:, None]) * (s if k % 2 == 0 else 1 - s)
        return w


@cache
def method_of(solver) -> Method | None:
    """The coefficients of one of SciPy's explicit methods, given its name or class.

    It is None for any other.
    """
    by_name = {"RK23": integrate.RK23, "RK45": integrate.RK45, "DOP853": integrate.DOP853}
    found: Any = by_name.get(solver, solver)
    if found is integrate.DOP853:
        return method_of_high_order(found)
    if found not in (integrate.RK23, integrate.RK45):
        return None
    return Method(
        solver=found,
        matrix=lower_triangle([*found.A, found.B]),
        nodes=(*found.C, 1.0),
        end=len(found.B),
        last=found.B,
        errors=(found.E,),
        order=found.error_estimator_order,
        between=found.P,
    )


def method_of_high_order(found) -> Method:
    """The coefficients of DOP853, which has three more slopes for the values between."""
    count, end = found.D.shape[1], len(found.B)
    first = np.eye(count)[0]
    after = np.eye(count)[end]
    last = np.pad(found.B, (0, count - end))
    between = np.stack([last, first - last, 2 * last - after - first, *found.D])
    return Method(
        solver=found,
        matrix=lower_triangle([*found.A, found.B, *found.A_EXTRA]),
        nodes=(*found.C, 1.0, *found.C_EXTRA),
        end=end,
        last=found.B,
        errors=(found.E5, found.E3),
        order=found.error_estimator_order,
        between=between,
    )


@cache
def forward_table(method: Method) -> Any:
    """For each stage the weights of the value and of the slopes before it in the value at its
    point, but for the h.
    """
    return np.column_stack([np.ones(len(method.matrix)), method.matrix])


@cache
def backward_table(method: Method, estimate: int | None, count: int) -> tuple[Any, list[bool]]:
    """For each slope, the weights of the cotangents of later points and of the value at the end.

    Beside them, whether any weight of a slope is not zero. An `estimate` of the error, by its
    number, may be in the place of the value at the end.
    """
    last = method.last if estimate is None else method.errors[estimate]
    table = np.column_stack([method.matrix[:count, :count].T, np.pad(last, (0, count))[:count]])
    return table, [bool(row[k + 1 :].any()) for k, row in enumerate(table)]


def lower_triangle(rows: list[Any]) -> Any:
    """A square matrix of rows of any lengths, of which entries before the diagonal count."""
    return np.stack([np.pad(row[:k], (0, len(rows) - len(row[:k]))) for k, row in enumerate(rows)])
