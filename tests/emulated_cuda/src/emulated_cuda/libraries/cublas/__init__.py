"""cuBLAS: vectors, matrices, batches of small matrices; what NumPy's and SciPy's functions call on
CuPy.
"""

from emulated_cuda.libraries.cublas import (
    batched,
    context,
    extended,
    level1,
    level2,
    level3,
)
from emulated_cuda.libraries.cublas.context import blas as blas

__all__ = ["batched", "blas", "context", "extended", "level1", "level2", "level3"]
