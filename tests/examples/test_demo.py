"""The demo shows a gradient, a Hessian and a graph, and its rules agree with finite differences."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"
ROW = re.compile(r"^(d \w+ / d .+?) +(\S+) +(\S+) +(\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo prints; its graph goes to the temporary folder."""
    folder = {name: str(tmp_path_factory.mktemp("demo")) for name in ("TMPDIR", "TEMP", "TMP")}
    command = [sys.executable, "-W", "error", DEMO]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_graph_is_there(shown: str):
    (name,) = re.findall(r"a graph .*: (.+\.md)", shown)
    first, *lines, last = Path(name).read_text(encoding="utf-8").splitlines()
    assert (first, lines[0], last) == ("```mermaid", "flowchart TD", "```")
    assert len([line for line in lines if '["v' in line]) >= 4


def test_rules_agree_with_finite_differences(shown: str):
    rows = ROW.findall(shown)
    assert len(rows) == 11  # m (3), ecc, a (4), and m again forward
    assert [row for row in rows if abs(float(row[1]) - float(row[2])) > 1e-7] == []
