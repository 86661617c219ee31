"""`ignore_derivatives` of values, containers and functions."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py import NO_TANGENT, ignore_derivatives, rrule
from chainrules_py.ignoring import _ignored

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


def test_what_is_ignored_has_the_rule_of_a_constant():
    assert rrule(_ignored, X)[1](X) == (NO_TANGENT,)
