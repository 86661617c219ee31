"""Arrays in another memory order: what follows the order in memory is the function's own.

Each program makes an array of an argument, or reads one that it captures, and reads its entries as
they stand in memory. It is compiled for one order and called with others.
"""

import copy
import itertools

import numpy as np
import pytest

from chainrules_tape import compiled, stop_gradient, value_and_grad

WEIGHTS = np.arange(12.0)
MADE_OF = {
    "itself": lambda x: x,
    "copy": lambda x: x.copy(),
    "copy in its order": lambda x: x.copy("K"),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "numpy.copy": np.copy,
    "astype": lambda x: x.astype(float),
    "negative": np.negative,
    "product": lambda x: 2.0 * x,
    "transposed twice": lambda x: x.T.T,
    "reversed twice": lambda x: x[::-1][::-1],
    "like it": lambda x: np.ones_like(x) * x,
    "rows": lambda x: x[[0, 1, 2, 3]],
    "where": lambda x: np.where(x > 0, x, 0.0),
    "stacked": lambda x: np.stack([x])[0],
}
READ = {
    "ravel K": lambda y: y.ravel(order="K"),
    "ravel A": lambda y: np.ravel(y, order="A"),
    "flatten K": lambda y: y.flatten("K"),
    "reshape A": lambda y: np.reshape(y, 12, order="A"),
}
ROWS = np.arange(1.0, 13.0).reshape(4, 3)
ORDERS = {
    "rows": ROWS,
    "columns": np.asfortranarray(ROWS),
    "every second column": np.repeat(ROWS, 2, 1)[:, ::2],
    "backwards": ROWS[::-1].copy()[::-1],
}
FIRST_THEN = list(itertools.permutations(ORDERS, 2))


def alike(one, other):
    return all(map(np.array_equal, one, other))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("is_constant", [False, True])
@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("made", MADE_OF)
def test_orders_of_an_argument(made, read, is_constant):
    stopped = stop_gradient if is_constant else lambda y: y

    def f(x):
        entries = READ[read](stopped(MADE_OF[made](x)))
        return x[0, 0] * np.sum(entries * WEIGHTS)

    plain, step = compiled(f), compiled(value_and_grad(f))
    for x in ORDERS.values():
        for _ in range(3):
            assert plain(x) == f(x)
        if is_constant:  # else a derivative refuses orders that follow memory
            for _ in range(3):
                value, slope = step(x)
                assert value == f(x)
                expected = np.zeros((4, 3))
                expected[0, 0] = value / x[0, 0]
                np.testing.assert_allclose(slope, expected)


IN_A_METHOD = "class C:\n    def g(self): return {}\nc = C()\ndef f(x): return np.sum(x) * c.g()"
READING = [
    "np.sum(A.ravel('K')[3:5])",
    "np.sum(np.copy(A, order='K').ravel('A')[3:5])",
    "np.empty_like(A).strides[0]",
    "sum(A.flat[3:5]) + A.strides[0]",
]


@pytest.mark.parametrize("dtype", [float, int, bool])
@pytest.mark.parametrize("text", [*READING, *map(IN_A_METHOD.format, READING)])
def test_orders_of_a_captured_array(text, dtype):
    source = text if "def f" in text else f"def f(x): return np.sum(x) * ({text})"
    arrays = {
        name: (x % 2 == 0 if dtype is bool else x.astype(dtype, "K")) for name, x in ORDERS.items()
    }
    arrays["every second column"] = np.repeat(arrays["rows"], 2, 1)[:, ::2]
    for first, then in FIRST_THEN:
        space = {"np": np, "__name__": "a_users_module", "A": arrays[first]}
        exec(source, space)
        step = compiled(value_and_grad(space["f"]))
        for name in (first, first, first, then, then):
            space["A"] = arrays[name]
            assert alike(step(WEIGHTS), value_and_grad(space["f"])(WEIGHTS))
