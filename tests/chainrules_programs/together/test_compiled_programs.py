"""Random programs, compiled, while their arguments and surroundings change: the tape's results."""

import contextlib
import re
import warnings

import numpy as np
import pytest

from chainrules_programs.recording import repetitions
from chainrules_tape import as_primitive, compiled, grad, seen_through
from chainrules_tape.refusals.errors import InPlaceError
from compiled_programs import CHANGES, FORMS, TRANSFORMS, RandomProgram, is_same_outcome, outcome
from seeds_of_programs import groups

CALLS = 8
OPERATION = "gradient of an operation"
KINDS = [*TRANSFORMS, OPERATION]


def differing(seed):
    """Compile a random program and change what it reads; the first call that differs, in words.

    Returns that, or None, how many calls a program served, and whether it was compiled at all.
    """
    program, name = RandomProgram(seed, in_scope=seed % 3 == 0), KINDS[seed % len(KINDS)]
    if seed % 6 == 3 and name != OPERATION:  # every second one of these: with its file
        program.function = seen_through(program.function)
        return differing_call_of(program, name, seed)
    with program.scope():
        return differing_call_of(program, name, seed)


def differing_call_of(program, name, seed):
    """As `differing`, for a program in its scope."""
    if name == OPERATION:
        function = grad(program.function)
        step = grad(as_primitive(program.function, compiled=True))
    else:
        function = TRANSFORMS[name](program.function)
        step = compiled(function)
    for number in range(CALLS):
        if number % 2 == 0:
            prepare(step, program.args)
        expected, found = outcome(function, program.args), outcome(step, program.args)
        # a recorded argument makes arrays that can be written into, where the tape refuses
        is_refused = name == OPERATION and expected is InPlaceError
        # beside the arguments: where one is of single precision, so is what follows it
        if not is_refused and not is_same_outcome((found, program.args), (expected, program.args)):
            what = f"seed {seed}, {name}, call {number}: {found!r} is not {expected!r}"
            return what + "\n" + program.source, step
        program.change()
    return None, step


def prepare(step, args):
    """Compile a call at once, if it can be compiled."""
    with np.errstate(all="ignore"), contextlib.suppress(Exception):
        step.prepare(*args)


WITHIN = {"SHIFT": "helper", "HIDDEN": "model"}  # what reads it


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("scope", ["none", "open", "of the function"])
def test_each_change_is_noticed(name, scope):
    """By a program that names little else."""
    naming = re.compile(rf"\b{WITHIN.get(name, name)}\b")
    statement = next(filter(naming.search, FORMS))
    program = RandomProgram(0, in_scope=scope == "open", statement=statement)
    own = seen_through(program.function) if scope == "of the function" else program.function
    function = TRANSFORMS["value_and_grad"](own)
    step, served = compiled(function), 0
    with program.scope():
        for change in ("", *CHANGES[name]):
            exec(change, program.space)
            for _ in range(3):
                expected, found = (outcome(each, program.args) for each in (function, step))
                assert is_same_outcome(found, expected), change
            served += len(step.programs())
    assert served or name == "math", step.explain()


def test_what_a_function_had_and_has_are_two():
    """Its new code may stand in memory where what it had before was."""
    for _ in range(5):
        test_each_change_is_noticed("scaled", "of the function")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("block", range(4))
def test_some(block):
    run(range(15 * block, 15 * (block + 1)))


@pytest.mark.parametrize("block", groups(100, ordinarily=0))
def test_five_thousand(block):
    run(range(1000 + 50 * block, 1000 + 50 * (block + 1)))


def run(seeds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [differing(seed) for seed in seeds]
    wrong = [what for what, _ in found if what]
    assert not wrong, "\n\n".join(wrong)
    steps = [step for _, step in found if hasattr(step, "count_of_programs")]
    assert sum(bool(step.programs()) for step in steps) > 0.4 * len(steps)


@pytest.fixture
def loops_of_few_steps(loops, monkeypatch):
    """What repeats is a loop in short programs, too; the list has each that is made."""
    for name, size in {"SHORTEST": 0, "GRAM": 2, "LEAST": 6}.items():
        monkeypatch.setattr(repetitions, name, size)
    return loops


@pytest.mark.parametrize("block", groups(100))
def test_with_loops_of_few_steps(block, loops_of_few_steps):
    run(range(20000 + 50 * block, 20000 + 50 * (block + 1)))
    assert block or len(loops_of_few_steps) > 10  # by chance, some blocks have few
