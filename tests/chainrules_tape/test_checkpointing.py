"""Checkpoints: the same derivatives at any order, less kept, work done again, or not where it was
saved.
"""

import tracemalloc

import numpy as np
import pytest

from chainrules_py import Array, default_rules, primitive
from chainrules_tape import (
    ClosureError,
    InPlaceError,
    RecomputationError,
    checkpoint,
    grad,
    jvp,
    vjp,
    vmap,
)
from product.calling import written_in_place

X, W = np.array([0.3, 0.7]), np.array([[1.0, 2.0], [3.0, 4.0]])


def layer(x, w, *, scale=1.0):
    return np.tanh(w @ x) * scale


def counting():
    calls = []

    @primitive
    def costly(x):
        calls.append(1)
        return x * 3.0

    @default_rules.rrule.register(costly)
    def costly_rrule(x: Array):
        y = costly(x)

        def costly_pullback(y_bar):
            return (y_bar * 3.0,)

        return y, costly_pullback

    return costly, calls


@pytest.mark.parametrize(("saving", "expected"), [(False, 2), (True, 1)])
def test_what_is_saved_is_not_computed_twice(saving, expected):
    costly, calls = counting()
    step = checkpoint(
        lambda x: np.sin(costly(x)) * costly(np.cos(x)), save={costly} if saving else ()
    )
    _, pullback = vjp(step, X)
    assert len(calls) == 2
    (first,) = pullback(np.ones(2))
    assert len(calls) == 2 * expected
    (again,) = pullback(np.ones(2))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(
        first, 9 * (np.cos(3 * X) * np.cos(X)) - 3 * np.sin(3 * X) * np.sin(X)
    )


def test_less_is_kept():
    x = np.ones(100_000)

    def many(x):
        for _ in range(10):
            x = np.sin(x)
        return x

    def held(step):
        tracemalloc.start()
        try:
            _, pullback = vjp(lambda x: step(step(step(x))), x)
            assert pullback
            return tracemalloc.get_traced_memory()[0] / x.nbytes
        finally:
            tracemalloc.stop()

    assert held(many) > 29
    assert held(checkpoint(many)) < 6


def test_the_pullback_of_many_examples_runs_the_function_once():
    calls = []

    def step(x):
        calls.append(1)
        return x * 3.0

    many = vmap(checkpoint(step))
    points = np.stack([X, 2 * X, -X])
    np.testing.assert_allclose(grad(lambda x: np.sum(many(x)))(points), np.full((3, 2), 3.0))
    assert len(calls) == 2  # forward, and once more in the sweep


def test_examples_that_branch_are_computed_one_by_one():
    many = vmap(checkpoint(lambda x: x * x if x > 0 else -x))
    np.testing.assert_array_equal(many(np.array([3.0, -2.0])), [9.0, 2.0])
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(many(x)))(np.array([3.0, -2.0])), [6.0, -1.0]
    )


@pytest.mark.parametrize("outer", [grad, vmap], ids=["grad", "vmap"])
def test_captured_values_that_the_function_assigns_to_are_an_error(outer):
    def total(w):
        seen = w

        def step(x):
            nonlocal seen
            seen = seen + x
            return seen * 2.0

        return checkpoint(step)(w * 2)

    with pytest.raises(ClosureError) as caught:
        outer(total)(3.0 if outer is grad else np.array([3.0, 4.0]))
    assert "argument" in caught.value.instead


def test_a_constant_call_is_the_plain_function():
    assert checkpoint(lambda x: x + 1)(2) == 3
    assert checkpoint(layer).__name__ == "layer"


def drawing(draw):
    rng = np.random.default_rng(0)
    return lambda x: draw(rng, x)


DRAWS = {
    "noise": drawing(lambda rng, x: x * rng.normal(size=x.shape)),
    "dropout": drawing(lambda rng, x: np.sin(x) * (rng.random(x.shape) < 0.5)),
    "one number": drawing(lambda rng, x: np.sum(x) * rng.normal()),
    "one number in single precision": drawing(
        lambda rng, x: np.sum(x.astype(np.float32)) * np.float32(rng.normal())
    ),
    "in a container": drawing(lambda rng, x: {"y": [x * rng.normal()]}),
    "another shape": drawing(lambda rng, x: x[: rng.permutation(30)[0] + 1]),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_function_that_does_something_else_the_second_time(name):
    def loss(x):
        y = checkpoint(DRAWS[name])(x)
        return np.sum(y if name != "in a container" else y["y"][0])

    with pytest.raises(RecomputationError) as caught:
        grad(loss)(np.linspace(1.0, 2.0, 64))
    assert caught.value.function is DRAWS[name]


def test_fewer_calls_the_first_time():
    counts = iter([1, 2])

    def longer(x):
        for _ in range(next(counts)):
            x = np.sin(x)
        return np.sum(x)

    with pytest.raises(RecomputationError):
        grad(checkpoint(longer, save={np.sin}))(X)


def test_roundoff_nan_and_integers_are_the_same_again():
    roundoff = iter([0.0, 1e-12])

    def f(x):
        return x * (1 + next(roundoff)), np.log(np.array([np.nan, 2.0])) * x, np.argsort(x)

    def loss(x):
        y, z, _ = checkpoint(f)(x)
        return np.sum(y + z)

    np.testing.assert_allclose(grad(loss)(X), [np.nan, 1 + np.log(2.0)])


def test_arguments_that_nobody_may_write_to_are_differentiated_in_place():
    x = np.array([0.3, 0.7])
    expected = grad(written_in_place)(x)
    x.flags.writeable = False
    np.testing.assert_array_equal(grad(written_in_place)(x), expected)
    np.testing.assert_allclose(
        jvp(written_in_place, (x,), (np.ones(2),))[1], np.sum(expected), rtol=1e-13
    )


@pytest.mark.parametrize(
    "write",
    [
        lambda x, b: np.exp(x, out=b),
        lambda x, b: np.dot(x, np.eye(2), out=b),
        lambda x, b: np.random.default_rng(0).random(out=b),
    ],
    ids=["exp", "dot", "random"],
)
def test_a_function_that_writes_into_an_argument_is_refused_whatever_numpy_says(write):
    @checkpoint
    def f(x, b):
        write(x, b)
        return np.sum(b * x)

    with pytest.raises(InPlaceError) as caught:
        grad(lambda x: f(x, np.zeros(2)))(X)
    assert "copy" in caught.value.instead
