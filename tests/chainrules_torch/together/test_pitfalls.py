"""What goes wrong, silently as a rule, where two libraries share memory, types and errors: each a
test of `to_torch`.
"""

import gc
import weakref

import numpy as np
import pytest
import torch
from torch.func import grad, vmap
from torch.fx.experimental.proxy_tensor import make_fx

import chainrules_tape as tape
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
from chainrules_torch import to_torch
from processes import printed


def double(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


# --- What is refused ---

RULES = RuleTable(parent=default_rules, name="pitfalls")


def with_pullback(function, pullback):
    """The function on tensors, by a rule with this pullback."""

    @RULES.rrule.register(function)
    def some_rrule(x: Array):
        return function(x), lambda y_bar: pullback(y_bar, x)

    return to_torch(function, rules=RULES)


def halves(*_):
    raise NotDifferentiableError(
        "halves", "got what it does not halve", "pass something else", primal=None, argument=0
    )


def product(x, y):
    return x * y


@RULES.rrule.register(product)
def product_rrule(x: Array, y: Array):
    return x * y, lambda y_bar: (y_bar * y,)


def unknown(x):
    return x * 2


def doubled(x):
    return np.multiply(x, 2, out=x)


for register in (RULES.rrule, RULES.frule):
    register.opt_out(unknown, object)

WAYS = {
    "call": lambda f, x: f(x.detach()),
    "backward": lambda f, x: torch.autograd.grad(f(x).sum(), x),
    "graph": lambda f, x: torch.autograd.grad(f(x).sum(), x, create_graph=True),
    "func": lambda f, x: grad(lambda x: f(x).sum())(x.detach()),
    "forward": lambda f, x: torch.func.jvp(f, (x.detach(),), (x.detach(),)),
    "batch": lambda f, x: vmap(f)(x.detach()[None]),
    "linearize": lambda f, x: torch.func.linearize(f, x.detach()),
    "make_fx": lambda f, x: make_fx(f)(x.detach()),
    "tape": lambda f, x: tape.grad(lambda x: np.sum(f(x)))(x.detach()),
}
EVERY = "call backward func forward batch"
BFLOAT = TangentTypeError, r"bfloat16.*(use float16, |a type that NumPy has)"
ERRORS = {
    "a cotangent that is too large": (
        with_pullback(np.sum, lambda y_bar, x: (np.ones((3, *x.shape)) * y_bar,)),
        *("backward graph", RuleContractError, "shape"),
    ),
    "too few cotangents": (
        lambda x: to_torch(product, rules=RULES)(x, x + 1),
        *("backward func", RuleContractError, "return a tuple of 2"),
    ),
    "a rule's own": (
        with_pullback(halves, halves),
        *("call backward func", NotDifferentiableError, "pass something else"),
    ),
    "a pullback's own": (
        with_pullback(np.negative, halves),
        *("backward func", NotDifferentiableError, "pass something else"),
    ),
    "no rule": (to_torch(unknown, rules=RULES), "backward func forward", NoRuleError, "unknown"),
    "no rule on tensors": (lambda x: rrule(np.std, x), "call", NoRuleError, "Tensor"),
    "an option": (
        lambda x: to_torch(np.sum)(x, initial=x[0]),
        *("backward", OptionError, "detach"),
    ),
    "no tangent": (
        with_pullback(np.ceil, lambda y_bar, x: (NO_TANGENT,)),
        *("backward", RuleContractError, "return ZERO"),
    ),
    "writing": (
        with_pullback(doubled, lambda y_bar, x: (2 * y_bar,)),
        *("call", ValueError, "read-only"),
    ),
    "a type that PyTorch lacks": (
        lambda x: to_torch(np.array)(x, dtype=np.longdouble),
        *("call", TangentTypeError, "PyTorch has a type for"),
    ),
    "text": (
        to_torch(lambda x: np.array(["a"] * len(x))),
        *("call", TypeError, "float32, float64, complex"),
    ),
    "recorded tensors": (
        to_torch(np.unwrap),
        *("linearize make_fx", TangentTypeError, r"PyTorch records .* take torch\.func\.jvp"),
    ),
    "bfloat16, on tensors": (lambda x: to_torch(np.tanh)(x.bfloat16()), EVERY, *BFLOAT),
    "bfloat16, of a sum": (lambda x: to_torch(np.sum)(x.bfloat16()), EVERY, *BFLOAT),
    "bfloat16, by NumPy": (lambda x: to_torch(np.unwrap)(x.bfloat16()), EVERY, *BFLOAT),
    "a function of PyTorch": (torch.sin, "tape", TypeError, "TapeArray"),
}


@pytest.mark.parametrize(
    ("name", "way"), [(name, way) for name, row in ERRORS.items() for way in row[1].split()]
)
def test_what_is_refused(name, way):
    f, _, error, words = ERRORS[name]
    with pytest.raises(error, match=words):
        WAYS[way](f, double(1.0, 2.0))


@pytest.mark.parametrize("way", [tape.grad, tape.hessian, tape.jacobian])
def test_bfloat16_is_refused_by_the_tape(way):
    with pytest.raises(TangentTypeError, match=r"bfloat16.*use float16, float32"):
        way(np.sum)(double(1.0, 2.0).bfloat16())


# --- What is not ---


def test_a_cotangent_that_is_the_seed_is_another_tensor():
    x, seed = double(1.0, 2.0), torch.tensor([3.0, 4.0], dtype=torch.float64)
    to_torch(np.positive)(x).backward(seed)
    x.grad.add_(10)
    assert seed.tolist() == [3.0, 4.0]
    a, b = double(1.0), double(2.0)
    to_torch(np.add)(a, b).backward(seed[:1])
    a.grad.add_(10)
    assert b.grad.item() == 3.0


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


@pytest.mark.parametrize("which", ["argument", "result"])
def test_pytorch_refuses_derivatives_of_what_was_written_meanwhile(which):
    x = double(1.0, 2.0)
    inner = x * 1
    y = to_torch(np.exp)(inner)
    with torch.no_grad():
        (inner if which == "argument" else y).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


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


def test_a_rule_may_say_zero():
    zero = with_pullback(np.floor, lambda y_bar, x: (ZERO,))
    x = double(1.5)
    assert torch.autograd.grad(zero(x).sum(), x)[0].item() == 0
    assert grad(lambda x: zero(x).sum())(x.detach()).item() == 0


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


def test_a_rule_that_calls_pytorch_does_not_deadlock():
    def sine(x):
        return torch.sin(torch.from_numpy(np.array(x))).numpy()

    f = with_pullback(sine, lambda y_bar, x: (y_bar * sine(x + np.pi / 2),))
    x = double(0.5)
    assert torch.allclose(grad(lambda x: f(x).sum())(x.detach()), torch.cos(x))


def test_rules_do_not_import_pytorch():
    code = (
        "import sys, numpy as np, chainrules_py; chainrules_py.rrule(np.sin, np.ones(2)); assert"
        " 'torch' not in sys.modules"
    )
    printed(code)
    code = "import sys, chainrules_torch; assert 'torch._dynamo' not in sys.modules"
    printed(code)
