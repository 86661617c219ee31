"""The level of lanes: which operations it runs, on what, and what it refuses."""

import gc
import weakref

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import chainrules_tape.numpy as tnp
from chainrules_py import RuleTable, default_rules, primitive
from chainrules_py.batching import loop
from chainrules_py.errors import BatchingError
from chainrules_tape import grad, vmap
from chainrules_tape.core.levels import open_levels
from chainrules_tape.lanes.level import LaneHandle

X = np.linspace(0.5, 2.0, 12).reshape(4, 3)


@pytest.fixture
def no_loop(monkeypatch):
    """A loop fails the test."""

    def fail(where, results):
        raise AssertionError(f"{where} was a loop")

    monkeypatch.setattr(loop, "stacked_results", fail)


@pytest.mark.usefixtures("no_loop")
def test_a_perceptron_and_its_gradient_need_no_loop():
    w, v = np.ones((5, 3)), np.ones((2, 5))

    def error(w, v, x):
        hidden = np.tanh(w @ x)
        return np.mean((v @ hidden - 1.0) ** 2) + np.max(hidden)

    found = vmap(grad(error, (0, 1)), (None, None, 0))(w, v, X)
    assert [part.shape for part in found] == [(4, 5, 3), (4, 2, 5)]


def test_levels_are_closed():
    before = dict(open_levels)
    vmap(lambda x: vmap(np.sin)(x))(X)
    with pytest.raises(ValueError, match="mine"):
        vmap(raising)(X)
    assert dict(open_levels) == before


def raising(x):
    raise ValueError("mine")


def test_nothing_is_kept():
    references = []

    def f(x):
        references.append(weakref.ref(x.value))
        return np.sin(x).sum()

    vmap(f)(X)
    gc.collect()
    assert references[0]() is None


def test_containers_with_lanes_reach_rules_as_tuples_of_lanes():
    seen = []
    rules = RuleTable(parent=default_rules)

    @rules.batched.register(np.concatenate)
    def concatenate_batched(lanes, arrays: list, *, axis=0):
        seen.append(lanes)
        first, second = arrays
        return np.concatenate([first, np.broadcast_to(second, first.shape)], axis=axis + 1)

    found = vmap(lambda x: np.concatenate([x, np.ones(3)]), rules=rules)(X)
    assert seen == [((True, False),)]
    assert_array_equal(found, np.concatenate([X, np.ones((4, 3))], 1))


def test_the_function_of_a_primitive_runs_on_plain_lanes():
    classes = []

    @primitive
    def own(x):
        classes.append(type(x))
        return x.sum()

    vmap(own)(X)
    assert classes == [np.ndarray] * 4


def test_handles_of_numbers_and_arrays():
    def f(x):
        assert issubclass(type(x), LaneHandle)
        assert isinstance(x[0], np.float64)
        assert not isinstance(x[0], np.ndarray)
        assert tnp.asarray(x[0]).shape == ()
        with pytest.raises(TypeError, match="number"):
            x[0][0]
        with pytest.raises(TypeError):
            len(x[0])
        return x

    vmap(f)(X)


def test_a_plain_array_at_a_position_of_lanes_says_what_to_write():
    with pytest.raises(BatchingError, match=r"chainrules_tape\.numpy\.take"):
        vmap(lambda i: range(5)[i])(np.arange(4))
