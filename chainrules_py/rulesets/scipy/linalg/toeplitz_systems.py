"""Products and systems with Toeplitz matrices a[i, j] = t[i - j], given by first column and row,
and with circulant ones.
"""

from typing import TYPE_CHECKING, Any

from scipy import linalg

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.makers.by_source import by_source
from chainrules_py.rulesets.formulas.linear_steps import by_steps
from chainrules_py.rulesets.scipy.linalg.calling import call, library_of_values
from chainrules_py.rulesets.scipy.linalg.linear_systems import solution_maps
from chainrules_py.tangents import is_zero
from chainrules_py.values.arrays import Array

if TYPE_CHECKING:
    Given = Any
else:
    Given = Array | tuple  # what rules dispatch on: bare classes


def column_and_row(given, xp) -> tuple[Any, Any]:
    """The first column and row of Toeplitz matrices, given as one array or two.

    The first entry of the row is not read.
    """
    return given if isinstance(given, tuple) else (given, xp.conj(given))


by_source(linalg.matmul_toeplitz, linalg.solve_circulant, arguments=2)


def toeplitz_times(ends, x, xp) -> Any:
    """The product with columns."""
    return call(linalg.matmul_toeplitz, ends, x)


@linearised_rule(linalg.solve_toeplitz)
def solve_toeplitz_linearised(
    c_or_cr: Given, b: Array, *, check_finite: bool = True
) -> tuple[Any, LinearMap, LinearMap]:
    """Levinson's recursion for the matrix and for its adjoint, which is a Toeplitz matrix, too."""
    xp = library_of_values(c_or_cr, b).namespace
    c, r = column_and_row(c_or_cr, xp)
    out = call(linalg.solve_toeplitz, c_or_cr, b, check_finite=check_finite)

    def solve(v, of: Any = (c, r)) -> Any:
        return call(linalg.solve_toeplitz, of, v, check_finite=check_finite)

    def solve_adjoint(v) -> Any:
        first = xp.concatenate([c[..., :1], r[..., 1:]], axis=-1)
        return solve(v, (xp.conj(first), xp.conj(c)))

    def product(dot, x) -> Any:
        if isinstance(c_or_cr, tuple):
            dot = tuple([0 * end if is_zero(dot[k]) else dot[k] for k, end in enumerate((c, r))])
        return toeplitz_times(dot, x, xp)

    def outer(left, x) -> Any:
        return by_steps(toeplitz_times, c_or_cr, x, xp=xp).pull(left)

    return out, *solution_maps(out, b, solve, solve_adjoint, product, outer, xp)
