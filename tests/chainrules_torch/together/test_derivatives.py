"""Functions of tensors made by `to_torch`: PyTorch's own checks, its transformations, and all kinds
of arguments.
"""

import numpy as np
import pytest
import scipy.special
from scipy import signal

import chainrules_py
from chainrules_py import NO_TANGENT, Array, RuleTable, default_rules, primitive, scalar_rule

torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")

from torch.autograd import gradcheck  # noqa: E402
from torch.func import grad, hessian, jacrev, jvp, linearize, vjp, vmap  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from chainrules_torch import to_torch  # noqa: E402


def kepler(m, ecc):
    """Eccentric anomaly E of an orbit: the root of E - ecc*sin(E) = m."""
    kepler.calls += 1
    anomaly = m
    for _ in range(20):
        anomaly = anomaly - (anomaly - ecc * np.sin(anomaly) - m) / (1 - ecc * np.cos(anomaly))
    return anomaly


kepler.calls = 0


def moments(rows, *, weight=1.0):
    """The weighted mean and second moment of the rows in a dict of arrays, with a count that has no
    derivative.
    """
    stacked = np.stack(list(rows.values()))
    return {
        "mean": weight * stacked.mean(0),
        "square": (stacked**2).mean(0),
        "count": np.array(len(stacked)),
    }


@pytest.fixture(scope="module")
def rules():
    table = RuleTable(parent=default_rules, name="test")
    scalar_rule(
        kepler, "m, ecc", "1 / (1 - ecc*cos(out))", "sin(out) / (1 - ecc*cos(out))", table=table
    )

    @table.rrule.register(moments)
    def moments_rrule(rows: dict, *, weight=1.0):
        y = moments(rows, weight=weight)

        def moments_pullback(y_bar):
            n = len(rows)
            return (
                {
                    k: (weight * y_bar["mean"] + 2 * x * y_bar["square"]) / n
                    for k, x in rows.items()
                },
            )

        return y, moments_pullback

    @table.frule.register(moments)
    def moments_frule(dots, rows: dict, *, weight=1.0):
        (dots,) = dots
        mean = weight * sum(dots[k] for k in rows) / len(rows)
        square = sum(2 * x * dots[k] for k, x in rows.items()) / len(rows)
        return moments(rows, weight=weight), {"mean": mean, "square": square, "count": NO_TANGENT}

    return table


def double(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def numbers(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), requires_grad=True)


LINEARIZED = {
    "value and rule on tensors": (to_torch(np.tanh), np.tanh),
    "value by NumPy": (to_torch(scipy.special.erf), scipy.special.erf),
    "a list of arrays": (lambda x: to_torch(np.stack)([x, x**2]), lambda x: np.stack([x, x**2])),
}


# PyTorch's own, of its own graph
@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")
@pytest.mark.parametrize("name", LINEARIZED)
def test_linearized_functions_are_called_at_other_tangents(name):
    f, by_numpy = LINEARIZED[name]
    x, dots = np.array([0.5, -0.3, 1.2]), np.array([[1.0, 0.0, 0.0], [0.3, -2.0, 0.7]])
    y, push = linearize(f, torch.from_numpy(x))
    np.testing.assert_allclose(y.numpy(), by_numpy(x))
    for dot in dots:
        slope = (by_numpy(x + 1e-6 * dot) - by_numpy(x - 1e-6 * dot)) / 2e-6
        np.testing.assert_allclose(push(torch.from_numpy(dot)).numpy(), slope, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    "record",
    [lambda f, x: linearize(f, x), lambda f, x: make_fx(f)(x)],
    ids=["linearize", "make_fx"],
)
def test_what_numpy_computes_of_recorded_tensors_is_no_constant(record):
    with pytest.raises(
        chainrules_py.TangentTypeError, match=r"PyTorch records .* take torch\.func\.jvp"
    ):
        record(to_torch(np.unwrap), torch.tensor([0.5, -0.3, 1.2], dtype=torch.float64))


def test_containers_options_and_results_without_derivative(rules):
    f = to_torch(moments, rules=rules)
    x, y = double(1.0, 2.0), double(3.0, 5.0)
    found = f({"a": x, "b": y}, weight=2.0)
    assert set(found) == {"mean", "square", "count"}
    assert not found["count"].requires_grad
    gradcheck(
        lambda x, y: tuple(f({"a": x, "b": y}, weight=2.0).values())[:2],
        (x, y),
        check_forward_ad=True,
    )
    (x_bar,) = torch.autograd.grad(found["square"].sum(), x)  # the cotangent of the mean is zero
    torch.testing.assert_close(x_bar, x.detach())


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


def test_complex_gradients_are_dx_plus_i_dy():
    z = torch.tensor([1 + 2j, -0.5 + 0.3j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(to_torch(np.exp), (z,), check_forward_ad=True)
    (z_bar,) = torch.autograd.grad(to_torch(np.abs)(z).square().sum(), z)
    torch.testing.assert_close(z_bar, 2 * z.detach())
    # with the bit of a lazy conjugation
    conj = torch.autograd.grad(to_torch(np.real)(z.conj() * 1j).sum(), z)[0]
    torch.testing.assert_close(conj, torch.autograd.grad((z.conj() * 1j).real.sum(), z)[0])


@pytest.mark.filterwarnings("ignore")  # Dynamo reads what PyTorch warns of
def test_compiled_programs_call_it_between_their_graphs():
    f, x = to_torch(np.sin), double(0.3, 1.0)

    def program(x):
        return (f(x * 2) * x).sum()

    expected, got = (
        torch.autograd.grad(run(x), x)[0]
        for run in (program, torch.compile(program, backend="eager"))
    )
    torch.testing.assert_close(got, expected)
    forward = torch.compile(lambda x: jvp(program, (x,), (torch.ones_like(x),))[1], backend="eager")
    torch.testing.assert_close(forward(x.detach()), expected.sum())


@pytest.mark.parametrize("primal", [np.positive, np.modf], ids=lambda primal: primal.__name__)
def test_a_tangent_that_is_passed_on_is_a_constant_to_a_pullback_around_it(primal):
    x, dot = double(0.3, 1.2).detach(), double(2.0, -1.0).detach()
    y_dot, pullback = vjp(lambda x: jvp(to_torch(primal), (x,), (dot,))[1], x)
    first = y_dot[0] if primal is np.modf else y_dot
    torch.testing.assert_close(first, dot)
    torch.testing.assert_close(pullback(y_dot)[0], torch.zeros_like(x))
