"""`chainrules draw module:function [arguments]`: a call as a picture."""

import argparse
from pathlib import Path
from typing import TextIO

from chainrules_command.answers import Answer
from chainrules_command.commands.show import add_call, program_of
from chainrules_command.misuse import MisuseError
from chainrules_command.names import require_no_source
from chainrules_programs.showing.drawing import Drawing

EXAMPLES = """\
  chainrules draw ./model.py:loss "float64[3]" "float64[2,3]"      writes loss.svg, for any browser
  chainrules draw ./model.py:loss 0.5 --output picture.svg
"""
OTHER_PICTURES = frozenset({".png", ".pdf", ".jpg", ".jpeg", ".gif", ".eps", ".ps", ".webp"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_call(parser)
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        help="the file to write; otherwise the function's name with .svg",
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=200,
        help="leave out the middle of longer programs; 0 draws all",
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Write the picture, and say where it is."""
    program = program_of(options)
    path: Path = options.output or Path(
        f"{options.function.rpartition(':')[2].rpartition('.')[2]}.svg"
    )
    require_no_source(path)
    if path.suffix in OTHER_PICTURES:
        got = f"a picture is an SVG file, and this name ends in {path.suffix}"
        raise MisuseError(
            str(path), got, "write .svg; browsers and editors of SVG make others of it"
        )
    try:
        Drawing(program, options.limit or None).save(path)
    except OSError as error:
        raise MisuseError(
            str(path), f"it cannot be written: {error.strerror}", "choose another file by --output"
        ) from error
    return Answer({"file": str(path), "operations": len(program.steps)}, [str(path)])
