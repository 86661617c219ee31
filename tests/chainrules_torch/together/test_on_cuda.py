"""PyTorch's tensors on a CUDA device: results stay there and are those of the processor.

`make test-gpu` runs it.
"""

import numpy as np
import pytest
import torch

import chainrules_tape as tape
from chainrules_py import Array, primitive, rrule, scalar_rule
from chainrules_torch import from_torch, parameters_of, to_torch

if not torch.cuda.is_available():
    pytest.skip("this PyTorch has no CUDA device", allow_module_level=True)

pytestmark = pytest.mark.gpu
RNG = np.random.default_rng(0)
MATRIX, VECTOR = RNG.normal(size=(3, 3)) + 4 * np.eye(3), RNG.uniform(0.2, 0.8, 3)


@primitive
def kepler(m, ecc):
    """Eccentric anomaly E of an orbit: the root of E - ecc*sin(E) = m; NumPy computes it."""
    anomaly = np.asarray(m)
    for _ in range(20):
        anomaly = anomaly - (anomaly - ecc * np.sin(anomaly) - m) / (1 - ecc * np.cos(anomaly))
    return anomaly


scalar_rule(kepler, "m, ecc", "1 / (1 - ecc*cos(out))", "sin(out) / (1 - ecc*cos(out))")


@primitive
def log_det(a):
    """Logarithm of |det a|, whose rule needs NumPy, too."""
    return np.linalg.slogdet(a)[1]


@rrule.register(log_det)
def log_det_rrule(a: Array):
    return np.linalg.slogdet(a)[1], lambda y_bar: (y_bar * np.linalg.inv(a).T,)


CALLS = {
    "on tensors": (np.tanh, [VECTOR]),
    "of two tensors": (np.matmul, [MATRIX, VECTOR]),
    "beside a number": (np.power, [VECTOR, 2.5]),
    "along an axis": (np.cumsum, [MATRIX]),
    "the value by NumPy": (kepler, [VECTOR, 0.3]),
    "value and rule by NumPy": (log_det, [MATRIX]),
}


def on_device(args, device):
    return [
        torch.tensor(x, device=device, requires_grad=True) if isinstance(x, np.ndarray) else x
        for x in args
    ]


def weighted(y):
    return torch.sum(
        y * torch.arange(1.0, 1 + y.numel(), dtype=y.dtype, device=y.device).reshape(y.shape)
    )


def require_equal(found, expected):
    assert found.device.type == "cuda"
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-9, atol=1e-12)


def second(f, args):
    tensors = [x for x in args if isinstance(x, torch.Tensor)]
    slopes = torch.autograd.grad(weighted(f(*args) ** 2), tensors, create_graph=True)
    return torch.autograd.grad(sum(map(weighted, slopes)), tensors)


def tangent(f, args):
    points = [
        x.detach() if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float64)
        for x in args
    ]
    return torch.func.jvp(f, tuple(points), tuple(torch.cos(x) for x in points))


def batch(f, args):
    stack = torch.stack([args[0].detach(), 0.9 * args[0].detach()])
    return [torch.func.vmap(torch.func.grad(lambda x: weighted(f(x, *args[1:]))))(stack)]


WAYS = {
    "value": lambda f, args: [f(*args)],
    "gradient": lambda f, args: torch.autograd.grad(
        weighted(f(*args)), [x for x in args if isinstance(x, torch.Tensor)]
    ),
    "second order": second,
    "tangent": tangent,
    "batch": batch,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CALLS)
def test_our_rules(name, way):
    primal, args = CALLS[name]
    f = to_torch(primal)
    found, expected = (WAYS[way](f, on_device(args, device)) for device in ("cuda", "cpu"))
    for x, y in zip(found, expected, strict=True):
        require_equal(x, y)


def program(x):
    y = np.tanh(x @ x.T) + np.sum(x[::-1] ** 2, axis=1)
    y = np.where(y > 0, y, 0.1 * y) + np.eye(3) + np.linspace(0.0, 1.0, 3)
    return (
        np.sum(np.sort(y, axis=0)[[0, 2]])
        + np.linalg.norm(np.concatenate([x, np.ones((1, 3))]))
        + np.interp(0.5, x[0], x[1])
    )


@pytest.mark.parametrize(
    "way", [tape.grad, tape.hessian, lambda f: lambda x: tape.jvp(f, (x,), (2 * x,))[1]]
)
def test_programs_in_numpy(way):
    found, expected = (
        way(program)(torch.tensor(MATRIX, device="cuda")),
        way(program)(torch.tensor(MATRIX)),
    )
    require_equal(found, expected)


# PyTorch's own, of the thread in which it runs backward
@pytest.mark.filterwarnings("ignore:Attempting to run cuBLAS:UserWarning")
def test_a_module_on_the_device_in_a_program_in_numpy():
    torch.manual_seed(0)
    module = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)
    ).double()
    gradients = []
    for device in ("cpu", "cuda"):
        module = module.to(device)
        model, params = from_torch(module), parameters_of(module)
        gradients.append(tape.grad(lambda p, model=model: np.mean(model(p, MATRIX) ** 2))(params))
    on_cpu, on_cuda = gradients
    for name, expected in on_cpu.items():
        assert type(on_cuda[name]) is np.ndarray
        np.testing.assert_allclose(on_cuda[name], expected, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    "f", [to_torch(np.tanh), lambda m: kepler(m, 0.3)], ids=["on tensors", "by NumPy"]
)
def test_single_precision_stays_there(f):
    x = torch.tensor(VECTOR, dtype=torch.float32, device="cuda", requires_grad=True)
    y = f(x)
    (slope,) = torch.autograd.grad(y.sum(), x)
    assert (y.device.type, y.dtype, slope.device.type, slope.dtype) == (
        "cuda",
        torch.float32,
        "cuda",
        torch.float32,
    )
