"""CuPy as an array library: its classes, its namespace, and the kernels that it fuses products into."""

from typing import Any

import cupy
import cupyx.scipy.special as special

from chainrules_cupy.fourier import frequency_weights
from chainrules_cupy.kernels import launching
from chainrules_cupy.kernels.fusion import fuse_with
from chainrules_cupy.kernels.plans import Launcher
from chainrules_cupy.kernels.shares import sharing
from chainrules_cupy.masks import located
from chainrules_cupy.namespace import namespace
from chainrules_cupy.scatter import add_at, add_chosen, replaced, writers
from chainrules_cupy.scipy_functions import function_of_scipy
from chainrules_py.values.arrays import ArrayLibrary, register_library

# functions of the rules themselves, by name: their modules load after their library
OWN = {
    f.__name__: f
    for f in (add_at, add_chosen, frequency_weights, located, replaced, sharing, writers)
}


def implementation(primal) -> Any:
    """The device's function for a canonical primal that is not NumPy's."""
    home = getattr(primal, "__module__", None) or ""
    is_of_rules = home.startswith("chainrules_py.rulesets.")
    return (is_of_rules and OWN.get(primal.__name__)) or function_of_scipy(primal)


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
