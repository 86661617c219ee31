"""What README and pages say of how much there is, and of how it is installed, is what the code
says.
"""

import importlib
import pkgutil
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from chainrules_command.commands.coverage import count, distance_coverage
from chainrules_numpy.coverage import Coverage

pytest.importorskip("scipy")
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "users").glob("*.md")]
PAGES += [
    *(ROOT / "docs" / "rules").glob("*.md"),
    *(ROOT / "docs" / "design").glob("*.md"),
    ROOT / "CONTRIBUTING.md",
]
TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PAGES}
NUMBER = re.compile(r"([\d,.]+) functions of NumPy and SciPy")


def test_one_number_of_functions_everywhere():
    said = {page: found for page, text in TEXTS.items() for found in NUMBER.findall(text)}
    assert {"README.md", "docs/coverage.md"} <= said.keys()
    assert set(said.values()) == {f"{round(count(), -2):,}"}, said


def test_every_module_that_stands_in_for_scipys_is_on_the_page():
    scipy = importlib.import_module("chainrules_tape.scipy")
    names = [
        each.name.removeprefix("chainrules_tape.")
        for each in pkgutil.walk_packages(scipy.__path__, f"{scipy.__name__}.")
    ]
    # SciPy has others than ours
    found = [name.removeprefix("scipy.") for name in names if find_spec(name) is not None]
    listed = TEXTS["docs/users/other_code.md"].partition("## SciPy")[2].partition("```")[0]
    assert [
        name for name in found if f"`{name}" not in listed and name not in ("sparse", "spatial")
    ] == []


def test_the_distances_are_in_the_coverage_and_on_its_page():
    found = {each.name.rpartition(".")[2]: each for each in distance_coverage()}
    assert found.keys() == set(importlib.import_module("scipy.spatial.distance").__all__)
    assert [name for name, each in found.items() if not each.reason] == []
    written = {name for name, each in found.items() if each.coverage is Coverage.INTERNAL}
    paragraph = (
        TEXTS["docs/coverage.md"]
        .partition("`chainrules_tape.scipy.spatial.distance` has")[2]
        .partition("\n\n")[0]
    )
    assert written == set(re.findall(r"`(\w+)`", paragraph))


def test_there_is_no_release_to_install_yet():
    sources = {
        str(path): path.read_text(encoding="utf-8") for path in (ROOT / "backends").rglob("*.py")
    }
    assert [name for name, text in (TEXTS | sources).items() if "chainrules-py[" in text] == []
    assert [name for name, text in TEXTS.items() if "pip install chainrules" in text] == []
