"""Docstring examples run in every module, with NumPy at hand, except in a backend whose library is
not installed.

BLAS gets one thread: pytest-xdist has a process per core already, and the threads of one waited for
those of the other, which took more than half of the processor time of the tests that multiply
matrices.
"""

import os
import tomllib
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

ROOT = Path(__file__).parent
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
ADAPTERS = [module.removesuffix(".*") for module in TOOLS["mypy"]["overrides"][0]["module"]]
NEEDS = {f"chainrules_{name}": name for name in ADAPTERS} | TOOLS["chainrules"]
CACHED, passed = "chainrules/passed", set[str]()
# read when NumPy is imported, which is later
THREADS_OF_BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")

collect_ignore = [
    f"backends/{path}" for path, library in NEEDS.items() if find_spec(library) is None
]

if find_spec("jax") is None:  # of which modules of other packages have the name in theirs
    collect_ignore += [
        str(path.relative_to(ROOT))
        for path in ROOT.glob("backends/*/**/*jax*.py")
        if "\nimport jax\n" in path.read_text("utf-8")
    ]

for name in THREADS_OF_BLAS:
    os.environ.setdefault(name, "1")
# what tests say of refusals is said where nothing is seen through by itself
os.environ.setdefault("CHAINRULES_ONLY_MARKED", "1")
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
        "--rest",
        type=int,
        default=1,
        metavar="N",
        help="of what passed in the run before, without an engine say, run one test in N",
    )
    parser.addoption(
        "--day",
        default=date.today().isoformat(),
        help="draw as on that day, to repeat what failed then",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the day did not draw, and what passed before `--rest`."""
    share, rest, day = map(config.getoption, ("one_in", "rest", "day"))
    before = passed_before(config)

    def is_drawn(item: pytest.Item) -> bool:
        lot = crc32(f"{day} {item.nodeid}".encode())
        return lot % share == 0 and (lot % rest == 0 or item.nodeid not in before)

    drawn = [item for item in items if is_drawn(item)]
    config.hook.pytest_deselected(items=[*{*items} - {*drawn}])
    items[:] = drawn


def passed_before(config: pytest.Config) -> set[str]:
    """The tests that passed in the runs before, where they make a difference."""
    return {*config.cache.get(CACHED, [])} if config.getoption("rest") > 1 else set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what passed, for `--rest`."""
    if report.when == "call" and report.passed:
        passed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what passed for `--rest`."""
    config = session.config
    if passed and hasattr(config, "cache") and not hasattr(config, "workerinput"):
        config.cache.set(CACHED, sorted(passed | passed_before(config)))


@pytest.fixture(autouse=True, scope="session")
def numpy_in_examples(doctest_namespace: dict[str, Any]) -> None:
    """As in NumPy's own documentation, examples take ``import numpy as np`` for granted."""
    import numpy as np

    doctest_namespace["np"] = np
