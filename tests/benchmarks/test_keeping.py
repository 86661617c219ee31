"""The ratios of a commit are measured on its code and kept in a file that the history reads."""

import json
from pathlib import Path

import pytest

from benchmarks import history, keeping
from benchmarks.programs import PROGRAMS
from benchmarks.quick import git
from benchmarks.ratios import CHOSEN

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
@pytest.mark.slow
def test_a_commit_is_measured_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "KEPT", tmp_path)
    head = git("rev-parse", "HEAD")
    keeping.keep(head, "chain, size 1")
    data = json.loads((tmp_path / f"{head[:10]}.json").read_text())
    assert data["commit"] == head
    ((commit, _),) = history.kept(tmp_path)
    (found,) = history.kept(tmp_path).values()
    assert commit == head
    # the tape does what the hand does, and more
    assert found[history.RATIO, ("chain, size 1", "by hand")] > 1


def test_the_programs_that_are_kept_exist() -> None:
    assert set(CHOSEN) <= set(PROGRAMS)
