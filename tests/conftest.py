"""What runs where: `daily` says which tests are left out unless `-m` names them; those marked `gpu`
skip without a device.

All samples are there before test modules are imported, which make parameters of them. None
inherits what another one told JAX. Collections of garbage leave the tests themselves alone. A
process of pytest-xdist tells the one that prints what it has to print.
"""

import gc
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from chainrules_py import RuleTable, default_rules
from chainrules_py.testing import load_shipped
from daily import LEFT_OUT, choose_parameters, out_of_turn

HERE = Path(__file__).parent
# tests compile much that stays on the tape; documents show what does not
QUIET = pytest.mark.filterwarnings("ignore:compiled.* runs on the tape:UserWarning")

# garbage is not looked for in what grows and stays, until all tests are there; the collector is not
# disabled, which `dask.array` would take for a setting
THRESHOLDS = gc.get_threshold()
gc.set_threshold(0)
load_shipped()


def reason_without_gpu() -> str | None:
    """Why the tests marked `gpu` cannot run here; None where they can."""
    if find_spec("cupy") is None:
        return "cupy is not installed (extra: cupy)"
    import cupy

    try:
        return None if cupy.cuda.runtime.getDeviceCount() else "no CUDA device"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no CUDA device: {error}"


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    choose_parameters(metafunc.definition, metafunc.config.option.markexpr)


def leave_out(config: pytest.Config, items: list[pytest.Item], left_out: set[pytest.Item]) -> None:
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=[*left_out])


@cache
def is_quiet(path: Path) -> bool:
    """Whether the tests of a file, of which there may be thousands, are `QUIET`."""
    return HERE in path.parents and HERE / "docs" not in path.parents


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if is_quiet(item.path):
            item.add_marker(QUIET, append=False)
    for item in out_of_turn(items):
        item.add_marker(pytest.mark.long)
    for marker in LEFT_OUT:
        if marker not in config.option.markexpr:
            leave_out(config, items, {item for item in items if item.get_closest_marker(marker)})
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = reason_without_gpu() if marked else None
    if reason:
        first = {
            (item.path, item.getparent(pytest.Class), getattr(item, "originalname", "")): item
            for item in marked[::-1]
        }
        for item in first.values():
            item.add_marker(pytest.mark.skip(reason=reason))
        # thousands of parameters, each as long as a test
        leave_out(config, items, {*marked} - {*first.values()})


def pytest_collection_finish() -> None:
    """Freeze what was collected: tens of thousands of tests are no garbage, which `gc.collect` took
    half a second to see.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test as pytest does, and send one report of it where xdist would send two more, and a
    beginning and an end: half a millisecond, 30,000 times.

    What goes wrong before and after a test is sent as ever.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


class Frozen:
    """The file whose tests run: what was alive before them is none of their garbage."""

    path: Path | None = None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """JAX and PyTorch as they come: the engines of the benchmarks switch the whole process to double
    precision.

    And what earlier files left is frozen: each `gc.collect` of a test took seconds to see it again.
    A fixture of each test would take a third of a millisecond, 30,000 times.
    """
    if item.path != Frozen.path:
        Frozen.path = item.path
        gc.collect()
        gc.freeze()
    put_codes_back()
    jax = sys.modules.get("jax")  # none is imported for this
    if jax and jax.config.jax_enable_x64:
        jax.config.update("jax_enable_x64", False)
    torch = sys.modules.get("torch")
    if torch and torch.get_default_dtype() is torch.float64:
        torch.set_default_dtype(torch.float32)


def put_codes_back() -> None:
    """Have the functions of files that a test has seen through be what they were."""
    known = sys.modules.get("chainrules_foreign_code.callees")
    if known is None or not known.originals:
        return
    for function, code in list(known.originals.items()):
        function.__code__ = code
    for kept in (known.originals, known.files, known._KNOWN):
        kept.clear()
    known.see_polynomials.cache_clear()


@pytest.fixture
def double_precision() -> Iterator[None]:
    """A test with 64 bits in JAX; skipped without JAX."""
    with pytest.importorskip("jax").enable_x64(True):
        yield


@pytest.fixture
def rules() -> RuleTable:
    """A table of its own for each test, on top of the rules that there are."""
    return RuleTable(parent=default_rules, name="test")
