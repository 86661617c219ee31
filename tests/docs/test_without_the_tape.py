"""The pages of the table run where the tape cannot be imported."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("run_document.py")
PAGES = sorted([ROOT / "docs" / "engine_author.md", *(ROOT / "docs" / "rules").glob("*.md")])
PROGRAM = """
import sys
sys.modules["chainrules_tape"] = None  # an import of it raises
sys.path.insert(0, sys.argv[1])
from run_document import run_document
from pathlib import Path
print(run_document(Path(sys.argv[2])), "blocks ran")
assert sys.modules["chainrules_tape"] is None
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_of_the_table_runs_without_the_tape(page: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(RUNNER.parent), str(page)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" blocks ran\n")


def test_the_table_imports_its_two_dependencies_and_no_engine() -> None:
    program = (
        "import sys; import numpy; before = set(sys.modules)\n"
        "import chainrules_py\n"
        "chainrules_py.rrule(numpy.linalg.inv, numpy.eye(2))\n"
        "roots = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(roots - sys.stdlib_module_names - {'numpy'}))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    packages = set(done.stdout.split())
    assert "chainrules_py" in packages
    # NumPy's other names of functions; dispatch where the argument's class does not say it all
    assert packages <= {
        "chainrules_py",
        "chainrules_numpy",
        "plum",
        "beartype",
        "typing_extensions",
    }
