"""The rules of `numpy.gradient` use NumPy's stencil, and say that the derivative by coordinates is missing."""

import numpy as np
import pytest

from chainrules_py import NotImplementedTangent, rrule
from chainrules_py.rulesets.sampled_gradient import stencil
from chainrules_py.tangents import unthunk
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.gradient)
def test_rules(case):
    case.run()


@pytest.mark.parametrize("spacing", [0.5, np.array([0.0, 0.4, 1.0, 1.3, 2.1])], ids=["number", "points"])
@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_stencil_is_numpys(spacing, edge_order, axis):
    f = np.random.default_rng(0).normal(size=(5, 5))
    found = stencil(spacing, 5, axis, edge_order, np).push(f)
    np.testing.assert_allclose(found, np.gradient(f, spacing, axis=axis, edge_order=edge_order), rtol=1e-12)


def test_coordinates_say_that_their_derivative_is_missing():
    bars = rrule(np.gradient, np.ones(3), np.array([0.0, 1.0, 3.0]))[1](np.ones(3))
    assert isinstance(unthunk(bars[1]), NotImplementedTangent)
