"""PTX, the assembly language of CUDA, as C. `translate` is all that the rest needs."""

from emulated_cuda.ptx.errors import UnknownPTX
from emulated_cuda.ptx.translation import translate

__all__ = ["UnknownPTX", "translate"]
