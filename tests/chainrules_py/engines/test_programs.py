"""Programs of flat arrays: which are equal, and what is said without a tape."""

import numpy as np
import pytest

from chainrules_py import NotDifferentiableError, default_rules
from chainrules_py.engines import Call, FlatCall, Pullback

X, Y = np.array([0.3, 1.2, 2.0]), np.array([1.5, -0.4, 0.9])
BAR, DOT = np.array([1.0, -2.0, 0.5]), np.array([0.2, 0.1, -0.7])


def called(primal, *args, table=default_rules, **options):
    return Call(FlatCall.of(primal, args, options, lambda x: isinstance(x, np.ndarray), table)[0])


POWER = called(np.power, X, Y)
PULLBACK = Pullback(POWER, 2, needed=(0,), given=(0,))


def test_programs_that_do_the_same_are_equal():
    again = Pullback(called(np.power, Y, X), 2, needed=(0,), given=(0,))
    assert again == PULLBACK
    assert hash(again) == hash(PULLBACK)
    assert Pullback(POWER, 2, needed=(1,), given=(0,)) != PULLBACK


def test_a_rule_of_plain_arrays_has_no_derivative(rules):
    def cubed(x):
        return np.asarray(x) ** 3

    @rules.rrule.register(cubed)
    def cubed_rrule(x: np.ndarray):
        return cubed(x), lambda y_bar: (3 * np.asarray(x) ** 2 * y_bar,)

    pullback = Pullback(called(cubed, X, table=rules), 1, needed=(0,), given=(0,))
    np.testing.assert_allclose(pullback.compute([X, BAR])[0], 3 * X**2 * BAR)
    assert pullback.compute([X.astype(np.float32), BAR])[0].dtype == np.float32
    with pytest.raises(NotDifferentiableError, match=r"cubed: its derivative was asked for"):
        pullback.pushed([X, BAR], [0], [DOT], [0])
