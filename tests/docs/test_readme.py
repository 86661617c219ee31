"""The figures of the README are those of the last benchmark, and what it names is there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from chainrules_py import __version__

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
COLUMNS = ("/ by hand", "/ autograd", "/ torch", "/ jax-jit")
COMPILED = ("/ by hand", "/ jax-jit")


def table_after(heading: str, text: str) -> list[list[str]]:
    """The cells of the first table after a heading, without the line of dashes."""
    lines = re.search(r"^\|.*?(?=^[^|])", text.split(heading, 1)[1], re.MULTILINE | re.DOTALL)[
        0
    ].splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line
    ]


def figures_after(heading: str) -> dict[str, dict[str, str]]:
    """The cells of a table of figures, by program and column."""
    head, *measured = table_after(heading, PERFORMANCE)
    return {row[0]: dict(zip(head, row, strict=True)) for row in measured}


def test_figures_are_those_that_were_measured():
    tape, compiled = figures_after("## Against each peer"), figures_after("## Compiled gradients")
    _, *shown = table_after("## What it costs", README)
    assert len(shown) == 4
    for program, *cells in shown:
        expected = [tape[program][column] for column in COLUMNS]
        expected += [compiled[program][column] for column in COMPILED]
        assert cells == expected, program


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
    assert f"import {name} as {name}" in (
        ROOT / "backends" / f"chainrules_{library}" / "__init__.py"
    ).read_text(encoding="utf-8")


def test_extras_and_commands_that_it_names_exist():
    project, makefile = (
        (ROOT / file).read_text(encoding="utf-8") for file in ("pyproject.toml", "Makefile")
    )
    for extra in re.search(r"further extras: (.*)", README)[1].split(", "):
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra
    for command in re.findall(r"`make (\w+)`", README):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command
