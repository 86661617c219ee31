"""Errors that leave a derivative show the program's frames alone, and in debug mode all of them."""

import traceback

import numpy as np
import pytest

from chainrules_py import ChainRulesError, debug_mode
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_tape import (
    checkpoint,
    grad,
    hessian,
    higher_derivatives,
    hvp,
    jacobian,
    jvp,
    linearize,
    sparsity,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)

X = np.array([1.0, 2.0])


def mistaken(x):
    """A program with a mistake, after something was traced."""
    y = x**2
    {}["missing"]
    return np.sum(y)


def refused(x):
    """A program with a line that would lose the derivative."""
    return float(x[0]) * x[1]


CALLS = {
    "grad": lambda f: grad(f)(X),
    "by name": lambda f: grad(f, "x")(x=X),
    "value_and_grad": lambda f: value_and_grad(f)(X),
    "jacobian": lambda f: jacobian(f)(X),
    "hessian": lambda f: hessian(f)(X),
    "nested": lambda f: jacobian(grad(lambda x: grad(f)(x)[0]))(X),
    "hvp": lambda f: hvp(f, X, X),
    "jvp": lambda f: jvp(f, (X,), (X,)),
    "vjp": lambda f: vjp(f, X),
    "linearize": lambda f: linearize(f, X),
    "vmap": lambda f: vmap(f)(np.ones((3, 2))),
    "taylor": lambda f: taylor(f, X, 2),
    "higher_derivatives": lambda f: higher_derivatives(f, X, 2),
    "checkpoint": lambda f: grad(checkpoint(f))(X),
    "sparsity": lambda f: sparsity(f, X),
    "sparse": lambda f: jacobian(lambda x: x * f(x), sparse=True)(X),
}


def files_of(error):
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("name", CALLS)
def test_no_frame_is_ours(name):
    for function, kind in ((mistaken, KeyError), (refused, ChainRulesError)):
        with pytest.raises(kind) as caught:
            CALLS[name](function)
        assert set(files_of(caught.value)) == {__file__}
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert last.name == function.__name__


@pytest.mark.parametrize("name", CALLS)
def test_all_frames_are_shown_in_debug_mode(name):
    with debug_mode(), pytest.raises(KeyError) as caught:
        CALLS[name](mistaken)
    assert any("chainrules_tape" in file for file in files_of(caught.value))


def test_refused_arguments_and_cotangents():
    _, pullback = vjp(np.sin, X)
    for call in (lambda: grad(np.sum)(3), lambda: pullback(np.ones(3))):
        with pytest.raises(ChainRulesError) as caught:
            call()
        assert set(files_of(caught.value)) == {__file__}


def test_what_may_be_a_fault_of_a_rule_shows_where_it_was_raised():
    table = RuleTable(parent=default_rules, name="with a fault")

    @table.rrule.register(np.sinh)
    def sinh_rrule(x):
        def sinh_pullback(y_bar):
            raise ZeroDivisionError

        return np.sinh(x), sinh_pullback

    with pytest.raises(ZeroDivisionError) as caught:
        grad(lambda x: np.sum(np.sinh(x)), rules=table)(X)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "sinh_pullback"
