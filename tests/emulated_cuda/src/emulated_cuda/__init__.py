"""A CUDA device on the processor, for CuPy: kernels run, libraries compute, and what was asked of
the device is counted.

CuPy is the real one. It compiles its kernels by NVRTC to PTX, which `ptx` translates to C; `native`
has the driver, the runtime and the threads of a block; `libraries` has cuBLAS and its kin. There is
no speed to be measured here, only numbers, launches, copies and bytes. Everything is done at once
and in order, so mistakes about streams and races do not show; graphs hold no copies from or to
the host. An access outside of all memory ends the process.

    import emulated_cuda
    emulated_cuda.install()  # before CuPy is imported
    import cupy

    with emulated_cuda.traffic() as traffic:
        cupy.arange(10) + 1
    traffic.launches, traffic.loaded, traffic.stored

For tests: ``pytest --emulated-cuda``.
"""

from emulated_cuda.installation import install, missing
from emulated_cuda.loading import is_loaded as is_installed
from emulated_cuda.traffic import Traffic, traffic

__all__ = ["Traffic", "install", "is_installed", "missing", "traffic"]
