"""`chainrules try package.function 1.0 "[2.0, 3.0]"`: whether a call of other people's code is
differentiated as it stands; with `--jac`, whether a derivative that was written by hand is right.
"""

import argparse
from typing import Any, TextIO

from chainrules_command.answers import Answer
from chainrules_command.arguments import (
    call_named,
    has_real_numbers,
    positions_of_real_numbers,
)
from chainrules_command.misuse import MisuseError
from chainrules_command.names import function_named, module_named
from chainrules_foreign_code.report import is_real, leaves, report, tried
from chainrules_foreign_code.seen_functions import seen_through
from chainrules_programs.checking import check_derivatives
from chainrules_py.annotations import Function
from chainrules_py.tangents.describing import describe
from chainrules_tape.core.following import written_function
from chainrules_tape.refusals.code_owners import is_installed

EXAMPLES = """\
  chainrules try scipy.special.erf 0.5
  chainrules try pymap3d.geodetic2ecef 40.0 20.0 100.0
  chainrules try ./model.py:loss "{'rate': 0.5, 'weights': [2.0, 3.0]}" --see other_package
  chainrules try ./model.py:loss "[2.0, 3.0]" --jac slope --hess curvature
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "function", help="a function by its full name, as in package.module.function"
    )
    parser.add_argument(
        "args",
        nargs="*",
        help="its arguments: 2.0, [1.0, 2.0], {'a': 2.0}, float64[3]; integers, 3, are constants",
    )
    parser.add_argument(
        "--see",
        action="append",
        default=[],
        help="another package to see through (may be repeated)",
    )
    for name, what in (("jac", "gradient or Jacobian"), ("hess", "Hessian")):
        parser.add_argument(
            f"--{name}",
            metavar="FUNCTION",
            help=f"check this function, the {what} as written by hand: a name in the same module, or"
            " a full one",
        )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Differentiate a call, compare with central differences, or list what prevents it."""
    function, args = call_named(options)
    require_real_arguments(options, args)
    for package in options.see:
        module_named(package)  # raises for a name that cannot be imported
    require_number_in_result(options.function, function(*args))
    if options.jac or options.hess:
        return checked_by_hand(options, function, args)
    return tried_as_it_stands(options, function, args)


def tried_as_it_stands(options: argparse.Namespace, function: Function, args) -> Answer:
    """Differentiate a call with its own package, or its own file, and those of `--see` seen through."""
    packages = [options.function.partition(":")[0].partition(".")[0], *options.see]
    code = getattr(written_function(function), "__code__", None)
    is_of_own_file = code is not None and not is_installed(code.co_filename)
    if is_of_own_file:
        function, packages = seen_through(function), options.see
    trial = tried(function, args, packages)
    data = {
        "right": trial.is_right,
        "undecided": trial.is_undecided,
        "difference": trial.difference,
        "error": None if trial.error is None else str(trial.error),
        "obstacles": [obstacle._asdict() for obstacle in trial.obstacles],
    }
    return Answer(data, [report(trial)], 0 if trial.is_right else 1)


def checked_by_hand(options: argparse.Namespace, function: Function, args) -> Answer:
    """Compare derivatives that were written by hand with differences, and with those of the rules."""
    if len(args) != 1:
        got = f"--jac and --hess are for one argument, and there are {len(args)}"
        instead = "name a function of one array or number, as in lambda x: f(x, 2.0)"
        raise MisuseError(options.function, got, instead)
    jac, hess = (function_beside(options.function, name) for name in (options.jac, options.hess))
    found = check_derivatives(function, args[0], jac, hess)
    parts = [
        {"derivative": part.name, "right": part.is_right, "wrong": int(part.wrong.sum())}
        for part in found.parts
    ]
    data = {"right": found.is_right, "derivatives": parts}
    return Answer(data, [str(found)], 0 if found.is_right else 1)


def function_beside(function: str, name: str | None) -> Any:
    """A function by its full name, or by its name in the module of another one; None for none."""
    if name is None or ":" in name or "." in name:
        return name and function_named(name)
    module, colon, _ = function.rpartition(":" if ":" in function else ".")
    return function_named(f"{module}{colon}{name}")


def require_real_arguments(options: argparse.Namespace, args) -> None:
    """Raise for a number in an argument that is neither real nor an array."""
    for n in positions_of_real_numbers(options.function, args):
        for part in leaves(args[n]):
            if has_real_numbers(part) and not is_real(part):
                got = f"in the argument {options.args[n]!r}, {part!r} is no real number or array"
                raise MisuseError(options.function, got, "name a function of numbers and arrays")


def require_number_in_result(name: str, y) -> None:
    """Raise where what a function returned has no real or complex number in it, of which there
    could be a derivative.
    """
    if next(leaves(y), None) is None:
        got = f"what it returns has no real number in it: {describe(y)}"
        raise MisuseError(name, got, "name a function that returns numbers or arrays of them")
