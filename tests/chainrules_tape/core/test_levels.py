"""Nesting: towers are exact, and values do not outlive their level."""

import math
import sys

import numpy as np
import pytest

from chainrules_py import NO_TANGENT
from chainrules_tape import (
    EscapedValueError,
    grad,
    jvp,
    value_and_grad,
    vjp,
)
from chainrules_tape.core import levels
from chainrules_tape.core.levels import innermost
from chainrules_tape.refusals.handles import TracedArray, plain


def test_an_escaped_value_in_a_later_trace_raises():
    escaped = []
    grad(lambda x: escaped.append(x) or x)(1.0)
    with pytest.raises(EscapedValueError) as caught:
        grad(lambda y: y * escaped[0])(2.0)
    assert caught.value.value is escaped[0]


def test_innermost_looks_into_containers():
    def f(x):
        assert innermost((1.0, [2.0, x])) is x.level
        assert innermost((1.0, "x", None)) is None
        return x

    grad(f)(1.0)


def test_plain_is_what_is_under_all_levels():
    seen = []
    grad(grad(lambda x: seen.append(plain(x)) or x * x))(3.0)
    assert seen == [3.0]
    assert plain(2.0) == 2.0


def test_an_exception_leaves_nothing_behind():
    traced = []

    def fails(x):
        traced.append(x)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        value_and_grad(fails)(1.0)
    assert traced[0].level.closed
    assert grad(lambda x: x * x)(3.0) == 6.0


def test_a_sixth_derivative_in_mixed_modes():
    f = np.sin
    for _ in range(3):
        f = grad(lambda x, f=f: jvp(f, (x,), (1.0,))[1])
    assert f(0.7) == pytest.approx(-math.sin(0.7), rel=1e-13)


def test_integers_have_no_tangent():
    assert vjp(lambda x, n: x * n, 2.0, 3)[1](1.0) == (3.0, NO_TANGENT)
    assert not issubclass(int, TracedArray)


def test_a_package_is_prepared_by_the_first_level_after_its_import(monkeypatch):
    prepared = []
    monkeypatch.setattr(levels, "_awaited", levels.Awaited())
    levels.prepare_when_imported("a_package_of_this_test", lambda: prepared.append(1))
    grad(np.sin)(1.0)
    assert not prepared
    monkeypatch.setitem(sys.modules, "a_package_of_this_test", sys)
    grad(np.sin)(1.0)
    grad(np.sin)(1.0)
    assert prepared == [1]
