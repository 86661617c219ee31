"""Samples of `scipy.linalg`'s factorisations, with values far apart."""

from typing import Any

import numpy as np
import scipy
from scipy import linalg

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.rulesets.scipy.linalg.decompositions import order_of_columns
from chainrules_py.rulesets.scipy.linalg.factors import pivots_of
from chainrules_py.rulesets.scipy.linalg.schur import sides
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for
from chainrules_samples.linalg_decompositions import hermitian_spread_out, spread_out

REAL_DOUBLE = ("float64",)
UNCHECKED = {"check_finite": False}
HERMITIAN = {0: "hermitian"}
# The axes before those of a matrix: from 1.16 on, SciPy takes stacks of them.
STACK = (2,) if np.lib.NumpyVersion(scipy.__version__) >= "1.16.0" else ()
# From SciPy 1.18 on both warn of the option.
IS_OLD = np.lib.NumpyVersion(scipy.__version__) < "1.18.0"
WORKSPACE = {qr: {"lwork": 64} if IS_OLD else {} for qr in (linalg.qr, linalg.rq)}


# --- Factorisations ---


@samples_for(linalg.cholesky, linalg.cho_factor, dtypes=DOUBLE)
def cholesky_samples(draw: Draw) -> Samples:
    """Either triangle."""
    yield Sample(
        draw.positive_definite(3, 3), options={"lower": True, **UNCHECKED}, structures=HERMITIAN
    )
    yield Sample(draw.positive_definite(*STACK, 2, 2), structures=HERMITIAN)


@samples_for(linalg.lu, linalg.lu_factor, dtypes=DOUBLE)
def lu_samples(draw: Draw, primal) -> Samples:
    """Square, tall and wide; the permutation in each form."""
    forms: list[dict[str, Any]] = [UNCHECKED, {}, {}]
    if primal is linalg.lu:
        forms = [{"p_indices": True, **UNCHECKED}, {"permute_l": True}, {}]
    for shape, options in zip(((3, 3), (4, 2), (2, 3)), forms, strict=True):
        yield Sample(draw.any(*shape) + 3 * np.eye(*shape)[::-1], options=options)
    yield Sample(draw.any(*STACK, 2, 2) + 3 * np.eye(2)[::-1])
    for shape in ((0, 0), (0, 3), (3, 0)):
        yield Sample(draw.any(*shape))


@samples_for(order_of_columns, pivots_of, dtypes=DOUBLE)
def order_samples(draw: Draw) -> Samples:
    """What is chosen among values far apart."""
    yield Sample(spread_out(draw, 3, 3))


@samples_for(linalg.qr, linalg.rq)
def qr_samples(draw: Draw, primal) -> Samples:
    """Each mode that has a rule; the order of columns that pivoting chooses."""
    tall, wide = (3, 2), (2, 3)
    good, other = (tall, wide) if primal is linalg.qr else (wide, tall)
    yield Sample(spread_out(draw, *good), options={"mode": "economic", **UNCHECKED})
    yield Sample(spread_out(draw, *good), options={"mode": "r"})
    yield Sample(spread_out(draw, *STACK, *other), options=WORKSPACE[primal])
    if primal is linalg.qr:
        yield Sample(spread_out(draw, 3, 3), options={"pivoting": True})
    yield Sample(spread_out(draw, *good), error=NotDifferentiableError)


@samples_for(linalg.polar, dtypes=DOUBLE)
def polar_samples(draw: Draw) -> Samples:
    """The side on which the other factor is regular."""
    yield Sample(spread_out(draw, 3, 2))
    yield Sample(spread_out(draw, 2, 3), options={"side": "left"})
    yield Sample(spread_out(draw, *STACK, 2, 2))
    yield Sample(draw.any(2, 3), error=NotDifferentiableError)


@samples_for(linalg.orthogonal_procrustes, dtypes=DOUBLE)
def orthogonal_procrustes_samples(draw: Draw) -> Samples:
    """Two sets of points."""
    yield Sample(draw.any(4, 2), draw.any(4, 2), options=UNCHECKED)


@samples_for(linalg.subspace_angles, dtypes=DOUBLE)
def subspace_angles_samples(draw: Draw) -> Samples:
    """Small angles and large ones, and spaces of different dimensions."""
    yield Sample(draw.any(5, 2), draw.any(5, 2))
    yield Sample(draw.any(4, 3), draw.any(4, 1))


@samples_for(linalg.matrix_balance)
def matrix_balance_samples(draw: Draw) -> Samples:
    """A matrix that is scaled, and that is permuted."""
    a = draw.any(3, 3) * np.array([[1, 900, 1], [0.01, 1, 0.01], [0.01, 900, 1]], draw.dtype)
    yield Sample(a, options={"permute": False})
    yield Sample(a, options={"scale": False})


@samples_for(linalg.svd)
def svd_samples(draw: Draw) -> Samples:
    """Thin, square, and values alone."""
    yield Sample(
        spread_out(draw, 3, 2),
        options={"full_matrices": False, "lapack_driver": "gesvd", **UNCHECKED},
    )
    yield Sample(spread_out(draw, *STACK, 2, 2))
    yield Sample(spread_out(draw, 2, 3), options={"compute_uv": False})


@samples_for(linalg.svdvals, dtypes=DOUBLE)
def svdvals_samples(draw: Draw) -> Samples:
    """Values alone."""
    yield Sample(spread_out(draw, 2, 3), options=UNCHECKED)


# --- Eigenvalues ---


@samples_for(linalg.eigh, dtypes=DOUBLE)
def eigh_samples(draw: Draw) -> Samples:
    """All vectors and some of them; a pair of matrices."""
    yield Sample(
        hermitian_spread_out(draw, *STACK, 3, 3),
        options={"lower": False, "driver": "evd", **UNCHECKED},
        structures=HERMITIAN,
    )
    chosen = {"subset_by_index": [1, 2]}
    yield Sample(hermitian_spread_out(draw, 3, 3), None, options=chosen, structures=HERMITIAN)
    yield Sample(
        hermitian_spread_out(draw, 3, 3),
        options={"subset_by_value": [2.0, 9.0]},
        structures=HERMITIAN,
    )
    pair = {0: "hermitian", 1: "hermitian"}
    yield Sample(hermitian_spread_out(draw, 3, 3), draw.positive_definite(3, 3), structures=pair)
    options = {"eigvals_only": True}
    yield Sample(
        hermitian_spread_out(draw, 3, 3),
        draw.positive_definite(3, 3),
        options=options,
        structures=pair,
    )


@samples_for(linalg.eigvalsh, dtypes=DOUBLE)
def eigvalsh_samples(draw: Draw) -> Samples:
    """All values and some of them; a pair of matrices."""
    yield Sample(
        hermitian_spread_out(draw, 3, 3),
        options={"lower": False, **UNCHECKED},
        structures=HERMITIAN,
    )
    chosen = {"subset_by_index": [0, 1], "driver": "evr"}
    yield Sample(hermitian_spread_out(draw, 3, 3), None, options=chosen, structures=HERMITIAN)
    pair = {0: "hermitian", 1: "hermitian"}
    chosen = {"subset_by_value": [1.0, 90.0]}
    yield Sample(
        hermitian_spread_out(draw, 3, 3),
        0.5 * draw.positive_definite(3, 3),
        options=chosen,
        structures=pair,
    )


def _symmetric_bands(draw: Draw) -> Any:
    return np.stack([np.array([1.0, 3.0, 6.0, 9.0]), *draw.any(2, 4) / 3]).astype(draw.dtype)


@samples_for(linalg.eig_banded, dtypes=DOUBLE)
def eig_banded_samples(draw: Draw) -> Samples:
    """Either half; all values, and some of them."""
    yield Sample(_symmetric_bands(draw), options={"lower": True, **UNCHECKED})
    chosen = {"select": "v", "select_range": (2.0, 7.5), "max_ev": 4}
    yield Sample(_symmetric_bands(draw)[::-1], options=chosen)
    yield Sample(_symmetric_bands(draw), options={"lower": True, "eigvals_only": True})


@samples_for(linalg.eigvals_banded, dtypes=DOUBLE)
def eigvals_banded_samples(draw: Draw) -> Samples:
    """Either half; all values, and some of them."""
    yield Sample(_symmetric_bands(draw), options={"lower": True, **UNCHECKED})
    yield Sample(_symmetric_bands(draw)[::-1], options={"select": "v", "select_range": (2.0, 7.5)})


@samples_for(linalg.eigh_tridiagonal, linalg.eigvalsh_tridiagonal, dtypes=REAL_DOUBLE)
def tridiagonal_samples(draw: Draw, primal) -> Samples:
    """All values, and some of them."""
    d, e = np.array([1.0, 3.0, 6.0, 9.0]), draw.any(3) / 2
    yield Sample(d, e, options={"lapack_driver": "stemr", **UNCHECKED})
    yield Sample(d, e, options={"select": "i", "select_range": (1, 2), "tol": 1e-14})
    if primal is linalg.eigh_tridiagonal:
        yield Sample(d, e, options={"eigvals_only": True})


@samples_for(linalg.eig, dtypes=DOUBLE)
def eig_samples(draw: Draw) -> Samples:
    """Values and vectors, left ones too; those of a real pair, as LAPACK leaves phases open."""
    yield Sample(spread_out(draw, 3, 3), options=UNCHECKED)
    yield Sample(spread_out(draw, 3, 3), options={"left": True})
    yield Sample(spread_out(draw, 3, 3), options={"left": True, "right": False})
    yield Sample(spread_out(draw, 3, 3), options={"right": False})
    if not draw.is_complex:
        yield Sample(spread_out(draw, 3, 3), draw.well_conditioned(3, 3))


@samples_for(linalg.eigvals, dtypes=DOUBLE)
def eigvals_samples(draw: Draw) -> Samples:
    """One matrix and a pair."""
    yield Sample(spread_out(draw, 3, 3), options=UNCHECKED)
    yield Sample(spread_out(draw, 3, 3), draw.well_conditioned(3, 3))


@samples_for(linalg.rsf2csf, sides, dtypes=REAL_DOUBLE)
def rsf2csf_samples(draw: Draw, primal) -> Samples:
    """One block: in a larger matrix, the zeros below blocks would have to stay."""
    options = UNCHECKED if primal is linalg.rsf2csf else {}
    yield Sample(np.array([[1.0, 2.0], [-0.7, 1.2]]), linalg.qr(draw.any(2, 2))[0], options=options)


@samples_for(linalg.schur, dtypes=REAL_DOUBLE)
def schur_samples(draw: Draw) -> Samples:
    """Real eigenvalues and complex ones.

    The phases of complex vectors are arbitrary, but stay where matrices are real.
    """
    yield Sample(np.array([[1.0, 0.4], [0.3, 2.0]]), options={"output": "complex"})
    yield Sample(spread_out(draw, 3, 3), options={"output": "real", "lwork": 24, **UNCHECKED})
    yield Sample(np.array([[1.0, 2.0, 0.3], [-0.7, 1.2, -0.4], [0.2, 0.1, -2.0]]))
    yield Sample(spread_out(draw, 2, 2), options={"sort": "rhp"})
    yield Sample(spread_out(draw, *STACK, 2, 2))
