"""What libraries are measured against each other is kept in files, and the page, its picture and the
history show what is kept.
"""

from pathlib import Path

import pytest

from benchmarks import history, keeping, summary
from benchmarks.contenders import tables
from benchmarks.contenders.known import KNOWN
from benchmarks.picture import picture
from benchmarks.surroundings import git

ROOT = Path(__file__).resolve().parent.parent.parent
needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")


@needs_git
def test_what_was_measured_is_kept_to_three_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    found = {"p": {"tape": {"steady": 1.0, "two": 12.3456}, "asdex": {"left out": "a reason"}}}

    def measured(programs, tree: Path):
        assert (programs, tree) == (("p",), tmp_path)
        return found

    monkeypatch.setattr(keeping, "measured", measured)
    monkeypatch.setattr(keeping, "versions", dict)
    head = git("rev-parse", "HEAD")
    keeping.keep(head, tmp_path / "1.0.json", tmp_path, ("p",))
    ((name, data),) = keeping.all_kept(tmp_path)
    assert (name, data["commit"]) == ("1.0", head)
    assert data["programs"]["p"]["tape"] == {"steady": 1.0, "two": 12.3}
    assert data["programs"]["p"]["asdex"] == {"left out": "a reason"}


def test_what_is_kept_is_of_programs_and_commits_that_exist():
    every = keeping.all_kept()
    assert len(every) >= 3
    for _, data in every:
        assert set(data["programs"]) <= set(KNOWN)
        for libraries in data["programs"].values():
            assert libraries["tape"]["steady"] == 1.0
            assert all(
                0.0001 < about["steady"] < 1000 for about in libraries.values() if "steady" in about
            )


@needs_git
def test_commits_are_those_of_this_repository():
    if git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("a clone without history")
    commits = {data["commit"] for _, data in keeping.all_kept()}
    assert commits <= set(git("rev-list", "HEAD").split())


def test_the_page_and_its_picture_show_what_is_kept_of_the_newest_version():
    programs = keeping.newest()["programs"]
    page = summary.DOCUMENT.read_text(encoding="utf-8")
    assert tables.known_table(programs) in page
    assert tables.waiting_table(programs) in page
    assert tables.dashes(programs) in page
    assert summary.PICTURE.read_text(encoding="utf-8") == picture(programs)


def test_the_last_points_of_the_history_are_the_figures_of_the_page():
    *_, (_, newest) = history.kept().items()
    libraries = keeping.newest()["programs"]["100 sines of 100 numbers"]
    key = ("grad(f) / autograd", ("100 sines of 100 numbers",))
    assert newest[key] == pytest.approx(1 / libraries["autograd"]["steady"])
