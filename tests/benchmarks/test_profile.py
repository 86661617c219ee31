"""A profile gives each function its share of the time and its calls per gradient, the largest share
first.
"""

from pathlib import Path

import pytest

from benchmarks.profile import Entry, name_of, profile


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return profile("ODE, 200 steps", most=1000)


def test_shares_are_of_all_time_and_sorted(entries: list[Entry]) -> None:
    assert abs(sum(entry.share for entry in entries) - 1) < 1e-9
    assert entries == sorted(entries, key=lambda entry: -entry.share)


def test_calls_are_per_gradient(entries: list[Entry]) -> None:
    calls = {entry.function: entry.calls for entry in entries}
    assert calls["tanh_stage"] == 200  # one per step


def test_names() -> None:
    assert name_of(str(Path("somewhere") / "reverse.py"), 1, "sweep") == "reverse.sweep"
    assert name_of("<sin_rrule of a file>", 1, "sin_stage") == "sin_stage"
    assert name_of("~", 0, "<built-in method builtins.len>") == "builtins.len"
