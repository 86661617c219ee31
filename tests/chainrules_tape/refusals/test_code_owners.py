"""Frames of the engine are those of the tape and of all packages that are built of it."""

import tomllib

from chainrules_tape.refusals.code_owners import ENGINE, calling_frame, is_installed
from source_trees import SETTINGS

(LAYERS,) = [
    each["layers"]
    for each in SETTINGS["tool"]["importlinter"]["contracts"]
    if each["id"] == "packages"
]


def frame_of(module):
    """The frame that asks, as code of a module sees it that is called from here."""
    scope = {"__name__": module, "calling_frame": calling_frame}
    exec("def ask():\n    return calling_frame()", scope)
    return scope["ask"]()


def test_the_packages_above_the_tape_are_the_engines_and_the_command_line_is_not():
    command, *above, with_tape, _, _ = (layer.split(" : ") for layer in LAYERS)
    assert command == ["chainrules_command"]
    assert "chainrules_tape" in with_tape
    assert {"chainrules_tape", *(name for layer in above for name in layer)} == ENGINE


def test_the_caller_of_an_engines_package_is_asked_for():
    for package in ENGINE:
        assert frame_of(f"{package}.some_module").f_code.co_name == "frame_of"
    assert frame_of("model").f_code.co_name == "ask"


def test_a_module_of_pythons_own_is_installed():
    assert is_installed(tomllib.__file__)
    assert not is_installed(__file__)
