"""What a function captures is found wherever it is, and replaced there without a trace in the
function itself.
"""

from functools import partial

import numpy as np
import pytest

from chainrules_py.makers import primitive
from chainrules_py.values.captured_values import Closure, closed, frozen
from chainrules_py.values.structure import rebuild
from chainrules_tape import grad


class Model:
    """An object with a parameter and a method that reads it."""

    def __init__(self, slope):
        self.slope = slope

    def at(self, x):
        return self.slope * x

    def __call__(self, x):
        return self.at(x)


class CopyingItsState(Model):
    """As `numpy.polynomial.Polynomial` does."""

    def __getstate__(self):
        return {"slope": self.slope.copy()}


class GivingCopies(Model):
    """As `numpy.poly1d` does."""

    def __init__(self, slope):
        vars(self)["slope"] = slope

    @property
    def slope(self):
        return vars(self)["slope"] + 0.0

    @slope.setter
    def slope(self, slope):
        raise AttributeError("Cannot set attribute")


def by_cell(a):
    return lambda x: a * x


def by_default(a):
    def f(x, slope=a):
        return slope * x

    return f


def by_keyword_default(a):
    def f(x, *, slope=a):
        return slope * x

    return f


def by_inner_function(a):
    inner = by_cell(a)
    return lambda x: inner(x)


def by_recursion(a):
    def f(x, depth=2):
        return f(x, depth - 1) if depth else a * x

    return f


def by_container(a):
    params = {"slope": [a, 1.0]}
    return lambda x: params["slope"][0] * x


FORMS = {
    "a cell": by_cell,
    "a default": by_default,
    "a default of a keyword": by_keyword_default,
    "a function in a cell": by_inner_function,
    "a function that calls itself": by_recursion,
    "a container": by_container,
    "partial": lambda a: partial(np.multiply, a),
    "a method": lambda a: Model(a).at,
    "a callable object": Model,
    "a method in a function": lambda a: (lambda at: lambda x: at(x))(Model(a).at),
    "an object that copies its state": CopyingItsState,
    "an object that gives copies": GivingCopies,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_captured_value_is_found_and_replaced(form):
    def through(a):
        closure = closed(FORMS[form](a))
        assert isinstance(closure, Closure)
        assert [captured is a for captured in closure.captured] == [True]
        plain = rebuild(closure, {"captured": (5.0,)})
        assert plain(3.0) == 15.0  # a number, without the engine
        assert type(plain(3.0)) in (float, np.float64)
        return closure(3.0)

    assert grad(through)(2.0) == 3.0


def test_one_value_in_two_places_is_one():
    def through(a):
        first = by_cell(a)
        closure = closed(lambda x: first(x) + a)
        assert len(closure.captured) == 1
        return closure(3.0)

    assert grad(through)(2.0) == 4.0


def test_cells_without_traced_values_are_shared():
    count = 0

    def through(a):
        def f(x):
            nonlocal count
            count += 1
            return a * x

        return closed(f)(3.0)

    assert grad(through)(2.0) == 3.0
    assert count == 1


def test_a_variable_that_is_assigned_later_is_left_alone():
    rate = np.ones(2)

    def grow(x):
        return rate * x if x > 0 else shrink(x)

    copy = frozen(grow)
    rate[0] = 7.0
    shrink = np.negative
    np.testing.assert_array_equal(copy(2.0), [2.0, 2.0])
    np.testing.assert_array_equal(copy(-2.0), 2.0)


def test_functions_without_traced_values_stay_as_they_are():
    for f in (np.sin, len, by_cell(2.0), Model(2.0), Model):
        assert closed(f) is f
    assert closed({"fun": np.sin, "args": (1.0,)})["fun"] is np.sin


def test_a_frozen_function_keeps_what_it_captured():
    class Ring:
        """An object that holds itself."""

        def __init__(self, rate):
            self.rate, self.itself = rate, self

    class Held(Ring):
        """An object that says how it is copied, and does not want to be."""

        def __reduce__(self):
            raise TypeError("it cannot be copied")

    class Closes(Ring):
        """An object at whose end something is closed."""

        def __del__(self):
            closed.append(self)

    class Stored(Ring):
        """An object that says what of it is written to a file."""

        def __getstate__(self):
            return {}

    closed = []
    ring, held, rates, rate = Ring(1.0), Held(1.0), [1.0], 1.0
    closes, stored = Closes(1.0), Stored(1.0)

    def f():
        return ring.rate, rates[0], rate, stored.rate, held.rate, closes.rate

    copy = frozen(f)
    ring.rate, rates[0], rate, stored.rate, held.rate, closes.rate = [2.0] * 6
    assert copy() == (1.0, 1.0, 1.0, 1.0, 2.0, 2.0)
    assert f() == (2.0,) * 6
    del copy
    assert closed == []


def test_a_frozen_copy_of_variables_shares_the_rest():
    calls, rate = [], 1.0

    def f():
        calls.append(rate)

    copy = frozen(f, variables_only=True)
    rate = 2.0
    copy()
    assert calls == [1.0]


def test_a_primitive_that_is_captured_stays_the_one_that_has_the_rule():
    rate = 2.0

    @primitive
    def scaled(x):
        return rate * x

    copy = frozen(lambda: scaled)
    assert copy() is scaled is frozen(scaled)
