"""The pages of the table run where the tape cannot be imported. Blocks that show an engine import it
themselves: what the others say holds without it.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("run_document.py")
PAGES = sorted([ROOT / "docs" / "engine_author.md", *(ROOT / "docs" / "rules").glob("*.md")])
WITH_AN_ENGINE = {"compiled.md": 1, "tutorial.md": 2, "writing.md": 5}
PROGRAM = """
import sys
sys.modules["chainrules_tape"] = None  # an import of it raises
sys.path.insert(0, sys.argv[1])
from run_document import run_document
from pathlib import Path
print(run_document(Path(sys.argv[2])), "blocks ran")
assert sys.modules["chainrules_tape"] is None
"""
WITH_THE_TAPE = re.compile(
    r"^```python\n(?:(?:import|from) .*\n)*?(?:import|from) chainrules_tape.*\n(?:.*\n)*?```$",
    re.MULTILINE,
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_of_the_table_runs_without_the_tape(page: Path, tmp_path: Path) -> None:
    text, shown = WITH_THE_TAPE.subn("", page.read_text(encoding="utf-8"))
    assert shown == WITH_AN_ENGINE.get(page.name, 0)
    rest = tmp_path / page.name
    rest.write_text(text, encoding="utf-8")
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(RUNNER.parent), str(rest)]
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
