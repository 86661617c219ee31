"""Which lines of a traceback are the user's."""

from pathlib import Path

import pytest

from chainrules_command.reports import frames_of_program

ROOT = Path(__file__).parents[2]
PACKAGES = [
    "chainrules_py",
    *(path.name for path in sorted((ROOT / "backends").glob("chainrules_*"))),
]


def frames_of(module):
    """The functions in the report of an error that a module raises, called from here."""
    scope = {"__name__": module}
    exec("def divided(x):\n    return 1 / x", scope)
    try:
        scope["divided"](0)
    except ZeroDivisionError as error:
        return [frame.name for frame in frames_of_program(error.__traceback__)]


@pytest.mark.parametrize("package", PACKAGES)
def test_lines_of_this_distribution_are_not(package):
    assert frames_of(f"{package}.some_module") == ["frames_of"]


@pytest.mark.parametrize("package", ["model", "chainrules_of_mine"])
def test_all_others_are(package):
    assert frames_of(package) == ["frames_of", "divided"]
