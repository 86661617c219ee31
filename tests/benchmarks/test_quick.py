"""The quick benchmarks run the code of the commit that they are recorded for, and no commit is
measured twice.
"""

import os
import re
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import dashboard, keeping, quick

Call = tuple[list[str], dict[str, str]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """What would have been run."""
    made: list[Call] = []

    def run(command: list[str], **options) -> subprocess.CompletedProcess[str]:
        made.append((command, options["env"]))
        return subprocess.CompletedProcess(command, 2 if "run" in command else 0)

    monkeypatch.setattr(subprocess, "run", run)
    return made


def test_results_are_recorded_for_the_commit(calls: list[Call]):
    assert quick.measure("0123abcd") == 2  # a benchmark that failed is not hidden
    command, environment = calls[-1]
    assert command[command.index("--set-commit-hash") + 1] == "0123abcd"
    assert "--python=same" in command
    assert command[command.index("--launch-method") + 1] == "forkserver"
    assert environment["OPENBLAS_NUM_THREADS"] == "1"
    assert "ASV_PYTHONPATH" not in environment


def test_the_two_halves_are_all_benchmarks_and_have_files_of_their_own(
    calls: list[Call], monkeypatch: pytest.MonkeyPatch
):
    kept: list[object] = []
    monkeypatch.setattr(quick, "keep", lambda *of: kept.append(of))
    assert quick.measure_all("0123abcd") == 2
    assert kept == [("0123abcd", keeping.CURRENT)]
    halves = [command for command, _ in calls if "run" in command]
    patterns = [command[command.index("--bench") + 1] for command in halves]
    for name in (
        "peers.Ratios.track_ratio",
        "compiled.Peak.track_peak",
        "tape.Length.track_growth",
    ):
        assert sum(re.search(pattern, name) is not None for pattern in patterns) == 1
    assert sum("--machine" in command for command in halves) == 1


def test_the_code_of_another_commit_comes_first(calls: list[Call]):
    quick.measure("0123abcd", tree=Path("tree"))
    assert calls[-1][1]["ASV_PYTHONPATH"].split(os.pathsep) == [
        "tree",
        os.path.join("tree", "backends"),
        os.path.join("tree", "tests/samples"),
    ]


def test_commits_that_have_figures_are_not_measured_again(monkeypatch: pytest.MonkeyPatch):
    measured: list[str] = []
    monkeypatch.setattr(dashboard, "last_commits", lambda count: ["new", "old"])
    monkeypatch.setattr(
        dashboard, "recorded", lambda commit: iter([object()] if commit == "old" else [])
    )
    monkeypatch.setattr(dashboard, "tree_of", lambda commit: nullcontext(Path(commit)))
    monkeypatch.setattr(dashboard, "measure", lambda commit, tree: measured.append(commit))
    dashboard.measure_missing(2)
    assert measured == ["new"]


def test_what_a_run_writes_is_no_uncommitted_change(monkeypatch: pytest.MonkeyPatch):
    said: list[tuple[str, ...]] = []
    written: list[object] = []

    def git(*arguments: str) -> str:
        said.append(arguments)
        return " M benchmarks/results" if ("measured",) in said else ""

    monkeypatch.setattr(quick, "git", git)
    monkeypatch.setattr(quick, "measure_all", lambda head: said.append(("measured",)) or 0)
    monkeypatch.setattr(quick, "figures_of", lambda head: {})
    monkeypatch.setattr(quick, "write", lambda *of: written.append(of) or "")
    monkeypatch.setattr("sys.argv", ["quick"])
    assert quick.main() == 0
    assert said.index(("status", "--porcelain")) < said.index(("measured",))
    assert written == [({}, "", False)]
