"""CuPy joins by itself; its arrays are mutable, 0-d results are arrays, and what is not NumPy's is
found.
"""

import cupy
import numpy as np

from chainrules_cupy import cupy_library
from chainrules_cupy.namespace import namespace
from chainrules_py import Array
from chainrules_py.rulesets.entries import scatter
from chainrules_py.tangents import InplaceableThunk, Tangent
from chainrules_py.values.arrays import library_of, library_of_types, numpy_library
from chainrules_tape.arrays.handles import DualArray, TapeArray
from chainrules_tape.core.values import is_array_class
from processes import printed


def test_the_backend_loads_when_the_type_arrives():
    program = (
        "import sys, cupy, chainrules_py; from chainrules_py.values.arrays import library_of\nassert"
        " 'chainrules_cupy' not in sys.modules\nassert library_of(cupy.ndarray).name == 'cupy' and"
        " issubclass(cupy.ndarray, chainrules_py.Array)"
    )
    printed(program)


def test_the_backend_loads_when_a_function_of_cupy_is_looked_up():
    program = (
        "import cupy, numpy as np, chainrules_py\nassert"
        " chainrules_py.default_rules.canonical(cupy.sum, (1.0, 0), {}) == (np.sum, (1.0,),"
        " {'axis': 0})"
    )
    printed(program)


def test_the_library():
    assert library_of(cupy.ndarray) is cupy_library
    assert cupy_library.mutable
    assert issubclass(cupy.ndarray, Array)
    assert library_of_types((np.ndarray, cupy.ndarray, float)) is cupy_library
    assert library_of_types((np.ndarray, float)) is numpy_library()


def test_implementations():
    assert cupy_library.implementation(np.sin) is cupy.sin
    assert cupy_library.implementation(np.linalg.inv) is cupy.linalg.inv
    assert cupy_library.implementation(np.vecdot) is namespace.vecdot
    assert cupy_library.implementation(scatter.add_at).__module__ == "chainrules_cupy.scatter"


def test_only_arrays_of_libraries_are_swept_over_as_on_a_device():
    others = (TapeArray, DualArray, InplaceableThunk, Tangent, float, np.float64, list)
    assert is_array_class(cupy.ndarray)
    assert not any(map(is_array_class, others))
