"""Each shortcut is the function it stands for, bit for bit."""

import itertools

import numpy as np
import pytest

from chainrules_numpy.shortcuts import SHORTCUTS, has_many_short_rows, sum_of_array

rng = np.random.default_rng(0)
ARRAYS = [
    rng.normal(size=shape).astype(dtype)
    for shape in [(), (3,), (0,), (4, 5), (2, 3, 4)]
    for dtype in "dfDei?"
]
OTHERS = [2.0, [1.0, 2.0], np.float32(3.0), np.ma.masked_array([1.0, 2.0], [True, False])]
REDUCTIONS = [
    *({}, {"axis": None}, {"axis": 0}, {"axis": -1, "keepdims": True}),
    *({"axis": (0, -1)}, {"axis": ()}),
    *({"dtype": "float32"}, {"initial": 2.0}, {"where": np.True_}),
    {"axis": 0, "where": np.False_, "initial": 1.0},
]
SHAPES = [
    {"shape": shape, **more}
    for shape in (-1, (-1,), (1, -1))
    for more in ({}, {"order": "F"}, {"copy": True})
]
EXTREMES = [options for options in REDUCTIONS if "dtype" not in options]
SWAPS = [{"axis1": 0, "axis2": 1}, {"axis1": -1, "axis2": 0}, {"axis1": 0, "axis2": 5}]
ROLLS = [
    {"shift": shift, "axis": axis}
    for shift in (0, 1, -3, 17, (1, 2), np.int64(1), True)
    for axis in (0, 1, -1, None, 5)
]
CALLS = {
    np.sum: REDUCTIONS,
    np.max: EXTREMES,
    np.min: EXTREMES,
    np.reshape: SHAPES,
    np.swapaxes: SWAPS,
    np.roll: ROLLS,
    np.stack: [{"axis": axis} for axis in (0, 1, -1, 3, -5)] + [{"dtype": "float32"}],
}


def answer(f, a, options):
    """What a call returns or raises."""
    try:
        y = f(a, **options)
    except Exception as error:
        return type(error)
    return (
        type(y),
        getattr(y, "dtype", None),
        np.shape(y),
        np.asarray(y).tobytes(),
        getattr(getattr(y, "flags", 0), "owndata", 0),
    )


def test_all_are_tested():
    assert SHORTCUTS.keys() == CALLS.keys()


@pytest.mark.parametrize("primal", SHORTCUTS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_same_answers(primal):
    for a, options in itertools.product([*ARRAYS, *OTHERS], CALLS[primal]):
        assert answer(SHORTCUTS[primal], a, options) == answer(primal, a, options), (a, options)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_stacks_of_several_arrays(count):
    for a, options in itertools.product(ARRAYS, CALLS[np.stack]):
        for given in ([a] * count, (a,) * count, [*[a] * count, a[None]], [*[a] * count, 2.0]):
            assert answer(SHORTCUTS[np.stack], given, options) == answer(np.stack, given, options)
    assert answer(SHORTCUTS[np.stack], [], {}) == answer(np.stack, [], {})
    mixed = [np.ones(3), np.arange(3), np.ones(3, np.float32)]
    assert answer(SHORTCUTS[np.stack], mixed, {"axis": 1}) == answer(np.stack, mixed, {"axis": 1})


def rows(length, count, dtype="d"):
    """Rows whose sums depend on the order of summation."""
    return (
        rng.normal(size=(count, length)) * 10.0 ** rng.integers(-6, 6, size=(count, length))
    ).astype(dtype)


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("length", range(2, 16))
def test_short_rows_are_added_up_in_the_order_of_numpy(length, dtype):
    a = rows(length, 100 * length, dtype)
    a[:4] = [[0.0], [-0.0], [np.inf], [np.nan]]
    for given, axis in ((a, 1), (a, -1), (a.reshape(2, -1, length), 2)):
        assert has_many_short_rows(given, axis)
        assert answer(sum_of_array, given, {"axis": axis}) == answer(np.sum, given, {"axis": axis})


LARGE = rows(5, 2000)
NOT_SO = {
    "few": (rows(5, 20), 1),
    "long": (rows(16, 2000), 1),
    "of one number": (rows(1, 2000), 1),
    "another axis": (LARGE, 0),
    "other memory": (np.asfortranarray(LARGE), 1),
    "every other": (LARGE[:, ::2], 1),
    "complex": (LARGE + 0j, 1),
    "half": (rows(5, 2000).clip(-100, 100).astype("float16"), 1),
    "swapped": (LARGE.astype(">f8"), 1),
    "a number": (np.array(1.0), -1),
}


@pytest.mark.parametrize("case", NOT_SO)
@pytest.mark.filterwarnings("ignore:overflow")
def test_everything_else_is_left_to_numpy(case):
    a, axis = NOT_SO[case]
    assert not has_many_short_rows(a, axis)
    assert answer(sum_of_array, a, {"axis": axis}) == answer(np.sum, a, {"axis": axis})
