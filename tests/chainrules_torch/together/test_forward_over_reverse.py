"""Tangents of gradients: backward passes inside `forward_ad.dual_level`, with a graph and without
one, against PyTorch's own functions.
"""

import numpy as np
import pytest
import torch
from torch.autograd import forward_ad

from chainrules_py import scalar_rule
from chainrules_torch import to_torch

X, V = (torch.tensor(values, dtype=torch.float64) for values in ([0.5, 1.0, 2.0], [1.0, -2.0, 0.5]))


def kepler(m, xp=np):
    anomaly = m
    for _ in range(20):
        anomaly = anomaly - (anomaly - 0.3 * xp.sin(anomaly) - m) / (1 - 0.3 * xp.cos(anomaly))
    return anomaly


def kepler_rule_twin(m):
    return kepler(m)


scalar_rule(kepler_rule_twin, "m", "1 / (1 - 0.3*cos(out))")


def in_a_tree(parts):
    return {"y": np.sin(parts[0]) * parts[0]}


FUNCTIONS = {
    "on tensors": (to_torch(np.tanh), torch.tanh),
    "value by NumPy": (to_torch(kepler_rule_twin), lambda x: kepler(x, torch)),
    "by NumPy": (to_torch(lambda x: np.sin(x) * x), lambda x: torch.sin(x) * x),
    "of a tree": (lambda x: to_torch(in_a_tree)([x])["y"], lambda x: torch.sin(x) * x),
}


def of_argument(f, create_graph):
    x = forward_ad.make_dual(X.clone().requires_grad_(), V)
    (gradient,) = torch.autograd.grad((f(x) ** 2).sum(), x, create_graph=create_graph)
    return gradient


def of_cotangent(f, create_graph):
    x = X.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(
        f(x), x, forward_ad.make_dual(X, V), create_graph=create_graph
    )
    return gradient


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("gradient_of", [of_argument, of_cotangent])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_backward_pass_has_a_tangent(name, gradient_of, create_graph):
    with forward_ad.dual_level():
        found, expected = (
            forward_ad.unpack_dual(gradient_of(f, create_graph)) for f in FUNCTIONS[name]
        )
        torch.testing.assert_close(found.primal, expected.primal)
        torch.testing.assert_close(found.tangent, expected.tangent)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_through_a_checkpoint(name):
    def second(f):
        x = X.clone().requires_grad_()
        y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)
        (gradient,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
        return torch.autograd.grad(gradient.sum(), x)

    ours, own = FUNCTIONS[name]
    torch.testing.assert_close(second(ours), second(own))
