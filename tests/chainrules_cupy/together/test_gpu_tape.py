"""The tape on a device: what stays there, streams, devices, DLPack, and memory; derivatives are cells
of `product`.
"""

import numbers
import operator
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

import chainrules_tape as tape
from benchmarks.gpu_programs import PROGRAMS, chain_by_hand, chain_loss as chain_loss_of
from chainrules_py import Array, frule, primitive, rrule
from chainrules_py.values.arrays import library_of
from product.judge import case_of
from product.programs import rows_of
from stand_ins.second_order import SECOND_DERIVATIVES
from stand_ins.waiting import staying

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
chain_loss = partial(chain_loss_of, np)


STAYING = (
    *("elementwise", "broadcasting", "logsumexp", "entries", "methods", "joining", "where"),
    *("sorting", "statistics", "running", "products", "singular values", "fft", "reduce"),
)


@pytest.mark.parametrize(
    "program", [p for p in rows_of("plain") if p.name in STAYING], ids=lambda p: p.name
)
def test_derivatives_stay_on_the_device(program):
    case, made = case_of(program), {}

    def put(x):
        """Copy each array once, which the line begins with at each call."""
        key = np.shape(x), np.asarray(x).tobytes()
        if key not in made:
            made[key] = cupy.asarray(x)
        return made[key]

    f = case.line(program.function, put)
    t, one = map(cupy.asarray, (0.0, 1.0))
    f(t)
    with staying():
        found = [*tape.value_and_grad(f)(t), tape.jvp(tape.grad(f), (t,), (one,))[1]]
    assert all(isinstance(x, cupy.ndarray) for x in found)
    case.require({order: x.get() for order, x in enumerate(found)})


def test_traced_arrays_without_axes_are_arrays_as_they_are_untraced():
    seen = []

    def loss(x):
        total = np.sum(x)
        seen.append(total)
        return total

    tape.grad(loss)(cupy.ones(3))
    for cls in (numbers.Real, numbers.Complex, numbers.Number):
        assert isinstance(seen[0], cls) == isinstance(cupy.ones(()), cls)


def test_constants_find_the_library_under_several_levels():
    seen = []

    def loss(x):
        seen.append(library_of(type(x)).namespace.arange(3))
        return np.sum(x * x)

    tape.grad(lambda x: np.sum(tape.grad(loss)(x) ** 2))(cupy.ones(3))
    assert isinstance(seen[0], cupy.ndarray)


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)], ids=["zeros", "no columns"])
def test_a_constant_cotangent_is_the_devices(shape):
    inner = tape.grad(lambda x: np.sum(np.resize(x, (3,)) ** 2))
    seen = []

    def outer(x):
        seen.append(inner(x))
        return np.sum(seen[0] * x)

    assert isinstance(tape.grad(outer)(cupy.zeros(shape)), cupy.ndarray)
    assert isinstance(seen[0], cupy.ndarray)


WRITES = {
    "an entry": lambda x: operator.setitem(x, 0, 1.0),
    "all": lambda x: operator.iadd(x, 1.0),
    "the shape": lambda x: setattr(x, "shape", (4, 3)),
}


@pytest.mark.parametrize("name", WRITES)
def test_arrays_of_a_device_are_written_to(name):
    def f(x):
        WRITES[name](x)
        return np.sum(x * x)

    np.testing.assert_allclose(tape.grad(f)(cupy.asarray(X)).get(), tape.grad(f)(X.copy()))


# Functions whose rules read and add at an index that they make themselves, as a constant of the
# array library at hand

X = np.random.default_rng(0).normal(size=(3, 4))
INDICES = {
    "alone": lambda xp: xp.arange(2),
    "in a tuple": lambda xp: (slice(None), xp.arange(3)),
    "two": lambda xp: (xp.arange(3), xp.arange(3)),
    "computed": lambda xp: (..., xp.arange(4)[::-1] + 0),
    "of a function": lambda xp: (slice(None), xp.flip(xp.arange(4))),
}


def squares_at(index_of):
    """A function whose rules read at a constant index."""

    @primitive
    def squares(x):
        return x

    @rrule.register(squares)
    def squares_rrule(x: Array, *, xp):
        index = index_of(xp)
        shape, dtype = x.shape, x.dtype

        def squares_pullback(y_bar):
            x_bar = xp.zeros(shape, dtype)
            xp.add.at(x_bar, index, 2 * x[index] * y_bar)
            return (x_bar,)

        return x[index] ** 2, squares_pullback

    @frule.register(squares)
    def squares_frule(dots, x: Array, *, xp):
        index = index_of(xp)
        return x[index] ** 2, 2 * x[index] * dots[0][index]

    return squares


@pytest.mark.parametrize("transform", SECOND_DERIVATIVES)
@pytest.mark.parametrize("name", INDICES)
def test_constants_in_an_index(name, transform):
    squares = squares_at(INDICES[name])
    differentiated = SECOND_DERIVATIVES[transform](lambda x: np.sum(squares(x) ** 2))
    x = cupy.asarray(X)
    with staying():
        found = differentiated(x)
    np.testing.assert_allclose(found.get(), differentiated(X), rtol=1e-9)


# whose units, cotangents or tangents are in lanes
IN_LANES = {
    "jacobian": lambda x: tape.jacobian(lambda y: np.tanh(y[0] * y), mode="reverse")(x),
    "complex": lambda x: tape.jacobian(lambda z: z * np.exp(z))(x[0] + 1j * x[1]),
    "vjp": lambda x: tape.vmap(lambda y: tape.vjp(np.sin, y)[1](y)[0])(x),
    "hvp": lambda x: tape.vmap(lambda y: tape.hvp(lambda y: np.sum(y**3), y, y))(x),
}


@pytest.mark.parametrize("name", IN_LANES)
def test_derivatives_in_lanes(name):
    found = IN_LANES[name](cupy.asarray(X))
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_allclose(found.get(), IN_LANES[name](X), rtol=1e-10)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs(program):
    inputs = tuple(map(cupy.asarray, program.inputs(program.sizes[0])))
    value, gradient = program.by_hand(cupy, *inputs)
    with staying():
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
