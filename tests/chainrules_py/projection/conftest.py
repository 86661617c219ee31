"""A small array library whose operations are recorded: what projection may do to a traced or a
device array.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_py.values import arrays


class Recorded:
    """An array that writes down what is done to it, and refuses to become a NumPy array or a Python
    number.
    """

    def __init__(self, value, log):
        self.value, self.log = np.asarray(value), log

    @property
    def shape(self):
        return self.value.shape

    @property
    def dtype(self):
        return self.value.dtype

    def done(self, name, value):
        self.log.append(name)
        return Recorded(value, self.log)

    def astype(self, dtype):
        return self.done("astype", self.value.astype(dtype))

    def reshape(self, shape):
        return self.done("reshape", self.value.reshape(shape))

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("converted to NumPy")

    def __float__(self):
        raise AssertionError("converted to a Python number")

    item = __complex__ = __float__


def real(t):
    return t.done("real", t.value.real)


def sum_over(t, axis):
    return t.done("sum", t.value.sum(axis=axis))


@pytest.fixture
def recorded(request):
    """A function that makes recorded arrays of a library that is mutable or not:
    ``@pytest.mark.parametrize(indirect)``.
    """
    namespace = SimpleNamespace(real=real, sum=sum_over, asarray=lambda value: Recorded(value, []))
    library = arrays.ArrayLibrary(
        name="noted",
        namespace=namespace,
        array_types=(Recorded,),
        mutable=getattr(request, "param", False),
        priority=9,
    )
    arrays.register_library(library)
    yield lambda value: Recorded(value, [])
    arrays._libraries.pop("noted")
    arrays._library_of_type.clear()
