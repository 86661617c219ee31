"""What asv would run: every benchmark has a title and a unit that people can read, and every setup
works.

The suites with a cache fill it with measurements, which takes minutes; here their caches are
filled with what is quick.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from asv_runner import discovery

from benchmarks import (
    batching,
    compiled,
    layers,
    operations,
    peers,
    rules,
    series,
    sparse_matrices,
)
from benchmarks.comparison import Comparison
from benchmarks.engines import ELSEWHERE, ENGINES
from benchmarks.targets import TARGETS

ROOT = Path(__file__).resolve().parent.parent.parent
BENCHMARKS = {
    benchmark.name: benchmark for benchmark in discovery.disc_benchmarks(str(ROOT / "benchmarks"))
}
LARGE = re.compile(r"size 1000000|^1000000$")


BY_CASES = (
    *("batching.Jacobian.", "batching.MixtureHessian.", "batching.Elasticity."),
    *("compiled.", "sparse_matrices.SparseJacobian.", "series.Coefficients."),
    *("seen.Entering.", "starting.FirstGradient.", "loops.Loops.", "numbers.", "inplace.Kernels."),
)


class Ones(dict[str, float]):
    """Figures of any name."""

    def __missing__(self, name: str) -> float:
        return 1.0

    def get(self, name: str, default=None):
        """One, as if it had been measured."""
        return 1.0


class AllCases(dict[Any, Ones]):
    """Figures of any case."""

    def __missing__(self, case) -> Ones:
        return Ones()


def cache_of(benchmark):
    """What `setup_cache` would return, with figures that cost nothing."""
    if benchmark.name.startswith("rules."):
        return {file: {"reverse": 1.0, "forward": 1.0} for file in rules.files_of_rules()}
    if benchmark.name.startswith("layers."):
        return dict.fromkeys(layers.NAMES, 1.0)
    if benchmark.name.startswith("operations."):
        return dict.fromkeys(operations.OPERATIONS, (1.0, 2.0))
    if benchmark.name.startswith(BY_CASES):
        return AllCases()
    comparison = Comparison({name: [1.0] for name in ENGINES}, {}, dict.fromkeys(ELSEWHERE, 1.0))
    return dict.fromkeys(peers.PROGRAMS, comparison)


def cases() -> Iterator[Any]:
    """The calls of each benchmark; those in which no value of a parameter is new are `long`."""
    for name, benchmark in BENCHMARKS.items():
        seen: set[tuple[int, str]] = set()
        for index, params in enumerate(product(*benchmark.params)):
            if not any(LARGE.search(param) for param in params):
                marks = pytest.mark.long if seen.issuperset(enumerate(params)) and params else ()
                seen.update(enumerate(params))
                yield pytest.param(name, index, id="-".join([name, *params]), marks=marks)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_title_and_unit(name: str):
    benchmark = BENCHMARKS[name]
    # the overview cuts off what is longer
    assert re.fullmatch(r"[^_]{10,40}", benchmark.pretty_name), benchmark.pretty_name
    assert benchmark.unit in {
        "seconds",
        "milliseconds",
        "microseconds",
        "nanoseconds",
        "bytes",
        "ratio",
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "index"), list(cases()))
def test_setup(name: str, index: int):
    benchmark = BENCHMARKS[name]
    benchmark.set_param_idx(index)
    if benchmark.setup_cache_key is not None:
        benchmark.set_cache(cache_of(benchmark))
    if benchmark.do_setup():
        pytest.skip("left out on this machine")
    benchmark.do_teardown()


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.measure)
def test_every_target_names_a_benchmark_and_its_parameters(target):
    for key in (target.figure, target.ours, target.peer):
        if key is not None:
            name, params = key
            assert params in set(product(*BENCHMARKS[name].params))


@pytest.mark.parametrize("file", ["products", "linalg.inverses"])
def test_rules_of_a_file_have_figures(file: str):
    rules.load_shipped()
    figures = rules.figures_of(file)
    assert isinstance(figures, dict), figures
    assert all(figure > 1 for figure in figures.values())  # a rule also computes its primal


CASES = {
    **{system: partial(sparse_matrices.System, system) for system in sparse_matrices.SYSTEMS},
    **{program: partial(series.Expansion, program) for program in series.PROGRAMS},
    **{mode: partial(batching.whole_jacobian, mode) for mode in ("forward", "reverse")},
    "20 points": partial(batching.Mixture, 20),
    "elasticity": partial(batching.elasticity, batching.CHUNK),
    "compiled": partial(compiled.runs_of, peers.PROGRAMS["chain, size 1"]),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CASES)
def test_cases_are_checked_before_they_are_measured(name: str):
    CASES[name]()
