"""`vmap`: one call for many examples gives what one call per example gives."""

import pickle
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from chainrules_py import RuleTable, default_rules, primitive
from chainrules_py.errors import BatchingError
from chainrules_tape import (
    LostGradientWarning,
    grad,
    vmap,
)

X = np.linspace(0.2, 1.9, 12).reshape(4, 3)
Y = np.linspace(-1.0, 1.0, 12).reshape(4, 3)


def loss(x):
    return np.sum(np.sin(x) * np.exp(-x)) + np.prod(x)


def each(f, *args):
    return np.stack([f(*own) for own in zip(*args, strict=True)])


# Axes


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_examples_and_results_lie_along_any_axis(axis):
    x = np.arange(24.0).reshape(2, 3, 4)
    assert_array_equal(vmap(lambda a: 2.0 * a, axis, axis)(x), 2.0 * x)
    assert_array_equal(vmap(lambda a: a.sum(0), axis)(x), np.moveaxis(x, axis, 0).sum(1))


def test_axes_are_trees_over_the_arguments():
    def f(pair, w):
        return pair["a"] * w - pair["b"][0]

    given = {"a": X, "b": [Y[0]]}
    found = vmap(f, in_axes=({"a": 0, "b": None}, None))(given, 3.0)
    assert_array_equal(found, 3.0 * X - Y[0])
    found = vmap(f, in_axes=[{"a": 0, "b": [None]}, None])(given, 3.0)
    assert_array_equal(found, 3.0 * X - Y[0])


def of_too_few():
    rules = RuleTable(parent=default_rules)
    rules.batched.register(np.cos)(lambda lanes, x: x[0])
    return vmap(np.cos, rules=rules)(X)


def careless(question):
    """A program that goes on where a question has no answer."""

    def program(x):
        try:
            return question(x) * x
        except (TypeError, ValueError):
            return 3.0 * x

    return program


def added(axes, *args):
    return lambda: vmap(lambda *xs: sum(xs), in_axes=axes)(*args)


QUESTIONS = [
    *(lambda x: 1.0 if x[0] > 0.5 else 2.0, lambda x: float(x[0]), lambda x: int(x[0])),
    *(lambda x: x[0].item(), lambda x: x[0] and 1.0, lambda x: max(x[0], x[1])),
    *(lambda x: 1.0 if x.sum() else 2.0, lambda x: x.tolist()),
]
CAUGHT = [float, bool, lambda x: [1.0, 2.0][x > 0.5], lambda x: x.item()]
REFUSED = {
    "sizes that differ": (added((0, 0), X, Y[:3]), "4.*3"),
    "no axis": (added((None, None), X, Y), "no argument"),
    "an axis too many": (added((2,), X), r"\(4, 3\).*axis 2|axis 2.*\(4, 3\)"),
    "too few axes": (added((0,), X, Y), r"\(0,\).*2 arguments|2 arguments.*\(0,\)"),
    "another structure": (added(({"a": 0},), X), "structure"),
    "an axis of another class": (added(("first",), X), "first"),
    "a number": (added((0,), 1.0), r"\(\)"),
    "a result that differs": (lambda: vmap(lambda x: x, out_axes=None)(X), "out_axes=None"),
    "no such axis of a result": (lambda: vmap(np.sum, out_axes=1)(X), "out_axes"),
    "an index": (lambda: vmap(lambda i: [1.0, 2.0][i])(np.array([0, 1])), "take"),
    "a rule for too few": (of_too_few, "4 lanes"),
    **{
        f"decision {k}": (lambda ask=ask: vmap(ask)(X), r"numpy\.where")
        for k, ask in enumerate(QUESTIONS)
    },
    **{
        f"decision {k} that is caught": (
            lambda ask=ask: vmap(careless(ask))(X[0]),
            "differs from lane to lane",
        )
        for k, ask in enumerate(CAUGHT)
    },
    **{
        f"chunks of {size!r}": (lambda size=size: vmap(loss, chunk_size=size)(X), "chunk_size")
        for size in (0, -1, 2.0, "all")
    },
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(call, words):
    with pytest.raises(BatchingError, match=words):
        call()


@pytest.mark.parametrize("question", CAUGHT, ids=range(4))
def test_an_error_about_lanes_that_was_caught_within_a_gradient(question):
    with pytest.raises((BatchingError, LostGradientWarning)):
        vmap(grad(careless(question)))(X[0])


# What goes in and comes out


class Point(NamedTuple):
    x: np.ndarray
    y: np.ndarray


@dataclass
class Model:
    weights: np.ndarray
    bias: float
    name: str = "model"


def test_containers_come_back_as_they_are():
    point = vmap(lambda p: Point(p.x + p.y, 2 * p.y))(Point(X, Y))
    assert type(point) is Point
    assert_array_equal(point.x, X + Y)
    model = vmap(lambda m, x: Model(m.weights * x, m.bias + x.sum()), (None, 0))(
        Model(Y[0], 1.0), X
    )
    assert type(model) is Model
    assert model.name == "model"
    assert_array_equal(model.weights, Y[0] * X)
    assert_allclose(model.bias, 1.0 + X.sum(1))
    axes = Model(0, 0, None)
    found = vmap(lambda m, x: m.weights @ x + m.bias, (axes, None))(Model(X, Y[:, 0]), Y[0])
    assert_allclose(found, X @ Y[0] + Y[:, 0])


def test_what_is_the_same_in_all_lanes_is_repeated():
    assert_array_equal(vmap(lambda x: Y[0])(X), np.broadcast_to(Y[0], (4, 3)))
    assert_array_equal(vmap(lambda x: x.shape[0])(X), [3, 3, 3, 3])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32"])
def test_dtypes_are_those_of_single_calls(dtype):
    x = (X * 4).astype(dtype)

    def f(x):
        return x * 2 + x[0], np.mean(x), x.real, np.arange(3) * x

    found = vmap(f)(x)
    for part, expected in zip(found, zip(*map(f, x), strict=True), strict=True):
        assert part.dtype == np.stack(expected).dtype
        assert_allclose(part, np.stack(expected), rtol=1e-6)


def test_no_lanes_have_the_shapes_of_some():
    found = vmap(lambda x: (x * 2, x.sum(), np.unique(np.array([3, 3]))))(X[:0])
    assert [part.shape for part in found] == [(0, 3), (0,), (0, 1)]
    assert vmap(grad(loss))(X[:0]).shape == (0, 3)
    assert vmap(lambda x: x.astype(np.float32))(X[:0]).dtype == np.float32


def test_the_facts_of_one_example_are_asked_for():
    def f(x):
        assert (x.shape, x.ndim, x.size, len(x)) == ((3,), 1, 3, 3)
        assert (np.shape(x), np.ndim(x), np.size(x)) == ((3,), 1, 3)
        assert isinstance(x, np.ndarray)
        assert isinstance(x[0], np.float64)
        assert x.dtype == np.float64
        assert np.result_type(x, np.float32) == np.float64
        total = 0.0
        for entry in x:
            total = total + entry
        first, *_ = x
        return total + first

    assert_allclose(vmap(f)(X), X.sum(1) + X[:, 0])


def test_a_lane_is_shown_as_such():
    seen = []
    vmap(lambda x: (seen.append((repr(x), str(x), f"{x}")), x)[1])(X)
    assert all("4 lanes" in text for text in seen[0]), seen


def test_the_callers_array_is_not_written_to():
    def f(x):
        x[0] = 0.0
        x *= 2.0
        return x

    before = X.copy()
    expected = 2.0 * X
    expected[:, 0] = 0.0
    assert_array_equal(vmap(f)(X), expected)
    assert_array_equal(X, before)


# Nesting


def test_strides_of_one_example_in_three_levels():
    seen = []
    vmap(vmap(vmap(lambda a: (seen.append((a.shape, a.strides)), a)[1])))(np.ones((2, 3, 4, 5)))
    assert seen == [((5,), (8,))]


# Levels


def test_a_mapped_function_pickles():
    f = pickle.loads(pickle.dumps(vmap(loss, in_axes=1)))
    assert_allclose(f(X.T), each(loss, X))
    assert "loss" in repr(vmap(loss))
    assert vmap(loss).__name__ == "loss"


# Chunks


def test_so_many_examples_are_computed_at_a_time():
    sizes = []

    def noted(x, y):
        sizes.append(x.level.size)
        return x * y

    found = vmap(noted, in_axes=(1, None), chunk_size=3)(X.reshape(3, 4), 2.0)
    assert sizes == [3, 1]
    assert_array_equal(found, 2 * X.reshape(3, 4).T)


def test_chunks_of_containers_lie_along_any_axis():
    def parts(x, y):
        return {"product": x * y["own"], "sum": np.sum(x), "same": 3.0}

    axes = {"product": -1, "sum": 0, "same": None}
    found = vmap(parts, (-1, {"own": 0}), axes, chunk_size=3)(X.T, {"own": Y})
    assert_array_equal(found["product"], (X * Y).T)
    assert_allclose(found["sum"], X.sum(axis=1))
    assert found["same"] == 3.0


def test_chunks_of_other_dtypes_are_joined_as_numpy_does():
    """Where a later chunk does not fit into the array that the first one has made."""
    kinds = iter([np.float32, np.float64, np.float32])

    def of_its_own_dtype(x):
        return x.astype(next(kinds))

    found = vmap(of_its_own_dtype, chunk_size=2)(np.arange(5.0))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.arange(5.0))


# Fast dispatch


def test_a_function_of_lanes_is_found_at_once_the_second_time():
    from chainrules_tape.core.config import engine_of

    vmap(lambda x: np.cumsum(x))(X)
    known = [key for key in engine_of(default_rules).in_lanes if key[:2] == (None, np.cumsum)]
    assert known


# Rules


def test_a_users_function_without_a_rule_is_a_loop():
    calls = []

    @primitive
    def counted(x):
        calls.append(np.shape(x))
        return np.sum(x**2)

    assert_allclose(vmap(counted)(X), (X**2).sum(1))
    assert calls == [(3,)] * 4


def test_each_chunk_starts_from_what_is_the_same_for_all():
    def f(x, count, *, other):
        count[0] += 1
        other[0] += 1
        return x * count[0] * other[0]

    count, other, x = np.zeros(1), np.zeros(1), np.array([1.0, 2.0, 3.0])
    found = vmap(f, (0, None), chunk_size=1)(x, count, other=other)
    np.testing.assert_array_equal(found, x)
    assert count[0] == other[0] == 0


def test_booleans_to_take_are_positions_in_each_lane():
    x = np.array([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]])
    found = vmap(lambda x: np.take(x, x > 2))(x)
    assert_array_equal(found, [np.take(each, each > 2) for each in x])
