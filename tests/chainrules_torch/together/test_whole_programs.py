"""Whole NumPy programs in graphs, modules, hooks and compiled functions of PyTorch, next to the same
program in PyTorch's words; its derivatives are ways of `product`.

The program writes into a copy and branches by what it finds; PyTorch's own has `where` in that place.
"""

import pytest
import torch

import whole_programs
from chainrules_torch import to_torch
from whole_programs import InWordsOf, program

X, V, ROWS = map(torch.tensor, (whole_programs.X, whole_programs.V, whole_programs.ROWS))
called = to_torch(program)
in_torch = InWordsOf(torch).program


def leaf(x=X):
    return x.clone().requires_grad_()


def agree(found, expected, tolerance=1e-12):
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)


def test_without_a_graph_and_of_two_variables():
    agree(torch.no_grad()(called)(leaf()), in_torch(X))
    agree(torch.inference_mode()(called)(X).clone(), in_torch(X))
    x, w = leaf(), leaf(V)
    agree(*(torch.autograd.grad((f(x) * f(w)).sum(), (x, w)) for f in (called, in_torch)))


@pytest.mark.filterwarnings("ignore")  # PyTorch's own, of what it imports
@pytest.mark.parametrize("order", ["value", "gradient", "second"])
def test_inside_a_compiled_function(order):
    torch._dynamo.reset()

    def outer(f):
        def function(x):
            return (f(x * 2.0) * torch.cos(x)).sum()

        return function

    # whose graphs have one derivative only; without graphs of derivatives they have all
    backend = "eager" if order == "second" else "aot_eager"
    compiled = torch.compile(outer(called), backend=backend)
    results = []
    for f in (compiled, outer(in_torch)):
        x = leaf()
        y = f(x)
        if order == "value":
            results.append(y.detach())
            continue
        (slope,) = torch.autograd.grad(y, x, create_graph=order == "second")
        results.append(torch.autograd.grad(slope @ V, x)[0] if order == "second" else slope)
    agree(*results)
    torch._dynamo.reset()


class Layer(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f, self.weight = f, torch.nn.Parameter(V.clone())

    def forward(self, x):
        return self.f(self.weight * x).sum()


def test_parameters_of_a_module_and_an_optimiser():
    results = []
    for f in (called, in_torch):
        layer = Layer(f)
        optimiser = torch.optim.Adam(layer.parameters(), lr=0.1)
        for row in ROWS:
            optimiser.zero_grad()
            layer(row).square().backward()
            optimiser.step()
        results.append(layer.weight.detach())
        assert set(layer.state_dict()) == {"weight"}
    agree(*results)


def test_hooks():
    results = []
    for f in (called, in_torch):
        seen, layer = [], Layer(f)
        layer.register_full_backward_hook(lambda _, before, after, seen=seen: seen.append(after))
        x = leaf()
        y = f(x)
        y.register_hook(lambda bar, seen=seen: seen.append(bar) or 3 * bar)
        x.register_hook(lambda bar, seen=seen: seen.append(bar))
        (y.sum() + layer(X.clone().requires_grad_())).backward()
        results.append((sorted(map(repr, seen)), x.grad, layer.weight.grad))
    agree(*(result[1:] for result in results), 1e-12)
    assert len(results[0][0]) == len(results[1][0]) == 3


def test_a_graph_is_freed_by_its_backward_pass():
    x = leaf()
    y = called(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_an_argument_that_is_written_after_the_call_is_noticed():
    x = leaf()
    z = x * 1.0
    y = called(z)
    z.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
