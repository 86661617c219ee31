"""The page with the history of each benchmark stands by itself, and says what asv has recorded."""

import datetime
import json
import re
from pathlib import Path

import pytest
from asv import results, runner

from benchmarks import dashboard, figures, history, keeping

COMMITS = ["a" * 40, "b" * 40, "c" * 40]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page of three commits, of which the middle one was measured last and one figure is
    missing.
    """
    for commit, date, (first, second) in zip(
        COMMITS, (1, 3, 2), ((2e-3, 5e-3), (1e-3, None), (2e-3, 4e-3)), strict=True
    ):
        made = results.Results(
            {"machine": "m"}, {}, commit, date * 86_400_000, "3.11", "existing", {}
        )
        about = {"name": "suite.time_<it>", "version": "1", "params": [["'p'", "'q'"]]}
        outcome = runner.BenchmarkResult([first, second], [None] * 2, [None] * 2, 0, "", None)
        made.add_result(
            about, outcome, started_at=datetime.datetime.now(datetime.UTC), duration=0.0
        )
        made.save(str(tmp_path / "results"))
    (tmp_path / "results" / "m" / "machine.json").write_text(
        json.dumps({"machine": "m", "version": 1})
    )
    known = {
        "suite.time_<it>": {
            "name": "suite.time_<it>",
            "pretty_name": "Time of <it>",
            "unit": "seconds",
        },
        "version": 2,
    }
    (tmp_path / "results" / "benchmarks.json").write_text(json.dumps(known))
    monkeypatch.setattr(figures, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(history, "kept", dict)
    return dashboard.write(tmp_path / "html")


def test_figures_are_in_the_order_of_the_commits(page: Path):
    assert [name[0] for name in figures.history_of_asv()] == ["a", "c", "b"]
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"<title>(\w{10}) of [\d-]+: ([^<]+)</title>", text) == [
        *(("a" * 10, "2 ms"), ("c" * 10, "2 ms"), ("b" * 10, "1 ms")),
        *(("a" * 10, "5 ms"), ("c" * 10, "4 ms")),
    ]


def test_titles_heads_parameters_and_changes(page: Path):
    text = page.read_text(encoding="utf-8")
    assert "<h2>Time of &lt;it&gt;</h2>" in text
    heads = re.findall(r"<th>(\w[^<]*)</th>", text)
    assert heads[: len(history.HEADS)] == list(history.HEADS)
    rows = re.findall(r"<td>([^<]*)</td><td>([^<]*)</td><td class=\"(\w+)\">([^<]*)<", text)
    assert rows == [("2 ms", "1 ms", "faster", "-50%"), ("5 ms", "4 ms", "faster", "-20%")]


def test_nothing_is_loaded_from_anywhere(page: Path):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=|https?:|@import|url\(|<script", text)


def test_without_figures_the_page_says_so():
    assert "no commit has figures yet" in history.page({"nothing": {}}, {})


@pytest.fixture
def kept_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page of a fresh clone, on which nothing was measured."""
    monkeypatch.setattr(figures, "RESULTS", tmp_path / "results")
    return dashboard.write(tmp_path / "html").read_text(encoding="utf-8")


def test_a_fresh_clone_shows_a_line_for_each_ratio_that_is_kept(kept_alone: str):
    lines = re.findall(r'<polyline points="([^"]+)"', kept_alone)
    found = history.kept()
    assert len(lines) == len({key for figures_of_one in found.values() for key in figures_of_one})
    assert len(lines) > 20
    assert max(len(points.split()) for points in lines) == len(keeping.all_kept())
    assert "Measured on this machine" not in kept_alone
