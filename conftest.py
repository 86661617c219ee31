"""Docstring examples run in every module, with NumPy at hand, except in a backend whose library is
not installed.

BLAS gets one thread: pytest-xdist has a process per core already, and the threads of one waited for
those of the other, which took more than half of the processor time of the tests that multiply
matrices.
"""

import os
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any
from zlib import crc32

import pytest

LIBRARY_OF_BACKEND = {
    "array_api": "array_api_compat",
    "autograd": "autograd",
    "cupy": "cupy",
    "dask": "dask",
    "jax": "jax",
    "pytensor": "pytensor",
    "sparse": "scipy",
    "torch": "torch",
}
LIBRARY_OF_STANDARD = {
    "strict": "array_api_strict",
    "sparse_arrays": "sparse",
    "cubed_arrays": "cubed",
    "ndonnx_arrays": "ndonnx",
}
# read when NumPy is imported, which is later
THREADS_OF_BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")

collect_ignore = [
    f"backends/chainrules_{name}"
    for name, library in LIBRARY_OF_BACKEND.items()
    if find_spec(library) is None
]
collect_ignore += [
    f"backends/chainrules_array_api/{file}.py"
    for file, library in LIBRARY_OF_STANDARD.items()
    if find_spec(library) is None
]

if find_spec("jax") is None:
    collect_ignore += [
        f"backends/chainrules_programs/compiling/{file}.py"
        for file in ("jax_loops", "jax_memory", "to_jax")
    ]

for name in THREADS_OF_BLAS:
    os.environ.setdefault(name, "1")
# what is compiled for a test runs once
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
os.environ.setdefault("NUMBA_OPT", "0")
# which fuses, with MLIR, what is not optimised afterwards: a third of the time of the tests of JAX;
# newer ones end the process where they are given what they do not know
if find_spec("jaxlib") is not None and version("jaxlib").startswith("0.10."):
    flags = "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
    os.environ.setdefault("XLA_FLAGS", flags)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options by which a run takes a part of the tests, drawn anew each day."""
    parser.addoption(
        "--one-in", type=int, default=1, metavar="N", help="run one test in N, others on each day"
    )
    parser.addoption(
        "--day",
        default=date.today().isoformat(),
        help="draw as on that day, to repeat what failed then",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the day did not draw."""
    share, day = config.getoption("one_in"), config.getoption("day")
    lots = [crc32(f"{day} {item.nodeid}".encode()) % share for item in items]
    config.hook.pytest_deselected(
        items=[item for item, lot in zip(items, lots, strict=True) if lot != 0]
    )
    items[:] = [item for item, lot in zip(items, lots, strict=True) if lot == 0]


@pytest.fixture(autouse=True, scope="session")
def numpy_in_examples(doctest_namespace: dict[str, Any]) -> None:
    """As in NumPy's own documentation, examples take ``import numpy as np`` for granted."""
    import numpy as np

    doctest_namespace["np"] = np
