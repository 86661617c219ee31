"""What the dashboard says where it was written, and the trees that it measures."""

import shlex
import subprocess
from pathlib import Path

import pytest

from benchmarks import dashboard
from benchmarks.surroundings import tree_of

ROOT = Path(__file__).resolve().parent.parent.parent
needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
pytestmark = [needs_git, pytest.mark.slow]


def test_it_ends_with_a_command_that_exists_once_something_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(dashboard, "RESULTS", tmp_path / "nothing")
    dashboard.say_where(tmp_path / "history.html")
    assert "preview" not in capsys.readouterr().out
    monkeypatch.setattr(dashboard, "RESULTS", tmp_path)
    dashboard.say_where(tmp_path / "history.html")
    said = capsys.readouterr().out.splitlines()
    assert (tmp_path / "history.html").as_uri() in said[1]
    done = subprocess.run(
        [*shlex.split(said[-1]), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "preview" in done.stdout


def test_tree_of_a_commit():
    with tree_of("HEAD") as tree:
        assert (tree / "pyproject.toml").read_text() == subprocess.run(
            ["git", "show", "HEAD:pyproject.toml"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert (tree / "chainrules_py" / "__init__.py").exists()
    assert not tree.exists()
