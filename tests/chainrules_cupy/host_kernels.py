"""The kernels' C++ compiled for the host: the same source as on a device, run by a loop over NumPy arrays."""

import ctypes
import hashlib
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from chainrules_cupy.kernels.ctypes import computed, stored
from chainrules_cupy.kernels.fusion import Launcher
from chainrules_cupy.kernels.spelling import HELPERS
from chainrules_cupy.kernels.writing import KernelSource

HAS_COMPILER = shutil.which("g++") is not None

_HEAD = """
#include <cmath>
#include <complex>
#define __device__
using namespace std;
typedef _Float16 float16;
"""


@cache
def library_of_source(source: str) -> ctypes.CDLL:
    folder = Path(mkdtemp(prefix="chainrules_kernels_"))
    code, made = folder / "kernel.cpp", folder / (hashlib.sha1(source.encode()).hexdigest() + ".so")
    code.write_text(source)
    done = subprocess.run(
        ["g++", "-std=c++17", "-O0", "-fPIC", "-shared", str(code), "-o", str(made)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr}\n{source}"
    library = ctypes.CDLL(str(made))
    shutil.rmtree(folder)
    return library


def loop_source(source: KernelSource) -> str:
    """One C function that runs over flat, contiguous operands and stores every product."""
    given = ", ".join(f"const {stored(p.dtype)}* _{p.name}" for p in source.parameters)
    made = ", ".join(f"{stored(p.dtype)}* _r{k}" for k, p in enumerate(source.products))
    read = " ".join(f"const {stored(p.dtype)} {p.name} = _{p.name}[_i];" for p in source.parameters)
    write = " ".join(f"_r{k}[_i] = {stored(p.dtype)}({source.call(p)});" for k, p in enumerate(source.products))
    body = f'extern "C" void run(long long _n, {given}, {made}) {{ for (long long _i = 0; _i < _n; ++_i) {{ {read} {write} }} }}'
    return "\n".join([_HEAD, HELPERS, *(p.definition for p in source.products), body])


def plain(value):
    return getattr(value, "host", value)  # a stand-in for a device array keeps its numbers there


def elementwise(source: KernelSource):
    run = library_of_source(loop_source(source)).run

    def launch(*operands):
        arrays = np.broadcast_arrays(*map(plain, operands))
        given = [np.ascontiguousarray(a, p.dtype) for a, p in zip(arrays, source.parameters, strict=True)]
        for operand, parameter in zip(operands, source.parameters, strict=True):
            assert not hasattr(operand, "dtype") or operand.dtype == parameter.dtype, parameter
        shape = arrays[0].shape
        made = [np.empty(shape, p.dtype) for p in source.products]
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*given, *made)]
        run(ctypes.c_longlong(int(np.prod(shape))), *pointers)
        wrap = next((type(x) for x in operands if hasattr(x, "host")), lambda x: x)
        return tuple(map(wrap, made))

    launch.source = source
    return launch


def summing(source: KernelSource):
    assert computed(source.products[0].dtype)
    compute = elementwise(source)

    def launch(*operands, axis):
        (made,) = compute(*operands)
        wrap = type(made) if hasattr(made, "host") else (lambda x: x)
        return wrap(np.asarray(np.sum(plain(made), axis=axis, dtype=plain(made).dtype)))

    launch.source = source
    return launch


HOST = Launcher(elementwise, summing)
