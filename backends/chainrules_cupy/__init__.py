"""CuPy as an array library: rules and engines differentiate code on CuPy arrays, on the device,
with fused kernels.
"""

from chainrules_py.engines import require_installed

require_installed("cupy", "cupy", f"import {__name__}", __name__, "cupy-cuda12x")

# for its effect: CuPy's functions are known by their own names
from chainrules_cupy import aliases as aliases
from chainrules_cupy.errors import DeviceError as DeviceError, require_device as require_device
from chainrules_cupy.graphs import Captured as Captured, captured as captured
from chainrules_cupy.library import cupy_library as cupy_library
from chainrules_py.version import __version__ as __version__
