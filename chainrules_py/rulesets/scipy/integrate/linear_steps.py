"""The derivative of a solution as a linear problem on the steps of a Runge-Kutta method, all of which
are computed at once.

    v_i = y + h sum_j a_ij k_j,   k_i = J_i v_i + f_i,   the next value is y + h sum_i b_i k_i

Here y is a tangent of the solution, k_i those of the slopes, J_i the Jacobian of the slope at a
point that is known by now, and f_i what the tangents of the function and its arguments give there.
What a step makes of y is a small matrix, and the transposed matrices take cotangents back: one
formula for both modes. From step to step goes one product.

How far the method's own estimate of the error is from zero, applied to these tangents, says which
steps are too long for the derivative: the solver chose them by the values alone.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_py.batching.lanes import Lanes, Same
from chainrules_py.makers import linear_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.rulesets.scipy.integrate.explicit_methods import Method
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import Array

# how many times the tolerance a step may add to the error before it is divided
SLACK = 3.0
WANTED = 1.0  # what the parts of such a step are to add
MOST_PARTS = 10


class LinearSteps:
    """The linear problem on steps of lengths h, given the Jacobians at their stages, N x s x n x n;
    and where the solution is read: `owner` is a step, and `weights` are those of its slopes.
    """

    def __init__(self, method: Method, h, jacobians, owner, weights) -> None:
        self.method, self.h, self.jacobians = method, h[:, None, None], jacobians
        self.owner, self.weights = owner, weights
        self.steps, self.count, self.size = jacobians.shape[:3]
        self.is_between = bool(weights.any())

    def __repr__(self) -> str:
        return f"LinearSteps({self.steps} steps, {self.count} stages, {self.size} unknowns)"

    def padded(self, row) -> Any:
        """The weights of the slopes, for as many as there are here, times the length of each step."""
        own = np.zeros(self.count)
        own[: len(row)] = row[: self.count]
        return self.h * own[:, None]

    @cached_property
    def matrix(self) -> Any:
        """The coefficients a."""
        return self.method.matrix[: self.count, : self.count]

    def solved(self, right, is_transposed: bool = False) -> Any:
        """The slopes k, given J_i y + f_i, with a column for each problem; or the transpose."""
        if self.method.is_implicit:
            matrix = self.stage_matrices
            matrix = matrix.transpose(0, 2, 1) if is_transposed else matrix
            flat = right.reshape(self.steps, self.count * self.size, -1)
            return np.linalg.solve(matrix, flat).reshape(right.shape)
        k = right.copy()
        rows = k.reshape(self.steps, self.count, -1)
        if is_transposed:
            for i in reversed(range(1, self.count)):
                back = self.jacobians[:, i].transpose(0, 2, 1) @ k[:, i]
                weights = self.h * self.matrix[i, :i, None]
                rows[:, :i] += weights * back.reshape(self.steps, 1, -1)
            return k
        for i in range(1, self.count):
            point = self.h * (self.matrix[i, :i] @ rows[:, :i])[:, None]
            k[:, i] += self.jacobians[:, i] @ point.reshape(k[:, i].shape)
        return k

    @cached_property
    def stage_matrices(self) -> Any:
        """The matrices of the systems of all stages of a step."""
        size = self.count * self.size
        coupled = self.jacobians[:, :, :, None, :] * self.matrix[:, None, :, None]
        return np.eye(size) - self.h * coupled.reshape(self.steps, size, size)

    @cached_property
    def units(self) -> Any:
        """The slopes that belong to unit vectors y, without any f."""
        return self.solved(self.jacobians)

    @cached_property
    def onward(self) -> Any:
        """The matrices from the values at the starts of steps to those at their ends."""
        return np.eye(self.size) + self.summed(self.method.last, self.units)

    def summed(self, row, k) -> Any:
        """The weighted sums h sum_i b_i k_i."""
        weights = self.padded(row)[..., 0][:, None]
        return (weights @ k.reshape(self.steps, self.count, -1)).reshape(k[:, 0].shape)

    @cached_property
    def filters(self) -> Any:
        """What an implicit method's estimate of the error is multiplied by, so that fast decay does
        not count.
        """
        real = self.method.filter * np.eye(self.size)
        return np.linalg.inv(real - self.h * self.jacobians[:, 0])

    def estimated(self, k) -> list[Any]:
        """The estimates of the error of each step, given the slopes.

        Of an implicit method, the second one is for steps where the first is large.
        """
        raw = [self.summed(row, k) for row in self.method.errors]
        if not self.method.is_implicit:
            return raw
        first = self.filters @ raw[0]
        return [first, self.filters @ (raw[0] + self.h * (self.jacobians[:, 0] @ first))]

    # --- forward: of tangents of the first value, and of what each stage is given ---

    def forward(self, given) -> tuple[Any, Any]:
        """The values at the nodes and the slopes, a column for each row of `given`."""
        columns = given.reshape(-1, given.shape[-1]).T
        y = np.empty((self.steps + 1, self.size, columns.shape[1]))
        y[0] = columns[: self.size]
        own = columns[self.size :].reshape(self.steps, self.count, self.size, -1)
        free = self.solved(own)
        more = self.summed(self.method.last, free)
        for k, matrix in enumerate(self.onward):
            y[k + 1] = matrix @ y[k] + more[k]
        return y, free + self.units @ y[:-1, None]

    def read(self, y, k) -> Any:
        """The values where the solution is read, a row for each column of theirs."""
        values = y[self.owner]
        if self.is_between:
            step = np.minimum(self.owner, self.steps - 1)
            values = values + np.einsum("ts,tsnc->tnc", self.weights * self.h[step, 0], k[step])
        return values.transpose(2, 1, 0)

    def parts_forward(self, given, tolerances: tuple[float, float]) -> Any:
        """Into how many parts each step is to be divided, by the tangents."""
        y, k = self.forward(given)
        return self.parts(self.estimated(k), y[:-1], y[1:], tolerances)

    # --- back: of cotangents where the solution is read ---

    def arrived(self, bars) -> tuple[Any, Any]:
        """The cotangents of the values at the nodes and of the slopes, by themselves."""
        bars = bars.reshape(-1, *bars.shape[-2:]).transpose(2, 1, 0)
        at_nodes = np.zeros((self.steps + 1, *bars.shape[1:]))
        at_slopes = np.zeros((self.steps, self.count, *bars.shape[1:]))
        np.add.at(at_nodes, self.owner, bars)
        if self.is_between:
            step = np.minimum(self.owner, self.steps - 1)
            weights = (self.weights * self.h[step, 0])[..., None, None]
            np.add.at(at_slopes, step, weights * bars[:, None])
        return at_nodes, at_slopes

    def back(self, bars) -> tuple[Any, Any, Any]:
        """The cotangents of the values at the nodes, and those of the slopes by what is read."""
        at_nodes, at_slopes = self.arrived(bars)
        more = at_nodes[:-1]
        if self.is_between:
            more = more + self.through(self.solved(at_slopes, is_transposed=True))
        a = np.empty_like(at_nodes)
        a[-1] = at_nodes[-1]
        for k in reversed(range(self.steps)):
            a[k] = self.onward[k].T @ a[k + 1] + more[k]
        return a, at_nodes, at_slopes

    def through(self, k) -> Any:
        """The sums of J_i^T k_i."""
        return np.sum(self.jacobians.transpose(0, 1, 3, 2) @ k, axis=1)

    def given_by(self, row, a, at_slopes: Any = 0.0) -> Any:
        """The cotangents of what each stage is given, by those of the values at the ends."""
        spread = self.padded(row)[..., None] * a[:, None]
        return self.solved(spread + at_slopes, is_transposed=True)

    def parts_back(self, bars, tolerances: tuple[float, float]) -> Any:
        """Into how many parts each step is to be divided, by the cotangents."""
        before, at_ends = self.at_ends(bars)
        errors = [e.transpose(0, 2, 1) @ at_ends for e in self.estimated(self.units)]
        return self.parts(errors, before, at_ends, tolerances)

    def at_ends(self, bars) -> tuple[Any, Any]:
        """The cotangents at the starts and at the ends of steps; those that arrive within a step as
        if they did at its end.
        """
        a = self.back(bars)[0]
        at_ends: Any = 0.0
        if self.is_between:
            columns = bars.reshape(-1, *bars.shape[-2:]).transpose(2, 1, 0)
            inside = self.weights.any(axis=1)
            at_ends = np.zeros((self.steps, *columns.shape[1:]))
            np.add.at(at_ends, self.owner[inside], columns[inside])
        return a[:-1], a[1:] + at_ends

    def parts(self, estimates: list[Any], before, after, tolerances: tuple[float, float]) -> Any:
        """Into how many parts each step is to be divided, by the errors and sizes of its values."""
        (rtol, atol), power = tolerances, 1 / (1 + self.method.order)
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

        errors = [in_units(estimate) for estimate in estimates]
        error = self.method.joint_error(*errors)
        worst = np.max(error, axis=1, initial=0.0)
        is_long = (worst > SLACK) & np.isfinite(worst)
        parts = np.ceil((np.where(is_long, worst, SLACK) / WANTED) ** power)
        return np.where(is_long, np.clip(parts, 2, MOST_PARTS), 1).astype(int)


@primitive
def tangents_read(given, steps: LinearSteps) -> Any:
    """The tangents where the solution is read, of those of its first value and of what all stages
    are given, which are joined to one vector.
    """
    found = steps.read(*steps.forward(given))
    return found.reshape(*given.shape[:-1], *found.shape[1:])


@primitive
def cotangents_given(bars, steps: LinearSteps) -> Any:
    """The cotangents of the first value and of what all stages are given, as one vector."""
    a, _, at_slopes = steps.back(bars)
    own = steps.given_by(steps.method.last, a[1:], at_slopes)
    vectors = np.concatenate([a[0], as_columns(own)])
    return vectors.T.reshape(*bars.shape[:-2], vectors.shape[0])


@primitive
def errors_given(bars, steps: LinearSteps, which: int) -> Any:
    """The estimates, by one formula, of the errors of what all stages are given."""
    own = steps.given_by(steps.method.errors[which], steps.at_ends(bars)[1])
    columns = as_columns(own)
    count = columns.shape[0] // steps.size
    return columns.T.reshape(*bars.shape[:-2], count, steps.size)


def as_columns(x) -> Any:
    """An array with all axes but the last in one; of none of them, too."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


@primitive
def parts_by_tangents(given, steps: LinearSteps, tolerances: tuple[float, float]) -> Any:
    """Into how many parts each step is to be divided, so that tangents are as exact as asked for."""
    return steps.parts_forward(given, tolerances)


@primitive
def parts_by_cotangents(bars, steps: LinearSteps, tolerances: tuple[float, float]) -> Any:
    """Into how many parts each step is to be divided, so that cotangents are as exact as asked for."""
    return steps.parts_back(bars, tolerances)


@linear_rule(tangents_read)
def tangents_read_adjoint(bars, given: Space, *, steps: LinearSteps):
    """The adjoint takes cotangents back over these steps."""
    return cotangents_given(bars, steps=steps)


@linear_rule(cotangents_given)
def cotangents_given_adjoint(given, bars: Space, *, steps: LinearSteps):
    """The adjoint of an adjoint, which is forward again."""
    return tangents_read(given, steps=steps)


@default_rules.batched.register(tangents_read)
def tangents_read_batched(lanes: Lanes, given: Array, *, steps):
    """All lanes are columns of one problem."""
    return tangents_read(given, steps=steps)


@default_rules.batched.register(cotangents_given)
def cotangents_given_batched(lanes: Lanes, bars: Array, *, steps):
    """All lanes are columns of one problem."""
    return cotangents_given(bars, steps=steps)


@default_rules.batched.register(errors_given)
def errors_given_batched(lanes: Lanes, bars: Array, *, steps, which):
    """All lanes are columns of one problem."""
    return errors_given(bars, steps=steps, which=which)


@default_rules.batched.register(parts_by_tangents)
def parts_by_tangents_batched(lanes: Lanes, given: Array, *, steps, tolerances) -> Same:
    """All lanes share their steps, which are as short as one of them needs."""
    return Same(parts_by_tangents(given, steps=steps, tolerances=tolerances))


@default_rules.batched.register(parts_by_cotangents)
def parts_by_cotangents_batched(lanes: Lanes, bars: Array, *, steps, tolerances) -> Same:
    """All lanes share their steps, which are as short as one of them needs."""
    return Same(parts_by_cotangents(bars, steps=steps, tolerances=tolerances))
