"""The quick benchmarks run in two halves, and no commit is measured twice."""

import re
import subprocess

import pytest

from benchmarks import keeping, quick


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
