"""Batches of cotangents and tangents, of `is_grads_batched=True` and `vectorize=True`: against one
after the other, and against PyTorch's own functions.
"""

import numpy as np
import pytest
import torch

from chainrules_torch import to_torch

X = [1.0, 2.0, 4.5]
A = [[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 1.0, 4.0]]


def product(a, x):
    return np.sin(a) @ x


# which autograd function it is, the function, PyTorch's own or None, and the arguments
CALLS = {
    "planned, by NumPy": (np.unwrap, None, [X]),
    "planned, on tensors": (np.tanh, torch.tanh, [X]),
    "with views": (np.cumprod, lambda x: torch.cumprod(x, 0), [X]),
    "of two arguments": (np.linalg.solve, torch.linalg.solve, [A, X]),
    "of matrices": (np.linalg.inv, torch.linalg.inv, [A]),
    "with several results": (np.linalg.qr, None, [A]),
    "a program": (product, lambda a, x: torch.sin(a) @ x, [A, X]),
}


def tensors(values):
    return [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]


def first(y):
    return y[0] if isinstance(y, tuple | list) else y


def in_one_batch(function, xs, create_graph=False):
    y = first(function(*xs))
    seeds = torch.eye(y.numel(), dtype=torch.float64).reshape(-1, *y.shape)
    return torch.autograd.grad(y, xs, seeds, is_grads_batched=True, create_graph=create_graph)


def one_by_one(function, xs, create_graph=False):
    y = first(function(*xs)).reshape(-1)
    rows = [
        torch.autograd.grad(entry, xs, create_graph=create_graph, retain_graph=True) for entry in y
    ]
    return [torch.stack(parts) for parts in zip(*rows, strict=True)]


@pytest.mark.parametrize("name", CALLS)
def test_a_batch_is_its_rows(name):
    ours, own, values = CALLS[name]
    xs = tensors(values)
    found = in_one_batch(to_torch(ours), xs)
    torch.testing.assert_close(list(found), one_by_one(to_torch(ours), xs))
    if own is not None:
        torch.testing.assert_close(list(found), one_by_one(own, xs))


@pytest.mark.parametrize("name", CALLS)
def test_second_order(name):
    ours, _, values = CALLS[name]
    if ours is np.unwrap:
        pytest.skip("linear")

    def total(rows, xs):
        return torch.autograd.grad(sum((row**2).sum() for row in rows), xs)

    xs = tensors(values)
    found = total(in_one_batch(to_torch(ours), xs, create_graph=True), xs)
    torch.testing.assert_close(found, total(one_by_one(to_torch(ours), xs, create_graph=True), xs))


def test_a_batch_is_one_pullback(monkeypatch):
    calls = []
    plain = np.linalg.solve

    def noted(a, b):
        calls.append((np.shape(a), np.shape(b)))
        return plain(a, b)

    function = to_torch(lambda a, x: np.linalg.solve(a, x) * np.unwrap(x))
    xs = tensors([A, X])
    y = function(*xs)
    in_one_batch(function, xs)  # what is imported and planned for that knows the plain function
    monkeypatch.setattr(np.linalg, "solve", noted)
    numbers = []
    for count in (1, 3):
        calls.clear()
        seeds = torch.eye(3, dtype=torch.float64)[:count]
        torch.autograd.grad(y, xs, seeds, is_grads_batched=True, retain_graph=True)
        numbers.append(len(calls))
    assert numbers[0] == numbers[1], numbers
    assert ((3, 3), (3, 3)) in calls


def test_jacobians_vectorized():
    (x,) = tensors([X])
    jacobian = torch.autograd.functional.jacobian
    found = jacobian(to_torch(np.cumprod), x, vectorize=True)
    torch.testing.assert_close(found, jacobian(lambda x: torch.cumprod(x, 0), x))


@pytest.mark.parametrize("name", CALLS)
def test_jacobians_vectorized_in_forward_mode(name):
    ours, own, values = CALLS[name]
    xs = tuple(tensors(values))
    jacobian = torch.autograd.functional.jacobian

    def first_of_ours(*xs):
        return first(to_torch(ours)(*xs))

    found = jacobian(first_of_ours, xs, vectorize=True, strategy="forward-mode")
    torch.testing.assert_close(found, jacobian(own or first_of_ours, xs))


def test_a_tangent_that_is_the_same_in_the_whole_batch():
    (x,) = tensors([X])
    jacobian = torch.autograd.functional.jacobian
    constant = to_torch(lambda x: np.ones(2))
    found = jacobian(constant, x, vectorize=True, strategy="forward-mode")
    torch.testing.assert_close(found, torch.zeros(2, 3, dtype=torch.float64))


def test_some_cotangents_in_a_batch_and_some_missing():
    (a,) = tensors([A])
    q, r = to_torch(np.linalg.qr)(a)
    seeds = torch.eye(9, dtype=torch.float64).reshape(9, 3, 3)
    (found,) = torch.autograd.grad(r, a, seeds, is_grads_batched=True, retain_graph=True)
    rows = [torch.autograd.grad(r, a, seed, retain_graph=True)[0] for seed in seeds]
    torch.testing.assert_close(found, torch.stack(rows))
