"""`check_series` passes a right engine, and finds wrong ones, by order and entry."""

import math

import numpy as np
import pytest

import chainrules_tape
from chainrules_py.testing import CheckFailure, Settings, check_series

X = np.array([0.3, -0.7])


class Engine:
    """The tape, with coefficients changed by a function of the order and the coefficient."""

    jvp = staticmethod(chainrules_tape.jvp)

    def __init__(self, change):
        self.change = change

    def taylor(self, f, x, order, direction):
        found = chainrules_tape.taylor(f, x, order, direction)
        return [self.change(k, coefficient) for k, coefficient in enumerate(found)]


WRONG = {
    "times k!": (lambda k, c: c * math.factorial(k), 2),
    "a digit": (lambda k, c: c * (1 + 1e-6 * (k == 3)), 3),
    "the wrong sign": (lambda k, c: -c if k == 1 else c, 1),
    "another value": (lambda k, c: c + 1 if k == 0 else c, 0),
    "one entry": (lambda k, c: c * np.array([1.0, 1.0 + (k == 2)]), 2),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_engines(name):
    change, order = WRONG[name]
    with pytest.raises(CheckFailure, match=f"order {order}") as caught:
        check_series(Engine(change), np.tanh, X)
    assert caught.value.diagnosis.kind == "series"


def test_what_an_engine_raises_is_a_failure():
    def refuse(k, coefficient):
        raise ZeroDivisionError

    with pytest.raises(CheckFailure, match="ZeroDivisionError"):
        check_series(Engine(refuse), np.tanh, X)


def test_settings_choose_the_constants_of_a_call():
    """Where its second argument has no direction, a power is a polynomial in the first."""
    seen = []

    class Noting(Engine):
        def taylor(self, f, x, order, direction):
            seen.append(len(x))
            return super().taylor(f, x, order, direction)

    engine = Noting(lambda k, coefficient: coefficient)
    check_series(engine, np.power, np.abs(X), np.full(2, 2.0))
    check_series(engine, np.power, np.abs(X), np.full(2, 2.0), settings=Settings(fixed=(1,)))
    assert seen == [2, 1]
