"""Functions of tensors made by `to_torch`: PyTorch's own checks, its transformations, and all kinds
of arguments.
"""

import numpy as np
import pytest
import torch
from scipy import signal
from torch.func import grad, hessian, jacrev, jvp, vjp, vmap

from chainrules_py import Array, RuleTable, default_rules, primitive, scalar_rule
from chainrules_torch import to_torch


def kepler(m, ecc):
    """Eccentric anomaly E of an orbit: the root of E - ecc*sin(E) = m."""
    kepler.calls += 1
    anomaly = m
    for _ in range(20):
        anomaly = anomaly - (anomaly - ecc * np.sin(anomaly) - m) / (1 - ecc * np.cos(anomaly))
    return anomaly


kepler.calls = 0


@pytest.fixture(scope="module")
def rules():
    table = RuleTable(parent=default_rules, name="test")
    scalar_rule(
        kepler, "m, ecc", "1 / (1 - ecc*cos(out))", "sin(out) / (1 - ecc*cos(out))", table=table
    )
    return table


def double(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def numbers(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), requires_grad=True)


def test_a_batch_is_one_call_where_the_rule_broadcasts(rules):
    f = to_torch(kepler, rules=rules)
    m, ecc = double(0.5, 1.0, 2.0).detach(), torch.tensor(0.3, dtype=torch.float64)
    vmap(f, in_dims=(0, None))(m, ecc)  # the first call of a kind tries which way it takes
    before = kepler.calls
    found = vmap(f, in_dims=(0, None))(m, ecc)
    assert kepler.calls == before + 1
    torch.testing.assert_close(found, f(m, ecc))
    by_ecc = vmap(grad(lambda m, ecc: f(m, ecc), argnums=1), in_dims=(0, None))(m, ecc)
    torch.testing.assert_close(by_ecc, torch.stack([grad(f, argnums=1)(one, ecc) for one in m]))
    nested = vmap(vmap(f, in_dims=(None, 0)), in_dims=(0, None))(m, torch.stack([ecc, ecc / 2]))
    torch.testing.assert_close(nested, torch.stack([f(m, ecc), f(m, ecc / 2)], dim=1))


def test_a_batch_is_not_a_loop_where_the_rule_runs_on_tensors():
    batch = torch.rand(1000, 2, 2, dtype=torch.float64) + 2 * torch.eye(2, dtype=torch.float64)
    with torch.profiler.profile() as profile:
        vmap(hessian(to_torch(np.linalg.inv)))(batch)
    assert len(profile.events()) < 3000
    assert "derivatives: on tensors" in to_torch(np.linalg.inv).explain(batch[0])


def test_a_backward_pass_computes_the_value_once(rules):
    f, m = to_torch(kepler, rules=rules), double(0.5, 1.0)
    f(m, 0.3)  # the first call of a kind tries which way it takes
    before = kepler.calls
    y = f(m, 0.3)
    y.backward(torch.tensor([1.0, 3.0], dtype=torch.float64), retain_graph=True)
    y.backward(torch.ones(2, dtype=torch.float64))
    assert kepler.calls == before + 1


def test_a_jacobian_computes_the_value_once(rules):
    @primitive
    def root_of_each(m):
        root_of_each.calls += 1
        return np.sqrt(m)

    root_of_each.calls = 0

    @rules.rrule.register(root_of_each)
    def root_rrule(m: Array):
        root_of_each.calls += 1
        y = np.sqrt(m)
        return y, lambda y_bar: (y_bar / (2 * y),)

    for _ in range(2):  # the first call of a kind tries which way it takes
        before = root_of_each.calls
        jacrev(to_torch(root_of_each, rules=rules))(double(1.0, 4.0, 9.0).detach())
    assert root_of_each.calls - before <= 2


def test_explain_says_which_way_and_by_which_rules(rules):
    text = to_torch(kepler, rules=rules).explain(double(0.5), 0.3)
    assert "to_torch(kepler)" in text.replace(f"{__name__}.", "")
    assert "value: on tensors" in text
    assert "derivatives: on tensors" in text
    assert "kepler_rrule" in text
    assert "one call for the batch" in text
    of_numpy = to_torch(np.unwrap).explain(numbers(2))
    for line in (
        "value: opaque, by NumPy",
        "derivatives: opaque, by NumPy",
    ):
        assert line in of_numpy
    assert "one call for each entry" in to_torch(signal.cspline1d).explain(numbers(4))
    assert "value: on tensors" in to_torch(np.matmul).explain(numbers(2, 2), numbers(2, 2))


@pytest.mark.parametrize("primal", [np.positive, np.modf])
def test_a_tangent_that_is_passed_on_is_a_constant_to_a_pullback_around_it(primal):
    x, dot = double(0.3, 1.2).detach(), double(2.0, -1.0).detach()
    y_dot, pullback = vjp(lambda x: jvp(to_torch(primal), (x,), (dot,))[1], x)
    first = y_dot[0] if primal is np.modf else y_dot
    torch.testing.assert_close(first, dot)
    torch.testing.assert_close(pullback(y_dot)[0], torch.zeros_like(x))
