"""Calls of the CUDA runtime that was linked into CuPy's modules, sent to the emulated one.

CuPy's wheels hold a copy of the runtime in each module that uses it, so there is no library to put
another in place of. The functions are still in the modules' symbol tables: over the first bytes of
each, in memory, a jump is written.
"""

import ctypes
import mmap
import subprocess
from pathlib import Path

JUMP = b"\xff\x25\x00\x00\x00\x00"  # jmp [rip+0]: to the address in the next eight bytes
PAGE = mmap.PAGESIZE
WRITABLE = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC


def redirect(module: str, device: ctypes.CDLL) -> int:
    """Let the functions `cuda...` of a loaded shared object jump to `emulated_cuda...`; how many
    there were.
    """
    start, libc = base_address(module), ctypes.CDLL(None)
    functions = runtime_functions(module)
    for name, offset in functions.items():
        address = start + offset
        page = address // PAGE * PAGE
        libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(2 * PAGE), WRITABLE)
        ctypes.memmove(address, JUMP + target(name, device).to_bytes(8, "little"), len(JUMP) + 8)
    return len(functions)


def base_address(module: str) -> int:
    """Where a shared object begins in this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, _, offset, *_, path = line.split()
        if path == module and int(offset, 16) == 0:
            return int(addresses.partition("-")[0], 16)
    raise LookupError(f"{module} is not loaded")


def runtime_functions(module: str) -> dict[str, int]:
    """The functions of the CUDA runtime in a shared object, and where they begin."""
    listed = subprocess.run(["nm", module], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return {
        row[2]: int(row[0], 16)
        for row in rows
        if len(row) == 3 and row[1] in "tT" and is_runtime(row[2])
    }


def is_runtime(name: str) -> bool:
    """``cudaMalloc``, and not ``cudart`` or ``cuda_thing``."""
    return name.startswith("cuda") and name[4:5].isupper()


def target(name: str, device: ctypes.CDLL) -> int:
    """The emulated function, which is the same for the default stream of a process and of a thread;
    or a refusal.
    """
    stem = name.removesuffix("_ptsz").removesuffix("_ptds")
    function = getattr(device, f"emulated_{stem}", device.emulated_not_supported)
    return ctypes.cast(function, ctypes.c_void_p).value or 0
