"""Every Python block of the documents runs, every relative link leads somewhere, and the runner
itself notices failures.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from source_trees import ROOT, SETTINGS

RUNNER = Path(__file__).with_name("run_document.py")
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/*/README.md"),
        *ROOT.glob("tests/*/README.md"),
        ROOT / "paper" / "paper.md",
    ]
)
# these run where the tape cannot be imported
OF_THE_TABLE = {ROOT / "docs" / "engine_author.md", *(ROOT / "docs" / "rules").glob("*.md")}
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")
CODE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
EXTRAS = "|".join(SETTINGS["project"]["optional-dependencies"])
OPTIONAL = re.compile(rf"^(?:import|from) ({EXTRAS})\b", re.MULTILINE)


def run(document: Path) -> subprocess.CompletedProcess[str]:
    # A process of its own: rules that a document registers must not reach the tables that other
    # tests look at.
    absent = ["chainrules_tape"] if document in OF_THE_TABLE else []
    command = [sys.executable, "-W", "error", str(RUNNER), str(document), *absent]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def python_fences(document: Path) -> int:
    return document.read_text(encoding="utf-8").count("```python\n")


WITH_PYTHON = {
    name: document
    for name, document in zip(NAMES, DOCUMENTS, strict=True)
    if python_fences(document)
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("document", WITH_PYTHON.values(), ids=WITH_PYTHON)
def test_python_blocks_run(document: Path):
    for library in sorted(set(OPTIONAL.findall(document.read_text(encoding="utf-8")))):
        pytest.importorskip(library, reason=f"{library} is not installed (extra: {library})")
    done = run(document)
    fences = python_fences(document)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{fences} blocks ran\n")


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_relative_links_exist(document: Path):
    links = LINK.findall(CODE.sub("", document.read_text(encoding="utf-8")))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_pages_that_machines_read_exist():
    listed = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    pages = re.findall(r"\]\(([\w/]+)\.html\)", listed)
    assert len(pages) > 20
    assert [page for page in pages if not (ROOT / "docs" / f"{page}.md").exists()] == []


def test_a_failing_example_fails_the_document(tmp_path: Path):
    (tmp_path / "broken.md").write_text("```python\n>>> 1 + 1\n3\n```\n")
    done = run(tmp_path / "broken.md")
    assert done.returncode != 0
    assert "Expected:" in done.stdout
