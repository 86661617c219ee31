"""The tape on a device: streams, devices, DLPack, and memory; derivatives are cells of `product`."""

from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

import chainrules_tape as tape
from benchmarks.gpu_programs import PROGRAMS, chain_by_hand, chain_loss as chain_loss_of
from stand_ins import constant_indices
from stand_ins.second_order import SECOND_DERIVATIVES
from stand_ins.waiting import allowing_waits

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
chain_loss = partial(chain_loss_of, np)


@pytest.mark.parametrize("transform", SECOND_DERIVATIVES)
@pytest.mark.parametrize("name", constant_indices.INDICES)
def test_constants_in_an_index(name, transform):
    """Through CuPy's own protocol, which the stand-in only imitates."""
    squares = constant_indices.squares_at(constant_indices.INDICES[name])
    differentiated = SECOND_DERIVATIVES[transform](lambda x: np.sum(squares(x) ** 2))
    x = cupy.asarray(constant_indices.X)
    with allowing_waits(False):
        found = differentiated(x)
    np.testing.assert_allclose(found.get(), differentiated(constant_indices.X), rtol=1e-9)


# whose units, cotangents or tangents are in lanes
IN_LANES = {
    "jacobian": lambda x: tape.jacobian(lambda y: np.tanh(y[0] * y), mode="reverse")(x),
    "complex": lambda x: tape.jacobian(lambda z: z * np.exp(z))(x[0] + 1j * x[1]),
    "vjp": lambda x: tape.vmap(lambda y: tape.vjp(np.sin, y)[1](y)[0])(x),
    "hvp": lambda x: tape.vmap(lambda y: tape.hvp(lambda y: np.sum(y**3), y, y))(x),
}


@pytest.mark.parametrize("name", IN_LANES)
def test_derivatives_in_lanes(name):
    found = IN_LANES[name](cupy.asarray(constant_indices.X))
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_allclose(found.get(), IN_LANES[name](constant_indices.X), rtol=1e-10)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs(program):
    inputs = tuple(map(cupy.asarray, program.inputs(program.sizes[0])))
    value, gradient = program.by_hand(cupy, *inputs)
    with allowing_waits(False):
        found, found_gradient = tape.value_and_grad(partial(program.loss, np))(*inputs)
    cupy.testing.assert_allclose(found, value, rtol=1e-9)
    cupy.testing.assert_allclose(found_gradient, gradient, rtol=1e-8, atol=1e-10)


def test_work_is_enqueued_on_the_current_stream():
    x, stream = cupy.linspace(0.1, 1, 10**6), cupy.cuda.Stream(non_blocking=True)
    tape.grad(chain_loss)(x)  # compiles, and fills the memory pool of the default stream
    cupy.cuda.Device().synchronize()
    with stream:
        tape.grad(chain_loss)(x)
        stream.synchronize()
        start, default = cupy.cuda.Event(), cupy.cuda.Stream.null
        gradient = tape.grad(chain_loss)(x)
        start.record(stream)
        assert default.done  # nothing went there
    stream.synchronize()
    cupy.testing.assert_allclose(gradient, chain_by_hand(cupy, x)[1], rtol=1e-9)


@pytest.mark.skipif(
    cupy.cuda.is_available() and cupy.cuda.runtime.getDeviceCount() < 2, reason="needs two devices"
)
def test_cotangents_live_where_their_primals_do():
    with cupy.cuda.Device(1):
        x = cupy.ones(3)
        gradient = tape.grad(chain_loss)(x)
    assert gradient.device == x.device == cupy.cuda.Device(1)


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_dlpack_with_torch_copies_nothing():
    import torch

    if not torch.cuda.is_available():
        pytest.skip("PyTorch was built for processors only, or sees no device")
    x = torch.linspace(0.1, 1.0, 5, device="cuda", dtype=torch.float64)
    shared = cupy.from_dlpack(x)
    assert shared.data.ptr == x.data_ptr()
    gradient = tape.grad(chain_loss)(shared)
    back = torch.from_dlpack(gradient)
    assert back.data_ptr() == gradient.data.ptr
    np.testing.assert_allclose(back.cpu().numpy(), chain_by_hand(np, x.cpu().numpy())[1], rtol=1e-9)


@pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed")
def test_dlpack_with_jax_copies_nothing(monkeypatch):
    # JAX would take most of the memory, which other tests need
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU backend here")
    x = jax.numpy.linspace(0.1, 1.0, 5)
    shared = cupy.from_dlpack(x)
    assert shared.data.ptr == x.unsafe_buffer_pointer()
    gradient = tape.grad(chain_loss)(shared)
    assert jax.dlpack.from_dlpack(gradient).unsafe_buffer_pointer() == gradient.data.ptr


def peak_of(function, *args):
    """The most memory that the pool handed out while a call ran, above what was in use before."""
    pool, hook = cupy.get_default_memory_pool(), Peak()
    function(*args)  # compiles
    cupy.cuda.Device().synchronize()
    pool.free_all_blocks()
    with hook:
        function(*args)
    return hook.peak


class Peak(cupy.cuda.MemoryHook):
    """Adds up what is allocated and freed."""

    name = "peak"

    def __init__(self):
        self.now = self.peak = 0

    def malloc_postprocess(self, **about):
        self.now += about["mem_size"]
        self.peak = max(self.peak, self.now)

    def free_postprocess(self, **about):
        self.now -= about["mem_size"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_peak_memory(program):
    # more say nothing else, and take minutes on an emulated device
    size = min(program.sizes[-1], 50_000)
    inputs = tuple(map(cupy.asarray, program.inputs(size)))
    ours = peak_of(tape.value_and_grad(partial(program.loss, np)), *inputs)
    by_hand = peak_of(lambda *args: program.by_hand(cupy, *args), *inputs)
    assert ours <= 1.1 * by_hand, f"{ours / by_hand:.2f} of the peak of the gradient by hand"
