"""The figures that asv recorded for a commit are read by benchmark and parameters."""

import datetime
import json
from pathlib import Path

import pytest
from asv import results, runner

from benchmarks import figures
from benchmarks.targets import key

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What asv writes for a benchmark with two parameters (one combination failed, one left out)
    and for one without.
    """
    made = results.Results({"machine": "m"}, {}, COMMIT, 0, "3.11", "existing", {})
    about = {"name": "a.B.track_c", "version": "1", "params": [["'p'", "'q'"], ["1", "2"]]}
    moment = datetime.datetime.now(datetime.UTC)
    outcome = runner.BenchmarkResult(
        [1.0, None, float("nan"), 4.0], [None] * 4, [None] * 4, 0, "", None
    )
    made.add_result(about, outcome, started_at=moment, duration=0.0)
    plain = runner.BenchmarkResult([7.0], [None], [None], 0, "", None)
    made.add_result(
        {"name": "a.track_d", "version": "1", "params": []}, plain, started_at=moment, duration=0.0
    )
    made.save(str(tmp_path))
    (tmp_path / "m" / "machine.json").write_text(json.dumps({"machine": "m", "version": 1}))
    monkeypatch.setattr(figures, "RESULTS", tmp_path)


@pytest.mark.usefixtures("recorded")
def test_figures_by_benchmark_and_parameters():
    assert figures.figures_of(COMMIT) == {
        key("a.B.track_c", "p", 1): 1.0,
        key("a.B.track_c", "q", 2): 4.0,
        key("a.track_d"): 7.0,
    }


@pytest.mark.usefixtures("recorded")
def test_another_commit_has_none():
    assert figures.figures_of(COMMIT[::-1]) == {}
