"""What runs where: `daily` says which tests are left out unless `-m` names them; those marked `gpu`
skip without a device.

Nothing of the library is imported here: the smallest test takes a second. None inherits what
another one told JAX. Collections of garbage leave the tests themselves alone. A process of
pytest-xdist tells the one that prints what it has to print.
"""

import gc
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol

from daily import Asked, marks_of

if TYPE_CHECKING:
    from chainrules_py import RuleTable

HERE = Path(__file__).parent
# tests compile much that stays on the tape; documents and examples show what does not
LOUD = pytest.mark.filterwarnings("error:compiled.* runs on the tape:UserWarning")
# folders where nothing is to be tested without a package
WANTED = {
    "chainrules_dask": "dask",
    "chainrules_jax": "jax",
    "chainrules_pytensor": "pytensor",
    "scipy": "scipy",
}
ASKED, LEFT_OUT = pytest.StashKey[Asked](), "left_out"

# garbage is not looked for in what grows and stays, until all tests are there; the collector is not
# disabled, which `dask.array` would take for a setting
THRESHOLDS = gc.get_threshold()
gc.set_threshold(0)


def reason_without_gpu() -> str | None:
    """Why the tests marked `gpu` cannot run here; None where they can."""
    if find_spec("cupy") is None:
        return "cupy is not installed (extra: cupy)"
    import cupy

    try:
        return None if cupy.cuda.runtime.getDeviceCount() else "no CUDA device"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no CUDA device: {error}"


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ASKED] = Asked(config.option.keyword, config.option.markexpr)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    wanted = WANTED.keys() & {*collection_path.relative_to(HERE).parts}
    return any(find_spec(WANTED[name]) is None for name in wanted) or None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Look for no examples in docstrings of tests, which is as long as looking for tests."""
    found = yield
    if HERE not in file_path.parents:
        return found
    return [each for each in found if not isinstance(each, DoctestModule)]


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.config.stash[ASKED].choose_calls(metafunc)


def leave_out(config: pytest.Config, items: list[pytest.Item], left_out: set[pytest.Item]) -> None:
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=[*left_out])


@cache
def is_quiet(path: Path) -> bool:
    """Whether a file has tests that may say that a program runs on the tape."""
    return HERE in path.parents and HERE / "docs" not in path.parents


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asked, late, marked = config.stash[ASKED], set(), []
    for item in items:
        marks = marks_of(item)
        if asked.is_left_out(item, marks):
            late.add(item)
        elif "gpu" in marks:
            marked.append(item)
        if not is_quiet(item.path):
            item.add_marker(LOUD, append=False)
    leave_out(config, items, late)
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


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what was left out from a process of pytest-xdist, of which each leaves out the same."""
    node.config.stash[ASKED].left_out = getattr(node, "workeroutput", {}).get(LEFT_OUT, {})


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[LEFT_OUT] = {**session.config.stash[ASKED].left_out}
    elif "hypothesis" not in sys.modules:  # which its plugin imports in order to say nothing
        session.config.pluginmanager.unregister(name="hypothesispytest")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was asked for and did not run: it has not passed."""
    left_out = config.stash[ASKED].left_out
    if left_out:
        count, words = sum(left_out.values()), " or ".join(sorted(left_out))
        terminalreporter.write_line(
            f'{count} more match, and were not drawn today: -m "{words}" runs them'
        )


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
    see_nothing()
    jax = sys.modules.get("jax")  # none is imported for this
    if jax and jax.config.jax_enable_x64:
        jax.config.update("jax_enable_x64", False)
    torch = sys.modules.get("torch")
    if torch and torch.get_default_dtype() is torch.float64:
        torch.set_default_dtype(torch.float32)


def see_nothing() -> None:
    """Have no file and no package be seen that a test has seen through."""
    known = sys.modules.get("chainrules_foreign_code.callees")
    if known is not None:
        for seen in (known.files, known.codes_of, known.needed_by, known.packages, known._KNOWN):
            seen.clear()


@pytest.fixture
def double_precision() -> Iterator[None]:
    """A test with 64 bits in JAX; skipped without JAX."""
    with pytest.importorskip("jax").enable_x64(True):
        yield


@pytest.fixture
def rules() -> "RuleTable":
    """A table of its own for each test, on top of the rules that there are."""
    from chainrules_py import RuleTable, default_rules

    return RuleTable(parent=default_rules, name="test")
