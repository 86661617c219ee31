"""The libraries of the CUDA toolkit that CuPy calls, computed on the processor by NumPy and SciPy.

`prepare` before CuPy is imported, `connect` after. Nothing is known here of how kernels are
emulated; an address of the device is one of this process.
"""

from pathlib import Path

from emulated_cuda.libraries import thrust
from emulated_cuda.libraries.cublas import blas
from emulated_cuda.libraries.cufft import fft
from emulated_cuda.libraries.curand import rand
from emulated_cuda.libraries.cusolver import solver
from emulated_cuda.libraries.cusparse import sparse
from emulated_cuda.libraries.library import Library
from emulated_cuda.libraries.trampolines import build, wanted_symbols

# What the real libraries lean on: the loader wants to find them, and nobody calls them.
BENEATH = [
    Library(name, f"lib{name}.so.12", unsupported=1, failed=1) for name in ("cublasLt", "nvJitLink")
]
LIBRARIES = (*BENEATH, blas, solver, fft, rand, sparse)


def prepare(folder: Path) -> dict[str, Path]:
    """Build in `folder` (once) and load the shared objects, and return them by the names that CuPy
    asks for.
    """
    wanted = wanted_symbols()
    return {
        library.name: prepare_one(library, wanted.get(library.soname, set()), folder)
        for library in LIBRARIES
    }


def prepare_one(library: Library, wanted: set[str], folder: Path) -> Path:
    """Some symbols CuPy looks up by itself; therefore all that have a body are there."""
    symbols = sorted(wanted | set(library.routines))
    path = build(library.soname, symbols, folder)
    library.attach(path, symbols)
    return path


def connect() -> None:
    """Replace, in CuPy, what was compiled into it for a device."""
    thrust.connect()


def missed() -> list[str]:
    """The symbols that were called so far and that nobody wrote."""
    return [symbol for library in LIBRARIES for symbol in library.missed]
