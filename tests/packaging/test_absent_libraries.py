"""Where a library is not installed, what needs it says what to install."""

import re
import subprocess
import sys

import pytest

from source_trees import ADAPTERS, ROOT, SETTINGS, TOOLS

NEEDED = {
    **{f"import chainrules_{name}": name for name in (*ADAPTERS, "cupy")},
    "from chainrules_tape.scipy import stats": "scipy",
    "from chainrules_tape import *; jacobian(abs, sparse=True)": "scipy",
    'from chainrules_tape import *; compiled(abs, to="jax")': "jax",
}
EXTRAS = SETTINGS["project"]["optional-dependencies"]
FRESH = """
import sys
sys.modules[{hidden!r}] = None  # which is what Python takes for a module that is not there
try:
    exec({program!r})
except ModuleNotFoundError as error:
    print(type(error).__name__, error)
"""


OF_CONFTEST = """
import pathlib, runpy, sys
from importlib import import_module
sys.modules.update(dict.fromkeys({libraries!r}))
ignored = runpy.run_path("conftest.py")["collect_ignore"]
absent = set()
for path in sorted(pathlib.Path("backends").rglob("*.py")):
    try:
        import_module(".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__"))
    except ImportError as error:
        if "scipy" not in str(error):  # which the tests always have
            absent.add(path.as_posix())
print([path for path in sorted(absent) if not path.startswith(tuple(ignored))])
print([one for one in ignored if not any(path.startswith(one) for path in absent)])
"""
LIBRARIES = {"cupyx", "jaxlib", "scipy", *ADAPTERS, *TOOLS["chainrules"].values()}


@pytest.mark.long
def test_examples_run_in_all_modules_that_can_be_imported_and_no_others(monkeypatch):
    """Each row of the tables in `pyproject.toml` is needed, and none is missing."""
    monkeypatch.chdir(ROOT)
    assert said_by(OF_CONFTEST.format(libraries=LIBRARIES)) == "[]\n[]\n"


def said_by(code):
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", NEEDED)
def test_what_is_missing_is_named(program):
    library = NEEDED[program]
    said = said_by(FRESH.format(hidden=library, program=program))
    assert said.startswith("PackError")
    assert f"there is no module '{library}'" in said
    remedy = re.search(r"pip install '?([\w\[-]+)\]?'? \(or", said)[1]
    assert any(each.startswith(remedy) for each in EXTRAS[library])
