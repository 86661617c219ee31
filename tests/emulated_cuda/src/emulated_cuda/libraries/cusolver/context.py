"""Handles of cuSOLVER, its parameters, and how it answers for workspace, of which nothing here
needs any.
"""

from emulated_cuda.libraries.handles import Handles
from emulated_cuda.libraries.library import Address, Double, Int, Library
from emulated_cuda.libraries.memory import store

solver = Library("cusolver", "libcusolver.so.11", unsupported=9, failed=6)
handles, parameters = Handles(), Handles()
VERSION = (11, 7, 5)
INVALID_VALUE = 3
WORKSPACE = 16  # entries or bytes; not none, as callers divide by it or take its address


@solver.routine("cusolverDnCreate", "cusolverSpCreate")
def create(handle: Address) -> None:
    handles.create(handle, {"stream": 0})


@solver.routine("cusolverDnDestroy", "cusolverSpDestroy")
def destroy(handle: Address) -> None:
    handles.destroy(handle)


@solver.routine("cusolverDnSetStream", "cusolverSpSetStream")
def set_stream(handle: Address, stream: Address) -> None:
    handles[handle]["stream"] = stream


@solver.routine("cusolverDnGetStream", "cusolverSpGetStream")
def get_stream(handle: Address, stream: Address) -> None:
    store(stream, "P", handles[handle]["stream"])


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


@solver.routine("cusolverDnXgesvdjSetTolerance", "cusolverDnXsyevjSetTolerance")
def set_tolerance(number: Address, tolerance: Double) -> None:
    parameters[number]["tolerance"] = tolerance


@solver.routine("cusolverDnXgesvdjSetMaxSweeps", "cusolverDnXsyevjSetMaxSweeps")
def set_max_sweeps(number: Address, sweeps: Int) -> None:
    parameters[number]["sweeps"] = sweeps


@solver.routine("cusolverDnXgesvdjSetSortEig", "cusolverDnXsyevjSetSortEig")
def set_sort(number: Address, sort: Int) -> None:
    parameters[number]["sort"] = sort


@solver.routine("cusolverDnXgesvdjGetResidual", "cusolverDnXsyevjGetResidual")
def get_residual(handle: Address, number: Address, residual: Address) -> None:
    store(residual, "d", 0)


@solver.routine("cusolverDnXgesvdjGetSweeps", "cusolverDnXsyevjGetSweeps")
def get_sweeps(handle: Address, number: Address, sweeps: Address) -> None:
    store(sweeps, "i", 1)
