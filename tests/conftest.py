"""What runs where: tests marked `long` or `slow` are left out unless `-m` names that, those marked
`gpu` skip without a device.

What is daily is decided here. Of each rule one sample runs in every dtype; the further ones in one
of them, in turn, and in the others as `long` tests. Of a test marked `kinds` one primal of each kind
of rule runs daily, of one marked `one_in(k)` one parameter in `k`; the others are `long`.

All samples are there before test modules are imported, which make parameters of them. None
inherits what another one told JAX. Collections of garbage leave the tests themselves alone. A
process of pytest-xdist tells the one that prints what it has to print.
"""

import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from _pytest.runner import runtestprotocol

from chainrules_py import RuleTable, default_rules
from chainrules_py.rules.rule import MODES
from chainrules_py.testing import load_shipped
from chainrules_py.testing.cases import Case
from chainrules_py.testing.pytest_cases import BothModes

FIRST = 1  # samples of a primal that run in every dtype

PARAMETERS = type(pytest.param())  # the class of what that returns
LEFT_OUT = ("long", "slow")  # unless `-m` names it

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
    """Make no tests of parameters that are left out, of which there are as many as of others."""
    definition, expression = metafunc.definition, metafunc.config.option.markexpr
    absent = {marker for marker in LEFT_OUT if marker not in expression}
    none_runs = any(map(definition.get_closest_marker, absent))
    for place, mark in enumerate(definition.own_markers):
        if mark.name == "parametrize":
            definition.own_markers[place] = without(mark, absent, none_runs)


def without(parametrize: pytest.Mark, absent: set[str], none_runs: bool) -> pytest.Mark:
    """Parameters without those that have one of these marks; the first one where none is left."""
    names, values, *more = parametrize.args
    values, ids = [*values], parametrize.kwargs.get("ids")
    found = [k for k, value in enumerate(values) if not absent & marks_of(value)]
    chosen = found if found and not none_runs else [*range(len(values))][:1]
    kwargs = parametrize.kwargs
    if ids is not None and not callable(ids):
        ids = [*ids]
        kwargs = {**kwargs, "ids": [ids[k] for k in chosen]}
    return pytest.mark.parametrize(names, [values[k] for k in chosen], *more, **kwargs).mark


def marks_of(value: Any) -> set[str]:
    """The names of the marks of one parameter."""
    return {mark.name for mark in value.marks} if isinstance(value, PARAMETERS) else set()


def leave_out(config: pytest.Config, items: list[pytest.Item], left_out: set[pytest.Item]) -> None:
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=[*left_out])


def in_further_dtypes(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests that run a sample once more in another dtype: all but one of each sample after the
    first ones of its primal.
    """
    samples: dict[Any, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        case = (
            item.callspec.params.get("case")
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else None
        )
        first = case.cases[0] if isinstance(case, BothModes) else case
        if isinstance(first, Case):
            samples[item.parent, item.originalname, first.primal][first.sample.name].append(item)
    for of_one_primal in samples.values():
        for turn, same in enumerate([*of_one_primal.values()][FIRST:]):
            yield from (item for place, item in enumerate(same) if place != turn % len(same))


def tests_of(marker: str, items: list[pytest.Item]) -> dict[Any, list[pytest.Item]]:
    """The tests with a marker, by the function that they call, without those left out anyway."""
    found: dict[Any, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker(marker) and not any(map(item.get_closest_marker, LEFT_OUT)):
            found[item.parent, getattr(item, "originalname", "")].append(item)
    return found


def of_further_primals(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests marked `kinds` of all primals but the first of each kind of rule."""
    for same in tests_of("kinds", items).values():
        first: dict[Any, Any] = {}
        for item in same:
            primal = primal_of(item)
            if first.setdefault(kind_of_rules(primal), primal) is not primal:
                yield item


def primal_of(item: pytest.Item) -> Any:
    """The primal that a test is about, or that of its sample."""
    params = item.callspec.params  # type: ignore[attr-defined]
    return params["primal"] if "primal" in params else params["case"].primal


@cache
def kind_of_rules(primal: Any) -> Any:
    """What rules have in common that engines and array libraries treat alike: the file that they
    stand in, how they were made, and which arguments they take.
    """
    return tuple(
        sorted(
            {
                (
                    *(rule.mode, rule.where.rpartition(":")[0], rule.signature),
                    *(rule.body is None, rule.partials is None, rule.linear is None),
                )
                for rule in default_rules.rules(primal)
                if rule.mode in MODES
            }
        )
    )


def out_of_turn(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests marked `one_in(k)` but for a k-th of each function's, drawn once and for all."""
    for same in tests_of("one_in", items).values():
        drawn = sorted(same, key=lambda item: crc32(item.nodeid.encode()))
        share = drawn[0].get_closest_marker("one_in").args[0]  # type: ignore[union-attr]
        yield from drawn[-(-len(drawn) // share) :]


@cache
def is_quiet(path: Path) -> bool:
    """Whether the tests of a file, of which there may be thousands, are `QUIET`."""
    return HERE in path.parents and HERE / "docs" not in path.parents


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if is_quiet(item.path):
            item.add_marker(QUIET, append=False)
    for item in chain(in_further_dtypes(items), of_further_primals(items), out_of_turn(items)):
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
    jax = sys.modules.get("jax")  # none is imported for this
    if jax and jax.config.jax_enable_x64:
        jax.config.update("jax_enable_x64", False)
    torch = sys.modules.get("torch")
    if torch and torch.get_default_dtype() is torch.float64:
        torch.set_default_dtype(torch.float32)


@pytest.fixture
def double_precision() -> Iterator[None]:
    """A test with 64 bits in JAX; skipped without JAX."""
    with pytest.importorskip("jax").enable_x64(True):
        yield


@pytest.fixture
def rules() -> RuleTable:
    """A table of its own for each test, on top of the rules that there are."""
    return RuleTable(parent=default_rules, name="test")
