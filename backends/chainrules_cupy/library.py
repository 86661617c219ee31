"""CuPy as an array library: its classes, its namespace, and the kernels that it fuses products into."""

from typing import Any

import cupy
import cupyx.scipy.special as special

from chainrules_cupy import fourier, scatter
from chainrules_cupy.kernels import launching
from chainrules_cupy.kernels.fusion import fuse_with
from chainrules_cupy.kernels.plans import Launcher
from chainrules_cupy.namespace import namespace
from chainrules_cupy.scipy_functions import function_of_scipy
from chainrules_py.values.arrays import ArrayLibrary, register_library


def implementation(primal) -> Any:
    """The device's function for a canonical primal that is not NumPy's."""
    return (
        scatter.implementation(primal)
        or fourier.implementation(primal)
        or function_of_scipy(primal)
    )


cupy_library = register_library(
    ArrayLibrary(
        name="cupy",
        namespace=namespace,
        array_types=(cupy.ndarray,),
        mutable=True,
        priority=10,
        implementations=implementation,
        fuse=fuse_with(
            Launcher(launching.elementwise, launching.summing),
            (namespace, special),
            (cupy.ndarray,),
        ),
    )
)
