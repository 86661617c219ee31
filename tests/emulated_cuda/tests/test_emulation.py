"""What only the emulated device has: counters, and errors where a device would be silent, or dead."""

import numpy as np
import pytest

from emulated_cuda import traffic
from emulated_cuda.loading import is_loaded

cupy = pytest.importorskip("cupy")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not is_loaded(), reason="the device is not the emulated one"),
]


def test_traffic():
    x = cupy.arange(1000.0)
    with traffic() as found:
        y = x * 2
        y.sum()
        x.get()
        cupy.asarray(np.ones(3))
        x.copy()
    assert (found.loaded, found.stored) == (3 * x.nbytes, 2 * x.nbytes + 8)
    assert (found.launches, found.device_to_host, found.host_to_device) == (3, 1, 1)


def test_memory_is_moved_once_per_launch():
    x, row = cupy.arange(1024.0).reshape(32, 32), cupy.arange(32.0)
    with traffic() as found:
        x + row
    assert (found.loaded, found.stored) == (2 * x.nbytes, x.nbytes)
    assert (found.fetched, found.written) == (x.nbytes + row.nbytes, x.nbytes)
    with traffic() as found:
        x[:, ::8].sum()  # one number of each sector, and none of every second one
    assert found.fetched == 32 * x[:, ::8].size
    with traffic() as found:
        x.copy()
    assert found.bytes == 2 * x.nbytes


def test_what_nobody_wrote_is_nan():
    assert np.isnan(cupy.empty(10**6).get()).all()


FAILURES = {
    "trap": ('asm("trap;");', "trap"),
    "assertion": ("assert(out == 0);", "out == 0"),
    "misaligned": ("*(double *)((char *)out + 4) = 1;", "misaligned"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_say_where(name):
    statement, word = FAILURES[name]
    kernel = cupy.RawKernel(
        f'extern "C" __global__ void failing(double *out) {{ {statement} }}', "failing"
    )
    with pytest.raises(cupy.cuda.driver.CUDADriverError, match=f"failing, thread.*{word}"):
        kernel((1,), (2,), (cupy.zeros(4),))


def test_unknown_instructions_are_refused():
    code = (
        'extern "C" __global__ void k(int *out) { asm("vadd4.u32.u32.u32 %0, %0, %0, %0;" :'
        ' "+r"(out[0])); }'
    )
    with pytest.raises(cupy.cuda.driver.CUDADriverError, match="vadd4"):
        cupy.RawKernel(code, "k")((1,), (1,), (cupy.zeros(1, "int32"),))


def test_a_graph_fills_and_copies_again():
    x, y, total = cupy.arange(4.0), cupy.ones(4), cupy.ones(4)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        total.data.memset_async(0, total.nbytes, stream)
        y.data.copy_from_device_async(x.data, x.nbytes, stream)
        graph = stream.end_capture()
    assert y.get().tolist() == total.get().tolist() == [1, 1, 1, 1]
    x[:] = 7
    graph.launch(stream)
    assert (y.get().tolist(), total.get().tolist()) == ([7, 7, 7, 7], [0, 0, 0, 0])
