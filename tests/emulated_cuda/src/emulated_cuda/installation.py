"""Makes CuPy believe in a CUDA device, in this process, from now on."""

import ctypes
import os
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from emulated_cuda import libraries
from emulated_cuda.building import cache_folder, compiler
from emulated_cuda.loading import device, headers
from emulated_cuda.patching import redirect

SETTINGS = {  # for CuPy alone, which reads them when it is imported
    "CUPY_COMPILE_WITH_PTX": "1",  # and not machine code of a device
    "CUPY_ACCELERATORS": "",  # no kernels that come compiled
}


def missing() -> str | None:
    """What has to be there and is not; None where the device can be installed."""
    wants = {
        "Linux on x86-64": sys.platform == "linux" and os.uname().machine == "x86_64",
        "CuPy": find_spec("cupy") is not None,
        "the wheel nvidia-cuda-nvrtc-cu12": (
            find_spec("nvidia") is not None and find_spec("nvidia.cuda_nvrtc") is not None
        ),
        "the wheel nvidia-cuda-runtime-cu12": headers() is not None,
        "a C compiler": compiler() is not None,
    }
    return next((f"{name} is missing" for name, there in wants.items() if not there), None)


@cache
def install() -> None:
    """Before CuPy is imported, which looks for its libraries then.

    What is installed stays until the process ends.
    """
    reason = missing() or ("CuPy was imported already" if "cupy" in sys.modules else None)
    if reason:
        raise RuntimeError(f"emulated_cuda.install: {reason}")
    os.environ.update(SETTINGS)
    emulated = device()
    for path in libraries.prepare(cache_folder()).values():
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    for module in ("cupy_backends.cuda.api.runtime", "cupy.cuda.cub", "cupy.cuda.thrust"):
        redirect(import_module(module).__file__ or "", emulated)
    libraries.connect()
