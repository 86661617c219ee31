"""Handles of cuSOLVER, and its parameters."""

from emulated_cuda.libraries.handles import Handles
from emulated_cuda.libraries.library import Address, Int, Library
from emulated_cuda.libraries.memory import store

solver = Library("cusolver", "libcusolver.so.11", unsupported=9, failed=6)
handles, parameters = Handles(lambda: {"stream": 0}), Handles()
solver.routine("cusolverDnCreate", "cusolverSpCreate")(handles.create)
solver.routine("cusolverDnDestroy", "cusolverSpDestroy")(handles.destroy)
for each in ("Params", "GesvdjInfo", "SyevjInfo"):
    solver.routine(f"cusolverDnCreate{each}")(parameters.create)
    solver.routine(f"cusolverDnDestroy{each}")(parameters.destroy)
VERSION = (11, 7, 5)
INVALID_VALUE = 3


@solver.routine("cusolverDnSetStream", "cusolverSpSetStream")
def set_stream(handle: Address, stream: Address) -> None:
    handles[handle]["stream"] = stream


@solver.routine("cusolverGetProperty")
def get_property(kind: Int, value: Address) -> None:
    store(value, "i", VERSION[kind])
