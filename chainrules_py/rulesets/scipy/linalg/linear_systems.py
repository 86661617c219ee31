"""Solutions of linear systems M(p) x = b, whatever the form in which the matrix is given.

    x_dot = M^-1 (b_dot - M(p_dot) x)        b_bar = M^-H x_bar        p_bar = -(the adjoint of p -> M(p))(b_bar x^H)

Each solver says how it solves, how it solves with M^H, how M(p_dot) multiplies, and what p_bar is
of a product of columns.
"""

from collections.abc import Callable
from typing import Any

from scipy import linalg

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import adjoint, column, computed_once, hermitian_part
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array

Columns = Callable[[Any], Any]
Product = Callable[[Any, Any], Any]


def solution_maps(
    x,
    b,
    solve: Columns,
    solve_adjoint: Columns,
    product: Product,
    outer: Product,
    xp,
) -> tuple[LinearMap, LinearMap]:
    """The derivative of a solution by the parameters of the matrix and by the right-hand side.

    All functions take columns.
    """
    is_vector, b_shape = b.ndim == 1, b.shape

    def columns(v) -> Any:
        return column(v, xp) if is_vector else v

    def shaped(v) -> Any:
        return v[..., 0] if is_vector else v

    known, right = columns(x), computed_once(lambda x_bar: solve_adjoint(columns(x_bar)))
    return (
        LinearMap(
            lambda dot: shaped(solve(-product(dot, known))),
            lambda x_bar: outer(-right(x_bar), known),
        ),
        LinearMap(
            lambda b_dot: shaped(solve(columns(b_dot))),
            lambda x_bar: unbroadcast(shaped(right(x_bar)), b_shape, xp),
        ),
    )


def of_matrix(
    read: Columns, turned: Columns, shape: tuple[int, ...], xp
) -> tuple[Product, Product]:
    """The product with a dense matrix and its adjoint.

    `read` projects onto what is read of it, and then it is `turned`.
    """
    return (
        lambda a_dot, x: turned(read(a_dot)) @ x,
        lambda left, x: read(turned(unbroadcast(left @ adjoint(x, xp), shape, xp))),
    )


def transposition(trans, xp) -> Columns:
    """A function that gives the matrix, its transpose or its adjoint, by SciPy's option `trans`.

    Each is its own adjoint.
    """
    if trans in (0, "N"):
        return lambda a: a
    if trans in (1, "T"):
        return lambda a: xp.swapaxes(a, -1, -2)
    if trans in (2, "C"):
        return lambda a: adjoint(a, xp)
    raise ValueError(
        f"scipy.linalg: got trans={trans!r}, which SciPy reads as 'T'; pass 0 or 'N' for the matrix,"
        " 1 or 'T' for its transpose, 2 or 'C' for its adjoint"
    )


SHORT = {"gen": "general", "sym": "symmetric", "her": "hermitian", "pos": "positive definite"}
OTHER_TRIANGLE = {"upper triangular": "lower triangular", "lower triangular": "upper triangular"}


def projection(form, xp) -> Columns:
    """The projection onto matrices of a structure, for tangents and cotangents of the argument."""
    found: dict[Any, Columns] = {
        "diagonal": lambda a: xp.triu(xp.tril(a)),
        "tridiagonal": lambda a: xp.triu(xp.tril(a, 1), -1),
        "upper triangular": xp.triu,
        "lower triangular": xp.tril,
        "symmetric": lambda a: (a + xp.swapaxes(a, -1, -2)) / 2,
        **dict.fromkeys(("hermitian", "positive definite"), lambda a: hermitian_part(a, xp)),
    }
    return found.get(form, lambda a: a)


@with_options(linalg.solve, "lower check_finite assume_a transposed", linearised_rule)
def solve_linearised(
    a: Array, b: Array, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap]:
    """A matrix with a structure moves in the space of these matrices.

    It does so whichever of its triangles SciPy reads.
    """
    if a.shape[-1] != b.shape[-1 if b.ndim == 1 else -2]:
        raise ValueError(
            f"scipy.linalg.solve: got {a.shape[-1]} unknowns and a right-hand side of shape {b.shape};"
            " pass as many equations as unknowns"
        )
    form: Any = SHORT.get(options.assume_a, options.assume_a)
    a_h, form_h = a, options.assume_a
    # SciPy transposes real matrices only
    if not (options.transposed or form in ("hermitian", "positive definite")):
        a_h = xp.conj(a) if form == "symmetric" else adjoint(a, xp)
        form_h = OTHER_TRIANGLE.get(form, form_h)
    for_adjoint = {**options, "assume_a": form_h, "transposed": False}
    return solution_maps(
        out,
        b,
        lambda v: call(linalg.solve, a, v, **options),
        lambda v: call(linalg.solve, a_h, v, **for_adjoint),
        *of_matrix(projection(form, xp), transposition(int(options.transposed), xp), a.shape, xp),
        xp,
    )


@with_options(linalg.solve_triangular, "trans lower unit_diagonal check_finite", linearised_rule)
def solve_triangular_linearised(
    a: Array, b: Array, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap]:
    """Only the triangle that is read has tangents; a unit diagonal has none."""
    trans, first = options.trans, int(options.unit_diagonal)

    def read(a) -> Any:
        return xp.tril(a, -first) if options.lower else xp.triu(a, first)

    a_h = xp.conj(a) if trans in (1, "T") else a
    for_adjoint = {**options, "trans": 2 if trans in (0, "N") else 0}
    return solution_maps(
        out,
        b,
        lambda v: call(linalg.solve_triangular, a, v, **options),
        lambda v: call(linalg.solve_triangular, a_h, v, **for_adjoint),
        *of_matrix(read, transposition(trans, xp), a.shape, xp),
        xp,
    )
