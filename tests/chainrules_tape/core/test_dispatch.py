"""Slow dispatch: what it makes of operands before a rule sees them."""

import numpy as np
import pytest

from chainrules_tape import grad, jvp


class Labelled:
    """An array with labels, told as those of pandas and xarray are."""

    def __init__(self, values):
        self._values = np.asarray(values)

    @property
    def values(self):
        return self._values

    def __array__(self, *args, **options):
        return np.asarray(self._values, *args, **options)


@pytest.mark.parametrize("index", [[True, False, True], [2, 0, 2]])
def test_an_index_with_labels_is_taken_by_its_values(index):
    x = np.array([1.0, 2.0, 3.0])
    found = grad(lambda x: np.sum(x[Labelled(index)] ** 2))(x)
    assert np.array_equal(found, grad(lambda x: np.sum(x[np.asarray(index)] ** 2))(x))
    y_dot = jvp(lambda x: x[Labelled(index)], (x,), (x,))[1]
    assert np.array_equal(y_dot, x[np.asarray(index)])
