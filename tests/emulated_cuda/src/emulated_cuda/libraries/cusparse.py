"""cuSPARSE, of which there are handles and the names of errors.

What multiplies sparse matrices is missing, and says so.
"""

import ctypes

from emulated_cuda.libraries.handles import Handles
from emulated_cuda.libraries.library import Address, Library
from emulated_cuda.libraries.memory import store

sparse = Library("cusparse", "libcusparse.so.12", unsupported=10, failed=6)
handles = Handles()
sparse.routine("cusparseCreate")(handles.create)
sparse.routine("cusparseDestroy")(handles.destroy)
VERSION = 12510
NAME = ctypes.create_string_buffer(b"an error of the emulated cuSPARSE")


@sparse.routine("cusparseGetVersion")
def get_version(handle: Address, version: Address) -> None:
    store(version, "i", VERSION)


@sparse.routine("cusparseGetErrorName", "cusparseGetErrorString")
def get_error_name(status: Address) -> int:
    return ctypes.addressof(NAME)
