"""In code that is seen through, ``a *= x`` of a plain array that one name holds is traced; all else
is refused, but for arrays that `arange` and its like make there.
"""

import numpy as np
import pytest

from chainrules_tape import InPlaceError, grad, seen_through
from product.scoped import of_a_name, of_an_attribute

OTHERS, K = [], np.arange(3.0)


def held_twice(x):
    a = b = K + 0.0
    a *= x
    return np.sum(b)


def scaled(a, x):
    a *= x


def lent(x):
    a = K + 0.0
    scaled(a, x)
    return np.sum(a)


def in_a_list(x):
    a = K + 0.0
    OTHERS[:] = [a]
    a *= x
    return np.sum(OTHERS[0])


def a_view(x):
    a = K + 0.0
    a[1:] *= x
    return np.sum(a)


def view_before(x):
    a = K + 0.0
    b = a[1:]
    a *= x
    return np.sum(b)


def by_out(x):
    a = K + 0.0
    np.multiply(a, x, out=a)
    return np.sum(a)


def integers(x):
    a = np.arange(3)
    a *= x
    return np.sum(a)


def larger(x):
    a = np.ones(1)
    a *= np.stack([x, x])
    return np.sum(a)


@pytest.fixture
def theirs(monkeypatch):
    """This file stands for somebody else's code."""
    monkeypatch.setitem(globals(), "__name__", "strangers.tests")
    with seen_through("strangers"):
        yield


@pytest.mark.parametrize(
    "f", [held_twice, lent, in_a_list, a_view, view_before, by_out, integers, larger]
)
def test_what_somebody_else_could_see_is_refused(f, theirs):
    with pytest.raises((InPlaceError, ValueError, TypeError)):
        grad(f)(0.7)


@pytest.mark.parametrize("f", [of_a_name, of_an_attribute])
def test_elsewhere_it_is_refused(f):
    with pytest.raises(InPlaceError), seen_through("strangers"):
        grad(f)(0.7)
