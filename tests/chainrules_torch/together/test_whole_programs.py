"""Whole NumPy programs under all that PyTorch does with functions, next to the same program in
PyTorch's words.

The program writes into a copy and branches by what it finds; PyTorch's own has `where` in that place.
"""

import numpy as np
import pytest
import torch
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

import whole_programs
from chainrules_torch import to_torch
from whole_programs import InWordsOf, program

X, V, ROWS = map(torch.tensor, (whole_programs.X, whole_programs.V, whole_programs.ROWS))
called = to_torch(program)
words = InWordsOf(torch)
in_torch, scalar = words.program, words.scalar


def leaf(x=X):
    return x.clone().requires_grad_()


def agree(found, expected, tolerance=1e-12):
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)


def backward(f):
    x = leaf()
    scalar(f)(x).backward()
    return x.grad


def backward_twice(f):
    """The graph is kept, and the second pass has another cotangent."""
    x = leaf()
    y = f(x)
    y.backward(V, retain_graph=True)
    y.backward(2 * V)
    return x.grad


def double_backward(f):
    x = leaf()
    (slope,) = torch.autograd.grad(scalar(f)(x), x, create_graph=True)
    return slope, torch.autograd.grad(slope @ V, x)


def penalised(f):
    """A gradient penalty: the backward pass of a backward pass."""
    x = leaf()
    (slope,) = torch.autograd.grad(scalar(f)(x), x, create_graph=True)
    (scalar(f)(x) + slope.square().sum()).backward()
    return x.grad


def forward_mode(f):
    with forward_ad.dual_level():
        return tuple(forward_ad.unpack_dual(f(forward_ad.make_dual(X, V))))


def forward_over_reverse(f):
    with forward_ad.dual_level():
        x = forward_ad.make_dual(leaf(), V)
        (slope,) = torch.autograd.grad(scalar(f)(x), x, create_graph=True)
        return tuple(forward_ad.unpack_dual(slope))


def checkpointed(f):
    x = leaf()
    scalar(lambda x: checkpoint(f, x, use_reentrant=False))(x).backward()
    return x.grad


def parameters_first(f):
    """By one of two variables, of which the other is a result of the program, too."""
    x, w = leaf(), leaf(V)
    return torch.autograd.grad((f(x) * f(w)).sum(), (x, w))


func = torch.func
CALLS = {
    "value": lambda f: f(X),
    "no grad": lambda f: torch.no_grad()(f)(leaf()),
    "inference mode": lambda f: torch.inference_mode()(f)(X).clone(),
    "backward": backward,
    "backward twice": backward_twice,
    "double backward": double_backward,
    "gradient penalty": penalised,
    "forward AD": forward_mode,
    "forward over reverse": forward_over_reverse,
    "two variables": parameters_first,
    "checkpoint": checkpointed,
    "vmap in chunks": lambda f: func.vmap(f, chunk_size=2)(ROWS),
    "vmap of grad": lambda f: func.vmap(func.grad(scalar(f)))(ROWS),
    "func.hessian": lambda f: func.hessian(scalar(f))(X),
    "older jacobian": lambda f: torch.autograd.functional.jacobian(f, X),
    "older hessian": lambda f: torch.autograd.functional.hessian(scalar(f), X),
}


@pytest.mark.parametrize("of", CALLS.values(), ids=CALLS)
def test_calls(of):
    agree(of(called), of(in_torch))


def test_in_32_bits():
    found = []
    for f in (called, in_torch):
        x = leaf(X.float())
        scalar(f)(x).backward()
        found.append(x.grad)
    assert found[0].dtype == torch.float32
    agree(*found, 1e-5)
    agree(func.vmap(called)(ROWS.float()), func.vmap(in_torch)(ROWS.float()), 1e-5)


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


# Containers, options, several results


# Errors


def test_a_program_that_returns_no_number_is_refused():
    with pytest.raises(TypeError, match="float32, float64, complex"):
        to_torch(lambda x: np.array(["a"] * len(x)))(X)
