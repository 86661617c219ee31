"""What is imported with the table alone. Its pages run without the tape (`test_documents`)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_imports_its_two_dependencies_and_no_engine():
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
