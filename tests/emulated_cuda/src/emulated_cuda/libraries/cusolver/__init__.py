"""cuSOLVER: factorisations, eigenvalues, singular values of dense matrices."""

from emulated_cuda.libraries.cusolver import (
    cholesky,
    context,
    eigenvalues,
    lu,
    qr,
    singular_values,
    workspace,
)
from emulated_cuda.libraries.cusolver.context import solver as solver

__all__ = [
    "cholesky",
    "context",
    "eigenvalues",
    "lu",
    "qr",
    "singular_values",
    "solver",
    "workspace",
]
