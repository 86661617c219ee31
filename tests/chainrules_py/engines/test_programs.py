"""Programs of flat arrays: their derivatives to the second order against finite differences, many
examples against a loop, and what is said without a tape.
"""

import numpy as np
import pytest

from chainrules_py import NotDifferentiableError, default_rules
from chainrules_py.engines import Call, FlatCall, InLanes, Pullback, Pushforward

X, Y = np.array([0.3, 1.2, 2.0]), np.array([1.5, -0.4, 0.9])
BAR, DOT = np.array([1.0, -2.0, 0.5]), np.array([0.2, 0.1, -0.7])


def called(primal, *args, table=default_rules, **options):
    return Call(FlatCall.of(primal, args, options, lambda x: isinstance(x, np.ndarray), table)[0])


def slope(function, h=1e-6):
    """The central difference of a function of a number, at zero."""
    return (function(h) - function(-h)) / (2 * h)


POWER = called(np.power, X, Y)
PULLBACK = Pullback(POWER, 2, needed=(0,), given=(0,))
PUSHFORWARD = Pushforward(POWER, 2, moved=(1,), wanted=(0,))


def test_derivatives_of_a_call_are_those_of_its_rule():
    (x_bar,) = PULLBACK.compute([X, Y, BAR])
    np.testing.assert_allclose(x_bar, BAR * Y * X ** (Y - 1))
    (z_dot,) = PUSHFORWARD.compute([X, Y, DOT])
    np.testing.assert_allclose(z_dot, slope(lambda h: X ** (Y + h * DOT)), rtol=1e-6)


@pytest.mark.parametrize("program", [PULLBACK, PUSHFORWARD], ids=repr)
def test_derivatives_have_derivatives(program):
    arrays = [X, Y, BAR]
    (dot,) = program.pushed(arrays, moved=[1], dots=[DOT], wanted=[0])
    expected = slope(lambda h: program.compute([X, Y + h * DOT, BAR])[0])
    np.testing.assert_allclose(dot, expected, rtol=1e-6)
    bars = program.pulled(arrays, needed=[1, 2], given=[0], bars=[BAR])
    pulled = Pullback(program, 3, needed=(1, 2), given=(0,)).compute([*arrays, BAR])
    np.testing.assert_allclose(bars, pulled)
    np.testing.assert_allclose(np.vdot(bars[0], DOT), np.vdot(BAR, dot))


def test_many_examples_are_a_loop():
    lanes = InLanes(PULLBACK, (True, False, True))
    xs, bars = np.stack([X, X + 1]), np.stack([BAR, DOT])
    (found,) = lanes.compute([xs, Y, bars])
    each = [PULLBACK.compute([x, Y, bar])[0] for x, bar in zip(xs, bars, strict=True)]
    np.testing.assert_allclose(found, each)
    assert lanes.kinds == ("InLanes", "Pullback")


def test_programs_that_do_the_same_are_equal():
    again = Pullback(called(np.power, Y, X), 2, needed=(0,), given=(0,))
    assert again == PULLBACK
    assert hash(again) == hash(PULLBACK)
    assert Pullback(POWER, 2, needed=(1,), given=(0,)) != PULLBACK


def test_0d_arrays_stand_for_numbers():
    call = called(np.multiply, X, np.array(2.0))
    (z,) = call(X, np.array(3.0))
    assert z.tolist() == (3 * X).tolist()
    (bar,) = Pullback(call, 2, needed=(1,), given=(0,))(X, np.array(3.0), BAR)
    np.testing.assert_allclose(bar, X @ BAR)


def test_a_rule_of_plain_arrays_has_no_derivative(rules):
    def cubed(x):
        return np.asarray(x) ** 3

    @rules.rrule.register(cubed)
    def cubed_rrule(x: np.ndarray):
        return cubed(x), lambda y_bar: (3 * np.asarray(x) ** 2 * y_bar,)

    pullback = Pullback(called(cubed, X, table=rules), 1, needed=(0,), given=(0,))
    np.testing.assert_allclose(pullback.compute([X, BAR])[0], 3 * X**2 * BAR)
    with pytest.raises(NotDifferentiableError, match=r"cubed: its derivative was asked for"):
        pullback.pushed([X, BAR], [0], [DOT], [0])
