"""A computation on a device, captured once in a CUDA graph and replayed without Python.

On arrays of some thousand entries a gradient takes as long as Python needs to launch its kernels. A
graph launches all of them at once, in a tenth of the time or less.
"""

from typing import Any

import cupy

from chainrules_cupy.errors import DeviceError
from chainrules_py.annotations import Function
from chainrules_py.values.identity import qualified_name


class Captured:
    """Captured work: a call replays it, and `results` are the arrays that it writes."""

    def __init__(self, graph: Any, results: Any, memory: Any) -> None:
        self.graph, self.results = graph, results
        self.memory = memory  # where intermediate values lie, as long as the graph is used

    def __call__(self) -> Any:
        """Replay the work on the current stream; the results are the same arrays each time."""
        self.graph.launch()
        return self.results


def captured(function: Function, /, *args: Any, **options: Any) -> Captured:
    """Capture what a function does on the device, to replay it on other numbers.

    The function is called twice, the second time for the graph. Replaying does the same work on the
    same memory: write new numbers into the arrays (``x[...] = numbers``), and copy results that you
    keep, since the next replay writes them anew. What Python decided is decided: numbers of the
    host, shapes and branches stay as they were.

    A function that waits for the device, copies from the host, multiplies matrices or transforms
    (cuBLAS and cuFFT, which CuPy does not capture) raises a `DeviceError`.
    """
    memory = cupy.cuda.MemoryPool()  # of its own, so that nobody else gets what the graph writes to
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()  # such a stream does not wait for who made the arrays
    with cupy.cuda.using_allocator(memory.malloc), stream:
        function(*args, **options)  # compiles kernels, and fills the pool
        stream.begin_capture()
        try:
            results = function(*args, **options)
        except BaseException as error:
            leave(stream)
            if is_of_capture(error):
                raise not_captured(function, error) from error
            raise
        graph = stream.end_capture()

    replay = Captured(graph, results, memory)
    replay()
    return replay


def leave(stream) -> None:
    """End a capture that has failed; CUDA makes no graph of it, and raises."""
    try:
        stream.end_capture()
    except RuntimeError:
        return


def is_of_capture(error: BaseException) -> bool:
    """Whether an error says that something cannot be captured: CUDA's, or a sentence of CuPy's."""
    is_cudas = isinstance(error, cupy.cuda.runtime.CUDARuntimeError)
    return is_cudas or (isinstance(error, RuntimeError) and "captur" in str(error))


def not_captured(function, error: BaseException) -> DeviceError:
    """The error for work that no graph can hold."""
    instead = (
        "call the function itself, or capture a part of it that neither multiplies matrices, nor"
        " transforms, nor needs numbers of the device on the host"
    )
    return DeviceError(
        f"captured({qualified_name(function)})",
        f"CuPy says: {error}",
        instead,
        operands=(),
        current=None,
    )
