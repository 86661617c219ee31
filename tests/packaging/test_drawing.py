"""Which tests a run takes: what had been skipped, and lots that do not depend on what is installed."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from daily import out_of_turn

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

def test_passes():
    pass

def test_skips_at_first():
    pytest.importorskip("library_of_tomorrow")
"""


def test_the_rest_is_what_did_not_pass_before(tmp_path):
    """Of what passed one in `N` runs again, and what passed before the rest did is not forgotten."""
    (tmp_path / "conftest.py").write_bytes((ROOT / "conftest.py").read_bytes())
    (tmp_path / "test_it.py").write_text(TESTS)

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-v", "-c", "/dev/null", f"--rootdir={tmp_path}"]
        done = subprocess.run(
            [*command, *options, tmp_path],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return {name for name in ("passes", "skips_at_first") if f"test_{name} " in done.stdout}

    assert run() == {"passes", "skips_at_first"}
    assert run("--rest=1") == {"passes", "skips_at_first"}
    (tmp_path / "library_of_tomorrow.py").touch()
    assert run("--rest=1000000", "--collect-only", "-q") == set()
    assert run("--rest=1000000") == {"skips_at_first"}
    assert run("--rest=1000000") == set()
    assert run() == {"passes", "skips_at_first"}


def test_what_is_drawn_does_not_depend_on_what_else_there_is():
    def items(names):
        mark = pytest.mark.one_in(3).mark
        marks = {"one_in": mark}
        return [
            SimpleNamespace(nodeid=name, parent=None, get_closest_marker=marks.get)
            for name in names
        ]

    def drawn(names):
        there = items(names)
        left = [item.nodeid for item in out_of_turn(there)]
        return {item.nodeid for item in there} - {*left}

    names = [f"test[{engine}-{k}]" for engine in ("jax", "tape") for k in range(60)]
    everywhere = drawn(names)
    assert 20 < len(everywhere) < 60
    assert drawn(names[60:]) == {name for name in everywhere if "tape" in name}
    assert len(drawn(names[:1])) == 1  # of each function some test runs
