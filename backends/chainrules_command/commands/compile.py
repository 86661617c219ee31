"""`chainrules compile module:function [arguments] -o FILE`: a gradient as a file of NumPy code."""

import argparse
from pathlib import Path
from typing import TextIO

from chainrules_command.answers import Answer
from chainrules_command.commands.show import add_call, compiled_text
from chainrules_command.misuse import MisuseError
from chainrules_command.names import require_no_source

EXAMPLES = """\
  chainrules compile ./model.py:loss "float64[3]" "float64[100,3]" -o loss_gradient.py
  chainrules compile ./model.py:loss "{'w': [0.5, 1.0]}" --derivative grad -o gradient.py
"""
DERIVATIVES = ("value_and_grad", "grad", "plain")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_call(parser)
    parser.add_argument("-o", "--out", help="the file to write")
    parser.add_argument(
        "--derivative",
        default=DERIVATIVES[0],
        choices=DERIVATIVES,
        help="what to compile: value and gradient, by all arguments with real numbers (the default),"
        " the gradient, or the function itself",
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Write the program of a call; running the file checks it at the same arguments."""
    if options.out is None:
        instead = "write -o gradient.py; chainrules show prints a program"
        raise MisuseError("-o", "there is no file to write to", instead)
    text = compiled_text(options, options.derivative)
    path = Path(options.out)
    require_no_source(path)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        instead = "name a file in a folder that exists"
        raise MisuseError("-o", f"{path} cannot be written: {error.strerror}", instead) from error
    lines = text.count("\n")
    told = f"{path}: {lines} lines; `python {path}` compares it with the tape's numbers."
    return Answer({"path": str(path), "lines": lines}, [told])
