"""Read the figures that asv has recorded."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from math import isnan
from typing import Any

from asv.results import Results, iter_results

from benchmarks.surroundings import ROOT
from benchmarks.targets import Key

RESULTS = ROOT / ".asv" / "results"

Figures = dict[Key, float]


def figures_of(commit: str) -> Figures:
    """Every figure of a commit by benchmark and parameters; those that failed or were left out are
    missing.
    """
    found: Figures = {}
    for results in recorded(commit):
        for name in results.get_all_result_keys():
            found.update(figures_of_benchmark(results, name))
    return found


def recorded(commit: str) -> Iterator[Results]:
    """The results of a commit, of every environment."""
    yield from (results for results in iter_results(str(RESULTS)) if results.commit_hash == commit)


def figures_of_benchmark(results: Results, name: str) -> Figures:
    """The figures of one benchmark."""
    params = results.get_result_params(name)
    values = results.get_result_value(name, params) or [None] * len(list(product(*params)))
    pairs = zip(product(*params), values, strict=True)
    return {(name, combination): value for combination, value in pairs if is_figure(value)}


def history_of_asv() -> dict[str, Figures]:
    """The figures of each commit that asv recorded on this machine, the oldest first."""
    found: dict[str, Figures] = {}
    for results in sorted(iter_results(str(RESULTS)), key=lambda results: results.date):
        day = datetime.fromtimestamp(results.date / 1000, UTC)
        commit = found.setdefault(f"{results.commit_hash[:10]} of {day:%Y-%m-%d}", {})
        for name in results.get_all_result_keys():
            commit.update(figures_of_benchmark(results, name))
    return found


def about_benchmarks() -> dict[str, dict[str, Any]]:
    """Each benchmark's title and unit, among others, as asv stored them."""
    path = RESULTS / "benchmarks.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: about for name, about in known.items() if isinstance(about, dict)}


def is_figure(value: Any) -> bool:
    """Tell whether asv has a number: a failure is None, what was left out is nan."""
    return value is not None and not isnan(value)
