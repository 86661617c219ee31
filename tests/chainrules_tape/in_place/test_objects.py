"""Functions with rules that write into objects, lists and dicts, on tapes, forward, by hand, and to
second order.
"""

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import attrs
import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import ZERO, HandlesOverwriting, Tangent, frule, rrule
from chainrules_py.values.structure import container
from chainrules_tape import InPlaceError, checkpoint, grad, hvp, jvp, primitive, vjp

X = np.array([0.5, -1.5])


@dataclass
class Body:
    position: Any
    speed: Any
    age: float = 0.0


@attrs.define
class Particle:
    position: Any
    speed: Any
    age: float = 0.0


@primitive
def advance(body, step):
    """Write the position in place, assign the speed and the age."""
    body.position += step * body.speed
    body.speed = 0.5 * body.speed
    body.age += step


@rrule.register(advance, overwrites="body")
def advance_rrule(body: Body | Particle, step):
    speed = body.speed
    advance(body, step)

    def advance_pullback(body_bar):
        step_bar = np.sum(speed * body_bar.position) + body_bar.age
        body_bar.speed *= 0.5
        body_bar.speed += step * body_bar.position
        return body_bar, step_bar

    return body, advance_pullback


@frule.register(advance, overwrites="body")
def advance_frule(dots, body: Body | Particle, step):
    body_dot, step_dot = dots
    step_dot = 0.0 if step_dot is ZERO else step_dot
    body_dot.position += step * body_dot.speed + step_dot * body.speed
    body_dot.speed = 0.5 * body_dot.speed
    body_dot.age += step_dot
    advance(body, step)
    return body, body_dot


def moved(x, kind=Body):
    body = kind(x * 1.0, np.sin(x))
    same = body.position
    for _ in range(2):
        advance(body, x[0])
    return np.sum(same * body.position) + np.sum(body.speed**2) * body.age


def moved_functional(x):
    position, speed = x * 1.0, np.sin(x)
    for _ in range(2):
        position, speed = position + x[0] * speed, 0.5 * speed
    return np.sum(position**2) + np.sum(speed**2) * 2 * x[0]


@pytest.mark.parametrize("kind", [Body, Particle])
def test_a_function_that_writes_into_an_object(kind):
    def f(x):
        return moved(x, kind)

    np.testing.assert_allclose(f(X), moved_functional(X))
    np.testing.assert_allclose(grad(f)(X), grad(moved_functional)(X))
    np.testing.assert_allclose(jvp(f, (X,), (X,)), jvp(moved_functional, (X,), (X,)))
    np.testing.assert_allclose(hvp(f, X, X), hvp(moved_functional, X, X))
    second = grad(lambda x: np.sum(grad(f)(x) * X))
    np.testing.assert_allclose(second(X), hvp(moved_functional, X, X))
    np.testing.assert_allclose(grad(checkpoint(f))(X), grad(moved_functional)(X))


def test_a_pullback_that_is_called_twice():
    _, pullback = vjp(moved, X)
    np.testing.assert_array_equal(pullback(1.0)[0], pullback(1.0)[0])


def test_by_hand():
    body = Body(np.zeros(2), np.ones(2))
    y, pullback = rrule(advance, body, 3.0, config=HandlesOverwriting())
    assert y is body
    np.testing.assert_array_equal(body.position, [3.0, 3.0])
    body_bar, step_bar = pullback(
        Tangent[Body](position=np.array([1.0, 2.0]), speed=np.ones(2), age=1.0)
    )
    assert step_bar == 4.0
    np.testing.assert_array_equal(body_bar.speed, [3.5, 6.5])
    body_dot = Tangent[Body](position=np.ones(2), speed=np.ones(2), age=1.0)
    body = Body(np.zeros(2), np.ones(2))
    _, dot = frule((body_dot, 1.0), advance, body, 3.0, config=HandlesOverwriting())
    np.testing.assert_array_equal(dot.position, [5.0, 5.0])
    assert dot.age == 2.0


@container
class Cell:
    def __init__(self, content):
        self.content = content


@primitive
def replace_entry(holder, key, value):
    """Assign to an entry of a list or dict, or to a field of an object."""
    if isinstance(holder, list | dict):
        holder[key] = value
    else:
        setattr(holder, key, value)


@rrule.register(replace_entry, overwrites="holder")
def replace_entry_rrule(holder, key, value):
    replace_entry(holder, key, value)

    def replace_entry_pullback(holder_bar):
        if isinstance(holder, list | dict):
            value_bar, holder_bar[key] = holder_bar[key], ZERO
        else:
            value_bar = getattr(holder_bar, key)
            setattr(holder_bar, key, ZERO)
        return holder_bar, ZERO, value_bar

    return holder, replace_entry_pullback


@pytest.mark.parametrize(
    ("make", "key", "read"),
    [
        (lambda x: [x, 2.0 * x], 1, lambda holder: holder[0] + 3.0 * holder[1]),
        (lambda x: {"a": x, "b": 2.0 * x}, "b", lambda holder: holder["a"] + 3.0 * holder["b"]),
        (lambda x: {"a": x}, "b", lambda holder: holder["a"] + 3.0 * holder["b"]),
        (lambda x: [x, (1.0, x)], 1, lambda holder: holder[0] + 3.0 * holder[1]),
    ],
)
def test_lists_and_dicts(make, key, read):
    def f(x):
        holder = make(x)
        replace_entry(holder, key, np.sin(x))
        return np.sum(read(holder))

    np.testing.assert_allclose(grad(f)(X), 1 + 3 * np.cos(X))


def test_an_object_whose_class_does_not_tell_its_fields():
    def f(x):
        cell = Cell(x)
        replace_entry(cell, "content", np.sin(x))
        return np.sum(cell.content)

    np.testing.assert_allclose(grad(f)(X), np.cos(X))


def test_a_plain_array_in_an_object_is_not_written_to():
    body = Body(np.zeros(2), np.ones(2))
    with pytest.raises(InPlaceError) as caught:
        grad(lambda x: advance(body, x[0]))(X)
    assert caught.value.value is body
    np.testing.assert_array_equal(body.position, np.zeros(2))
    buffer = tnp.zeros(2)

    def f(x):
        advance(Body(buffer, np.ones(2)), x[0])
        return np.sum(buffer)

    np.testing.assert_allclose(grad(f)(X), [2.0, 0.0])


def test_what_cannot_be_assigned_to_is_refused():
    pair = namedtuple("pair", "a b")
    with pytest.raises(InPlaceError):
        grad(lambda x: replace_entry(pair(x, x), "a", x))(X)


def test_methods_of_a_mutable_object_assign_as_they_do():
    @dataclass
    class Filter:
        state: Any

        def update(self, x):
            self.state = 0.5 * self.state + x
            self.state[0] *= 2.0

    def f(kalman, x):
        kalman.update(x)
        kalman.update(x)
        return np.sum(kalman.state)

    given = Filter(np.ones(2))
    bars = grad(f, (0, 1))(given, X)
    np.testing.assert_allclose(bars[0].state, [1.0, 0.25])
    np.testing.assert_allclose(bars[1], [4.0, 1.5])
    np.testing.assert_array_equal(given.state, np.ones(2))
