"""Handles of cuBLAS and their modes.

Pointers to the host and to the device are the same here: a mode is only kept.
"""

from emulated_cuda.libraries.handles import Handles
from emulated_cuda.libraries.library import Address, Int, Library
from emulated_cuda.libraries.memory import store

blas = Library("cublas", "libcublas.so.12", unsupported=15, failed=13)
handles = Handles(lambda: {"pointer mode": 0, "math mode": 0, "stream": 0})
blas.routine("cublasCreate_v2")(handles.create)
blas.routine("cublasDestroy_v2")(handles.destroy)
VERSION = 120901


@blas.routine("cublasGetVersion_v2")
def get_version(handle: Address, version: Address) -> None:
    store(version, "i", VERSION)


@blas.routine("cublasSetPointerMode_v2")
def set_pointer_mode(handle: Address, mode: Int) -> None:
    handles[handle]["pointer mode"] = mode


@blas.routine("cublasGetPointerMode_v2")
def get_pointer_mode(handle: Address, mode: Address) -> None:
    store(mode, "i", handles[handle]["pointer mode"])


@blas.routine("cublasSetMathMode")
def set_math_mode(handle: Address, mode: Int) -> None:
    handles[handle]["math mode"] = mode


@blas.routine("cublasGetMathMode")
def get_math_mode(handle: Address, mode: Address) -> None:
    store(mode, "i", handles[handle]["math mode"])


@blas.routine("cublasSetStream_v2")
def set_stream(handle: Address, stream: Address) -> None:
    handles[handle]["stream"] = stream
