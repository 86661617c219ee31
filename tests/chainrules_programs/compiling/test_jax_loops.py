"""Repetitions run by XLA as loops: the numbers of the tape, whatever they write and keep."""

import random

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import compiled, grad, value_and_grad
from chainrules_tape.core.trees import flatten
from repetitions import PROGRAMS, X, entries, in_a_buffer, random_recurrence
from seeds_of_programs import groups

pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def short_programs_have_loops(monkeypatch):
    """Programs of a few hundred steps are unrolled otherwise."""
    from chainrules_programs.compiling import to_jax

    monkeypatch.setattr(to_jax, "SCANNED", 0)


@pytest.fixture
def loops(monkeypatch):
    """How often the loops that XLA runs repeat."""
    from chainrules_programs.compiling import jax_loops, to_jax

    counts = []

    def scan(run, loop):
        jax_loops.scan(run, loop)
        counts.append(loop.count)

    monkeypatch.setattr(to_jax, "scan", scan)
    return counts


def check(function, x, rtol=1e-11):
    """Compare a compiled function with the function itself, at two points."""
    step = compiled(function, to="jax")
    step.prepare(x)
    assert step.reasons == []
    for point in (x, x * 1.01):
        for y, known in zip(flatten(step(point))[0], flatten(function(point))[0], strict=True):
            np.testing.assert_allclose(y, known, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("transform", [lambda f: f, value_and_grad], ids=["plain", "gradient"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers_of_the_tape(f, transform, loops):
    if transform is value_and_grad and f in (in_a_buffer, entries):
        pytest.skip("writes at places that change are done one by one, which takes XLA long")
    check(transform(f), X)
    if f is not in_a_buffer:
        assert loops


def test_a_question_has_another_answer(loops):
    def f(x):
        for _ in range(100):
            x = np.sin(x) * 1.1 if x[0] > 0.5 else np.cos(x)
            x = x * 0.9
        return np.sum(x)

    step, start = compiled(f, to="jax"), X + 1.0
    step.prepare(start)
    for k in range(6):
        np.testing.assert_allclose(step(start * 0.9**k), f(start * 0.9**k), rtol=1e-12)


def test_sums_into_memory_from_before(loops):
    def f(x):
        total = tnp.zeros_like(x)
        part = total[3:]
        for _ in range(100):
            x = np.sin(x)
            part += x[3:]
            total *= 0.5
        return np.sum(total * x)

    check(f, X)
    assert loops == [100]


def test_what_is_carried_is_handed_on_once(monkeypatch):
    """The sum and the last state are carried, and read after the loop, too."""
    import jax

    from chainrules_programs.compiling import jax_loops

    carried, scan = [], jax.lax.scan

    def counted(repetition, first, *given):
        carried.append(len(jax.tree.leaves(first)))
        return scan(repetition, first, *given)

    monkeypatch.setattr(jax_loops.jax.lax, "scan", counted)

    def f(x):
        total = np.zeros(3)
        for _ in range(200):
            x = np.sin(x) * 0.9
            total = total + x
        return np.sum(total * x)

    check(f, X[:3])
    assert set(carried) == {3}  # the state, the sum, and whether all questions had their answers


def test_cotangents_of_entries_are_summed_in_a_scan():
    """As those of the parameters of an ODE, which each stage of each step reads one by one."""

    def f(y, p):
        for _ in range(200):
            k = np.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])
            y = y + 0.01 * k + 0.005 * np.stack([p[0] * k[1], p[2] * k[0]])
        return np.sum(y * y)

    start, rates = np.array([1.0, 0.5]), np.array([1.1, 0.4, 0.3, 0.9])
    derivative = value_and_grad(f, argnums=(0, 1))
    step = compiled(derivative, to="jax")
    step.prepare(start, rates)
    assert step.reasons == []
    for k in range(3):
        args = start * 1.1**k, rates * 0.9**k
        for found, expected in zip(
            flatten(step(*args))[0], flatten(derivative(*args))[0], strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_carried_array_is_written_into(loops):
    def f(x):
        state = x * 2.0
        for _ in range(200):
            state += x
            state = np.sin(state)
        state += 1.0
        return state

    check(f, X)
    assert loops


def test_views_of_what_is_carried(loops):
    def f(x):
        state = x * 2.0
        for _ in range(100):
            state[2:5] += x[2:5]
            state = np.sin(state)
        return state

    check(f, X)
    assert loops == [100]


def test_writes_into_what_is_kept():
    def f(x):
        state, kept = x * 2.0, []
        for _ in range(100):
            state = np.sin(state)
            kept.append(state)
            if len(kept) > 3:
                kept[-3] += x
        return sum(kept[10:90:7])

    check(f, X)


def test_writes_at_places_that_are_counted(loops):
    def f(x):
        buffer = tnp.zeros(201)
        for k in range(200):
            buffer[k + 1] = np.sin(buffer[k]) + x[3]
        return buffer

    check(f, X)
    assert loops == [200]


def test_views_that_move(loops):
    def f(x):
        buffer = tnp.zeros((101, 12))
        for k in range(100):
            buffer[k] += np.sin(buffer[k + 1]) + x
        return np.sum(buffer)

    check(f, X)
    assert loops == []


def test_an_array_that_is_written_under_two_names():
    def f(x):
        a = x * 2.0
        b = a
        for _ in range(100):
            a += x
            b = b * 0.9 + a
            a = np.cos(b)
        return a + b

    check(f, X)


def test_single_precision(loops):
    def f(x):
        for k in range(100):
            x = np.sin(x) * (1.0 + 1.0 / (k + 1))
        return np.sum(x)

    check(grad(f), X.astype(np.float32), rtol=2e-5)
    assert loops


@pytest.mark.parametrize("seed", groups(24))
def test_random_loops(seed):
    f, source = random_recurrence(random.Random(seed))
    function = f if "+=" in source else value_and_grad(f)
    step = compiled(function, to="jax")
    with np.errstate(all="ignore"):
        step.prepare(X)
        for point in (X, X * 1.01):
            for y, known in zip(flatten(step(point))[0], flatten(function(point))[0], strict=True):
                np.testing.assert_allclose(y, known, rtol=1e-9, atol=1e-9, err_msg=source)


def test_long_loops_are_not_written_out(monkeypatch):
    from chainrules_programs.compiling import jax_loops

    def f(x):
        state, long = x[:3], np.tile(x, 4)
        for k in range(40):
            state = np.tanh(0.5 * state + long[k : k + 3] * long[40 - k])
        return np.sum(state)

    monkeypatch.setattr(jax_loops, "ONE_BY_ONE", 100)
    step = compiled(grad(f), to="jax")
    step.prepare(X)
    (reason,) = step.reasons
    assert "steps that are no scan" in reason
    np.testing.assert_array_equal(step(X), grad(f)(X))
