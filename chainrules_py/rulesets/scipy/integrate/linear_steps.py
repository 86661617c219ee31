"""The derivative of a solution as a linear problem on steps of an implicit Runge-Kutta method, all
computed together.

    v_i = y + h sum_j a_ij k_j,   k_i = J_i v_i + f_i,   the next value is y + h sum_i b_i k_i

Here y is a tangent of the solution, k_i those of the slopes, J_i the Jacobian of the slope at a
point that is known by now, and f_i what the tangents of the function and its arguments give there.
What a step makes of y is a small matrix, and the transposed matrices take cotangents back: one
formula for both modes. From step to step goes one product.

How far the method's own estimate of the error is from zero, applied to these tangents, says which
steps are too long for the derivative: the solver chose them by the values alone.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_py.batching.lanes import Lanes, Same
from chainrules_py.makers import linear_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import Array

# how many times the tolerance a step may add to the error before it is divided
SLACK = 3.0
WANTED = 1.0  # what the parts of such a step are to add
MOST_PARTS = 10


@dataclass(frozen=True, eq=False)
class Formula:
    """An implicit formula: the matrix a, the nodes c, and weights of the slopes."""

    matrix: Any
    nodes: Any
    last: Any  # of the value at the end
    errors: Any  # of the estimate of the error
    order: int  # of that estimate
    filter: float  # by which of its eigenvalues errors are filtered


class LinearSteps:
    """The linear problem on steps of lengths h, given the Jacobians at their stages, N x s x n x n;
    and the numbers of the nodes where the solution is read.
    """

    def __init__(self, formula: Formula, h, jacobians, owner) -> None:
        self.formula, self.h, self.jacobians = formula, h[:, None, None], jacobians
        self.owner = owner
        self.steps, self.count, self.size = jacobians.shape[:3]

    def __repr__(self) -> str:
        return f"LinearSteps({self.steps} steps, {self.count} stages, {self.size} unknowns)"

    def solved(self, right, is_transposed: bool = False) -> Any:
        """The slopes k, given J_i y + f_i, with a column for each problem; or the transpose."""
        matrix = self.stage_matrices
        matrix = matrix.transpose(0, 2, 1) if is_transposed else matrix
        flat = right.reshape(self.steps, self.count * self.size, -1)
        return np.linalg.solve(matrix, flat).reshape(right.shape)

    @cached_property
    def stage_matrices(self) -> Any:
        """The matrices of the systems of all stages of a step."""
        size = self.count * self.size
        coupled = self.jacobians[:, :, :, None, :] * self.formula.matrix[:, None, :, None]
        return np.eye(size) - self.h * coupled.reshape(self.steps, size, size)

    @cached_property
    def units(self) -> Any:
        """The slopes that belong to unit vectors y, without any f."""
        return self.solved(self.jacobians)

    @cached_property
    def onward(self) -> Any:
        """The matrices from the values at the starts of steps to those at their ends."""
        return np.eye(self.size) + self.summed(self.formula.last, self.units)

    def summed(self, row, k) -> Any:
        """The weighted sums h sum_i b_i k_i."""
        sums = row @ k.reshape(self.steps, self.count, -1)
        return self.h * sums.reshape(k[:, 0].shape)

    @cached_property
    def filters(self) -> Any:
        """The factor for the estimate of the error, which makes fast decay count less."""
        real = self.formula.filter * np.eye(self.size)
        return np.linalg.inv(real - self.h * self.jacobians[:, 0])

    def estimated(self, k) -> list[Any]:
        """Two estimates of the error of each step, given the slopes; the second is for steps whose
        first is large.
        """
        raw = self.summed(self.formula.errors, k)
        first = self.filters @ raw
        return [first, self.filters @ (raw + self.h * (self.jacobians[:, 0] @ first))]

    # --- forward: of tangents of the first value, and of what each stage is given ---

    def forward(self, given) -> tuple[Any, Any]:
        """The values at the nodes and the slopes, a column for each row of `given`."""
        columns = given.reshape(-1, given.shape[-1]).T
        y = np.empty((self.steps + 1, self.size, columns.shape[1]))
        y[0] = columns[: self.size]
        own = columns[self.size :].reshape(self.steps, self.count, self.size, -1)
        free = self.solved(own)
        more = self.summed(self.formula.last, free)
        for k, matrix in enumerate(self.onward):
            y[k + 1] = matrix @ y[k] + more[k]
        return y, free + self.units @ y[:-1, None]

    def tangents(self, given) -> Any:
        """The tangents where the solution is read, a row for each of `given`."""
        found = self.forward(given)[0][self.owner].transpose(2, 1, 0)
        return found.reshape(*given.shape[:-1], *found.shape[1:])

    def parts_forward(self, given, tolerances: tuple[float, float]) -> Any:
        """The number of parts for each step, from the errors of the tangents."""
        y, k = self.forward(given)
        return self.parts(self.estimated(k), y[:-1], y[1:], tolerances)

    # --- back: of cotangents where the solution is read ---

    def back(self, bars) -> Any:
        """The cotangents of the values at the nodes, a column for each problem."""
        columns = bars.reshape(-1, *bars.shape[-2:]).transpose(2, 1, 0)
        which = np.full(self.steps + 1, -1)  # the zeros, where the solution is not read
        which[self.owner] = np.arange(self.owner.size)
        arrived = np.concatenate([columns, np.zeros((1, *columns.shape[1:]))])[which]
        backwards, a = [arrived[-1]], arrived[-1]
        for matrix, bar in zip(self.onward[::-1], arrived[-2::-1], strict=True):
            a = matrix.T @ a + bar
            backwards.append(a)
        return np.stack(backwards[::-1])

    def cotangents(self, bars) -> Any:
        """The cotangents of the first value and of what all stages are given, as one vector."""
        a = self.back(bars)
        spread = self.h[..., None] * self.formula.last[:, None, None] * a[1:, None]
        own = self.solved(spread, is_transposed=True)
        vectors = np.concatenate([a[0], own.reshape(math.prod(own.shape[:-1]), own.shape[-1])])
        return vectors.T.reshape(*bars.shape[:-2], vectors.shape[0])

    def parts_back(self, bars, tolerances: tuple[float, float]) -> Any:
        """The number of parts for each step, from the errors of the cotangents."""
        a = self.back(bars)
        errors = [e.transpose(0, 2, 1) @ a[1:] for e in self.estimated(self.units)]
        return self.parts(errors, a[:-1], a[1:], tolerances)

    def parts(self, estimates: list[Any], before, after, tolerances: tuple[float, float]) -> Any:
        """The number of parts for each step, from errors and sizes of its values."""
        (rtol, atol), power = tolerances, 1 / (1 + self.formula.order)
        sizes = np.maximum(np.abs(before), np.abs(after))
        allowed = rtol * sizes + atol * np.max(sizes, axis=(0, 1), initial=0.0)
        allowed = np.where(allowed > 0, allowed, 1.0)
        total = np.sqrt(np.sum(sizes**2, axis=1))

        def in_units(estimate) -> Any:
            # The estimate is that of a formula of lower order: by how much this one is better, its
            # ratio to the size tells.
            share = np.sqrt(np.sum(estimate**2, axis=1)) / np.where(total > 0, total, 1.0)
            error = np.sqrt(np.mean((estimate / allowed) ** 2, axis=1))
            return error * np.minimum(1.0, share**power)

        first, second = [in_units(estimate) for estimate in estimates]
        error = np.where(first <= 1.0, first, second)
        worst = np.max(error, axis=1, initial=0.0)
        is_long = (worst > SLACK) & np.isfinite(worst)
        parts = np.ceil((np.where(is_long, worst, SLACK) / WANTED) ** power)
        return np.where(is_long, np.clip(parts, 2, MOST_PARTS), 1).astype(int)


@primitive
def tangents_read(given, steps: LinearSteps) -> Any:
    """The tangents where the solution is read, from one vector: those of the first value, and of
    the inputs of all stages.
    """
    return steps.tangents(given)


@primitive
def cotangents_given(bars, steps: LinearSteps) -> Any:
    """The cotangents of the first value and of what all stages are given, as one vector."""
    return steps.cotangents(bars)


@primitive
def parts_needed(vectors, steps: LinearSteps, tolerances: tuple[float, float], back: bool) -> Any:
    """The number of parts for each step that makes tangents, or cotangents, as exact as the
    tolerance.
    """
    return (steps.parts_back if back else steps.parts_forward)(vectors, tolerances)


@linear_rule(tangents_read)
def tangents_read_adjoint(bars, given: Space, *, steps: LinearSteps):
    """The adjoint takes cotangents back over these steps."""
    return cotangents_given(bars, steps=steps)


@linear_rule(cotangents_given)
def cotangents_given_adjoint(given, bars: Space, *, steps: LinearSteps):
    """The adjoint of the adjoint, which is the forward map."""
    return tangents_read(given, steps=steps)


def one_problem(primal) -> None:
    """Register the rule for batching: all lanes are columns of one problem."""

    @default_rules.batched.register(primal)
    def one_problem_batched(lanes: Lanes, vectors: Array, **options) -> Any:
        found = primal(vectors, **options)
        # all lanes share their steps, which are as short as one of them needs
        return Same(found) if primal is parts_needed else found


for _primal in (tangents_read, cotangents_given, parts_needed):
    one_problem(_primal)
