"""`StandardArray`: attributes, operators and indices as NumPy's arrays have them, and what it
refuses to become.
"""

import array_api_strict
import numpy as np
import pytest

from chainrules_array_api.standard_array import (
    StandardArray,
    alike,
    array_of,
    namespace_of,
    on_host,
    own_dtype,
    unwrapped,
)
from stand_ins.standard_calls import standard

X = np.arange(24.0).reshape(2, 3, 4) - 7


def test_values_as_arrays_of_a_library():
    xp = standard(X).xp
    assert array_of(xp, [1, 2.5]).dtype == xp.float64
    stacked = array_of(xp, [standard(X[0]), X[1]])
    np.testing.assert_array_equal(on_host(stacked), X)
    assert [x.dtype for x in alike(xp, standard(np.arange(2)), standard(X))] == [xp.float64] * 2
    assert namespace_of([1.0, [X, standard(X)]]) is xp
    assert namespace_of([1.0, [X]]) is np
    assert isinstance(unwrapped(standard(X)), type(array_api_strict.asarray(X)))
    assert StandardArray(array_api_strict.asarray(X), is_given=True).is_given


def test_a_dtype_that_the_standard_lacks_is_refused_by_name():
    with pytest.raises(TypeError, match="float16"):
        own_dtype(standard(X).xp, np.float16)
