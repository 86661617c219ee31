"""Gradients of sparse solves, in units of the solve itself: the factors are kept, so that a limit
of 1.3 is asked for.
"""

from typing import Any

import numpy as np

from benchmarks.measure import ratio
from benchmarks.titles import titled
from chainrules_py import rrule

SIDES = (60, 150)


def poisson(side: int, kind: str) -> Any:
    """The five-point Laplacian on a square grid."""
    from scipy import sparse

    line = sparse.diags_array(
        [-np.ones(side - 1), 2 * np.ones(side), -np.ones(side - 1)], offsets=[-1, 0, 1]
    )
    eye = sparse.eye_array(side)
    return (sparse.kron(line, eye) + sparse.kron(eye, line)).asformat(kind)


class SparseSolves:
    """`spsolve` of n x n grid points, and its gradient by the matrix and by the right-hand side."""

    params = (SIDES, ("csc", "csr"))
    param_names = ("side", "format")

    def setup(self, side: int, kind: str) -> None:
        from scipy.sparse import linalg

        self.solve, self.a = linalg.spsolve, poisson(side, kind)
        self.b = np.random.default_rng(0).normal(size=side * side)
        _, b_bar = self.gradients()
        np.testing.assert_allclose(self.a.T @ b_bar, self.b, rtol=1e-8, atol=1e-8)

    def value(self) -> Any:
        return self.solve(self.a, self.b)

    def gradients(self) -> Any:
        _, pullback = rrule(self.solve, self.a, self.b)
        return pullback(self.b)

    @titled("spsolve with gradients / spsolve", "ratio")
    def track_gradients(self, side: int, kind: str) -> float:
        return ratio(self.gradients, self.value)
