"""Samples of `scipy.linalg`: alone, in stacks that broadcast, and with every option."""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.rulesets.scipy.linalg.matrix_functions import NAMES, matrix_function
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for
from chainrules_samples.linalg_decompositions import hermitian_spread_out, spread_out
from chainrules_samples.scipy.linalg_decompositions import (
    HERMITIAN,
    STACK,
    UNCHECKED,
)

# --- Systems ---

FORMS = {
    "lower triangular": "lower_triangular",
    "upper triangular": "upper_triangular",
    "sym": "symmetric",
    "her": "hermitian",
    "pos": "hermitian",
    "diagonal": "diagonal",
}


def _of_form(draw: Draw, form: str) -> Any:
    a = draw.positive_definite(3, 3) + 2 * np.eye(3)
    if form == "sym":
        a = draw.well_conditioned(3, 3)
        return (a + a.T) / 2
    part: dict[str, Any] = {
        "lower triangular": np.tril,
        "upper triangular": np.triu,
        "diagonal": lambda a: a * np.eye(3),
    }
    return part.get(form, lambda a: a)(a)


@samples_for(linalg.solve, dtypes=DOUBLE)
def solve_samples(draw: Draw) -> Samples:
    """A vector, columns, stacks; every structure."""
    yield Sample(draw.well_conditioned(3, 3), draw.any(3), options=UNCHECKED)
    yield Sample(draw.well_conditioned(*STACK, 3, 3), draw.any(3, 2))
    for form, space in FORMS.items():
        yield Sample(
            _of_form(draw, form), draw.any(3), options={"assume_a": form}, structures={0: space}
        )
    options = {"assume_a": "pos", "lower": True}
    yield Sample(_of_form(draw, "pos"), draw.any(3, 2), options=options, structures=HERMITIAN)
    tridiagonal = np.triu(np.tril(draw.well_conditioned(3, 3), 1), -1)
    yield Sample(tridiagonal, draw.any(3), options={"assume_a": "tridiagonal"})
    if not draw.is_complex:
        yield Sample(draw.well_conditioned(3, 3), draw.any(3, 2), options={"transposed": True})
        form = "upper triangular"
        options = {"transposed": True, "assume_a": form}
        yield Sample(
            _of_form(draw, form), draw.any(3, 2), options=options, structures={0: FORMS[form]}
        )


@samples_for(linalg.solve_triangular, dtypes=DOUBLE)
def solve_triangular_samples(draw: Draw) -> Samples:
    """Each triangle, as it is, transposed and adjoint."""
    for trans, lower, unit in (
        (0, False, False),
        (1, True, False),
        ("C", True, True),
    ):
        options = {"trans": trans, "lower": lower, "unit_diagonal": unit, **UNCHECKED}
        yield Sample(draw.well_conditioned(3, 3), draw.any(3, 2), options=options)
    yield Sample(draw.well_conditioned(*STACK, 2, 2), draw.any(2))


@samples_for(linalg.cho_solve, linalg.lu_solve, dtypes=DOUBLE)
def factor_solve_samples(draw: Draw, primal) -> Samples:
    """Factors of either kind, one right-hand side and several."""
    if primal is linalg.cho_solve:
        for lower in (True, False):
            yield Sample((draw.well_conditioned(3, 3), lower), draw.any(3), options=UNCHECKED)
        return
    pivots = np.array([1, 2, 2])
    for trans in (0, 1, 2):
        yield Sample(
            (draw.well_conditioned(3, 3), pivots),
            draw.any(3, 2),
            options={"trans": trans, **UNCHECKED},
        )
    yield Sample((draw.well_conditioned(3, 3), pivots), draw.any(3))


@samples_for(linalg.solve_banded, dtypes=DOUBLE)
def solve_banded_samples(draw: Draw) -> Samples:
    """Different numbers of diagonals on each side."""
    for lower, upper in ((1, 1), (2, 0)):
        ab = draw.any(lower + upper + 1, 4)
        ab[upper] += 4
        yield Sample((lower, upper), ab, draw.any(4, 2), options=UNCHECKED)
    ab = draw.any(*STACK, 3, 4)
    ab[..., 1, :] += 4
    yield Sample((1, 1), ab, draw.any(4))


def _definite_bands(draw: Draw, lower: bool) -> Any:
    ab = draw.any(3, 4) / 2
    ab[0 if lower else -1] = np.abs(ab[0]) + 3
    return ab


@samples_for(linalg.solveh_banded, linalg.cho_solve_banded, linalg.cholesky_banded, dtypes=DOUBLE)
def definite_banded_samples(draw: Draw, primal) -> Samples:
    """Either half of the bands."""
    for lower in (True, False):
        ab = _definite_bands(draw, lower)
        if primal is linalg.cholesky_banded:
            yield Sample(ab, options={"lower": lower, **UNCHECKED})
        elif primal is linalg.cho_solve_banded:
            yield Sample((ab, lower), draw.any(4, 2), options=UNCHECKED)
        else:
            yield Sample(ab, draw.any(4), options={"lower": lower, **UNCHECKED})


@samples_for(linalg.solve_toeplitz, linalg.matmul_toeplitz, dtypes=DOUBLE)
def toeplitz_samples(draw: Draw, primal) -> Samples:
    """The first column alone, and with the first row; a matrix that is not square."""
    c, r = draw.any(4), draw.any(4)
    c[0] += 9
    unchecked = {"check_finite": primal is linalg.matmul_toeplitz}
    yield Sample((c, r), draw.any(4, 2), options=unchecked)
    if primal is linalg.matmul_toeplitz:
        yield Sample((draw.any(3), draw.any(2)), draw.any(2), options={"workers": 1})
    c = c.copy()
    c[0] = abs(c[0])
    yield Sample(c, draw.any(4))


@samples_for(linalg.solve_circulant, dtypes=DOUBLE)
def solve_circulant_samples(draw: Draw) -> Samples:
    """Vectors, and axes in other places."""
    c = draw.any(4)
    c[0] += 9
    yield Sample(c, draw.any(4), options={"tol": 1e-9})
    axes = {"caxis": 0, "baxis": 1, "outaxis": -1}
    yield Sample(np.stack([c, c], 1), draw.any(2, 4), options={**axes, "singular": "lstsq"})
    yield Sample(np.ones(4, draw.dtype), draw.any(4), error=np.linalg.LinAlgError)


# --- Determinants, inverses, norms ---


@samples_for(linalg.det, dtypes=DOUBLE)
def det_samples(draw: Draw) -> Samples:
    """A matrix and a stack."""
    yield Sample(draw.well_conditioned(3, 3), options=UNCHECKED)
    yield Sample(draw.well_conditioned(2, 2, 2))


@samples_for(linalg.inv, dtypes=DOUBLE)
def inv_samples(draw: Draw) -> Samples:
    """A stack, and each structure where SciPy knows it."""
    yield Sample(draw.well_conditioned(*STACK, 3, 3), options=UNCHECKED)
    if hasattr(linalg.inv, "__kwdefaults__") and "assume_a" in (linalg.inv.__kwdefaults__ or {}):
        for form in ("lower triangular", "upper triangular", "sym", "pos"):
            options = {"assume_a": form, "lower": form == "pos"}
            yield Sample(_of_form(draw, form), options=options, structures={0: FORMS[form]})


@samples_for(linalg.pinv, linalg.pinvh, dtypes=DOUBLE)
def pseudoinverse_samples(draw: Draw, primal) -> Samples:
    """Each tolerance, and the rank beside."""
    hermitian, options = (
        primal is linalg.pinvh,
        {
            "atol": 1e-9,
            "rtol": 1e-9,
            "return_rank": True,
            **UNCHECKED,
        },
    )
    a = draw.positive_definite(3, 3) if hermitian else draw.any(4, 2)
    spaces = HERMITIAN if hermitian else {}
    yield Sample(a, structures=spaces)
    yield Sample(
        a, options={**options, "lower": False} if hermitian else options, structures=spaces
    )
    if not hermitian:
        yield Sample(draw.any(*STACK, 2, 3))
    cut = {"atol": 0.5, "rtol": 1e-9}
    yield Sample(np.diag([1.0, 0.1]).astype(draw.dtype), options=cut, structures=spaces)


@samples_for(linalg.lstsq, dtypes=DOUBLE)
def lstsq_samples(draw: Draw) -> Samples:
    """More equations than unknowns and fewer; stacks; a driver that gives no singular values."""
    yield Sample(draw.any(4, 2), draw.any(4), options={"cond": 1e-9, **UNCHECKED})
    yield Sample(draw.any(*STACK, 4, 2), draw.any(4, 3))
    yield Sample(draw.any(2, 3), draw.any(2), options={"lapack_driver": "gelsy"})


@samples_for(linalg.norm, dtypes=DOUBLE)
def norm_samples(draw: Draw) -> Samples:
    """Norms of vectors and of matrices."""
    yield Sample(draw.distinct(2, 3), options=UNCHECKED)
    yield Sample(draw.distinct(2, 3), options={"ord": 3, "axis": 1, "keepdims": True})
    yield Sample(spread_out(draw, 3, 2), options={"ord": "nuc"})


# --- Functions of matrices, and equations ---


@samples_for(*(getattr(linalg, name) for name in NAMES), dtypes=DOUBLE)
def matrix_function_samples(draw: Draw, primal) -> Samples:
    """Matrices with eigenvalues inside of the domain, a repeated one among them."""
    yield Sample(draw.positive_definite(2, 2) / 2)
    if primal in (linalg.expm, linalg.logm, linalg.sqrtm):
        yield Sample(np.array([[1.5, 0.5], [0.0, 1.5]], draw.dtype), name="2x2-one-vector")
    if primal is linalg.expm:
        yield Sample(draw.well_conditioned(2, 2, 2) / 2)


@samples_for(linalg.signm, dtypes=DOUBLE)
def sign_samples(draw: Draw) -> Samples:
    """Eigenvalues on both sides, two on one of them."""
    yield Sample(np.array([[1.0, 0.3, 0.2], [0.1, -0.5, 0.4], [-0.2, 0.3, -0.7]], draw.dtype))


@samples_for(matrix_function, dtypes=DOUBLE)
def derivative_samples(draw: Draw) -> Samples:
    """The function, and its derivative along two directions."""
    yield Sample(linalg.expm, draw.any(2, 2), draw.any(2, 2), draw.any(2, 2), second_order=False)
    yield Sample(linalg.sqrtm, draw.positive_definite(2, 2), second_order=False)


@samples_for(linalg.expm_frechet, dtypes=DOUBLE)
def expm_frechet_samples(draw: Draw) -> Samples:
    """With the exponential and without it."""
    yield Sample(draw.any(2, 2), draw.any(2, 2), options=UNCHECKED)
    yield Sample(draw.any(2, 2), draw.any(2, 2), options={"compute_expm": False, "method": "SPS"})


@samples_for(linalg.fractional_matrix_power, dtypes=DOUBLE)
def fractional_matrix_power_samples(draw: Draw) -> Samples:
    """Second derivatives with a constant exponent only.

    The exponent is hidden from an engine, in the function of A.
    """
    yield Sample(draw.well_conditioned(2, 2), 0.7, second_order=False)
    yield Sample(draw.well_conditioned(2, 2), -0.3, fixed=[1])


@samples_for(linalg.solve_sylvester, dtypes=DOUBLE)
def solve_sylvester_samples(draw: Draw) -> Samples:
    """Matrices of two sizes; a stack."""
    yield Sample(hermitian_spread_out(draw, 3, 3), hermitian_spread_out(draw, 2, 2), draw.any(3, 2))
    yield Sample(
        draw.well_conditioned(2, 2),
        draw.well_conditioned(1, 1),
        draw.any(*STACK, 2, 1),
    )


@samples_for(linalg.solve_continuous_lyapunov, linalg.solve_discrete_lyapunov, dtypes=DOUBLE)
def lyapunov_samples(draw: Draw, primal) -> Samples:
    """A right-hand side that need not be Hermitian."""
    yield Sample(hermitian_spread_out(draw, 2, 2), draw.any(2, 2))
    if primal is linalg.solve_discrete_lyapunov:
        options = {"method": "bilinear"}
        yield Sample(hermitian_spread_out(draw, 2, 2), draw.any(2, 2), options=options)


@samples_for(linalg.solve_continuous_are, linalg.solve_discrete_are, dtypes=DOUBLE)
def riccati_samples(draw: Draw) -> Samples:
    """With and without the matrices that may be left out.

    Balanced, SciPy 1.17 refuses one in ten of those with `e`, by their last bits.
    """
    spaces, unbalanced = {2: "hermitian", 3: "hermitian"}, {"balanced": False}
    a, b = draw.any(2, 2), draw.any(2, 1)
    q, r = draw.positive_definite(2, 2), draw.positive_definite(1, 1)
    e, s = draw.well_conditioned(2, 2), draw.any(2, 1) / 9
    if not draw.is_complex:
        yield Sample(a, b, q, r, structures=spaces, second_order=False)
        yield Sample(a, b, q, r, e, options=unbalanced, structures=spaces, second_order=False)
    yield Sample(
        *(a, b, q, r, e, s),
        options=unbalanced,
        structures=spaces,
        second_order=not draw.is_complex,
    )


# --- Special matrices ---

VECTORS: dict[Any, list[tuple[tuple[int, ...], ...]]] = {
    linalg.toeplitz: [((3,),), ((3,), (2,))],
    linalg.hankel: [((3,),), ((2,), (3,))],
    linalg.circulant: [((3,),)],
    linalg.companion: [((4,),), ((2, 3),)],
    linalg.fiedler_companion: [((5,),), ((2,),)],
    linalg.fiedler: [((3,),)],
    linalg.leslie: [((3,), (2,))],
    linalg.khatri_rao: [((2, 3), (4, 3)), ((*STACK, 2, 3), (1, 3))],
}


@samples_for(*VECTORS, dtypes=DOUBLE)
def vector_samples(draw: Draw, primal) -> Samples:
    """Vectors of different lengths."""
    for shapes in VECTORS[primal]:
        yield Sample(*(draw.distinct(*shape) for shape in shapes))


@samples_for(linalg.convolution_matrix, linalg.diagsvd, dtypes=DOUBLE)
def sized_samples(draw: Draw, primal) -> Samples:
    """Sizes, and each mode."""
    if primal is linalg.diagsvd:
        yield Sample(draw.any(2), options={"M": 2, "N": 3})
        return
    for mode in ("full", "same", "valid"):
        yield Sample(draw.any(3), options={"n": 4, "mode": mode})


@samples_for(linalg.block_diag, dtypes=DOUBLE)
def block_diag_samples(draw: Draw) -> Samples:
    """Matrices, a vector and a number; stacks."""
    yield Sample(draw.any(2, 3), draw.any(2), draw.any()[()], draw.any(1, 1))
    yield Sample(draw.any(*STACK, 2, 2), draw.any(1, 2))


@samples_for(
    linalg.hilbert,
    linalg.dft,
    linalg.pascal,
    linalg.invpascal,
    linalg.hadamard,
    linalg.helmert,
    linalg.invhilbert,
)
def constant_samples(draw: Draw) -> Samples:
    """Matrices of a size."""
    yield Sample(2)


@samples_for(linalg.bandwidth, linalg.ishermitian, linalg.issymmetric)
def question_samples(draw: Draw) -> Samples:
    """Bandwidth and symmetry; before SciPy 1.16 these read memory, which traced arrays lack."""
    yield Sample(draw.any(2, 2), second_order=bool(STACK))
