"""`xp` of arrays of the standard: NumPy's names, and refusals by name of what the standard does not
have.
"""

import numpy as np
import pytest

from chainrules_array_api import ArrayApiError
from chainrules_array_api.namespace import namespace
from chainrules_array_api.standard_array import StandardArray
from stand_ins.standard_calls import require_numpys, standard

X = np.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize(
    "name",
    [
        "median",
        "percentile",
        "fft.fft2",
        "lexsort",
    ],
)
def test_what_the_standard_lacks_is_refused_by_name(name):
    function = namespace
    for part in name.split("."):
        function = getattr(function, part)
    with pytest.raises(
        ArrayApiError, match=rf"numpy\.{name} on arrays of the array API standard"
    ) as error:
        function(standard(X))
    assert error.value.function == name


def test_what_is_no_function_is_numpys():
    assert namespace.pi == np.pi
    assert namespace.float32 is np.float32
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = namespace.no_such_name
    assert repr(namespace.linalg) == "<numpy.linalg, with other functions>"


def test_arrays_stay_what_they_are():
    x = standard(X)
    assert namespace.asarray(x) is x
    assert namespace.asarray(x, np.float32).dtype == np.float32
    assert isinstance(namespace.asarray([1.0, 2.0]), np.ndarray)
    assert namespace.array(x, ndmin=2).shape == (1, 3)
    assert isinstance(namespace.array([1.0, 2.0], ndmin=2), np.ndarray)
    assert isinstance(namespace.zeros(3), np.ndarray)
    assert isinstance(namespace.zeros(3) + x, StandardArray)


def test_dtypes_meet_as_numpys_do():
    require_numpys(lambda xp, x: xp.result_type(x, np.float64(1), 1j), X.astype(np.float32))
    require_numpys(lambda xp, x: xp.result_type(x, 1.0), X.astype(np.float32))
    require_numpys(lambda xp, x: xp.result_type(x, np.float64, np.dtype("c8")), X)


def test_other_classes_have_a_say_in_operators():
    class Other:
        def __radd__(self, other):
            return "theirs"

    assert standard(X) + Other() == "theirs"
