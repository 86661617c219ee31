"""Systems with banded matrices, in time and memory of the bands, and banded Cholesky factors.

The factors are those of the whole matrix.
"""

from typing import Any

from scipy import linalg

from chainrules_py import composed
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.known_values import is_at_hand
from chainrules_py.rulesets.scipy.linalg import bands
from chainrules_py.rulesets.scipy.linalg.calling import Pair, call
from chainrules_py.rulesets.scipy.linalg.linear_systems import solution_maps
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
        return bands.bands_times_columns(dot, lower, upper, x, xp)

    def outer(left, x) -> Any:
        return unbroadcast(bands.bands_of_outer(left, x, lower, upper, xp), ab.shape, xp)

    return None, *solution_maps(out, b, solve, solve_adjoint, product, outer, xp)


@composed(linalg.solveh_banded, one_by_one=True)
def solveh_banded(
    ab: Array, b: Array, *, lower: bool = False, check_finite: bool = True, xp
) -> Any:
    """Entries off the diagonal stand in the matrix twice, once conjugated."""
    known = ignore_derivatives(ab), ignore_derivatives(b)
    if all(map(is_at_hand, known)):  # for its errors
        call(linalg.solveh_banded, *known, lower=lower, check_finite=check_finite)
    width = ab.shape[-2] - 1
    return call(linalg.solve_banded, (width, width), bands.both_halves(ab, lower, xp), b)


@composed(linalg.cholesky_banded, one_by_one=True)
def cholesky_banded(ab: Array, *, lower: bool = False, check_finite: bool = True, xp) -> Any:
    """The factor has the bands of the matrix; unused entries stay."""
    below, above = triangle_of(ab, lower)
    whole = bands.hermitian_dense(ab, lower, xp)
    factor = call(linalg.cholesky, whole, lower=lower, check_finite=check_finite)
    inside = bands.places(below, above, ab.shape[-1])[1]
    return xp.where(inside, bands.bands_of(factor, below, above, xp), ab)


@composed(linalg.cho_solve_banded)
def cho_solve_banded(cb_and_lower: Pair, b: Array, *, check_finite: bool = True, xp) -> Any:
    """A = C C^H or C^H C with a banded triangle C: a system for each."""
    cb, lower = cb_and_lower
    below, above = triangle_of(cb, lower)
    turned = xp.conj(bands.transposed(cb, below, above, xp))
    systems = [((below, above), cb), ((above, below), turned)]
    for widths, triangle in systems if lower else systems[::-1]:
        b = call(linalg.solve_banded, widths, triangle, b, check_finite=check_finite)
    return b


def triangle_of(bands, lower: bool) -> tuple[int, int]:
    """The numbers of diagonals of a banded triangle below and above its main diagonal."""
    width = bands.shape[-2] - 1
    return (width, 0) if lower else (0, width)
