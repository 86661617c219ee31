"""Systems with banded matrices, in time and memory of the bands, and banded Cholesky factors.

The derivative of the factors is computed by way of dense matrices.
"""

from typing import Any

from scipy import linalg

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.linalg.cholesky import cholesky_map
from chainrules_py.rulesets.scipy.linalg import bands
from chainrules_py.rulesets.scipy.linalg.calling import Pair, call, library_of_values
from chainrules_py.rulesets.scipy.linalg.linear_systems import solution_maps
from chainrules_py.tangents import NO_TANGENT, with_entries
from chainrules_py.values.arrays import Array


@linearised_rule(linalg.solve_banded)
def solve_banded_linearised(
    l_and_u: Pair, ab: Array, b: Array, *, check_finite: bool = True, out, xp
) -> tuple[None, LinearMap, LinearMap]:
    """The matrix moves in its bands."""
    lower, upper = l_and_u

    def solve(v):
        return call(linalg.solve_banded, (lower, upper), ab, v, check_finite=check_finite)

    def solve_adjoint(v):
        turned = xp.conj(bands.transposed(ab, lower, upper, xp))
        return call(linalg.solve_banded, (upper, lower), turned, v, check_finite=check_finite)

    def product(dot, x) -> Any:
        return bands.product(dot, lower, upper, x, xp)

    def outer(left, x) -> Any:
        return unbroadcast(bands.outer(left, x, lower, upper, xp), ab.shape, xp)

    return None, *solution_maps(out, b, solve, solve_adjoint, product, outer, xp)


@linearised_rule(linalg.solveh_banded)
def solveh_banded_linearised(
    ab: Array, b: Array, *, lower: bool = False, check_finite: bool = True, out, xp
) -> tuple[LinearMap, LinearMap]:
    """Entries off the diagonal stand in the matrix twice, once conjugated."""
    width = ab.shape[-2] - 1

    def solve(v):
        return call(linalg.solveh_banded, ab, v, lower=lower, check_finite=check_finite)

    def product(dot, x) -> Any:
        return bands.product(bands.both_halves(dot, lower, xp), width, width, x, xp)

    def outer(left, x) -> Any:
        return unbroadcast(
            bands.half_of(bands.outer(left, x, width, width, xp), lower, xp), ab.shape, xp
        )

    return solution_maps(out, b, solve, solve, product, outer, xp)


@linearised_rule(linalg.cholesky_banded)
def cholesky_banded_linearised(
    ab: Array, *, lower: bool = False, check_finite: bool = True, out, xp
) -> LinearMap:
    """The factor has the bands of the matrix, and what stands beside the matrix stays.

    The derivative is computed densely.
    """
    diagonals, n = ab.shape[-2:]
    below, above = (diagonals - 1, 0) if lower else (0, diagonals - 1)
    factor = cholesky_map(bands.dense_of(out, below, above, xp), not lower, xp)
    inside = bands.places(below, above, n)[1]

    def push(dot) -> Any:
        factor_dot = bands.bands_of(
            factor.push(bands.hermitian_dense(dot, lower, xp)), below, above, xp
        )
        return xp.where(inside, factor_dot, dot)

    def pull(bar) -> Any:
        matrix_bar = factor.pull(bands.dense_of(bar, below, above, xp))
        return xp.where(inside, bands.hermitian_bands(matrix_bar, diagonals, lower, xp), bar)

    return LinearMap(push, pull)


@linearised_rule(linalg.cho_solve_banded)
def cho_solve_banded_linearised(
    cb_and_lower: Pair, b: Array, *, check_finite: bool = True
) -> tuple[Any, LinearMap, LinearMap]:
    """A = C C^H or C^H C with a banded triangle C."""
    (cb, lower), xp = cb_and_lower, library_of_values(cb_and_lower, b).namespace
    out = call(linalg.cho_solve_banded, cb_and_lower, b, check_finite=check_finite)
    width = cb.shape[-2] - 1
    below, above = (width, 0) if lower else (0, width)

    def times(c, x):
        return bands.product(c, below, above, x, xp)

    def adjoint_times(c, x):
        return bands.product(bands.triangular_adjoint(c, lower, xp), above, below, x, xp)

    first, second = (times, adjoint_times) if lower else (adjoint_times, times)

    def solve(v):
        return call(linalg.cho_solve_banded, cb_and_lower, v, check_finite=check_finite)

    def product(dot, x) -> Any:
        return first(dot[0], second(cb, x)) + first(cb, second(dot[0], x))

    def outer(left, x) -> Any:
        pairs = (left, second(cb, x)), (x, second(cb, left))
        bars = (
            bands.outer(v, w, below, above, xp)
            for v, w in (pair if lower else pair[::-1] for pair in pairs)
        )
        return with_entries(
            type(cb_and_lower), {0: unbroadcast(sum(bars), cb.shape, xp), 1: NO_TANGENT}
        )

    return out, *solution_maps(out, b, solve, solve, product, outer, xp)
