"""Numbers in lanes in seen code: Python's functions of numbers, in each lane."""

import math

import numpy as np
import pytest

from chainrules_foreign_code.conversions import as_int
from chainrules_foreign_code.math_functions import module_of_numbers
from chainrules_py.errors import BatchingError
from chainrules_tape import (
    LostGradientError,
    LostGradientWarning,
    grad,
    jacobian,
    jvp,
    seen_through,
    vmap,
)
from strangers import decisions, digits

OURS = module_of_numbers(math)
X = np.array([[0.5, 1.5], [2.5, 0.25], [1.0, 3.0]])


def test_what_lanes_refuse_raises():
    """What all of them refuse is raised as it is; a program that catches it goes on for all."""

    def of_one(x, m):
        try:
            return m.sqrt(x[0] - 1.0)
        except ValueError:
            return -x[0]

    for way in (lambda f: f, grad):
        for function in (lambda x: OURS.sqrt(x[0] - 1.0), lambda x: of_one(x, OURS)):
            with pytest.raises(BatchingError, match=r"ValueError \(.*\) in lane 0 of 3, and none"):
                vmap(way(function))(X)
        refused = X - 2.0
        expected = [way(lambda x: of_one(x, OURS))(x) for x in refused]
        np.testing.assert_array_equal(vmap(way(lambda x: of_one(x, OURS)))(refused), expected)
    with pytest.raises(ValueError, match=r"^(math domain error|expected a nonnegative input.*)$"):
        vmap(lambda x: OURS.sqrt(x[0] - 3.0))(X)


def test_math_computes_all_lanes_in_one_operation(monkeypatch):
    monkeypatch.delattr("chainrules_tape.lanes.level.one_after_the_other")
    x = np.linspace(0.1, 2.0, 500)
    derivative = grad(lambda x: OURS.exp(x) * x)
    np.testing.assert_array_equal(vmap(derivative)(x), [derivative(each) for each in x.tolist()])


@pytest.mark.parametrize(
    "asked", [lambda x: OURS.isnan(x[0]), lambda x: as_int(x[0]), lambda x: OURS.floor(x[0])]
)
@pytest.mark.parametrize("of", [vmap, lambda f: vmap(grad(f))])
def test_plain_answers_are_refused(asked, of):
    with pytest.raises(BatchingError, match="differs from lane to lane"):
        of(lambda x: asked(x) * x[0])(X)


# The sum of all derivatives of a function of arrays, at each row.
IN_LANES = {
    "gradients in lanes": lambda f: vmap(grad(lambda x: np.sum(f(x))))(X).sum(axis=1),
    "a gradient of lanes": lambda f: grad(lambda X: np.sum(vmap(f)(X)))(X).sum(axis=1),
    "tangents of lanes": lambda f: jvp(vmap(f), (X,), (np.ones_like(X),))[1].sum(axis=1),
    "lanes in lanes": lambda f: vmap(vmap(grad(lambda x: np.sum(f(x)))))(X).sum(axis=1),
    "forward in unit lanes": lambda f: [jacobian(f, mode="forward")(x).sum() for x in X],
}


REFUSED = {
    "root_by_halves": r"root_by_halves of strangers\.decisions .*search",
    "cleaned": "digits",
}


@pytest.mark.parametrize("way", IN_LANES)
@pytest.mark.parametrize("name", REFUSED)
def test_searches_and_fine_steps_are_refused_in_every_way(name, way):
    with seen_through("strangers"), pytest.raises(LostGradientError, match=REFUSED[name]):
        IN_LANES[way](getattr(decisions, name))


@pytest.mark.parametrize("way", IN_LANES)
@pytest.mark.parametrize("name", ["rint", "rest", "quotient", "modf"])
def test_derivatives_that_steps_make_zero_are_warned_of_in_every_way(name, way):
    with (
        seen_through("strangers"),
        pytest.warns(LostGradientWarning, match=r"of strangers\.digits .*between its steps"),
    ):
        found = IN_LANES[way](digits.COARSE[name])
    np.testing.assert_array_equal(found, 0.0)


def test_entries_that_are_a_constant_in_one_lane():
    rates = np.array([[0.1, 0.0], [0.2, 0.3]])

    def total(rate):
        return np.sum(digits.payments(rate, 10.0))

    expected = (total(np.array([0.1 + 1e-6, 1.0])) - total(np.array([0.1 - 1e-6, 1.0]))) / 2e-6
    ways = [
        vmap(grad(total)),
        grad(lambda rates: np.sum(vmap(total)(rates))),
        vmap(vmap(grad(lambda rate: digits.payments(rate, 10.0)))),
    ]
    with seen_through("strangers"):
        for gradient in ways:
            with pytest.warns(LostGradientWarning, match="x == 0 for entries of x"):
                found = gradient(rates)
            assert found[0] == pytest.approx([expected, 0.0], rel=1e-6)
            assert np.all(found[1] < -5.0)
