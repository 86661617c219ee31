"""What goes wrong, silently as a rule, where two libraries share memory, types and errors: each a
test of `to_torch`.
"""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    Array,
    NoRuleError,
    OptionError,
    RuleTable,
    default_rules,
    rrule,
)
from chainrules_py.errors import NotDifferentiableError, RuleContractError, TangentTypeError

torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")

from torch.autograd.gradcheck import GradcheckError  # noqa: E402
from torch.func import grad, vmap  # noqa: E402

from chainrules_torch import to_torch  # noqa: E402


def double(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def with_rrule(rules, function, pullback, **forward):
    """The function on tensors, by a rule with this pullback."""

    @rules.rrule.register(function)
    def some_rrule(x: Array):
        y = function(x)
        return y, lambda y_bar: (pullback(y_bar, x, y),)

    return to_torch(function, rules=rules)


def test_a_cotangent_that_is_the_seed_is_another_tensor():
    x, seed = double(1.0, 2.0), torch.tensor([3.0, 4.0], dtype=torch.float64)
    to_torch(np.positive)(x).backward(seed)
    x.grad.add_(10)
    assert seed.tolist() == [3.0, 4.0]
    a, b = double(1.0), double(2.0)
    to_torch(np.add)(a, b).backward(seed[:1])
    a.grad.add_(10)
    assert b.grad.item() == 3.0


def test_a_missing_factor_is_seen_by_a_seed_that_is_not_one(rules):
    f = with_rrule(rules, lambda x: 3 * x, lambda y_bar, x, y: 3 + 0 * y_bar)
    x = double(1.0, 2.0)
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(f, (x,))


def test_a_result_is_not_the_memory_of_an_argument():
    for primal in (np.reshape, np.asarray, np.transpose, np.broadcast_to):
        x = double(1.0, 2.0)
        y = (
            to_torch(primal)(x, (2,))
            if primal in (np.reshape, np.broadcast_to)
            else to_torch(primal)(x)
        )
        with torch.no_grad():
            y.add_(5)
        assert x.tolist() == [1.0, 2.0]
    both = to_torch(np.broadcast_arrays)(torch.ones(2), torch.ones(2, 2))
    both[0].add_(1)
    assert both[1].max() == 1


def test_a_function_that_writes_into_its_argument_fails(rules):
    def doubled(x):
        return np.multiply(x, 2, out=x)

    f = with_rrule(rules, doubled, lambda y_bar, x, y: 2 * y_bar)
    x = torch.ones(2, dtype=torch.float64)
    with pytest.raises(ValueError, match="read-only"):
        f(x)
    assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("which", ["argument", "result"])
def test_pytorch_refuses_derivatives_of_what_was_written_meanwhile(which):
    x = double(1.0, 2.0)
    inner = x * 1
    y = to_torch(np.exp)(inner)
    with torch.no_grad():
        (inner if which == "argument" else y).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_cotangents_that_are_too_large_are_refused(rules):
    f = with_rrule(rules, np.sum, lambda y_bar, x, y: np.ones((3, *x.shape)) * y_bar)
    x = double(1.0, 2.0)
    for create_graph in (False, True):
        with pytest.raises(RuleContractError, match="shape"):
            torch.autograd.grad(f(x), x, create_graph=create_graph)


def test_a_rule_that_gives_too_few_cotangents_is_named(rules):
    def product(x, y):
        return x * y

    @rules.rrule.register(product)
    def product_rrule(x: Array, y: Array):
        return x * y, lambda y_bar: (y_bar * y,)

    f, x = to_torch(product, rules=rules), double(1.0, 2.0)
    for run in (
        lambda: f(x, x + 1).sum().backward(),
        lambda: grad(lambda x: f(x, x).sum())(x.detach()),
    ):
        with pytest.raises(RuleContractError, match="return a tuple of 2"):
            run()


def test_the_rules_own_error_arrives(rules):
    def halves(x):
        raise NotDifferentiableError(
            "halves", "got what it does not halve", "pass something else", primal=halves, argument=0
        )

    @rules.rrule.register(halves)
    def halves_rrule(x: Array):
        return halves(x), None

    def pullback(y_bar, x, y):
        raise NotDifferentiableError(
            "fourths",
            "got what it does not quarter",
            "pass something else",
            primal=None,
            argument=0,
        )

    fourths = with_rrule(rules, np.negative, pullback)
    x = double(1.0)
    for run in (
        lambda: to_torch(halves, rules=rules)(x),
        lambda: fourths(x).backward(),
        lambda: grad(lambda x: fourths(x).sum())(x.detach()),
        lambda: vmap(grad(fourths))(x.detach()),
    ):
        with pytest.raises(NotDifferentiableError, match="pass something else"):
            run()


def test_a_missing_rule_is_said_and_no_zero():
    def unknown(x):
        return x * 2

    rules = RuleTable(parent=default_rules)
    for register in (rules.rrule, rules.frule):
        register.opt_out(unknown, object)
    x = double(1.0, 2.0)
    f = to_torch(unknown, rules=rules)
    assert torch.equal(f(x), 2 * x)
    for run in (
        lambda: f(x).sum().backward(),
        lambda: grad(lambda x: f(x).sum())(x.detach()),
        lambda: torch.func.jvp(f, (x.detach(),), (x.detach(),)),
    ):
        with pytest.raises(NoRuleError, match="unknown"):
            run()


def test_rules_do_not_run_on_tensors_where_names_mean_other_things():
    with pytest.raises(NoRuleError, match="Tensor"):
        rrule(np.std, torch.ones(3))


def test_a_rule_of_one_mode_serves_both(rules):
    def cube(x):
        return x**3

    @rules.frule.register(cube)
    def cube_frule(dots, x: Array):
        return x**3, 3 * x**2 * dots[0]

    f, x = to_torch(cube, rules=rules), double(2.0)
    assert torch.func.jvp(f, (x.detach(),), (torch.ones_like(x),))[1].item() == 12.0
    f(x).backward()
    assert x.grad.item() == 12.0


def test_an_active_option_is_refused():
    x, start = double(1.0, 2.0), double(0.5)
    with pytest.raises(OptionError, match="detach"):
        to_torch(np.sum)(x, initial=start[0]).backward()
    assert torch.autograd.grad(to_torch(np.sum)(x, initial=start[0].detach()), x)[0].tolist() == [
        1.0,
        1.0,
    ]


def test_types_stay():
    x = torch.tensor([0.5, 1.5], requires_grad=True)
    y = to_torch(np.multiply)(x, 0.5)
    assert y.dtype == torch.float32
    assert torch.autograd.grad(y.sum(), x, create_graph=True)[0].dtype == torch.float32
    assert torch.func.jvp(to_torch(np.sin), (x.detach(),), (x.detach(),))[1].dtype == torch.float32
    scalar = torch.tensor(2.0, requires_grad=True)
    assert to_torch(np.sin)(scalar).dtype == torch.float32
    assert to_torch(np.sin)(scalar).shape == ()


def test_integers_have_no_derivative():
    x, n = double(1.0, 2.0), torch.tensor([2, 3])
    y = to_torch(np.power)(x, n)
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [2.0, 12.0]
    assert not to_torch(np.argmax)(x).requires_grad
    assert to_torch(np.shape)(x) == (2,)
    counts = to_torch(np.unique_counts)(double(1.0, 1.0, 3.0))
    assert counts.values.requires_grad
    assert counts.counts.tolist() == [2, 1]


def test_layouts_of_all_kinds():
    base = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
    for x in (base.T, base[:, ::2], base[0].expand(3, 4)):
        x = x.detach().requires_grad_()
        seed = torch.cos(torch.arange(12.0, dtype=torch.float64)[: x.numel()].reshape(x.shape))
        # of negative strides, where NumPy makes it
        flipped = to_torch(np.flip)(to_torch(np.sin)(x), axis=0)
        expected = torch.autograd.grad(torch.flip(torch.sin(x), (0,)), x, seed)
        torch.testing.assert_close(torch.autograd.grad(flipped, x, seed), expected)


def test_zeros_and_absent_tangent_spaces(rules):
    zero = with_rrule(rules, np.floor, lambda y_bar, x, y: ZERO)
    nothing = with_rrule(rules, np.ceil, lambda y_bar, x, y: NO_TANGENT)
    x = double(1.5)
    assert torch.autograd.grad(zero(x).sum(), x)[0].item() == 0
    assert grad(lambda x: zero(x).sum())(x.detach()).item() == 0
    with pytest.raises(RuleContractError, match="return ZERO"):
        torch.autograd.grad(nothing(x).sum(), x)


def test_what_numpy_has_no_type_for_is_refused():
    x = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    with pytest.raises(TangentTypeError, match=r"bfloat16.*(use float16, |a type that NumPy has)"):
        to_torch(np.sin)(x)  # the one before any other call, the other after
    with pytest.raises(TangentTypeError, match="PyTorch has a type for"):
        to_torch(np.array)(torch.ones(2), dtype=np.longdouble)


@pytest.mark.parametrize(
    "primal", [np.tanh, np.sum, np.unwrap], ids=["on tensors", "of a sum", "in NumPy"]
)
def test_half_precision_stays_and_is_right(primal):
    x = torch.tensor([0.5, 1.5, -2.0], dtype=torch.float16, requires_grad=True)
    wide = x.detach().double().requires_grad_()
    for derivative in (
        lambda f, x: torch.autograd.grad(f(x).sum(), x)[0],
        lambda f, x: torch.func.jvp(f, (x,), (x,))[1],
    ):
        found, expected = (derivative(to_torch(primal), each) for each in (x, wide))
        assert found.dtype == torch.float16
        torch.testing.assert_close(found.double(), expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "primal", [np.tanh, np.sum, np.unwrap], ids=["on tensors", "of a sum", "in NumPy"]
)
def test_bfloat16_is_refused_by_name_in_every_mode(primal):
    f, x = to_torch(primal), torch.ones(3, dtype=torch.bfloat16)
    for run in (
        lambda: f(x),
        lambda: f(x.clone().requires_grad_()),
        lambda: grad(lambda x: f(x).sum())(x),
        lambda: torch.func.jvp(f, (x,), (x,)),
        lambda: vmap(f)(x[None]),
    ):
        with pytest.raises(TangentTypeError, match="bfloat16"):
            run()


def test_a_tensor_that_outlived_its_transformation_is_a_tensor():
    kept = []
    grad(lambda x: kept.append(x) or (x * x).sum())(double(1.0, 2.0).detach())
    w = double(3.0, 4.0)
    (w_bar,) = torch.autograd.grad(to_torch(np.multiply)(kept[0], w).sum(), w)
    assert w_bar.tolist() == [1.0, 2.0]


def test_an_empty_batch_has_the_shape_of_others():
    assert vmap(to_torch(np.unwrap))(torch.ones(0, 2)).shape == (0, 2)
    assert vmap(to_torch(np.trapezoid))(torch.ones(0, 2)).shape == (0,)


@pytest.mark.parametrize(
    "primal", [np.exp, np.sin, np.sum, np.transpose, np.linalg.inv, np.linalg.norm]
)
def test_nothing_is_kept_alive(primal):
    x = torch.eye(3, requires_grad=True)
    y = to_torch(primal)(x)
    node = weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert node() is None
    finally:
        gc.enable()


def test_a_rule_that_calls_pytorch_does_not_deadlock(rules):
    f = with_rrule(
        rules,
        lambda x: torch.sin(torch.from_numpy(np.array(x))).numpy(),
        lambda y_bar, x, y: y_bar * torch.cos(torch.from_numpy(np.array(x))).numpy(),
    )
    x = double(0.5)
    assert torch.allclose(grad(lambda x: f(x).sum())(x.detach()), torch.cos(x))


def test_rules_do_not_import_pytorch():
    code = (
        "import sys, numpy as np, chainrules_py; chainrules_py.rrule(np.sin, np.ones(2)); assert"
        " 'torch' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = "import sys, chainrules_torch; assert 'torch._dynamo' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
