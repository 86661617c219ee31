"""What a reader, or a debugger, passes between `grad` and its numbers: few files, few calls, few lines."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import chainrules_tape
from chainrules_tape import core, grad, jvp

ROOT = Path(chainrules_tape.__file__).parents[2]
X = np.ones(3)

MOST_FILES = 12
MOST_CALLS = 60
MOST_LINES = 700


def warm(f, x):
    """Call a gradient until its rules are loaded and looked up: a pack that a call loads has the next one look up again."""
    for _ in range(3):
        grad(f)(x)


def walked(call):
    """The calls of Python functions in the project's own source files, as `file` and function."""
    found = []

    def note(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in ("backends", "chainrules_py"):
            found.append((str(path.relative_to(ROOT)), frame.f_code.co_name))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found


def program(x):
    return np.sum(np.sin(x) * x)


def test_a_warm_gradient_visits_few_files():
    warm(program, X)
    files = {file for file, _ in walked(lambda: grad(program)(X))}
    assert len(files) <= MOST_FILES, sorted(files)


def test_a_gradient_of_another_function_makes_few_calls():
    """Of another function of the same operations: what was looked up is not looked up again."""
    warm(program, X)
    assert len(walked(lambda: grad(lambda x: np.sum(np.sin(x) * x))(X))) <= MOST_CALLS


def test_the_walk_is_seen():
    names = {name for _, name in walked(lambda: grad(lambda x: np.sum(np.sin(x) * x))(X))}
    assert {"grad", "trace", "sweep"} <= names


@pytest.mark.parametrize("take", [grad, lambda f: lambda x: jvp(f, (x,), (x,))], ids=["grad", "jvp"])
def test_the_engine_makes_few_calls_for_an_operation(take):
    """Of the engine's own functions: two for a ufunc, one for an operator, and two to add the second cotangent of an x."""

    def length(n):
        def f(x):
            for _ in range(n):
                x = np.sin(x) * x
            return np.sum(x)

        for _ in range(3):
            take(f)(X)
        return sum("chainrules_tape" in file for file, _ in walked(lambda: take(f)(X)))

    assert length(5) - length(1) <= 4 * 5


def reading_list():
    """The files that the docstring of `core` lists, by their module names below the package."""
    modules = re.findall(r"^ {4}([a-z_.]+) {2,}", core.__doc__, re.MULTILINE)
    return [Path(chainrules_tape.__file__).parent.joinpath(*module.split(".")).with_suffix(".py") for module in modules]


def test_the_reverse_engine_reads_in_one_sitting():
    files = reading_list()
    assert files[0].stem == "gradients"
    assert files[-1].stem == "sweep"
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= MOST_LINES


def test_the_reading_list_has_all_of_the_engine_that_a_gradient_passes():
    """Besides it a warm walk meets the fast way of calls, and the trees of its arguments."""
    warm(program, X)
    listed = {str(file.relative_to(ROOT)) for file in reading_list()}
    passed = {file for file, _ in walked(lambda: grad(lambda x: np.sum(np.sin(x) * x))(X)) if "chainrules_tape" in file}
    assert {Path(file).stem for file in passed - listed} == {"fast_calls", "trees"}
