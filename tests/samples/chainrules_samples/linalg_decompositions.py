"""Samples of numpy.linalg's decompositions, with values far apart."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.errors import NotDifferentiableError, OptionError
from chainrules_py.rulesets.linalg.degeneracy import differentiable_once
from chainrules_py.rulesets.linalg.hermitian_functions import hermitian_function
from chainrules_py.testing.samples import (
    REAL,
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)

HERMITIAN = {0: "hermitian"}


def spread_out(draw: Draw, *shape: int) -> Any:
    """Matrices whose singular values and eigenvalues are about 1, 2.5, 4, ..."""
    diagonal = np.eye(shape[-2], shape[-1]) * (1.0 + 1.5 * np.arange(shape[-1]))
    return np.asarray(diagonal + draw.any(*shape) / 6, draw.dtype)


def squares(draw: Draw, make: Callable[..., Any], **about) -> Samples:
    """Square matrices: alone, in a stack, of one entry, and none in a stack."""
    for shape in ((3, 3), (2, 2, 2), (1, 1)):
        yield Sample(make(draw, *shape), **about)
    yield Sample(draw.any(0, 2, 2))


@samples_for(np.linalg.svd, dtypes=REAL_AND_COMPLEX)
def svd_samples(draw: Draw) -> Samples:
    """Tall, wide and square; stacks; the singular values alone; a Hermitian matrix."""
    for shape in ((4, 2), (2, 4), (2, 3, 2)):
        yield Sample(spread_out(draw, *shape), options={"full_matrices": False})
    yield Sample(spread_out(draw, 3, 3))
    yield Sample(spread_out(draw, 3, 2), options={"compute_uv": False})
    a = hermitian_spread_out(draw, 3, 3)
    yield Sample(a, options={"hermitian": True}, structures=HERMITIAN)
    yield Sample(draw.any(0, 2, 2))
    yield Sample(draw.any(0, 2), options={"full_matrices": False})


@samples_for(np.linalg.svdvals, dtypes=REAL_AND_COMPLEX)
def svdvals_samples(draw: Draw) -> Samples:
    """Singular values need no vectors to be unique; at zero they are absolute values."""
    for shape in ((3, 2), (2, 2, 3)):
        yield Sample(spread_out(draw, *shape))
    yield Sample(draw.any(0, 2))
    yield Sample(np.zeros((1, 1), draw.dtype), tags=[Tag.KINK])


@samples_for(np.linalg.eigh, np.linalg.eigvalsh, dtypes=REAL_AND_COMPLEX)
def eigh_samples(draw: Draw) -> Samples:
    """Hermitian matrices, read from either triangle."""
    yield from squares(draw, hermitian_spread_out, structures=HERMITIAN)
    yield Sample(hermitian_spread_out(draw, 3, 3), options={"UPLO": "U"}, structures=HERMITIAN)


def hermitian_spread_out(draw: Draw, *shape: int) -> Any:
    """Hermitian matrices whose eigenvalues are far apart."""
    a = spread_out(draw, *shape)
    return (a + np.conj(np.swapaxes(a, -1, -2))) / 2


@samples_for(np.linalg.cholesky, dtypes=REAL_AND_COMPLEX)
def cholesky_samples(draw: Draw) -> Samples:
    """Either factor; stacks."""
    yield from squares(draw, Draw.positive_definite, structures=HERMITIAN)
    yield Sample(draw.positive_definite(3, 3), options={"upper": True}, structures=HERMITIAN)


@samples_for(np.linalg.eig, dtypes=REAL_AND_COMPLEX)
def eig_samples(draw: Draw) -> Samples:
    """Eigenvalues far apart, and a pair of complex ones of a real matrix."""
    yield from squares(draw, spread_out)
    if not draw.is_complex:
        yield Sample(np.asarray([[1.0, 2.0], [-1.0, 1.4]], draw.dtype), name="2x2-turning")


@samples_for(np.linalg.eigvals, dtypes=REAL_AND_COMPLEX)
def eigvals_samples(draw: Draw) -> Samples:
    """Real and complex eigenvalues of real matrices, and of complex ones."""
    yield from squares(draw, spread_out)
    if not draw.is_complex:  # LAPACK keeps the order of a conjugate pair only as long as it is one
        yield Sample(np.asarray([[1.0, 2.0], [-1.5, 0.5]], draw.dtype), name="2x2-turning")


@samples_for(np.linalg.qr, dtypes=REAL_AND_COMPLEX)
def qr_samples(draw: Draw) -> Samples:
    """Tall, wide and square; stacks; R alone; complete where that is unique."""
    for shape in ((4, 2), (2, 4), (2, 3, 2)):
        yield Sample(spread_out(draw, *shape))
    yield Sample(spread_out(draw, 2, 3), options={"mode": "r"})
    yield Sample(spread_out(draw, 3, 3), options={"mode": "complete"})
    for shape in ((0, 2, 2), (3, 0)):
        yield Sample(draw.any(*shape))
    tall = draw.any(3, 2)
    yield Sample(
        tall,
        options={"mode": "complete"},
        error=NotDifferentiableError,
        error_data={"argument": "mode"},
    )
    yield Sample(tall, options={"mode": "raw"}, error=OptionError, error_data={"option": "mode"})


@samples_for(np.linalg.eigvalsh, dtypes=REAL)
def repeated_eigenvalue_samples(draw: Draw) -> Samples:
    """Repeated eigenvalues, each of which has a kink.

    Forward and reverse are adjoint, and nothing is nan; `eigh` refuses most cotangents.
    """
    yield Sample(
        np.eye(2, dtype=draw.dtype),
        tags=[Tag.KINK],
        structures=HERMITIAN,
        name="eigvalsh-2x2-repeated",
    )


@samples_for(hermitian_function, dtypes=REAL_AND_COMPLEX)
def hermitian_function_samples(draw: Draw) -> Samples:
    """Functions of several matrices, along one direction and two.

    Directions need not be Hermitian.
    """
    hermitian = {1: "hermitian"}
    yield Sample(np.exp, hermitian_spread_out(draw, 2, 2, 2) / 4, structures=hermitian)
    yield Sample(
        np.log,
        draw.positive_definite(3, 3),
        draw.any(3, 3),
        draw.any(3, 3),
        structures=hermitian,
    )
    identity = 2 * np.eye(3, dtype=draw.dtype)
    yield Sample(np.sqrt, identity, draw.any(3, 3), structures=hermitian, name="identity")
    yield Sample(
        _turning,
        hermitian_spread_out(draw, 3, 3) / 4,
        structures=hermitian,
        name="complex-function",
    )
    yield Sample(np.sin, draw.any(0, 2, 2), draw.any(0, 2, 2), structures=hermitian)
    zeros, eye = np.zeros((2, 2), draw.dtype), np.eye(2, dtype=draw.dtype)
    yield Sample(
        np.sqrt, zeros, eye, error=NotDifferentiableError, error_data={"argument": "a", "order": 1}
    )
    yield Sample(np.exp, eye, eye[:1], error=ValueError)


def _turning(x) -> Any:
    """A function with complex values."""
    return np.exp(1j * x)


@samples_for(differentiable_once, dtypes=REAL_AND_COMPLEX)
def differentiable_once_samples(draw: Draw) -> Samples:
    """The identity, as long as no two values are the same, or their weights are."""
    for of in (np.linalg.eigh, np.linalg.svdvals):
        yield Sample(draw.any(3, 3), np.array([1.0, 2.0, 4.0]), None, options={"of": of})
        yield Sample(
            draw.any(3, 2),
            np.array([1.0, 2.0]),
            np.array([1.0, 1.0]),
            options={"of": of},
        )
