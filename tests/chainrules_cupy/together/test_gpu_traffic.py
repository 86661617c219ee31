"""How many bytes the memory of a device has to move for a gradient, next to the gradient by hand:
the time of large arrays.

Counted where that can be counted: on the emulated device. What a transform by FFT moves is added,
and that it reads and writes its data once is the least it can do; the more it is, the less the rest
matters.
"""

from functools import partial

import numpy as np
import pytest

import chainrules_tape as tape
from benchmarks.gpu_programs import PROGRAMS

cupy = pytest.importorskip("cupy")
emulated_cuda = pytest.importorskip("emulated_cuda")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not emulated_cuda.is_installed(), reason="the device is not the emulated one"
    ),
]
SIZES = {
    "chain": 10**4,
    "perceptron": 256,
    "softmax cross-entropy": 128,
    "Gaussian mixture": 4000,
    "FFT deconvolution": 2**15,
}
TRANSFORMS = {"FFT deconvolution": 5}
LIMIT = 1.05  # of the gradient by hand


def traffic_of(function, *args):
    """What a call moves when its kernels have been compiled."""
    function(*args)
    with emulated_cuda.traffic() as found:
        function(*args)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_memory_moves_no_more_than_by_hand(program):
    inputs = tuple(map(cupy.asarray, program.inputs(SIZES[program.name])))
    ours = traffic_of(tape.value_and_grad(partial(program.loss, np)), *inputs)
    by_hand = traffic_of(partial(program.by_hand, cupy), *inputs)
    transforms = 2 * TRANSFORMS.get(program.name, 0) * inputs[0].nbytes
    ratio = (ours.bytes + transforms) / (by_hand.bytes + transforms)
    print(
        f"{program.name}: {ratio:.3f} of the bytes, {ours.launches} launches, {by_hand.launches} by"
        " hand"
    )
    assert ratio <= LIMIT
    assert (ours.waits, ours.host_to_device, ours.device_to_host) == (0, 0, 0)
