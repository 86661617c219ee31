"""A package that was not written for it is differentiated once it is named."""

import builtins
import importlib
import math
import sys
import threading

import numpy as np
import pytest
from scipy import linalg

import strangers
from chainrules_py import RuleTable, default_rules
from chainrules_tape import InputError, LostGradientError, grad, only_marked, seen_through
from chainrules_tape.refusals.instrumented_packages import packages
from slopes import check_slopes, quotients

FUNCTIONS = [
    *("converted", "matrix", "local_imports", "closure", "decorated"),
    *("tables", "models", "typed", "items", "halves", "fallback"),
]
X = 0.7
IMPORT = builtins.__import__


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_differentiated_as_it_stands(name):
    f = getattr(strangers, name)
    before = f(X)
    with pytest.raises((LostGradientError, TypeError)):
        grad(f)(X)
    with seen_through("strangers"):
        check_slopes(f, X)
        inside = f(X)
    assert type(inside) is type(before)
    assert inside == before


class RaisesWhenAsked:
    """What a package puts in the place of a library that is missing."""

    def __getattribute__(self, name):
        if name != "__class__":
            raise ModuleNotFoundError(name)


def test_an_object_that_raises_whatever_it_is_asked(monkeypatch):
    monkeypatch.setattr(RaisesWhenAsked, "__module__", "strangers")
    monkeypatch.setattr(strangers, "missing", RaisesWhenAsked(), raising=False)
    with seen_through("strangers"):
        assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))


def test_an_object_that_is_an_array_to_numpy(monkeypatch):
    """NumPy asks for its `__array__`, and takes only its own arrays; here it is a traced one, or a
    buffer.
    """
    cls = type(
        "Cell",
        (),
        {"__module__": "strangers", "__array__": lambda self, dtype=None, copy=None: self.array},
    )

    @seen_through
    def volume(x):
        cell, other = cls(), cls()
        cell.array = np.zeros((2, 2))
        cell.array[0, 0] = x
        np.asarray(cell)[1, 1] = 3.0 * x
        other.array = np.eye(2)
        other.array[:] = cell
        return np.linalg.det(cell) + np.sum([1.0, 2.0] * np.asarray(other))

    with seen_through("strangers"):
        assert grad(volume)(X) == pytest.approx(6.0 * X + 7.0)


def test_as_a_decorator():
    @seen_through("strangers")
    def slope(x):
        return grad(strangers.halves)(x)

    assert slope(X) == pytest.approx(-math.sin(X))
    assert strangers.np is np


def test_nothing_but_codes_is_another_one():
    before, path = vars(strangers).copy(), list(sys.meta_path)
    scope = seen_through("strangers")
    scope.for_good()
    assert grad(strangers.halves)(X) == pytest.approx(-math.sin(X))
    assert vars(strangers) == before
    assert (sys.meta_path, builtins.__import__) == (path, IMPORT)


def test_another_thread_computes_with_plain_values_meanwhile():
    expected = {name: getattr(strangers, name)(X) for name in FUNCTIONS}
    found, inside, done = {}, threading.Event(), threading.Event()

    def compute():
        inside.wait()
        try:
            found.update({name: getattr(strangers, name)(X) for name in FUNCTIONS})
        finally:
            done.set()

    def waiting(x):
        inside.set()
        done.wait()
        return strangers.halves(x)

    thread = threading.Thread(target=compute)
    thread.start()
    with seen_through("strangers"):
        assert grad(waiting)(X) == pytest.approx(-math.sin(X))
    thread.join()
    assert found == expected


def test_a_scope_that_is_opened_while_a_derivative_is(monkeypatch):
    """By the differentiated function itself, whose code asks for nothing."""
    monkeypatch.delitem(packages, "strangers", raising=False)

    def inside(x):
        with seen_through("strangers"):
            return strangers.halves(x)

    with only_marked():
        assert grad(inside)(X) == pytest.approx(-math.sin(X))


def test_a_name_of_no_package_is_refused():
    with pytest.raises(InputError, match="strangrs"), seen_through("strangers", "strangrs"):
        pass
    assert strangers.np is np


def test_the_error_outside_names_the_scope(monkeypatch):
    monkeypatch.setattr(
        "chainrules_tape.refusals.error_notes.is_installed",
        lambda filename: "strangers" in filename,
    )
    with pytest.raises(LostGradientError) as caught:
        grad(strangers.converted)(X)
    assert any(
        'seen_through("strangers")' in note and "__init__.py:" in note
        for note in caught.value.__notes__
    )


def test_plain_values_in_scipy_whose_modules_ask_whether_something_is_sparse():
    signal = importlib.import_module("scipy.signal")
    interpolate = importlib.import_module("scipy.interpolate")
    numbers = np.arange(6.0) ** 2

    def results():
        return signal.detrend(numbers), interpolate.CubicSpline(np.arange(6.0), numbers)(1.5)

    trends, value = results()
    with seen_through("scipy"):
        seen_trends, seen_value = results()
    np.testing.assert_array_equal(seen_trends, trends)
    assert seen_value == value


IN_NUMPY = {
    "eigh": lambda a: np.sum(np.linalg.eigh(a)[0] ** 2),
    "cholesky": lambda a: np.sum(np.linalg.cholesky(a)),
    "qr": lambda a: np.sum(np.linalg.qr(a)[1]),
    "a polynomial": lambda a: np.sum(np.polynomial.Chebyshev([1.0, a[0, 1], 0.5])(a)),
}


@pytest.mark.parametrize(
    ("package", "name"),
    [
        *[(p, name) for p in ("numpy", "numpy.linalg", "scipy") for name in [*IN_NUMPY][:3]],
        *[(p, "a polynomial") for p in ("numpy", "numpy.polynomial")],
    ],
)
def test_numpy_s_own_functions_in_a_scope(package, name):
    f, a = IN_NUMPY[name], np.array([[2.0, 0.3], [0.3, 1.0]])
    with seen_through(package):
        slope = grad(f)(a)
    for step in (np.eye(2), np.diag([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]])):
        difference = quotients(lambda t, step=step: f(a + t * step), 0.0)
        assert np.sum(slope * step) == pytest.approx(difference, rel=1e-6, abs=1e-8)


def test_a_rule_that_is_registered_in_a_scope_is_that_of_the_function():
    mine = RuleTable(parent=default_rules)

    def expm_rrule(a):
        return a, lambda a_bar: (5.0 * a_bar,)

    with seen_through("scipy"):
        mine.rrule.register(linalg.expm)(expm_rrule)
    y, pullback = mine.rrule(linalg.expm, np.eye(2))
    np.testing.assert_array_equal(pullback(y)[0], 5.0 * np.eye(2))
