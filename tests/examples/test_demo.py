"""The demo shows a gradient, a Hessian and a graph, and its rules agree with finite differences."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
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


def numbers_after(title: str, shown: str) -> np.ndarray:
    """The numbers in the paragraph after a line that begins with a title."""
    paragraph = shown[shown.index(title) :].split("\n", 1)[1].split("\n\n")[0]
    return np.array([float(word) for word in re.findall(r"-?\d+\.\d*", paragraph)])


def test_the_gradient_and_the_hessian_of_a_program(shown: str, load: Callable[[str], ModuleType]):
    f = load("demo").energy
    x, step = np.array([0.5, 1.5, 3.5]), 1e-4 * np.eye(3)
    slopes = [(f(x + h) - f(x - h)) / 2e-4 for h in step]
    np.testing.assert_allclose(numbers_after("gradient", shown), slopes, atol=1e-3)
    curvature = [
        f(x + h + k) - f(x + h - k) - f(x - h + k) + f(x - h - k) for h in step for k in step
    ]
    np.testing.assert_allclose(
        numbers_after("its Hessian", shown), np.array(curvature) / 4e-8, atol=1e-3
    )


def test_the_graph_is_there(shown: str):
    (name,) = re.findall(r"a graph .*: (.+\.md)", shown)
    first, *lines, last = Path(name).read_text(encoding="utf-8").splitlines()
    assert (first, lines[0], last) == ("```mermaid", "flowchart TD", "```")
    assert len([line for line in lines if '["v' in line]) >= 4


def test_rules_agree_with_finite_differences(shown: str):
    rows = ROW.findall(shown)
    assert len(rows) == 11  # m (3), ecc, a (4), and m again forward
    assert [row for row in rows if abs(float(row[1]) - float(row[2])) > 1e-7] == []
