"""Declarations: functions without a derivative, and primitives, which engines see."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    RegistrationError,
    RuleTable,
    frule,
    non_differentiable,
    primitive,
    rrule,
    scalar_rule,
)

X = np.array([[3.0, 1.0, 2.0]])


@pytest.mark.parametrize(
    ("primal", "args", "options"),
    [
        (np.argmax, (X,), {}),
        (np.argmax, (X,), {"axis": 1}),
        (np.isnan, (X,), {}),
        (np.floor_divide, (X, 2.0), {}),
        (np.less, (X, 2.0), {}),
    ],
)
def test_non_differentiable_functions_run_and_have_no_tangents(primal, args, options):
    y, pullback = rrule(primal, *args, **options)
    np.testing.assert_array_equal(y, primal(*args, **options))
    assert pullback(y) == (NO_TANGENT,) * len(args)
    y, y_dot = frule((X, *(NO_TANGENT,) * (len(args) - 1)), primal, *args, **options)
    assert y_dot is NO_TANGENT


def test_a_function_of_ones_own():
    table = RuleTable()

    def count(*arrays):
        return len(arrays)

    non_differentiable(count, table=table)
    assert table.rrule(count, X, X, X)[1](0) == (NO_TANGENT,) * 3


@dataclass
class Traced:
    """A stand-in for an engine's wrapped value."""

    value: Any

    def __chainrules_call__(self, primal, args, options):
        return ("traced", primal.__name__, args, options)


@dataclass
class Holder:
    """A container of a user's."""

    held: Any


class Shy:
    """A wrapped value whose engine does not want this call."""

    def __chainrules_call__(self, primal, args, options):
        return NotImplemented


@primitive
def softplus(x, *, scale=1.0):
    """Smooth max(x, 0)."""
    return np.log1p(np.exp(x)) * scale


def test_a_primitive_is_an_ordinary_function():
    assert softplus(0.0) == pytest.approx(np.log(2.0))
    assert softplus.__doc__ == "Smooth max(x, 0)."
    assert softplus.__name__ == "softplus"


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ((Traced(1.0),), {}),
        ((1.0,), {"scale": Traced(1.0)}),
        (([1.0, Traced(2.0)],), {}),
        (({"layers": [(1.0, Traced(2.0))]},), {}),
        ((Shy(), Traced(1.0)), {}),
        (({"w": Traced(1.0)},), {}),
        ((Holder([{"w": (1.0, Traced(1.0))}]),), {}),
    ],
)
def test_a_traced_value_anywhere_intercepts_a_primitive(args, options):
    assert softplus(*args, **options) == ("traced", "softplus", args, options)


def test_an_output_that_has_a_derivative_after_all_is_refused():
    def refuse(y):
        if y > 0:
            raise ValueError(y)

    def sign(x):
        return np.sign(x)

    table = RuleTable()
    non_differentiable(sign, refuse=refuse, table=table)
    assert table.rrule(sign, -2.0)[1](1.0) == (NO_TANGENT,)
    for differentiate in (lambda: table.rrule(sign, 2.0), lambda: table.frule((1.0,), sign, 2.0)):
        with pytest.raises(ValueError, match=r"1\.0"):
            differentiate()


def test_a_declaration_decorates():
    @non_differentiable
    def length(x):
        return len(x)

    assert length(X) == len(X)
    assert rrule(length, X)[1](0) == (NO_TANGENT,)


@pytest.mark.parametrize(
    "declare",
    [
        lambda: non_differentiable("argmax"),
        lambda: primitive("argmax"),
        lambda: scalar_rule("sin", "x", "cos(x)"),
    ],
)
def test_what_is_no_function_is_refused_with_the_place_of_the_declaration(declare):
    with pytest.raises(RegistrationError) as caught:
        declare()
    assert caught.value.primal in ("argmax", "sin")
    assert "test_declarations.py:" in caught.value.where
