"""Arguments of one call that are one memory, of which the function writes into one."""

from itertools import pairwise

import numpy as np
import pytest

from chainrules_tape import (
    InPlaceError,
    compiled,
    grad,
    jacobian,
    jvp,
    taylor,
    value_and_grad,
    vjp,
    vmap,
)
from slopes import quotients

X = np.array([1.0, 2.0, 3.0])


def written(a, b):
    a[0] = b[-1] * 2
    b[1] = a[0] + 1
    return np.sum(a * b)


SHARED = {
    "one array": lambda x: (x, x),
    "overlapping slices": lambda x: (x[:-1], x[1:]),
    "reversed": lambda x: (x, x[::-1]),
}


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize(
    "derivative", [value_and_grad(written, argnums=(0, 1)), lambda *args: vjp(written, *args)]
)
def test_a_write_into_one_of_them_is_refused(kind, derivative):
    with pytest.raises(InPlaceError, match="share memory"):
        derivative(*SHARED[kind](np.arange(4.0)))


def test_a_dict_of_them_is_refused():
    x = X.copy()
    with pytest.raises(InPlaceError, match="share memory"):
        grad(lambda both: written(both["a"], both["b"]))({"a": x, "b": x})


def test_what_shares_no_memory_or_is_not_written_is_differentiated():
    memory = np.arange(6.0)
    value, _ = value_and_grad(written, argnums=(0, 1))(memory[::2].copy(), memory[1::2].copy())
    assert value_and_grad(written, argnums=(0, 1))(memory[::2], memory[1::2])[0] == value
    found = grad(lambda a, b: np.sum(a * b), argnums=(0, 1))(X, X)
    assert np.array_equal(found[0], X)


def test_one_argument_twice_is_one_memory():
    x = X.copy()
    value, slope = value_and_grad(lambda x: written(x, x))(x)
    assert value == 94.0
    assert slope.tolist() == [0.0, 0.0, 58.0]


def value_on(shared):
    return written(*shared)


@pytest.mark.parametrize("chunk_size", [None, 1])
def test_an_array_twice_is_one_memory_in_each_lane(chunk_size):
    rows = np.array([X, X + 1])
    expected = [value_on((x, x)) for x in rows.copy()]
    assert vmap(written, chunk_size=chunk_size)(rows, rows).tolist() == expected


def reads_the_other(a, b):
    a[0] = 2.0
    return np.sum(a * b)


REFUSED = {
    "views that overlap, in lanes": lambda x: vmap(written)(x[:2], x[1:]),
    "what is the same for all lanes": lambda x: vmap(reads_the_other, (0, None))(x, x[0]),
    "a constant argument": lambda x: grad(reads_the_other)(x[0], x[0]),
    "a constant keyword": lambda x: grad(reads_the_other)(x[0], b=x[0]),
    "a captured array": lambda x: grad(lambda a: reads_the_other(a, x[0]))(x[0]),
    "one captured, forward": lambda x: jvp(
        lambda a: reads_the_other(a, x[0]), (x[0],), (np.ones(3),)
    ),
    "tangents that differ": lambda x: jvp(written, (x[0], x[0]), (np.ones(3), np.zeros(3))),
    "a jacobian": lambda x: jacobian(written, argnums=(0, 1), mode="forward")(x[0], x[0]),
    "a jacobian beside a constant": lambda x: jacobian(reads_the_other)(x[0], x[0]),
    "series": lambda x: taylor(lambda both: written(*both), [x[0], x[0]], 2),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_value_by_copies_is_refused(kind):
    rows = np.arange(9.0).reshape(3, 3)
    with pytest.raises(InPlaceError, match=r"share memory|another name"):
        REFUSED[kind](rows)
    assert np.array_equal(rows, np.arange(9.0).reshape(3, 3))


def test_one_memory_moves_along_one_tangent():
    x, x_dot = X.copy(), np.array([0.5, -1.0, 2.0])
    slope = quotients(lambda t: value_on([X + t * x_dot] * 2), 0.0)
    value, found = jvp(written, (x, x), (x_dot, x_dot.copy()))
    assert value == 94.0
    assert np.isclose(found, slope, rtol=1e-8)


def test_views_that_share_memory_are_not_refused_where_others_are_written():
    def of_a_product(a, b):
        y = a * b
        y[0] = 1.0
        return np.sum(y)

    rows = np.arange(9.0).reshape(3, 3)
    expected = [of_a_product(a, b) for a, b in pairwise(rows)]
    assert vmap(of_a_product)(rows[:2], rows[1:]).tolist() == expected
    captured = grad(lambda a: reads_the_other(a, X.copy()))(X)
    assert captured.tolist() == [0.0, 2.0, 3.0]


@pytest.mark.parametrize("first", ["apart", "together"])
def test_a_compiled_derivative_is_none_for_arguments_that_are_one_memory(first):
    step = compiled(value_and_grad(written, argnums=(0, 1)))
    if first == "together":
        with pytest.raises(InPlaceError, match="share memory"):
            step(X, X)
    expected = value_and_grad(written, argnums=(0, 1))(X, X + 1)
    for _ in range(3):
        value, bars = step(X, X + 1)
        assert value == expected[0]
        assert np.array_equal(bars, expected[1])
    assert step.explain().startswith("compiled")
    for shared in SHARED.values():
        with pytest.raises(InPlaceError, match="share memory"):
            step(*shared(np.append(X, X)[: 4 if shared is SHARED["overlapping slices"] else 3]))


def test_a_compiled_vmap_gives_what_a_loop_gives():
    step = compiled(vmap(written))
    rows = np.stack([X, 2 * X])
    for _ in range(3):
        step(rows, rows + 1)
    copies = rows.copy()
    assert np.array_equal(step(rows, rows), [written(x, x) for x in copies])


def test_a_program_that_writes_nothing_stays_compiled():
    step = compiled(grad(lambda a, b: np.sum(a * b)))
    for _ in range(3):
        assert np.array_equal(step(X, X), X)
    assert step.explain().startswith("compiled")
