"""`chainrules engines`: the engines that have names, and whether they are there."""

import argparse
from collections.abc import Callable
from typing import Any, TextIO

from chainrules_command.answers import Answer, Table
from chainrules_engines import engines
from chainrules_py.errors import said_by

EXAMPLES = """\
  chainrules engines
  chainrules engines --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare that the command takes nothing."""


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """List the engines that `derivatives` and `compare` know by name."""
    data = {name: reason_without(make) for name, make in engines().items()}
    rows = [(name, reason or "is there") for name, reason in data.items()]
    return Answer(data, [Table(("engine", ""), rows)])


def reason_without(make: Callable[[], Any]) -> str:
    """Why an engine cannot be used here; nothing where it can."""
    try:
        make()
    except ImportError as error:
        return said_by(error)
    return ""
