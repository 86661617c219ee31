"""The kernels as CuPy gets them: compiled by NVRTC for an H200 against CuPy's own headers, which needs no device."""

from importlib.util import find_spec
from pathlib import Path

import cupy
import numpy as np
import pytest
from host_kernels import Collecting
from scalar_cases import RULES, arguments, bound, library_with, run_all

from chainrules_cupy.kernels import launching
from chainrules_cupy.kernels.ctypes import computed, stored
from chainrules_cupy.kernels.spelling import HELPERS

HEAD = "#include <cupy/complex.cuh>\n#include <cupy/carray.cuh>\n#include <cupy/float16.cuh>\n"


def nvrtc():
    if find_spec("nvidia") is None or not all(find_spec(f"nvidia.{part}") for part in ("cuda_nvrtc", "cuda_runtime")):
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 (the extra nvrtc)")
    from cupy.cuda import nvrtc

    return nvrtc


def include_options():
    import nvidia.cuda_runtime

    cupy_headers = Path(cupy.__file__).parent / "_core" / "include"
    folders = [cupy_headers, *(cupy_headers / "cupy" / "_cccl").iterdir(), Path(nvidia.cuda_runtime.__path__[0]) / "include"]
    return tuple(f"-I{folder}" for folder in folders if folder.is_dir())


def compile_for_device(text):
    compiler = nvrtc()
    program = compiler.createProgram(text, "kernels.cu", [], [])
    try:
        compiler.compileProgram(program, ("-std=c++17", "--gpu-architecture=sm_90", *include_options()))
    except compiler.NVRTCError:
        pytest.fail(compiler.getProgramLog(program)[:3000])
    return compiler.getPTX(program)


def kernel(number, source):
    """As CuPy's elementwise and reduction kernels use a source: assign each product, add what a reduction maps to."""
    given = [f"const {stored(p.dtype)}* _{p.name}" for p in source.parameters]
    made = [f"{stored(p.dtype)}* _r{k}" for k, p in enumerate(source.products)]
    read = " ".join(f"const {stored(p.dtype)} {p.name} = _{p.name}[0];" for p in source.parameters)
    lines = []
    for k, product in enumerate(source.products):
        kind = computed(product.dtype)
        lines.append(f"_r{k}[0] = {stored(product.dtype)}({source.call(product)});")
        lines.append(f"{{ {kind} a = {kind}(0); {kind} b = static_cast<{kind}>({source.call(product)}); a = a + b;")
        lines.append(f"_r{k}[1] = {stored(product.dtype)}(a); }}")
    functions = "\n".join(product.definition for product in source.products)
    head = f'extern "C" __global__ void run_{number}({", ".join([*given, *made])})'
    return f"namespace kernel_{number} {{ {functions}\n{head} {{ {read} {' '.join(lines)} }} }}"


@pytest.fixture(scope="module")
def sources():
    collecting = Collecting()
    run_all(library_with(collecting.launcher))
    return list(dict.fromkeys(collecting.sources))


def test_every_kernel_compiles_for_the_device(sources):
    assert len(sources) > 300
    ptx = compile_for_device("\n".join([HEAD, HELPERS, *(kernel(number, source) for number, source in enumerate(sources))]))
    assert ptx.count(".entry") == len(sources) if isinstance(ptx, str) else ptx.count(b".entry") == len(sources)


def test_single_precision_stays_single(sources):
    """A kernel of float32 operands calls no double-precision function; comparisons choose in double, as NumPy does."""
    chosen = [s for s in sources if {p.dtype for p in (*s.parameters, *s.products)} == {np.dtype(np.float32)}]
    text = "\n".join(product.definition for source in chosen for product in source.products if "?" not in product.definition)
    assert "float" in text
    assert "double" not in text


def test_cupy_takes_the_declarations(sources):
    """CuPy parses parameters when a kernel is made; it compiles when it is first launched."""
    for source in sources:
        made = launching.elementwise(source)
        assert made.nin == len(source.parameters)
        assert made.nout == len(source.products)
    part = next(source for source in sources if len(source.products) == 1)
    assert launching.summing(part).nin == len(part.parameters)


def test_names_that_mean_something_in_cpp_are_no_trouble():
    from chainrules_py import RuleTable, scalar_rule

    def either(a, i):
        return a * i

    table = RuleTable()
    scalar_rule(either, "a, i", "i * sin(a)", "a * cos(i)", table=table)
    collecting = Collecting()
    rule = next(iter(table.rules(either)))
    _, pullback = bound(rule, library_with(collecting.launcher), 2)(*arguments(2, "f8", [(2, 3), (3,)]))
    pullback(np.ones((2, 3)))
    compile_for_device("\n".join([HEAD, HELPERS, *(kernel(k, source) for k, source in enumerate(collecting.sources))]))
    assert RULES
