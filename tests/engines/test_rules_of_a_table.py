"""A table of one's own counts for what its rules call, too, in every engine.

The rules of the table say that sine, and a primitive, have the derivative 100, which no other
table says.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from chainrules_py import RuleTable, default_rules, primitive, rules_of

SLOPE = 100.0
X = np.array([[0.3, 0.7], [1.1, 0.2]])

Function = Callable[..., Any]


@primitive
def square(x: Any) -> Any:
    """A function that has no rule in the table of everybody."""
    return x * x


@primitive
def integral(x: Any) -> Any:
    """A function whose derivative, says the table, is `square`."""
    return x * x * x / 3


@pytest.fixture(scope="module")
def rules() -> RuleTable:
    table = RuleTable(parent=default_rules, name="slopes of 100")
    for function in (np.sin, square):
        declare_slope(table, function)

    @table.rrule.register(integral)
    def integral_rrule(x: object) -> Any:
        return integral(x), lambda y_bar: (y_bar * square(x),)

    @table.frule.register(integral)
    def integral_frule(dots: Any, x: object) -> Any:
        return integral(x), dots[0] * square(x)

    return table


def declare_slope(table: RuleTable, function: Any) -> None:
    @table.rrule.register(function)
    def steep_rrule(x: object) -> Any:
        return function(x), lambda y_bar: (SLOPE * y_bar,)

    @table.frule.register(function)
    def steep_frule(dots: Any, x: object) -> Any:
        return function(x), SLOPE * dots[0]


def slopes_in_torch(f: Function) -> dict[str, Any]:
    import torch

    x = torch.tensor(X, requires_grad=True)
    plain = x.detach()
    return {
        "reverse": torch.autograd.grad(f(x).sum(), x)[0],
        "transformed": torch.func.grad(lambda x: f(x).sum())(plain),
        "forward": torch.func.jvp(f, (plain,), (torch.ones_like(plain),))[1],
    }


def slopes_in_autograd(f: Function) -> dict[str, Any]:
    import autograd

    return {
        "reverse": autograd.elementwise_grad(f)(X),
        "forward": autograd.make_jvp(f)(X)(np.ones_like(X))[1],
    }


def slopes_in_jax(f: Function) -> dict[str, Any]:
    import jax

    gradient = jax.grad(lambda x: f(x).sum())
    return {
        "reverse": gradient(X),
        "compiled": jax.jit(gradient)(X),
        "forward": jax.jvp(f, (X,), (np.ones_like(X),))[1],
    }


# by the library: the adapter, the function in it, and the derivatives that the library takes
ENGINES = {
    "torch": ("chainrules_torch", "to_torch", slopes_in_torch),
    "autograd": ("chainrules_autograd", "to_autograd", slopes_in_autograd),
    "jax": ("chainrules_jax", "to_jax", slopes_in_jax),
}


@pytest.fixture(params=ENGINES)
def engine(request: Any) -> tuple[Function, Function]:
    """How a library gets a primal, and takes derivatives of a function."""
    pytest.importorskip(request.param)
    adapter, name, slopes = ENGINES[request.param]
    return getattr(import_module(adapter), name), slopes


@pytest.mark.parametrize("inner", [np.sin, square], ids=["of NumPy", "primitive"])
def test_functions_that_a_rule_is_given(engine: Any, rules: RuleTable, inner: Any) -> None:
    converted, slopes = engine
    along = converted(np.apply_along_axis, rules=rules)
    found = slopes(lambda x: along(lambda row: inner(row), 0, x))
    for mode, slope in found.items():
        np.testing.assert_allclose(slope, np.full((2, 2), SLOPE), rtol=1e-6, err_msg=mode)


def test_functions_in_a_rule(engine: Any, rules: RuleTable) -> None:
    converted, slopes = engine
    f = converted(integral, rules=rules)
    for mode, slope in slopes(f).items():
        np.testing.assert_allclose(slope, X**2, rtol=1e-6, err_msg=mode)


def composed(x: Any) -> Any:
    """A program without rules."""
    return np.sin(x) * 1.0


@pytest.mark.parametrize(
    "inner", [np.sin, square, composed], ids=["of NumPy", "primitive", "program"]
)
def test_the_table_in_force(engine: Any, rules: RuleTable, inner: Any) -> None:
    """One that is converted before, and called before by other rules, asks it at each call."""
    converted, slopes = engine
    f = converted(inner)
    if inner is not square:
        for mode, slope in slopes(f).items():
            np.testing.assert_allclose(slope, np.cos(X), rtol=1e-6, err_msg=mode)
    with rules_of(rules):
        for mode, slope in slopes(f).items():
            np.testing.assert_allclose(slope, np.full((2, 2), SLOPE), rtol=1e-6, err_msg=mode)


def test_second_derivatives_in_torch(rules: RuleTable) -> None:
    torch = pytest.importorskip("torch")
    from chainrules_torch import to_torch

    f = to_torch(integral, rules=rules)
    point = torch.tensor([0.3, 0.7], dtype=torch.float64)
    expected = SLOPE * np.eye(2)
    for name in ("hessian", "jacfwd of jacfwd", "jacrev of jacrev"):
        hessian = torch.func.hessian
        if name != "hessian":
            jacobian = getattr(torch.func, name.split()[0])
            hessian = lambda g, jacobian=jacobian: jacobian(jacobian(g))  # noqa: E731
        np.testing.assert_allclose(hessian(lambda x: f(x).sum())(point), expected, err_msg=name)

    x = point.clone().requires_grad_()
    slope = torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]
    np.testing.assert_allclose(torch.autograd.grad(slope.sum(), x)[0], [SLOPE, SLOPE])


def test_second_derivatives_in_autograd(rules: RuleTable) -> None:
    autograd = pytest.importorskip("autograd")
    from chainrules_autograd import to_autograd

    f = to_autograd(integral, rules=rules)
    slope = autograd.elementwise_grad(f)
    point = np.array([0.3, 0.7])
    np.testing.assert_allclose(autograd.elementwise_grad(slope)(point), [SLOPE, SLOPE])
    np.testing.assert_allclose(autograd.make_jvp(slope)(point)(np.ones(2))[1], [SLOPE, SLOPE])


def test_second_derivatives_in_jax(rules: RuleTable) -> None:
    jax = pytest.importorskip("jax")
    from chainrules_jax import to_jax

    f = to_jax(integral, rules=rules)
    hessian = jax.hessian(lambda x: f(x).sum())(np.array([0.3, 0.7]))
    np.testing.assert_allclose(hessian, SLOPE * np.eye(2), rtol=1e-6)
