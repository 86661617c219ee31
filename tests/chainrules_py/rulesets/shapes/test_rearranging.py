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
