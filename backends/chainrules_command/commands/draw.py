"""`chainrules draw module:function [arguments]`: a call as a graph, in the text of Mermaid."""

import argparse
from typing import TextIO

from chainrules_command.answers import Answer
from chainrules_command.commands.show import add_call, program_of_command
from chainrules_programs.showing.drawing import Drawing

EXAMPLES = """\
  chainrules draw ./model.py:loss "float64[3]" "float64[2,3]"
  chainrules draw ./model.py:loss 0.5 > loss.mmd     a file that GitHub and editors draw
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_call(parser)
    parser.add_argument(
        "--limit",
        type=int,
        default=200,
        help="leave out the middle of longer programs; 0 draws all",
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Print the graph."""
    program = program_of_command(options)
    text = str(Drawing(program, options.limit or None))
    return Answer({"mermaid": text, "operations": len(program.steps)}, [text])
