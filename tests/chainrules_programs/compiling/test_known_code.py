"""One recording is enough for code that is known; other code runs twice, and shows what it hides."""

import functools
import types

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.special

from chainrules_programs.compiling import compile as compiling
from chainrules_programs.compiling.known_code import is_known, is_same_result
from chainrules_tape import compiled, grad, value_and_grad

X = np.arange(1.0, 4.0)
A = np.eye(3)


@pytest.fixture
def recordings(monkeypatch):
    """The recordings that a test makes."""
    found = []
    record_call = compiling.record_call

    def noted(*args):
        found.append(args)
        return record_call(*args)

    monkeypatch.setattr(compiling, "record_call", noted)
    return found


def squares(x):
    return np.sum(A @ x * x)


def test_known_code_is_recorded_once(recordings):
    step = compiled(value_and_grad(squares))
    for k in range(4):
        value, slope = step(X + k)
        assert value == np.sum((X + k) ** 2)
        np.testing.assert_array_equal(slope, 2 * (X + k))
    assert step.count_of_programs() == 1
    assert len(recordings) == 1


def test_prepared_by_one_recording(recordings):
    step = compiled(grad(squares))
    step.prepare(X)
    assert step.count_of_programs() == len(recordings) == 1


def test_code_of_packages_is_recorded_twice(recordings):
    step = compiled(grad(lambda x: np.sum(scipy.special.erf(x))))
    step.prepare(X)
    assert step.count_of_programs() == 1
    assert len(recordings) == 2


def hidden(draw):
    """Return a function of a package that nobody can follow, which has a number of its own."""
    scope = {"np": np, "draw": draw, "__name__": "scipy.special.hidden"}
    exec("def hidden(x):\n    return np.where(x > 100, x * draw(), x)", scope)
    return scope["hidden"]


def test_a_number_that_changes_nothing_yet():
    """The program would be the function's at these numbers, and is not at others."""
    numbers = iter(range(2, 100))
    function = hidden(numbers.__next__)
    step = compiled(lambda x: np.sum(function(x)))
    for _ in range(3):
        assert step(X) == 6.0
    assert step.count_of_programs() == 0


def test_another_path_is_recorded(recordings):
    def function(x):
        return np.sum(x * x) if x[0] > 0 else np.sum(x)

    step = compiled(grad(function))
    for sign in (1, -1, 1, -1, 1, -1):
        expected = 2 * X if sign > 0 else np.ones(3)
        np.testing.assert_array_equal(step(sign * X), expected)
    assert step.count_of_programs() == 2
    assert len(recordings) == 2


def test_results_that_differ_are_recorded_again(recordings, monkeypatch):
    """Where the function computes something else, its program is given up."""
    monkeypatch.setattr(compiling, "is_same_result", lambda one, other: False)
    step = compiled(grad(squares))
    for k in range(3):
        np.testing.assert_array_equal(step(X + k), 2 * (X + k))
    assert len(recordings) == 2
    assert step.count_of_programs() == 1


def test_arguments_that_are_written(recordings):
    def function(x):
        x[0] = 5.0
        return np.sum(x)

    step = compiled(function)
    for _ in range(3):
        x = X.copy()
        assert step(x) == 10.0
        assert x[0] == 5.0
    assert len(recordings) == 2


KNOWN = {
    "a ufunc": np.sin,
    "a function of NumPy's": np.where,
    "one of its linear algebra": np.linalg.solve,
    "a function of the user's": squares,
    "a class of Python's": functools.partial,
    "a number": 2.0,
    "NumPy": np,
}
UNKNOWN = {
    "generators": np.random,
    "a function of a generator's module": np.random.default_rng,
    "a function of SciPy's": scipy.linalg.solve,
    "a module of SciPy's": scipy.special,
    "a module of an unknown package": types.ModuleType("pytest"),
    "a cache": functools.lru_cache(squares),
}


@pytest.mark.parametrize("x", KNOWN.values(), ids=KNOWN)
def test_known(x):
    assert is_known(x)


@pytest.mark.parametrize("x", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown(x):
    assert not is_known(x)


SAME = {
    "numbers": (1.0, 1.0 + 1e-15),
    "nan": (np.array([np.nan, 1.0]), np.array([np.nan, 1.0])),
    "infinities": (np.array([np.inf, 1.0]), np.array([np.inf, 1.0])),
    "a small one beside large ones": (np.array([1e-12, 1e4]), np.array([2e-12, 1e4])),
    "integers": ([1, {"a": np.arange(3)}], [1, {"a": np.arange(3)}]),
    "nothing": (np.zeros(0), np.zeros(0)),
    "text": ("a", "a"),
    "sparse matrices": (scipy.sparse.eye_array(3).tocsr(), scipy.sparse.eye_array(3).tocsr()),
}
OTHER = {
    "numbers": (1.0, 1.001),
    "nan": (np.array([np.nan, 1.0]), np.array([1.0, 1.0])),
    "shapes": (np.zeros(3), np.zeros((3, 1))),
    "types": (1.0, np.float64(1.0)),
    "dtypes": (np.zeros(3), np.zeros(3, np.float32)),
    "integers": (np.arange(3), np.arange(3)[::-1]),
    "lengths": ([1.0], [1.0, 1.0]),
    "text": ("a", "b"),
    "sparse matrices": (scipy.sparse.eye_array(3).tocsr(), 1.1 * scipy.sparse.eye_array(3).tocsr()),
    "patterns": (scipy.sparse.eye_array(3).tocsr(), scipy.sparse.eye_array(3, k=1).tocsr()),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_same(one, other):
    assert is_same_result(one, other)


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_not_the_same(one, other):
    assert not is_same_result(one, other)
