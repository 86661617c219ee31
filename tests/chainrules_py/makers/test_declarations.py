"""Declarations: functions without a derivative, and primitives, which engines see."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    non_differentiable,
    primitive,
    rrule,
)

X = np.array([[3.0, 1.0, 2.0]])


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


def test_an_output_that_has_a_derivative_after_all_is_refused(rules):
    def refuse(y):
        if y > 0:
            raise ValueError(y)

    def sign(x):
        return np.sign(x)

    non_differentiable(sign, refuse=refuse, table=rules)
    assert rules.rrule(sign, -2.0)[1](1.0) == (NO_TANGENT,)
    for differentiate in (lambda: rules.rrule(sign, 2.0), lambda: rules.frule((1.0,), sign, 2.0)):
        with pytest.raises(ValueError, match=r"1\.0"):
            differentiate()


def test_a_declaration_decorates():
    @non_differentiable
    def length(x):
        return len(x)

    assert length(X) == len(X)
    assert rrule(length, X)[1](0) == (NO_TANGENT,)


def test_a_declaration_for_some_classes(rules):

    def length(x):
        return len(x)

    non_differentiable(length, types=(list,), table=rules)
    assert rules.rrule(length, [1.0])[1](0) == (NO_TANGENT,)
    assert rules.find("reverse", length, (np.ndarray,)) is None
