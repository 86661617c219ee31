"""`chainrules show module:function [arguments]`: a call as its derivative sees it."""

import argparse
from typing import Any, TextIO

import numpy as np

from chainrules_command.answers import Answer
from chainrules_command.arguments import (
    call_named,
    positions_of_real_numbers,
)
from chainrules_programs.recording.program import Value
from chainrules_programs.recording.steps import makes
from chainrules_programs.showing.listing import Listing
from chainrules_programs.showing.notation import dtype_as_text, notation
from chainrules_programs.showing.program import TracedProgram, read_program
from chainrules_tape import InputError, OutputError, compiled, grad, value_and_grad

EXAMPLES = """\
  chainrules show ./model.py:loss "float64[3]" "float64[2,3]"     random arrays of these types
  chainrules show package.module:function "[1.0, 2.0]" 0.5        these values
  chainrules show ./model.py:loss "float64[3]" --compiled         its gradient as NumPy code
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_call(parser)
    parser.add_argument(
        "--limit",
        type=int,
        default=200,
        help="leave out the middle of longer programs; 0 shows all",
    )
    parser.add_argument(
        "--compiled",
        action="store_true",
        help="print the compiled value and gradient instead, as `chainrules compile` writes them",
    )


def add_call(parser: argparse.ArgumentParser) -> None:
    """Declare a function and its arguments."""
    parser.add_argument("function", help="a function, as in module:function or ./file.py:function")
    parser.add_argument(
        "args", nargs="*", help="its arguments: 2.0, [1.0, 2.0], {'w': [0.5]}, float64[2,3]"
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Print the operations of a call, forward and reverse, or the compiled program."""
    if options.compiled:
        text = compiled_text(options, "value_and_grad")
        return Answer({"source": text}, [text])
    program = program_of_command(options)
    return Answer(data_of(program), [str(Listing(program, options.limit or None))])


def compiled_text(options: argparse.Namespace, derivative: str) -> str:
    """The source of a function's compiled derivative, at the arguments of a command line."""
    function, args = call_named(options)
    made: Any = function
    if derivative != "plain":
        argnums = positions_of_real_numbers(options.function, args)
        chosen = argnums[0] if len(argnums) == 1 else argnums
        transform = {"grad": grad, "value_and_grad": value_and_grad}[derivative]
        made = transform(function, argnums=chosen)
    program: Any = compiled(made)
    try:
        text: str = program.source(*args)
    except InputError as error:
        raise not_compiled(options.function, made, args, error) from error
    return text


def not_compiled(name: str, made, args: list[Any], error: InputError) -> InputError:
    """The error for a command of one that was raised for the call of a compiled function."""
    got, instead = error.got, "name the part of it that computes, and does no more"
    try:
        made(*args)
    except OutputError as refusal:
        got = refusal.got
        instead = "name a function whose result is one real number, or write --derivative plain"
    return InputError(f"compiling {name}", got, instead, function=made, argument=0, value=args)


def program_of_command(options: argparse.Namespace) -> TracedProgram:
    """The program that a command line names."""
    function, args = call_named(options)
    return read_program(function, *args)


def data_of(program: TracedProgram) -> dict[str, Any]:
    """A program as data for JSON."""
    return {
        "name": program.name,
        "inputs": [value_data(value) for value in program.inputs],
        "operations": [
            {
                "source": notation.call(call),
                "rule": call.note.rule.name,
                "where": call.note.rule.where,
                "outputs": [value_data(value) for value in makes(call)],
                "bytes_kept": call.note.nbytes,
            }
            for call in program.calls
        ],
        "results": list(program.results),
        "bytes_kept": program.nbytes,
    }


def value_data(value: Value) -> dict[str, Any]:
    """A value of a program as data for JSON."""
    return {"name": value.name, "dtype": dtype_as_text(value), "shape": list(np.shape(value.array))}
