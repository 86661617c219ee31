"""Programs that write into arrays, as Taylor mode and nested forward mode see them."""

import numpy as np
import pytest

from chainrules_py import Array, RuleTable, default_rules, primitive
from chainrules_tape import InPlaceError, jvp, taylor

X, V = np.array([0.7, 1.2, -0.4, 2.0]), np.array([1.0, -0.5, 0.3, 2.0])
ORDER = 5


def along(f):
    return lambda x: jvp(f, (x,), (V,))[1]


def entries(x):
    y = x.copy()
    y[0] = 2 * x[1] * x[2]
    y[2:] = np.sin(y[:2])
    y[1] += y[0]
    return y * y


def test_what_is_given_is_not_written_to():
    x = X.copy()
    taylor(entries, x, 3)
    np.testing.assert_array_equal(x, X)

    def own(z):
        z[0] = z[1] * 2
        return z**2

    np.testing.assert_allclose(taylor(own, x, 1)[0][0], (2 * X[1]) ** 2)
    np.testing.assert_array_equal(x, X)


def test_functions_that_compute_with_what_they_overwrite_are_refused():
    rules = RuleTable(name="one more rule", parent=default_rules)

    @primitive
    def square(a, b):
        a[...] = a * a + b

    @rules.frule.register(square, overwrites="a")
    def square_frule(dots: tuple, a: Array, b: object):
        a_dot = dots[0]
        a_dot[...] = 2 * a * a_dot + dots[1]
        square(a, b)
        return a, a_dot

    def f(x):
        y = x * 1.0
        square(y, x)
        return y

    with pytest.raises(InPlaceError, match=r"x\[\.\.\.\] = y"):
        taylor(f, X, 2, rules=rules)


@pytest.mark.parametrize("other", [np.ones((4, 1)), np.ones((2, 4)), np.ones(4), np.ones(())])
def test_a_write_that_a_broadcast_view_from_before_sees(other):
    """Of entries that a view shows several times, the series is that of one of them."""

    def f(x):
        y = np.sin(x)
        wide, rest = np.broadcast_arrays(y, other)
        y *= x
        return np.sum(wide * rest)

    one, two = along(f), along(along(f))
    found = taylor(f, X, 2, direction=V)
    assert found == pytest.approx([f(X), one(X), two(X) / 2], rel=1e-14)
    count = np.broadcast(X, other).size / 4
    assert found[1] == pytest.approx(count * np.sum(V * (np.sin(X) + X * np.cos(X))), rel=1e-14)
