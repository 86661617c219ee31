"""Speed on a device, against gradients by hand and PyTorch eager in the same run: prints a line per program and size.

Run it alone on an idle device: `make test-gpu ARGS="-s tests/chainrules_cupy/test_gpu_speed.py"`.
"""

from importlib.util import find_spec
from statistics import median
from time import perf_counter

import numpy as np
import pytest
from gpu_programs import LENGTH, PROGRAMS, chain_loss

pytestmark = [pytest.mark.gpu, pytest.mark.slow]
cupy = pytest.importorskip("cupy")
tape = pytest.importorskip("chainrules_tape")

CALLS = [(program, size) for program in PROGRAMS for size in program.sizes]


def fits(program, size):
    """The chain of 10**8 keeps 200 arrays of 0.8 GB."""
    needed = 2.5 * LENGTH * 8 * size if program.name == "chain" else 0
    return needed < cupy.cuda.Device().mem_info[0]


def seconds(function, synchronize, rounds=7):
    """The median time of a call, the device idle before and after; the number of calls grows until a round takes 50 ms."""
    function()
    synchronize()
    calls = 1
    while True:
        times = []
        for _ in range(rounds):
            start = perf_counter()
            for _ in range(calls):
                function()
            synchronize()
            times.append((perf_counter() - start) / calls)
        if median(times) * calls > 0.05 or calls >= 64:
            return median(times)
        calls *= 4


def synchronize():
    cupy.cuda.Device().synchronize()


@pytest.mark.parametrize(("program", "size"), CALLS, ids=[f"{program.name}-{size}" for program, size in CALLS])
def test_against_the_gradient_by_hand(program, size):
    if not fits(program, size):
        pytest.skip("not enough device memory")
    inputs = tuple(map(cupy.asarray, program.inputs(size)))
    gradient = tape.value_and_grad(program.loss)
    ours = seconds(lambda: gradient(*inputs), synchronize)
    by_hand = seconds(lambda: program.by_hand(cupy, *inputs), synchronize)
    print(f"\n{program.name} {size}: {ours * 1e6:.1f} us, by hand {by_hand * 1e6:.1f} us, ratio {ours / by_hand:.3f}")
    if size == max(program.sizes):
        assert ours / by_hand <= 1.05


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("size", [10**3, 10**6])
def test_the_chain_against_torch(size):
    import torch

    start = np.random.default_rng(0).normal(size=size)
    x, gradient = cupy.asarray(start), tape.value_and_grad(chain_loss)

    def by_torch():
        y = leaf = torch.tensor(start, device="cuda", requires_grad=True)
        for _ in range(LENGTH):
            y = torch.sin(y) * 1.01
        y.sum().backward()
        return leaf.grad

    ours, torchs = seconds(lambda: gradient(x), synchronize), seconds(by_torch, torch.cuda.synchronize)
    print(f"\nchain {size}: {ours * 1e6:.1f} us, PyTorch eager {torchs * 1e6:.1f} us, ratio {ours / torchs:.3f}")
    if size == 10**6:
        assert ours / torchs <= 1.0


def test_engine_overhead_against_a_launch():
    """At size 1 000: what an operation costs above the launches that it makes, in units of one launch of CuPy's."""
    x, gradient = cupy.ones(1000), tape.value_and_grad(chain_loss)
    launch = seconds(lambda: cupy.sin(x), synchronize)
    by_hand = seconds(lambda: PROGRAMS[0].by_hand(cupy, x), synchronize)
    overhead = (seconds(lambda: gradient(x), synchronize) - by_hand) / (2 * LENGTH)
    print(f"\none launch {launch * 1e6:.2f} us, overhead per operation {overhead * 1e6:.2f} us, ratio {overhead / launch:.2f}")
    assert overhead / launch <= 0.5
