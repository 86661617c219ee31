"""Arguments of one call that are one memory, of which the function writes into one."""

import numpy as np
import pytest

from chainrules_tape import InPlaceError, grad, value_and_grad, vjp

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
    with pytest.raises(InPlaceError, match="one memory"):
        derivative(*SHARED[kind](np.arange(4.0)))


def test_a_dict_of_them_is_refused():
    x = X.copy()
    with pytest.raises(InPlaceError, match="one memory"):
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
