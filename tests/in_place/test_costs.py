"""What writes cost: memory and work in proportion to what is written, to second order; and what is
refused.
"""

import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import (
    InPlaceError,
    LostGradientError,
    grad,
    hvp,
    jvp,
    vjp,
    vmap,
)

SHORT, LONG = 200, 2_000
X = np.array([0.5, -1.5, 2.0])


def recurrence(x):
    y = tnp.copy(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + y[i]
    return y[len(x) - 1] ** 2


COSTS = {
    "gradient": grad,
    "forward over reverse": lambda f: lambda x: hvp(f, x, np.ones_like(x)),
    "reverse over reverse": lambda f: grad(lambda x: np.sum(grad(f)(x))),
}


def peak(f, x):
    f(x)  # what is looked up once
    tracemalloc.start()
    f(x)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


OF_SECOND_ORDER = [name for name in COSTS if " over " in name]
NAMES = [
    pytest.param(name, marks=pytest.mark.long if name in OF_SECOND_ORDER else ()) for name in COSTS
]


@pytest.mark.parametrize("name", NAMES)
def test_memory_is_linear(name):
    """Of ten times as many writes into an array ten times as long: an array per write would take a
    hundred times as much.

    It takes up to 18 times as much, because Python makes each integer above 256 anew.
    """
    f = COSTS[name](recurrence)
    assert peak(f, np.ones(LONG)) < 25 * peak(f, np.ones(SHORT))


def writes(x, count):
    y = tnp.copy(x)
    for i in range(1, count):
        y[i] = y[i - 1] * 0.5 + y[i]
    return y[count - 1] ** 2


def reads(x, count):
    """Of an array that is not written to, before and after something that needs all of it."""
    total = np.sum(x**3)
    for i in range(count):
        total = total + x[i] * np.sin(x[i : i + 2][0])
    return total + np.sum(x**2)


@pytest.mark.parametrize("program", [writes, reads])
@pytest.mark.parametrize("name", COSTS)
def test_no_entry_costs_an_array(name, program, monkeypatch):
    """As few arrays of the full length are made for many entries as for few: in an array of fixed
    length.
    """

    def made(entries):
        count = 0
        zeros, array = np.zeros, np.array

        def counting(make):
            def call(*args, **options):
                nonlocal count
                y = make(*args, **options)
                count += np.size(y) >= LONG
                return y

            return call

        def f(x):
            return program(x, entries)

        with monkeypatch.context() as patch:
            patch.setattr(np, "zeros", counting(zeros))
            patch.setattr(np, "array", counting(array))
            COSTS[name](f)(np.ones(LONG))
        return count

    assert made(40) == made(5)


def calls_of(f, x):
    """How many functions of Python's a call takes, once it has been made before."""
    count = 0

    def counted(frame, event, _):
        nonlocal count
        count += event == "call"

    f(x)
    sys.setprofile(counted)
    try:
        f(x)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("derivative", [grad, lambda f: lambda x: jvp(f, (x,), (x,))])
def test_a_view_that_is_read_before_the_first_write_makes_nothing_slow(derivative):
    """The product keeps the memory that the first write replaces."""

    def program(is_read):
        def f(x):
            y = x * 1.0
            total = np.sum(y[:1] * y[1:2] if is_read else x[:1])
            for i in range(1, len(x)):
                y[i] = y[i] - np.dot(x[:2], y[i - 1 : i + 1]) / x[i]
            return total + np.sum(y)

        return calls_of(derivative(f), np.linspace(1.0, 2.0, 60))

    assert program(is_read=True) < 1.6 * program(is_read=False)


def fill(x):
    y = tnp.empty((2, 3))
    y[0], y[1] = np.sin(x), x
    y[0] *= y[1]
    y += y[::-1]
    return y


def test_a_pullback_is_called_by_several_threads():
    _, pullback = vjp(fill, X)
    seeds = [np.full((2, 3), float(k)) for k in range(16)]
    expected = [pullback(seed)[0] for seed in seeds]
    with ThreadPoolExecutor(4) as pool:
        for found, one in zip(
            pool.map(lambda seed: pullback(seed)[0], seeds), expected, strict=True
        ):
            np.testing.assert_array_equal(found, one)


@pytest.mark.parametrize("before", [lambda y: None, lambda y: y.fill(1.0)])
@pytest.mark.parametrize("change", [lambda y: y.setflags(write=True), lambda y: y.resize(4)])
def test_what_changes_more_than_entries_is_refused(before, change):
    def f(x):
        y = x * 1.0
        before(y)
        change(y)
        return np.sum(y)

    with pytest.raises((InPlaceError, LostGradientError)) as caught:
        grad(f)(X)
    assert caught.value.instead


def test_arrays_of_other_libraries_in_lanes_are_not_written_to():
    jax = pytest.importorskip("jax")

    def f(x):
        y = 1.0 * x
        y[0] = 2.0
        return np.sum(y * x)

    with pytest.raises(InPlaceError) as caught:
        vmap(f)(jax.numpy.ones((2, 3)))
    assert "a write in place, which is not traced in arrays of " in caught.value.got


def test_a_buffer_is_no_array_to_code_in_c():
    buffer = tnp.zeros(3)
    assert not issubclass(type(buffer), np.ndarray)

    def f(x):
        buffer[0] = x[0]
        return np.frombuffer(buffer)

    with pytest.raises(TypeError):
        grad(f)(X)
    plain = np.zeros(3)

    def into_a_plain_array(x):
        plain[0] = x[0]

    with pytest.raises(InPlaceError) as caught:
        grad(into_a_plain_array)(X)
    assert "chainrules_tape.numpy" in caught.value.instead
    np.testing.assert_array_equal(plain, np.zeros(3))


def test_what_a_rule_hands_on_is_not_changed_by_earlier_writes():
    """A rule may return its cotangent for another argument, too; the sweep then changes the one in
    place.
    """
    from chainrules_py import rrule
    from chainrules_tape import primitive

    @primitive
    def add_into(x, y):
        y += x

    @rrule.register(add_into, overwrites="y")
    def add_into_rrule(x, y):
        y += x
        return y, lambda y_bar: (y_bar, y_bar)

    def f(x):
        y = tnp.copy(x)
        y[0] = 2.0 * x[0]
        add_into(np.sin(x), y)
        y[1] = 0.0
        return np.sum(y**2)

    expected = grad(lambda x: (2 * x[0] + np.sin(x[0])) ** 2 + (x[2] + np.sin(x[2])) ** 2)(X)
    np.testing.assert_allclose(grad(f)(X), expected)
