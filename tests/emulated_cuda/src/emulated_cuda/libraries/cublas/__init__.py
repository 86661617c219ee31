"""cuBLAS: vectors, matrices, batches of small matrices."""

from emulated_cuda.libraries.cublas import (
    batched,
    context,
    extended,
    extensions,
    level1,
    level2,
    level3,
)
from emulated_cuda.libraries.cublas.context import blas as blas

__all__ = ["batched", "blas", "context", "extended", "extensions", "level1", "level2", "level3"]
