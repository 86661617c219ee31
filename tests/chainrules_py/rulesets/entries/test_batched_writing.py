"""NumPy's functions that write, in lanes: against one lane after the other."""

import itertools

import numpy as np
import pytest

from chainrules_py import default_rules

LANES = 5
RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=(LANES, *shape))


def positions(low, high, *shape):
    return RNG.integers(low, high, (LANES, *shape))


MASK = normal(3, 4) > 0
# name: function, shape of a lane, arguments with lanes, options
CALLS = {
    "positions from both ends": (np.put, (3, 4), (positions(-12, 12, 5), normal(5)), {}),
    "too few values": (np.put, (3, 4), (positions(0, 12, 5), normal(2)), {}),
    "one value": (np.put, (3, 4), (positions(0, 12, 2, 3), normal()), {}),
    "wrapping": (np.put, (3, 4), (positions(-30, 30, 5), normal(7)), {"mode": "wrap"}),
    "clipping": (np.put, (6,), (positions(-30, 30, 5), normal(7)), {"mode": "clip"}),
    "a mask": (np.putmask, (3, 4), (MASK, normal(3, 4)), {}),
    "a mask and a few values": (np.putmask, (3, 4), (MASK, normal(5)), {}),
    "a mask and one value": (np.putmask, (3, 4), (MASK, normal()), {}),
    "places": (np.place, (3, 4), (MASK, normal(5)), {}),
    "flat places": (np.place, (3, 4), (MASK.reshape(LANES, 12), normal(13)), {}),
    "along the last axis": (
        np.put_along_axis,
        (3, 4),
        (positions(0, 4, 3, 2), normal(3, 2)),
        {"axis": -1},
    ),
    "along the first axis": (
        np.put_along_axis,
        (3, 4),
        (positions(0, 3, 2, 4), normal(4)),
        {"axis": 0},
    ),
    "along the flat array": (
        np.put_along_axis,
        (3, 4),
        (positions(0, 12, 5), normal(5)),
        {"axis": None},
    ),
    "a diagonal": (np.fill_diagonal, (4, 4), (normal(4),), {}),
    "a wrapped diagonal": (np.fill_diagonal, (9, 3), (normal(2),), {"wrap": True}),
    "a diagonal of three axes": (np.fill_diagonal, (3, 3, 3), (normal(),), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_lanes_are_the_loop(name):
    default_rules.load_all()
    function, shape, args, options = CALLS[name]
    # into the flat array, NumPy writes along an axis in the order of C only
    orders = "C" if options.get("axis", -1) is None else "CF"
    for lanes, order in itertools.product(
        itertools.product([True, False], repeat=len(args)), orders
    ):
        found = np.asarray(normal(*shape), order=order)
        expected = found.copy()
        given = [arg if lane else arg[0] for arg, lane in zip(args, lanes, strict=True)]
        run = default_rules.in_lanes(function, tuple(map(type, (found, *given))), (True, *lanes))
        run(found, *given, **options)
        for number in range(LANES):
            own = [x[number] if lane else x for x, lane in zip(given, lanes, strict=True)]
            function(expected[number], *own, **options)
        np.testing.assert_array_equal(found, expected)


def test_positions_outside_are_refused():
    a = np.zeros((2, 3))
    run = default_rules.in_lanes(np.put, (np.ndarray, np.ndarray, float), (True, True, False))
    with pytest.raises(IndexError, match="out of bounds"):
        run(a, np.array([[0], [3]]), 1.0)
