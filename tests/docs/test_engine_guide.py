"""The reverse engine of the guide is complete: its file alone passes the check of engines."""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "examples" / "engines"
ENGINE = ENGINES / "reverse.py"
CERTIFY = """
import numpy as np
import reverse
from chainrules_py.testing import check_engine

primals = [np.arctan2, np.where, np.mean, np.outer, np.remainder, np.concatenate, np.split, np.linalg.eigh, np.linalg.solve]
print(check_engine(reverse, primals, dtypes=["float64", "complex128"]))
"""


# Programs that write: the gradient is refused, and not that of another function.
WRITES = """
import numpy as np
import reverse
from chainrules_py import NoRuleError

def overwrites_its_own(x):
    y = x * 1.0
    np.copyto(y, 2.0)
    return y[0] * x[0]

def written_to(write):
    def f(x):
        y = np.zeros(3)
        write(y, x)
        return np.sum(y * y)
    return f

def without_diagonal(x):
    matrix = np.outer(x, x)
    np.fill_diagonal(matrix, 0.0)
    return np.sum(matrix)

programs = [overwrites_its_own, without_diagonal]
programs += [written_to(write) for write in (
    np.copyto,
    lambda y, x: np.put(y, [0, 1, 2], x),
    lambda y, x: np.putmask(y, y == 0, x),
    lambda y, x: np.place(y, y == 0, x),
    lambda y, x: np.put_along_axis(y, np.arange(3), x, 0),
    lambda y, x: np.add.at(y, [0, 1, 2], x),
    lambda y, x: np.subtract.at(y, [0, 1, 2], x),
)]
for program in programs:
    try:
        reverse.vjp(program, np.array([3.0, 1.0, 2.0]))
    except NoRuleError as error:
        assert "keeps track" in str(error), error
    else:
        raise AssertionError(program)
"""


def test_the_file_alone_refuses_programs_that_write(tmp_path: Path):
    run_with_the_engine(WRITES, tmp_path)


def test_the_file_alone_is_an_engine(tmp_path: Path):
    assert int(run_with_the_engine(CERTIFY, tmp_path)) > 80


def run_with_the_engine(program: str, folder: Path) -> str:
    """What a program prints that imports the guide's engine, copied into a folder."""
    (folder / "reverse.py").write_text(ENGINE.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-W", "error", str(folder / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names_of(engine: str) -> set[str]:
    """What an engine imports of the table."""
    tree = ast.parse((ENGINES / f"{engine}.py").read_text(encoding="utf-8"))
    return {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("chainrules_py")
        for alias in node.names
    }


def names_in_row(start: str) -> set[str]:
    """The names in a row of the table on the first page of the API."""
    page = (ROOT / "docs" / "api" / "index.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {start}")]
    return set(re.findall(r"`(\w+)`", row)) - {"chainrules_py"}


def test_the_first_page_of_the_api_has_the_names_of_engines():
    first, further = names_in_row("an [engine]"), names_in_row("an engine with")
    assert names_of("reverse") <= first | {"HasReverseMode"}
    assert first <= names_of("reverse")
    assert names_of("reverse") | names_of("forward") == first | further
    assert (len(first), len(further)) == (8, 3)
