"""Which tests a run takes: what had been skipped, and lots that do not depend on what is installed."""

import os
import re
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.long
def test_the_rest_is_what_did_not_pass_before(tmp_path):
    """Of what passed one in `N` runs again, and what passed before the rest did is not forgotten."""
    for name in ("conftest.py", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
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
    def drawn(names):
        left_out = {*out_of_turn(names, 3)}
        return {name for place, name in enumerate(names) if place not in left_out}

    names = [f"test[{engine}-{k}]" for engine in ("jax", "tape") for k in range(60)]
    everywhere = drawn(names)
    assert 20 < len(everywhere) < 60
    assert drawn(names[60:]) == {name for name in everywhere if "tape" in name}
    assert len(drawn(names[:1])) == 1  # of each function some test runs


ASKED = """
import pytest

@pytest.mark.one_in(2)
@pytest.mark.parametrize("word", ["sin", "sinh", "cosh", "tanh", "asinh", "acosh"])
@pytest.mark.parametrize("k", range(10))
def test_words(word, k):
    pass

@pytest.mark.slow
@pytest.mark.parametrize("word", ["sinh", "cosh"])
def test_slowly(word):
    pass
"""


@pytest.mark.long
def test_what_is_asked_for_and_not_drawn_is_counted(tmp_path):
    """`-k` and `-m` choose what they choose without us, and the last line says what did not run."""
    (tmp_path / "test_it.py").write_text(ASKED)
    (tmp_path / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())

    def run(*options):
        markers = [f"-omarkers={name}: a lot" for name in ("long", "slow", "one_in(k)", "kinds")]
        command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", *markers]
        done = subprocess.run(
            [*command, f"--rootdir={tmp_path}", *options, tmp_path],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "tests" / "shared")},
            capture_output=True,
            text=True,
            check=False,
        )
        found = {word: int(n) for n, word in re.findall(r"(\d+) (passed|more)", done.stdout)}
        return found.get("passed", 0), found.get("more", 0)

    for keyword, there in (("asinh", 10), ("slowly", 2)):
        passed, more = run("-k", keyword)
        assert passed + more == there
        assert run("-k", keyword, "-m", "long or slow") == (more, 0)
