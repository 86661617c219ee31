"""In code that is seen through, a derivative that arrives at a number rounded to places is an
error; elsewhere it is zero.
"""

import sys
from collections import deque
from contextlib import nullcontext
from types import MappingProxyType

import numpy as np
import pytest

import strangers
from chainrules_py.errors import NotImplementedTangentError
from chainrules_tape import LostGradientError, LostGradientWarning, grad, jvp, seen_through

ROUNDED = [
    lambda x: round(x, 3),
    lambda x: np.round(x, 3),
    lambda x: np.stack([x, x]).round(decimals=3)[0],
]
FINELY = [
    lambda x: round(x, 10),
    lambda x: np.round(x, 10),
    lambda x: np.stack([x, x]).round(10)[0],
]


@pytest.fixture
def theirs(monkeypatch):
    """This file stands for a module of somebody else's."""
    monkeypatch.setitem(sys.modules, "strangers.tests", sys.modules[__name__])
    monkeypatch.setitem(globals(), "__name__", "strangers.tests")
    with seen_through("strangers"):
        yield


@pytest.mark.parametrize("way", ROUNDED)
def test_what_depends_on_it_is_refused(way, theirs):
    for derivative in (
        grad(lambda x: 2.0 * way(x)),
        lambda x: jvp(lambda x: 2.0 * way(x), (x,), (1.0,)),
    ):
        with pytest.raises(
            (LostGradientError, NotImplementedTangentError),
            match=r"strangers\.tests.*test_rounding\.py:",
        ):
            derivative(1.23456)


class Slotted:
    __module__ = "strangers.tests"
    __slots__ = ("function",)


SLOTTED = Slotted()
SLOTTED.function = lambda x: round(x, 3)
QUEUE = deque([lambda x: round(x, 3)])
PROXY = MappingProxyType({"function": lambda x: round(x, 3)})
HELD = {
    "in a slot": lambda x: SLOTTED.function(x),
    "in a deque": lambda x: QUEUE[0](x),
    "in a proxy": lambda x: PROXY["function"](x),
}


@pytest.mark.parametrize("where", HELD)
def test_functions_are_found_wherever_they_are_held(where, theirs):
    with pytest.raises(LostGradientError, match=r"strangers\.tests.*test_rounding\.py:"):
        grad(lambda x: 2.0 * HELD[where](x))(1.23456)


@pytest.mark.parametrize("way", ROUNDED)
def test_what_only_compares_or_shows_it_is_differentiated(way, theirs):
    def f(x):
        print(f"{way(x)}")
        return 2.0 * x if way(x) == 1.235 else 0.0

    assert grad(f)(1.23456) == 2.0
    if way is not ROUNDED[2]:  # forward mode asks for the derivatives of entries when they are read
        assert jvp(f, (1.23456,), (1.0,))[1] == 2.0


@pytest.mark.parametrize("way", ROUNDED)
def test_elsewhere_it_is_constant(way):
    speaks_up = way is ROUNDED[0]  # Python's round, of a number
    for scope in (nullcontext(), seen_through("strangers")):
        warned = pytest.warns(LostGradientWarning) if speaks_up else nullcontext()
        with scope, warned:
            assert grad(lambda x: x + way(x))(1.23456) == 1.0


@pytest.mark.parametrize("way", FINELY)
def test_steps_as_fine_as_roundoff_are_none(way, theirs):
    assert grad(lambda x: way(x) ** 2)(1.23456) == pytest.approx(2 * 1.23456, rel=1e-9)
    assert jvp(lambda x: way(x) ** 2, (1.23456,), (1.0,))[1] == pytest.approx(2 * 1.23456, rel=1e-9)
    assert grad(lambda x: way(x * 1e8 / 1e8))(1.23456) == pytest.approx(1.0)
    with pytest.raises((LostGradientError, NotImplementedTangentError)):
        grad(lambda x: 2.0 * way(x))(1.23456e-7)  # of which they are steps


@pytest.mark.parametrize("way", FINELY)
def test_they_are_none_at_second_order(way, theirs):
    def cubed(x):
        return way(x) ** 3

    def slope(x):
        return jvp(cubed, (x,), (1.0,))[1]

    expected = pytest.approx(6 * 1.23456, rel=1e-8)
    assert grad(grad(cubed))(1.23456) == expected
    assert grad(slope)(1.23456) == expected
    assert jvp(grad(cubed), (1.23456,), (1.0,))[1] == expected
    assert jvp(slope, (1.23456,), (1.0,))[1] == expected


@pytest.mark.parametrize("way", ROUNDED)
def test_steps_are_refused_at_second_order(way, theirs):
    with pytest.raises((LostGradientError, NotImplementedTangentError)):
        grad(grad(lambda x: x * way(x)))(1.23456)


def test_whole_numbers_are_steps(theirs):
    assert grad(lambda x: x * round(x) + np.round(x))(2.3) == 2.0


def test_plain_values_are_rounded(theirs):
    assert (round(1.234, 1), float(np.round(1.234, 1)), strangers.np.round(2.5)) == (1.2, 1.2, 2.0)
