"""Backward passes by recorded operations: they are PyTorch's own gradients, and what depends on
numbers is not recorded.
"""

import numpy as np
import pytest
import torch

from chainrules_py import RuleTable, default_rules, linear_rule
from chainrules_torch import to_torch
from chainrules_torch.planned import bound_rule
from chainrules_torch.replaying import MOST_SHAPES

RECORDED = {
    "an output that is kept": (np.tanh, torch.tanh, [(4,)]),
    "two arguments": (np.matmul, torch.matmul, [(3, 4), (4, 2)]),
    "broadcasting": (np.multiply, torch.multiply, [(2, 3), (3,)]),
    "a sum": (np.sum, torch.sum, [(4,)]),
    "a cotangent that is handed on": (np.add, torch.add, [(3,), (3,)]),
}


def inputs(shapes, k, dtype=torch.float64):
    torch.manual_seed(k)
    return [torch.rand(shape, dtype=dtype).add(0.5).requires_grad_() for shape in shapes]


def slopes(f, xs):
    y = f(*xs)
    seed = torch.cos(torch.arange(y.numel(), dtype=y.real.dtype)).reshape(y.shape).to(y.dtype)
    return torch.autograd.grad(y, xs, seed)


def replays(primal, rules=default_rules):
    """What has been recorded of a function: for tensors of each kind the operations, or None."""
    plans = rules.memory.of_engines[bound_rule].values()
    bounds = [plan.bound for plan in plans if plan is not None and plan.bound.primal is primal]
    recordings = [getattr(found, "replays", None) or {} for found in bounds]
    return [replay for found in recordings for replay in found.values()]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.complex128], ids=str)
@pytest.mark.parametrize("name", RECORDED)
def test_recorded_gradients_are_those_of_pytorch(name, dtype):
    primal, own, shapes = RECORDED[name]
    for k in range(4):
        xs = inputs(shapes, k, dtype)
        torch.testing.assert_close(slopes(to_torch(primal), xs), slopes(own, xs))
    assert any(map(callable, replays(primal)))


def test_one_tensor_twice_is_two_arguments():
    for k in range(5):
        a, b = inputs([(3, 3), (3, 3)], k)
        xs = (a, a) if k < 3 else (a, b)
        torch.testing.assert_close(
            slopes(to_torch(np.matmul), xs[: 1 + (k >= 3)] * (1 + (k < 3))),
            slopes(torch.matmul, xs),
        )


def test_what_looks_at_numbers_is_not_recorded():
    rules = RuleTable(parent=default_rules, name="a test")

    def kinked(x):
        return x * 1.0

    @linear_rule(kinked, table=rules)
    def kinked_adjoint(y_bar, x, *, xp):
        return y_bar if bool(xp.all(y_bar > 0)) else 0 * y_bar

    f = to_torch(kinked, rules=rules)
    (x,) = inputs([(3,)], 0)
    for sign in (1, 1, 1, -1, 1):
        (x_bar,) = torch.autograd.grad(f(x), x, torch.full((3,), float(sign), dtype=x.dtype))
        assert x_bar.tolist() == [max(sign, 0)] * 3
    assert not any(map(callable, replays(kinked, rules)))


def test_each_shape_is_recorded_and_not_for_ever():
    rules = RuleTable(parent=default_rules, name="a test")
    f = to_torch(np.tanh, rules=rules)
    for n in [*range(1, MOST_SHAPES + 3)] * 2:
        (x,) = inputs([(n,)], n)
        for _ in range(3):
            torch.testing.assert_close(slopes(f, [x]), slopes(torch.tanh, [x]))
    assert 0 < len(replays(np.tanh, rules)) <= MOST_SHAPES
