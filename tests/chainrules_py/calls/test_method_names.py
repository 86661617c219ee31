"""Methods for another class of arrays: NumPy's own functions give a class that holds an array
NumPy's methods.
"""

import numpy as np
import pytest

from chainrules_py.engines import add_methods

X = np.array([[3.25, 1.0, 2.0], [6.0, 5.0, 4.0]])


class Held:
    """An array in an object of another class."""

    def __init__(self, array):
        self.array = array


def on_held(function):
    return lambda held, *args, **options: function(held.array, *args, **options)


FUNCTIONS = {name: on_held(getattr(np, name)) for name in ("reshape", "transpose", "ravel")}
add_methods(Held, FUNCTIONS)


def test_a_method_whose_function_is_not_there_is_not_added():
    assert not hasattr(Held, "searchsorted")


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.reshape(3, 2),
        lambda x: x.reshape((3, 2)),
        lambda x: x.reshape(-1, order="F"),
        lambda x: x.transpose(),
        lambda x: x.transpose(1, 0),
        lambda x: x.transpose((1, 0)),
        lambda x: x.transpose(None),
        lambda x: x.flatten(),
    ],
)
def test_shapes_and_axes_may_stand_alone(call):
    np.testing.assert_array_equal(call(Held(X)), call(X))
