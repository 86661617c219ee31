"""What the README names and shows is there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from chainrules_py import __version__

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_shows_the_picture_of_the_page_of_figures():
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"!\[[^]]*\]\(docs/(images/speed\.\w+)\)", README)
    assert f"({shown})" in page
    assert (ROOT / "docs" / shown).exists()


BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"print\(.*\)  # (.*)")


@pytest.mark.parametrize("block", BLOCKS)
def test_each_block_runs_alone_and_prints_what_it_says(block):
    if "import jax" in block:
        pytest.importorskip("jax", reason="JAX is not installed (extra: jax)")
    command = [sys.executable, "-W", "error", "-c", block]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = PRINTED.findall(block)
    assert len(said) == 1
    expected = said[0].partition(", from")[0].strip("[]").split()
    assert done.stdout.strip().strip("[]").split()[: len(expected)] == expected, done.stderr


def test_it_says_the_version():
    assert f"Version {__version__}," in README


@pytest.mark.parametrize("name", re.findall(r"`((?:to|from)_\w+)`", README))
def test_adapters_that_it_names_exist(name):
    library = name.partition("_")[2]
    assert f" {name} as {name}" in (
        ROOT / "backends" / f"chainrules_{library}" / "__init__.py"
    ).read_text(encoding="utf-8")


def test_extras_and_commands_that_it_names_exist():
    project, makefile = (
        (ROOT / file).read_text(encoding="utf-8") for file in ("pyproject.toml", "Makefile")
    )
    for extra in re.search(r'as in "\.\[(.*)\]"', README)[1].split(","):
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra
    for command in re.findall(r"`make (\w+)`", README):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command
