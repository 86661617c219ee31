"""The quick benchmarks run in two halves, and no commit is measured twice."""

import re
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import dashboard, keeping, quick


def test_the_two_halves_are_all_benchmarks_and_have_files_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
):
    commands: list[list[str]] = []

    def run(command: list[str], **_) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 2 if "run" in command else 0)

    kept: list[object] = []
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(quick, "keep", lambda *of: kept.append(of))
    assert quick.measure_all("0123abcd") == 2
    assert kept == [("0123abcd", keeping.CURRENT)]
    halves = [command for command in commands if "run" in command]
    patterns = [command[command.index("--bench") + 1] for command in halves]
    for name in (
        "peers.Ratios.track_ratio",
        "compiled.Peak.track_peak",
        "tape.Length.track_growth",
    ):
        assert sum(re.search(pattern, name) is not None for pattern in patterns) == 1
    assert sum("--machine" in command for command in halves) == 1


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
