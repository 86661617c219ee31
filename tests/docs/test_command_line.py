"""The page on the command line: its table has every command, and each line that it shows for a
terminal ends well.
"""

import re
import shlex
from pathlib import Path

import pytest

from chainrules_command.entry import COMMANDS, main

PAGE = (Path(__file__).parents[2] / "docs" / "users" / "command_line.md").read_text(
    encoding="utf-8"
)
LINES = re.findall(
    r"^\$ chainrules (.*)$", re.search(r"```console\n(.*?)```", PAGE, re.DOTALL)[1], re.MULTILINE
)


def test_the_table_has_every_command():
    assert set(re.findall(r"^\| `chainrules (\w+)", PAGE, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("line", LINES)
def test_lines_for_a_terminal_end_well(line, capsys):
    assert main(shlex.split(line)) == 0
    assert len(capsys.readouterr().out.splitlines()) > 2


def test_a_misspelt_name_gets_the_suggestion_that_is_shown(capsys):
    words, message = re.search(r"```text\n\$ chainrules (.*)\n(.*)\n```", PAGE).groups()
    assert main(shlex.split(words)) == 2
    assert capsys.readouterr().err == f"{message}\n"
