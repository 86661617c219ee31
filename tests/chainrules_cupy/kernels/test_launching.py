"""The kernels as CuPy gets them: compiled by NVRTC for an H200 against CuPy's own headers, which
needs no device.
"""

from importlib.util import find_spec
from pathlib import Path

import cupy
import numpy as np
import pytest
from cupy._core import _carray, _kernel, _reduction, _scalar

from chainrules_cupy.kernels import launching
from chainrules_cupy.kernels.adding import adding
from chainrules_cupy.kernels.ctypes import computed, stored
from chainrules_cupy.kernels.spelling import HELPERS
from chainrules_cupy.kernels.writing import KernelSource
from chainrules_cupy.scatter import chosen_kernel
from stand_ins.host_kernels import Collecting
from stand_ins.scalar_cases import RULES, arguments, bound, library_with, run_all

# "-G" is no optimisation: all that can be wrong is found without, in a third of the time.
OPTIONS = ("-std=c++17", "--gpu-architecture=sm_90", "-G")
HEAD = "#include <cupy/complex.cuh>\n#include <cupy/carray.cuh>\n#include <cupy/float16.cuh>\n"


def nvrtc():
    if find_spec("nvidia") is None or not all(
        find_spec(f"nvidia.{part}") for part in ("cuda_nvrtc", "cuda_runtime")
    ):
        pytest.skip(
            "no NVRTC: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 (the extra"
            " nvrtc)"
        )
    from cupy.cuda import nvrtc

    return nvrtc


def include_options():
    import nvidia.cuda_runtime

    cupy_headers = Path(cupy.__file__).parent / "_core" / "include"
    folders = [
        cupy_headers,
        *(cupy_headers / "cupy" / "_cccl").iterdir(),
        Path(nvidia.cuda_runtime.__path__[0]) / "include",
    ]
    return tuple(f"-I{folder}" for folder in folders if folder.is_dir())


def compile_for_device(text):
    compiler = nvrtc()
    program = compiler.createProgram(text, "kernels.cu", [], [])
    try:
        compiler.compileProgram(program, (*OPTIONS, *include_options()))
    except compiler.NVRTCError:
        pytest.fail(compiler.getProgramLog(program)[:3000])
    return compiler.getPTX(program)


def kernel(number, source):
    """As CuPy's elementwise and reduction kernels use a source: assign each product, add what a
    reduction maps to.
    """
    given = [f"const {stored(p.dtype)}* _{p.name}" for p in source.parameters]
    made = [f"{stored(p.dtype)}* _r{k}" for k, p in enumerate(source.products)]
    read = " ".join(f"const {stored(p.dtype)} {p.name} = _{p.name}[0];" for p in source.parameters)
    lines = []
    for k, product in enumerate(source.products):
        kind = computed(product.dtype)
        lines.append(f"_r{k}[0] = {stored(product.dtype)}({source.call(product)});")
        lines.append(
            f"{{ {kind} a = {kind}(0); {kind} b = static_cast<{kind}>({source.call(product)}); a ="
            " a + b;"
        )
        lines.append(f"_r{k}[1] = {stored(product.dtype)}(a); }}")
    functions = "\n".join(product.definition for product in source.products)
    head = f'extern "C" __global__ void run_{number}({", ".join([*given, *made])})'
    return f"namespace kernel_{number} {{ {functions}\n{head} {{ {read} {' '.join(lines)} }} }}"


@pytest.fixture(scope="module")
def sources():
    collecting = Collecting()
    run_all(library_with(collecting.launcher))
    made = list(dict.fromkeys(collecting.sources))
    onto = [
        adding(
            source,
            (tuple((k,) for k in range(len(source.products))), (True,) * len(source.products)),
        )
        for source in made[::5]
    ]
    return [*made, *onto]


def test_every_kernel_compiles_for_the_device(sources):
    assert len(sources) > 300
    ptx = compile_for_device(
        "\n".join(
            [HEAD, HELPERS, *(kernel(number, source) for number, source in enumerate(sources))]
        )
    )
    assert (
        ptx.count(".entry") == len(sources)
        if isinstance(ptx, str)
        else ptx.count(b".entry") == len(sources)
    )


# CuPy's own code: what it would compile at a launch, with arrays where arrays go and numbers where
# numbers go

ARRAY, INDEXER, SCALAR = 1, 2, 3  # as CuPy numbers the kinds of arguments


def argument(parameter, number, scalars):
    """What CuPy remembers of an argument: vectors of unknown strides, or numbers."""
    if parameter.name.endswith("_ind"):
        return _kernel._ArgInfo(INDEXER, _carray.Indexer, None, 1, True, True)
    dtype = np.dtype(parameter.dtype)
    if parameter.name == "_block_stride" or number in scalars:
        return _kernel._ArgInfo(SCALAR, _scalar.CScalar, dtype, 0, True, True)
    return _kernel._ArgInfo(ARRAY, cupy.ndarray, dtype, 1, False, True)


def elementwise_code(source, scalars):
    made = launching.elementwise(source)
    infos = tuple(argument(p, k, scalars) for k, p in enumerate(made.params))
    return _kernel._get_elementwise_kernel_code(
        infos, _kernel._TypeMap(()), made.params, made.operation, made.name, made.preamble
    )


def summing_code(source, scalars):
    made = launching.summing(source)
    infos = tuple(argument(p, k, scalars) for k, p in enumerate(made._params))
    types, words = (
        _kernel._TypeMap((("IndexT", np.int32),)),
        (
            made.map_expr,
            made.reduce_expr,
            made.post_map_expr,
        ),
    )
    how = (made.name, 512, made.reduce_type, made.identity, *words, made.preamble, made.options)
    return _reduction._ReductionKernel_get_cached_function_code(
        made.nin, made.nout, made._params, infos, types, *how
    )


def apart(code, name, number):
    """One kernel among others: in a namespace, under a name of its own, its macros undone."""
    macros = "\n".join(f"#undef {macro}" for macro in ("REDUCE", "POST_MAP", "_REDUCE"))
    return (
        f"namespace kernel_{number}"
        f" {{\n{code.replace(f'void {name}(', f'void {name}_{number}(')}\n}}\n{macros}"
    )


def test_cupys_own_code_compiles_for_the_device(sources):
    """A third of the kernels: what a kernel computes has been compiled above, and this is about
    what CuPy puts around it.
    """
    kernels = [(elementwise_code(source, ()), source.name) for source in sources]
    parts = [
        KernelSource(source.name, source.parameters, (product,))
        for source in sources
        for product in source.products
    ]
    kernels += [(summing_code(part, ()), f"{part.name}_sum") for part in dict.fromkeys(parts)]
    kernels += [
        (elementwise_code(source, (1,)), source.name)
        for source in sources
        if len(source.parameters) > 1
    ]
    chosen = kernels[::3]
    text = "\n".join(apart(code, name, number) for number, (code, name) in enumerate(chosen))
    ptx = compile_for_device(f"{HEAD}{text}")
    assert (
        (ptx.count(".entry") if isinstance(ptx, str) else ptx.count(b".entry")) == len(chosen) > 300
    )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_the_addition_of_chosen_entries_compiles_for_the_device(dtype):
    made = chosen_kernel(cupy)
    dtypes = (np.dtype(bool), np.dtype(dtype), np.dtype(dtype))
    infos = [_kernel._ArgInfo(ARRAY, cupy.ndarray, each, 1, False, True) for each in dtypes]
    infos.append(_kernel._ArgInfo(INDEXER, _carray.Indexer, None, 1, True, True))
    types = _kernel._TypeMap((("T", np.dtype(dtype).type),))
    words = (made.params, made.operation, made.name, made.preamble)
    ptx = compile_for_device(
        HEAD + _kernel._get_elementwise_kernel_code(tuple(infos), types, *words)
    )
    assert "chainrules_add_chosen" in (ptx if isinstance(ptx, str) else ptx.decode())


def test_single_precision_stays_single(sources):
    """A kernel of float32 operands calls no double-precision function; comparisons choose in
    double, as NumPy does.
    """
    chosen = [
        s
        for s in sources
        if {p.dtype for p in (*s.parameters, *s.products)} == {np.dtype(np.float32)}
    ]
    text = "\n".join(
        product.definition
        for source in chosen
        for product in source.products
        if "?" not in product.definition
    )
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

    def größe(a, θ):
        return a * θ

    table = RuleTable()
    scalar_rule(größe, "a, θ", "θ * sin(a)", "a * cos(θ)", table=table)
    collecting = Collecting()
    rule = next(iter(table.rules(größe)))
    _, pullback = bound(rule, library_with(collecting.launcher), 2)(
        *arguments(2, "f8", [(2, 3), (3,)])
    )
    pullback(np.ones((2, 3)))
    assert launching.elementwise(collecting.sources[0]).nin == 3
    compile_for_device(
        "\n".join(
            [HEAD, HELPERS, *(kernel(k, source) for k, source in enumerate(collecting.sources))]
        )
    )
    assert RULES
