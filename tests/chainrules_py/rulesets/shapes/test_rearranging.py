"""Rules of functions that turn, shift and repeat entries."""

import numpy as np
import pytest

from chainrules_py import rrule


def pulled(primal, x, y_bar, **options):
    return np.asarray(rrule(primal, x, **options)[1](y_bar)[0])


class Places:
    """A number of places, as Python takes one for an index: it has no negative."""

    def __index__(self):
        return 1


@pytest.mark.parametrize(
    "shift",
    [
        Places(),
        True,
        np.True_,
        np.array(1),
        np.uint8(1),
        np.array([1], np.uint8),
        (np.uint8(1),),
        [Places()],
        1.0,
    ],
    ids=lambda v: type(v).__name__,
)
def test_roll_by_what_numpy_takes_for_a_number_of_places(shift):
    """Of an unsigned one the negative is another number of places: 255, where 1 was."""
    y_bar = np.arange(5.0)
    np.testing.assert_array_equal(
        pulled(np.roll, np.zeros(5), y_bar, shift=shift), [1.0, 2.0, 3.0, 4.0, 0.0]
    )


def test_roll_with_tuples_of_axes_and_steps():
    y_bar = np.arange(6.0).reshape(2, 3)
    x_bar = pulled(np.roll, np.zeros((2, 3)), y_bar, shift=(1, -1), axis=(0, 1))
    np.testing.assert_array_equal(x_bar, np.roll(np.roll(y_bar, -1, 0), 1, 1))


def test_repeat_with_array_counts():
    y_bar = np.array([1.0, 2.0, 4.0, 8.0])
    np.testing.assert_array_equal(
        pulled(np.repeat, np.zeros(3), y_bar, repeats=np.array([3, 0, 1])), [7.0, 0.0, 8.0]
    )


def test_repeat_never_is_zero():
    np.testing.assert_array_equal(
        pulled(np.repeat, np.zeros((2, 2)), np.ones((0, 2)), repeats=0, axis=0), np.zeros((2, 2))
    )


@pytest.mark.parametrize(
    ("new_shape", "expected"),
    [((5,), [2.0, 2.0, 1.0]), ((2,), [1.0, 1.0, 0.0]), ((6,), [2.0, 2.0, 2.0])],
)
def test_resize_counts_copies(new_shape, expected):
    np.testing.assert_array_equal(
        pulled(np.resize, np.zeros(3), np.ones(new_shape), new_shape=new_shape), expected
    )
