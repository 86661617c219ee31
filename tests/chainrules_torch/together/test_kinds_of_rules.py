"""Rules of each kind in each way in which PyTorch differentiates, next to PyTorch's own functions; and
batches of cotangents.
"""

import numpy as np
import pytest
import torch

from chainrules_py import scalar_rule
from chainrules_torch import to_torch
from product.ways import of_torch_itself

X = [1.0, 2.0, 4.5]
A = [[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 1.0, 4.0]]


def kepler(m, xp=np):
    anomaly = m
    for _ in range(20):
        anomaly = anomaly - (anomaly - 0.3 * xp.sin(anomaly) - m) / (1 - 0.3 * xp.cos(anomaly))
    return anomaly


def anomaly_by_numpy(m):
    return kepler(np.asarray(m))


scalar_rule(anomaly_by_numpy, "m", "1 / (1 - 0.3*cos(out))")


def product(a, x):
    return np.sin(a) @ x


def in_a_tree(parts):
    return {"y": np.sin(parts[0]) * parts[0]}


# our function of tensors, PyTorch's own, and the arguments
KINDS = {
    "on tensors": (to_torch(np.tanh), torch.tanh, [X]),
    "by NumPy": (to_torch(np.unwrap), lambda x: x * 1, [X]),  # whose steps are small
    "value by NumPy": (to_torch(anomaly_by_numpy), lambda x: kepler(x, torch), [X]),
    "with views": (to_torch(np.cumprod), lambda x: torch.cumprod(x, 0), [X]),
    "of two arguments": (to_torch(np.linalg.solve), torch.linalg.solve, [A, X]),
    "of matrices": (to_torch(np.linalg.inv), torch.linalg.inv, [A]),
    "with several results": (
        lambda a: to_torch(np.linalg.qr)(a)[1],
        lambda a: torch.linalg.qr(a)[1],
        [A],
    ),
    "a program": (to_torch(product), lambda a, x: torch.sin(a) @ x, [A, X]),
    "of a tree": (lambda x: to_torch(in_a_tree)([x])["y"], lambda x: torch.sin(x) * x, [X]),
}
WAYS = of_torch_itself()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_rules(kind, way):
    ours, own, values = KINDS[kind]

    def along(f):
        return lambda t: torch.sin(
            f(*(torch.tensor(x) * (1 + t) for x in map(np.array, values)))
        ).sum()

    found, expected = (
        WAYS[way](along(f), torch.zeros((), dtype=torch.float64, requires_grad=True))
        for f in (ours, own)
    )
    torch.testing.assert_close(found, expected)


def tensors(values):
    return [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]


def in_one_batch(function, xs):
    y = function(*xs)
    seeds = torch.eye(y.numel(), dtype=torch.float64).reshape(-1, *y.shape)
    return torch.autograd.grad(y, xs, seeds, is_grads_batched=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_is_its_rows(kind):
    ours, own, values = KINDS[kind]
    xs = tensors(values)
    rows = [torch.autograd.grad(y, xs, retain_graph=True) for y in own(*xs).reshape(-1)]
    expected = [torch.stack(parts) for parts in zip(*rows, strict=True)]
    torch.testing.assert_close(list(in_one_batch(ours, xs)), expected)


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
