"""PyTorch's functions and modules in programs of ours: `from_torch`, in both modes, of any order,
and without shared memory.
"""

import numpy as np
import pytest
import torch

from chainrules_py import frule, rrule
from chainrules_tape import grad, value_and_grad
from chainrules_torch import from_torch, parameters_of

rng = np.random.default_rng(0)
X = rng.normal(size=(5, 3))


def network(dtype=torch.float64):
    torch.manual_seed(0)
    layers = torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1)
    return torch.nn.Sequential(*layers).to(dtype)


def test_a_module_with_its_parameters_as_a_dict():
    module = network()
    model, params = from_torch(module), parameters_of(module)
    value, g = value_and_grad(lambda params: np.mean(model(params, X) ** 2))(params)
    loss = torch.mean(module(torch.from_numpy(X)) ** 2)
    loss.backward()
    assert np.isclose(value, loss.item())
    assert set(g) == set(dict(module.named_parameters()))
    for name, parameter in module.named_parameters():
        assert np.allclose(g[name], parameter.grad.numpy())


def test_buffers_are_constants_and_stay():
    module = network()
    before = module[2].running_mean.clone()
    from_torch(module)(parameters_of(module), X)
    assert torch.equal(module[2].running_mean, before)


def test_tied_parameters_have_one_name_and_one_gradient():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = self.b = torch.nn.Linear(3, 3, dtype=torch.float64)

        def forward(self, x):
            return self.b(self.a(x))

    module = Tied()
    params = parameters_of(module)
    assert list(params) == ["a.weight", "a.bias"]
    model = from_torch(module)
    g = grad(lambda params: np.sum(model(params, X) ** 2))(params)
    (module(torch.from_numpy(X)) ** 2).sum().backward()
    assert np.allclose(g["a.weight"], module.a.weight.grad)


def test_parameters_are_arrays_of_their_own():
    module = network(torch.float32)
    params = parameters_of(module)
    assert params["0.weight"].dtype == np.float32
    params["0.weight"] += 1
    assert not np.allclose(params["0.weight"], module[0].weight.detach())
    g = grad(lambda params: np.sum(from_torch(module)(params, X.astype(np.float32))))(params)
    assert g["0.weight"].dtype == np.float32


def written(x):
    x.add_(1)
    return x * 2


def test_a_function_that_writes_cannot_write_into_our_arrays():
    x = np.ones(2)
    assert from_torch(written)(x).tolist() == [4.0, 4.0]
    assert x.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="leaf Variable"):
        grad(lambda x: np.sum(from_torch(written)(x)))(x)
    assert x.tolist() == [1.0, 1.0]


def test_an_array_in_another_order_of_bytes():
    x = np.array([0.1, 0.2]).astype(">f8")
    y, pullback = rrule(from_torch(torch.sin), x)
    assert np.allclose([y, pullback(x)[0]], [np.sin(x), x * np.cos(x)])


def test_an_operation_without_forward_mode_has_a_tangent_all_the_same():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, y_bar):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * y_bar

    x, x_dot = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    assert np.allclose(frule((x_dot,), from_torch(Cube.apply), x)[1], 3 * x**2 * x_dot)


def test_tensors_are_made_on_a_device():
    """Tensors of the device "meta" have no numbers: they tell where they were made."""
    seen = []

    def function(x):
        seen.append(x.device.type)
        return torch.zeros(2)

    from_torch(function, device="meta")(X)
    from_torch(function)(X)
    assert seen == ["meta", "cpu"]


def test_tensors_are_made_where_a_modules_parameters_are():
    seen = []

    class Layer(torch.nn.Linear):
        def forward(self, x):
            seen.append(x.device.type)
            return torch.zeros(2)

    from_torch(Layer(3, 2, device="meta"))({}, X)
    from_torch(Layer(3, 2, device="meta"), device="cpu")({}, X)
    assert seen == ["meta", "cpu"]
