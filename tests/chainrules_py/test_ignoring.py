"""`ignore_derivatives` of values, containers and functions."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py import NO_TANGENT, ignore_derivatives, rrule
from chainrules_py.ignoring import _ignored
from chainrules_tape import compiled, stop_gradient, value_and_grad, vmap

X = np.array([[3.0, 1.0, 2.0]])


@dataclass
class Traced:
    """A stand-in for an engine's wrapped value."""

    value: Any

    def __chainrules_call__(self, primal, args, options):
        return ("traced", primal.__name__, args, options)


def test_ignoring_derivatives_of_values():
    assert ignore_derivatives(X) is X
    kind, name, args, _ = ignore_derivatives(Traced(1.0))
    assert (kind, args) == ("traced", (Traced(1.0),))
    nested = ignore_derivatives({"a": [1.0, (2.0, X)]})
    assert nested["a"][1][1] is X


def test_ignoring_derivatives_of_a_function():
    constant = ignore_derivatives(lambda x: Traced(x))
    assert constant(1.0)[0] == "traced"
    assert ignore_derivatives(np.sin)(0.0) == 0.0
    assert ignore_derivatives({"dtype": float}) == {"dtype": float}


def test_what_is_ignored_has_the_rule_of_a_constant():
    assert rrule(_ignored, X)[1](X) == (NO_TANGENT,)


def test_a_constant_of_a_program_is_not_reached_by_later_writes():
    def function(x):
        y = 2 * x
        constant = stop_gradient(y)
        y += 1
        return np.sum(x * constant)

    x = np.array([1.0, 2.0, 3.0])
    assert function(x) == 28.0
    value, gradient = value_and_grad(function)(x)
    assert value == 28.0
    np.testing.assert_array_equal(gradient, 2 * x)
    assert vmap(function)(x[None]) == compiled(function)(x) == 28.0


def test_a_constant_of_a_program_keeps_what_its_value_is():
    matrix = np.asfortranarray(np.ones((2, 2)))
    kept = stop_gradient({"a": [matrix, 1.0, "text"]})
    assert kept["a"][1:] == [1.0, "text"]
    assert kept["a"][0].flags.f_contiguous
    assert not np.shares_memory(kept["a"][0], matrix)
