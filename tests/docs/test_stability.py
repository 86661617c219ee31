"""The page on stability has each public name of the tape, once."""

import re
from pathlib import Path

import chainrules_tape

PAGE = (Path(__file__).parents[2] / "docs" / "stability.md").read_text(encoding="utf-8")


def test_each_public_name_has_one_row():
    rows = PAGE.partition("|---|---|\n")[2].partition("\n\n")[0].splitlines()
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(dir(chainrules_tape))
