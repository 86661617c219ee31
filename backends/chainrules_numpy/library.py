"""NumPy as an array library: its classes and its namespace."""

import numpy as np

from chainrules_numpy.shortcuts import SHORTCUTS
from chainrules_py.values.arrays import (
    ArrayLibrary,
    ComplexScalar,
    Integer,
    RealScalar,
    register_library,
)

RealScalar.register(np.floating)
ComplexScalar.register(np.complexfloating)
Integer.register(np.integer)
Integer.register(np.bool_)

numpy_library = register_library(
    ArrayLibrary(
        name="numpy",
        namespace=np,
        array_types=(np.ndarray,),
        scalar_types=(np.generic,),
        implementations=SHORTCUTS.get,
    )
)
