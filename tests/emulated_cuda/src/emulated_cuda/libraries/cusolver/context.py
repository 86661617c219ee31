"""Handles of cuSOLVER, and its parameters."""

from emulated_cuda.libraries.handles import Handles
from emulated_cuda.libraries.library import Address, Int, Library
from emulated_cuda.libraries.memory import store

solver = Library("cusolver", "libcusolver.so.11", unsupported=9, failed=6)
handles, parameters = Handles(), Handles()
VERSION = (11, 7, 5)
INVALID_VALUE = 3


@solver.routine("cusolverDnCreate", "cusolverSpCreate")
def create(handle: Address) -> None:
    handles.create(handle, {"stream": 0})


@solver.routine("cusolverDnDestroy", "cusolverSpDestroy")
def destroy(handle: Address) -> None:
    handles.destroy(handle)


@solver.routine("cusolverDnSetStream", "cusolverSpSetStream")
def set_stream(handle: Address, stream: Address) -> None:
    handles[handle]["stream"] = stream


@solver.routine("cusolverGetProperty")
def get_property(kind: Int, value: Address) -> None:
    store(value, "i", VERSION[kind])


@solver.routine("cusolverDnCreateParams", "cusolverDnCreateGesvdjInfo", "cusolverDnCreateSyevjInfo")
def create_parameters(address: Address) -> None:
    parameters.create(address)


@solver.routine(
    "cusolverDnDestroyParams", "cusolverDnDestroyGesvdjInfo", "cusolverDnDestroySyevjInfo"
)
def destroy_parameters(number: Address) -> None:
    parameters.destroy(number)
