"""Rules of NumPy's functions that write where a mask, positions or an axis say, by the kit's
oracle.
"""

import numpy as np
import pytest

from chainrules_tape import grad
from overwriting import check_overwriting_rule

DRAW = np.random.default_rng(4)
MASK = DRAW.random((3, 4)) < 0.5
NOWHERE = np.zeros((3, 4), bool)
ALONG = np.array([[0, 3], [1, 1], [-1, 2]])

CASES = {
    "copyto": (np.copyto, (3, 4), (), (3, 4), {}),
    "copyto of a row": (np.copyto, (3, 4), (), (4,), {}),
    "copyto of a number": (np.copyto, (3, 4), (), (), {}),
    "copyto of leading ones": (np.copyto, (3, 4), (), (1, 3, 4), {}),
    "copyto where": (np.copyto, (3, 4), (), (3, 4), {"where": MASK}),
    "copyto a column where": (np.copyto, (3, 4), (), (3, 1), {"where": MASK}),
    "copyto where a row of the mask": (np.copyto, (3, 4), (), (3, 4), {"where": MASK[1]}),
    "copyto where, unsafe": (np.copyto, (3, 4), (), (), {"where": MASK, "casting": "unsafe"}),
    "copyto nowhere": (np.copyto, (3, 4), (), (3, 4), {"where": False}),
    "putmask": (np.putmask, (3, 4), (MASK,), (3, 4), {}),
    "putmask, repeated": (np.putmask, (3, 4), (MASK,), (5,), {}),
    "putmask, a number": (np.putmask, (3, 4), (MASK,), (), {}),
    "putmask, nowhere": (np.putmask, (3, 4), (NOWHERE,), (3,), {}),
    "place": (np.place, (3, 4), (MASK,), (2,), {}),
    "place, more values than places": (np.place, (3, 4), (MASK,), (20,), {}),
    "place, nowhere": (np.place, (3, 4), (NOWHERE,), (2,), {}),
    "put": (np.put, (3, 4), ([1, 5, -1],), (3,), {}),
    "put, an entry twice": (np.put, (3, 4), (np.array([[2, 7], [2, 2]]),), (2, 2), {}),
    "put, repeated values": (np.put, (3, 4), ([1, 5, 3, 8, 0],), (2,), {}),
    "put, one entry": (np.put, (3, 4), (5,), (), {}),
    "put, wrapped": (np.put, (3, 4), ([13, -14],), (2,), {"mode": "wrap"}),
    "put, clipped": (np.put, (3, 4), ([13, -14, 2],), (3,), {"mode": "clip"}),
    "put of no positions": (np.put, (3, 4), (np.zeros(0, int),), (2,), {}),
    "put_along_axis": (np.put_along_axis, (3, 4), (ALONG,), (3, 2), {"axis": 1}),
    "put_along_axis, a number": (np.put_along_axis, (3, 4), (ALONG,), (), {"axis": -1}),
    "put_along_axis 0": (
        np.put_along_axis,
        (3, 4),
        (np.array([[2, 0, 1, 1]]),),
        (1, 4),
        {"axis": 0},
    ),
    "put_along_axis of the flat array": (
        np.put_along_axis,
        (3, 4),
        (np.array([5, 0, 11]),),
        (3,),
        {"axis": None},
    ),
    "fill_diagonal": (np.fill_diagonal, (3, 4), (), (3,), {}),
    "fill_diagonal with a number": (np.fill_diagonal, (3, 4), (), (), {}),
    "fill_diagonal, repeated": (np.fill_diagonal, (5, 5), (), (2,), {}),
    "fill_diagonal of a tall matrix": (np.fill_diagonal, (8, 3), (), (3,), {}),
    "fill_diagonal, wrapped": (np.fill_diagonal, (8, 3), (), (4,), {"wrap": True}),
    "fill_diagonal of a cube": (np.fill_diagonal, (3, 3, 3), (), (3,), {}),
}


def drawn(shape, dtype):
    y = DRAW.normal(size=shape) + (1j * DRAW.normal(size=shape) if dtype is complex else 0.0)
    return y if shape else y[()]


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("name", CASES)
def test_by_the_oracle(name, dtype):
    primal, shape, where, values, options = CASES[name]
    if values == () and primal is np.putmask:
        values = (1,)  # a number that the kit can differentiate is no array, which NumPy wants here
    check_overwriting_rule(primal, drawn(shape, dtype), where, drawn(values, dtype), **options)


def test_positions_may_be_used_again():
    """What a program writes into its own arrays of positions and masks afterwards does not change
    the derivative.
    """

    def f(x):
        y = x * 1.0
        y[0] += 0.0
        places, mask = np.array([0, 1]), np.array([True, False, False])
        y[places] = y[places] ** 2
        y[mask] *= 3.0
        np.put(y, places, y[places[::-1]])
        places[:], mask[:] = 2, True
        return np.sum(y * np.array([1.0, 10.0, 100.0]))

    np.testing.assert_allclose(grad(f)(np.array([2.0, 3.0, 4.0])), [2 * 2 * 3 * 10, 2 * 3, 100])
