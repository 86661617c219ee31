"""Under Pyodide, as in a browser: a page's program, the demo and some hundred tests, by node.

`make test-browser` installs what this needs; elsewhere it is skipped.
"""

import contextlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv/browser"
PAGE = ROOT / "docs/in_browser.md"
TESTS = (
    *("core/test_levels.py", "core/test_sweep.py", "core/test_trees.py"),
    *("arrays/test_handles.py", "test_transforms.py", "test_vmap.py"),
)
WITHOUT = "not thread and not adds_methods"  # neither threads nor processes are there
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules/pyodide").exists(),
    reason="Pyodide is not installed (make test-browser)",
)


def printed_here():
    """What the program of the page prints in this process."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(program, {"__name__": "__main__"})
    return printed.getvalue()


def test_the_page_the_demo_and_a_hundred_tests():
    tests = [f"tests/chainrules_tape/{name}" for name in TESTS]
    command = ["node", ROOT / "tests/packaging/in_browser.mjs", FOLDER, PAGE, *tests, "-k", WITHOUT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    program, demo, counts = done.stdout.split("--\n", 2)
    assert program == printed_here()
    errors = re.findall(r"\d\.\de-\d\d$", demo, re.MULTILINE)
    assert len(errors) == 11
    assert max(map(float, errors)) < 1e-8
    (passed,) = re.findall(r"(\d+) passed", counts)
    assert int(passed) > 100
    assert done.returncode == 0, done.stdout[-4000:]
