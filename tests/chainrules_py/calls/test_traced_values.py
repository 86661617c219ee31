"""What a class of traced values gets from `ArrayProxy`: programs and rules compute with it as with
arrays.
"""

import math
import operator

import numpy as np
import pytest
from scipy import special

from chainrules_py.calls.traced_values import ArrayProxy, join_traced, next_level


class Noted(ArrayProxy):
    """A value whose operations are run on the plain ones, and noted."""

    calls: list = []  # noqa: RUF012
    level = next_level()

    def __init__(self, value):
        self.value = value

    @classmethod
    def compute(cls, primal, args, options):
        Noted.calls.append(primal)
        return Noted(primal(*map(plain, args), **options))


def plain(x):
    if isinstance(x, list | tuple):
        return type(x)(map(plain, x))
    return x.value if isinstance(x, Noted) else x


join_traced(Noted, "noted values")
X = np.arange(6.0).reshape(2, 3) + 1.0


@pytest.fixture(autouse=True)
def nothing_is_noted():
    Noted.calls.clear()


def test_facts_are_those_of_the_value():
    x, number = Noted(X), Noted(2.5)
    assert (x.shape, x.ndim, x.size, x.dtype, len(x)) == ((2, 3), 2, 6, np.float64, 2)
    assert (number.shape, number.ndim, number.size, number.dtype) == ((), 0, 1, np.float64)
    assert bool(number)
    np.testing.assert_array_equal([row.value for row in x], X)


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "ipow", "imatmul"])
def test_arrays_are_not_written_to_and_numbers_are_no_arrays(name):
    write, x = getattr(operator, name), Noted(X)
    with pytest.raises(TypeError, match=r"other names of x would keep.* write x = x "):
        write(x, X)
    if name != "imatmul":
        assert write(Noted(2.0), 3.0).value == write(2.0, 3.0)


def test_a_plain_array_of_it_is_refused():
    for make in (np.asarray, lambda x: np.array(x, float), lambda x: special.gammaln([x])):
        with pytest.raises(TypeError, match="loses its derivative"):
            make(Noted(X))


def test_a_plain_number_of_it_is_refused():
    for make in (float, complex, math.sin):
        with pytest.raises(TypeError, match="loses its derivative"):
            make(Noted(2.5))
    array = np.zeros(3)
    with pytest.raises(ValueError, match="array element") as caught:
        array[0] = Noted(2.5)
    assert "loses its derivative" in str(caught.value.__cause__)
