"""Entries of arrays of each library that are added to zeros, and written into a copy, by indices of
all kinds: they arrive where NumPy puts them.
"""

from importlib.util import find_spec

import numpy as np
import pytest

from chainrules_array_api import entries as of_standard
from chainrules_array_api.standard_array import on_host
from late import Late
from stand_ins.array_makers import ARRAYS_BESIDE, host, of_jax
from stand_ins.standard_calls import standard

SHAPE = (6, 5, 4)
ALL, NEW = slice(None), None
# how an array is made, functions that add to zeros and that write, and the way back
LIBRARIES = {
    "the standard": (standard, of_standard.added_to_zeros, of_standard.written, on_host),
}
for each in ARRAYS_BESIDE:
    if find_spec(each.MODULE):
        LIBRARIES[each.NAME] = each.make, Late(each.ADDED_TO_ZEROS), None, host
if find_spec("jax"):
    LIBRARIES["JAX"] = (
        of_jax,
        *(Late(f"chainrules_jax.entries:{name}") for name in ("scattered_sums", "set_at")),
        host,
    )
if find_spec("torch"):
    LIBRARIES["PyTorch"] = (
        Late("stand_ins.tensor_calls:on_tensor"),
        *(Late(f"chainrules_torch.arrays.writing:{name}") for name in ("scattered_sums", "set_at")),
        Late("stand_ins.tensor_calls:in_numpy"),
    )
INDICES = [
    *(0, (0,), slice(1, 4), slice(3, 3), (slice(None, None, -2),)),
    *((..., 2), (ALL, slice(1, None, 3)), (ALL, slice(None, None, -2)), ()),
    *((NEW, slice(1, 3)), (ALL, NEW, 0), (0, ALL, NEW, 3), np.array([1, 1, 3])),
    *([0, 0, -1], (ALL, np.array([[0, 0], [1, 4]])), (..., np.array([0, -1])), np.int64(2)),
    (np.array([0, 1, 1]), np.array([2, 2, 2])),
    np.arange(101) ** 2 % 5,  # each of three entries many times
    *((2, np.array([1, 1])), (1, -3)),
    *(np.arange(6) > 2, (ALL, np.arange(5) > 2), np.ones(SHAPE, bool), np.zeros((6, 5), bool)),
]
each_index = pytest.mark.parametrize("index", INDICES, ids=str)
each_library = pytest.mark.parametrize("library", LIBRARIES)


def values_for(index, seed=0):
    return np.random.default_rng(seed).normal(size=np.zeros(SHAPE)[index].shape)


@pytest.mark.usefixtures("double_precision")
@each_index
@each_library
def test_what_is_added_arrives_where_numpy_adds_it(library, index):
    if library == "JAX" and isinstance(index, list):
        pytest.skip("JAX takes no list as an index")
    make, add, _, back = LIBRARIES[library]
    expected, values = np.zeros(SHAPE), values_for(index)
    np.add.at(expected, index, values)
    found = add(make(values), index, SHAPE, np.dtype("float64"))
    assert isinstance(found, type(make(values)))
    np.testing.assert_allclose(back(found), expected, rtol=1e-12)


@pytest.mark.usefixtures("double_precision")
@each_index
@each_library
def test_what_is_written_stands_where_numpy_writes_it(library, index):
    make, _, write, back = LIBRARIES[library]
    if write is None or (library == "JAX" and isinstance(index, list)):
        pytest.skip("it writes by fewer kinds of indices")
    a = np.random.default_rng(1).normal(size=SHAPE)
    for values in (values_for(index, 2), 7.0, np.float32(0.1)):
        expected, x = a.copy(), make(a)
        expected[index] = values
        given = make(values) if isinstance(values, np.ndarray) else values
        np.testing.assert_allclose(back(write(x, index, given)), expected, rtol=1e-12)
        np.testing.assert_array_equal(back(x), a)
