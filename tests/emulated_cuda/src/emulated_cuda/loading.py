"""The emulated driver and runtime in this process, and what the driver asks for when CuPy loads a
kernel.
"""

import ctypes
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from emulated_cuda.building import NATIVE, build, cached
from emulated_cuda.ptx import UnknownPTX, translate

INVALID_PTX, UNKNOWN = 218, 999
TRANSLATOR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)


def headers() -> Path | None:
    """The headers of the CUDA runtime, from its wheel."""
    spec = find_spec("nvidia.cuda_runtime") if find_spec("nvidia") else None
    found = next(iter(spec.submodule_search_locations or ()), None) if spec else None
    return Path(found) / "include" if found else None


@cache
def device() -> ctypes.CDLL:
    """The driver and the runtime.

    CuPy finds the driver by its soname, kernels find their functions among the global ones.
    """
    path = cached("device", "native/*.[ch]")
    if not path.exists():
        build(
            path,
            sorted(NATIVE.glob("*.c")),
            "-O2",
            f"-I{headers()}",
            "-Wl,-soname,libcuda.so.1",
            "-lm",
            "-ldl",
            "-lpthread",
        )
    library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    library.emulated_set_translator(callback)
    return library


def is_loaded() -> bool:
    """Whether the device of this process is the emulated one."""
    return device.cache_info().currsize > 0


def shared_object(ptx: str) -> Path:
    """A module of PTX, translated and compiled, at most once for all processes."""
    path = cached(ptx, "ptx/*.py", "native/*.h")
    if not path.exists():
        source = path.with_suffix(f".{os.getpid()}.c")
        source.write_text(translate(ptx))
        build(path, [source], "-O1")
        source.unlink()
    return path


def answer(ptx: bytes, room: int, size: int) -> int:
    """Called by the driver. An exception would be lost on its way through C: its words become those
    of the driver's error.
    """
    try:
        path = str(shared_object(ptx.decode())).encode()
        ctypes.memmove(room, path + b"\0", len(path) + 1)
    except UnknownPTX as error:
        return complain(str(error), INVALID_PTX)
    except Exception as error:
        return complain(f"{type(error).__name__}: {error}", UNKNOWN)
    return 0


callback = TRANSLATOR(answer)  # as long as the module, because the driver keeps its address


def complain(words: str, status: int) -> int:
    """Leave words for the driver's error."""
    device().emulated_complain(b"%s", words.encode()[:2000])
    return status
