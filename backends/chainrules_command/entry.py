"""The console script `chainrules`: from a command line to its exit status."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, TextIO

from chainrules_command.misuse import MisuseError, did_you_mean

COMMANDS = {
    "rules": "list the functions that have rules, and where the rules are written",
    "explain": "say which rules differentiate a call, and why",
    "check": "check every rule that importing a module registers, against its samples",
    "try": "differentiate a call of a package as it stands, and compare with differences",
    "coverage": (
        "count which functions of NumPy and SciPy have rules, and say why the others have none"
    ),
    "show": (
        "print what a function computes as its derivative sees it, with rules, types and memory"
    ),
    "compile": "write a function's gradient into a file, as straight NumPy code",
    "draw": "print what a function computes as a graph, in the text of Mermaid",
    "migrate": "change the imports of autograd into ours, and list what could not be changed",
}
MODULES = {"try": "trial"}  # of commands that Python cannot import by their names
STATUS = """\
exit status:
  0  all is well
  1  the answer is bad: a check failed, a gradient is wrong, there is no such rule, the program raised an error
  2  the command is written wrongly: a misspelt name, a module that cannot be imported
"""


def main(
    arguments: Sequence[str] | None = None, *, out: TextIO | None = None, err: TextIO | None = None
) -> int:
    """The console script `chainrules`; returns the exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    written, said = out or sys.stdout, err or sys.stderr
    try:
        return carried_out(words, written, said)
    except MisuseError as error:
        print(f"chainrules: {error}", file=said)
        return 2
    # as in `chainrules rules | head`; Python would complain once more when it closes the stream
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # of the program that a command ran
        if "--traceback" in words:
            raise
        from chainrules_command.reports import report

        print(
            report(error, next((word for word in words[1:] if not word.startswith("-")), words[0])),
            file=said,
        )
        return 1


def carried_out(words: list[str], out: TextIO, err: TextIO) -> int:
    """Parse a command line, run its command and write the answer."""
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        instead = did_you_mean(words[0], COMMANDS, f"the commands are {', '.join(COMMANDS)}")
        raise MisuseError("the first word", f"there is no command {words[0]!r}", instead)
    options = parser_for(words).parse_args(words or ["--help"])
    # after `--help`, which ends in `parse_args`
    from chainrules_command.answers import write_answer
    from chainrules_command.names import folder_on_the_path

    with folder_on_the_path(options):
        try:
            answer = command(options.command).run(options, err)
        except SystemExit as ended:
            got = f"the program that it runs ended Python by SystemExit({ended.code!r})"
            instead = "name a function that returns"
            raise MisuseError(options.command, got, instead) from ended
        write_answer(answer, out, as_json=options.json)
    out.flush()
    return answer.status


def parser_for(words: list[str]) -> argparse.ArgumentParser:
    """A parser that knows all commands by name, and the arguments of the one that is written."""
    parser = argparse.ArgumentParser(
        prog="chainrules",
        description="Tools for derivative rules and for programs that are differentiated by them.",
        epilog="`chainrules COMMAND --help` has an example of each.\n\n" + STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=Version, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, about in COMMANDS.items():
        one = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        if words[:1] == [name]:
            one.formatter_class = argparse.RawDescriptionHelpFormatter
            one.epilog = f"for example:\n{command(name).EXAMPLES}\n{STATUS}"
            one.add_argument("--json", action="store_true", help="print the answer as JSON")
            one.add_argument(
                "--traceback",
                action="store_true",
                help="print Python's traceback where the program raises an error",
            )
            command(name).add_arguments(one)
    return parser


def command(name: str) -> Any:
    """The module of a command."""
    try:
        return import_module(f"chainrules_command.commands.{MODULES.get(name, name)}")
    except ImportError as error:  # ours say what to install
        got = getattr(error, "got", str(error))
        instead = getattr(error, "instead", "install what it needs")
        raise MisuseError(name, got, instead) from error


class Version(argparse.Action):
    """Print the version, which costs an import of NumPy that nothing else here needs."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        """Print and stop, as argparse asks."""
        from chainrules_py.version import __version__

        print(f"chainrules {__version__}")
        parser.exit()
