"""The kernels' C++ compiled for the host: the same source as on a device, run by a loop over NumPy
arrays.

Compiling is what takes time, so a test runs twice: first with `Collecting`, which only notes the
sources and answers zeros, then with `Compiled`, which has compiled them all as one file.
"""

import ctypes
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from chainrules_cupy.kernels.ctypes import computing_type, stored
from chainrules_cupy.kernels.plans import Launcher
from chainrules_cupy.kernels.spelling import HELPERS
from chainrules_cupy.kernels.writing import KernelSource

HAS_COMPILER = shutil.which("g++") is not None

HEAD = """
#include <cmath>
#include <complex>
#define __device__
using namespace std;
typedef _Float16 float16;
"""


def split(source, operands):
    """The operands of a kernel, and where its products are to be stored, if that was given too."""
    count = len(source.parameters)
    assert len(operands) in (count, count + len(source.products))
    return operands[:count], operands[count:]


def loop_source(number: int, source: KernelSource) -> str:
    """One C function that runs over flat operands and stores every product."""
    given = [f"const {stored(p.dtype)}* _{p.name}" for p in source.parameters]
    made = [f"{stored(p.dtype)}* _r{k}" for k, p in enumerate(source.products)]
    read = " ".join(f"const {stored(p.dtype)} {p.name} = _{p.name}[_i];" for p in source.parameters)
    write = " ".join(
        f"_r{k}[_i] = {stored(p.dtype)}({source.call(p)});" for k, p in enumerate(source.products)
    )
    loop = f"for (long long _i = 0; _i < _n; ++_i) {{ {read} {write} }}"
    functions = "\n".join(p.definition for p in source.products)
    run = f'extern "C" void run_{number}({", ".join(["long long _n", *given, *made])}) {{ {loop} }}'
    return f"namespace kernel_{number} {{\n{functions}\n{run}\n}}"


def compile_together(sources):
    """The sources' loops, all from one call of the compiler."""
    numbered = list(dict.fromkeys(sources))
    text = "\n".join(
        [HEAD, HELPERS, *(loop_source(number, source) for number, source in enumerate(numbered))]
    )
    with TemporaryDirectory() as folder:
        code, made = Path(folder, "kernels.cpp"), Path(folder, "kernels.so")
        code.write_text(text)
        command = [
            "g++",
            "-std=c++17",
            "-O0",
            "-ffp-contract=off",
            "-fPIC",
            "-shared",
            str(code),
            "-o",
            str(made),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        library = ctypes.CDLL(str(made))
    return {source: getattr(library, f"run_{number}") for number, source in enumerate(numbered)}


class Collecting:
    """A launcher that runs nothing and remembers what it was to run."""

    def __init__(self):
        self.sources = []

    def elementwise(self, source):
        self.sources.append(source)

        def launch(*operands):
            operands, outputs = split(source, operands)
            shape = np.broadcast_shapes(*map(np.shape, operands))
            return outputs or tuple(np.zeros(shape, p.dtype) for p in source.products)

        return launch

    def summing(self, source):
        compute = self.elementwise(source)

        def launch(*operands, axis):
            (made,) = compute(*operands)
            return np.asarray(made.sum(axis))

        return launch

    @property
    def launcher(self):
        return Launcher(self.elementwise, self.summing)


class Compiled:
    """A launcher of compiled loops; counts its launches."""

    def __init__(self, sources):
        self.runs = compile_together(sources)
        self.launches = 0

    def elementwise(self, source):
        def launch(*operands):
            self.launches += 1
            operands, outputs = split(source, operands)
            made = self.compute(source, operands)
            for output, array in zip(outputs, made, strict=bool(outputs)):
                assert output.dtype == array.dtype
                output[...] = array
            return outputs or tuple(made)

        return launch

    def summing(self, source):
        def launch(*operands, axis):
            self.launches += 1
            (made,) = self.compute(source, operands)
            total = np.sum(
                made,
                axis=axis,
                dtype=np.float32 if computing_type(made.dtype) == "float" else made.dtype,
            )
            return np.asarray(total, made.dtype)

        return launch

    def compute(self, source, operands):
        for operand, parameter in zip(operands, source.parameters, strict=True):
            assert getattr(operand, "dtype", parameter.dtype) == parameter.dtype, parameter
        arrays = np.broadcast_arrays(*operands)
        given = [
            np.ascontiguousarray(a, p.dtype) for a, p in zip(arrays, source.parameters, strict=True)
        ]
        made = [np.empty(arrays[0].shape, p.dtype) for p in source.products]
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*given, *made)]
        self.runs[source](ctypes.c_longlong(made[0].size), *pointers)
        return made

    @property
    def launcher(self):
        return Launcher(self.elementwise, self.summing)
