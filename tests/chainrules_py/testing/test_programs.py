"""Programs for engines: what is right passes, what raises is refused, what is wrong is a failure."""

from types import SimpleNamespace

import numpy as np
import pytest

import chainrules_tape
from chainrules_py import NotDifferentiableError
from chainrules_py.testing import (
    CheckFailure,
    Settings,
    check_engine,
    conformance,
    load_shipped,
    run_engine_program,
)
from chainrules_py.testing.programs import PROGRAMS
from chainrules_tape.numpy.namespaces import interceptable

load_shipped()
FIRST = Settings(second_order="off")


PLAIN_ARRAYS = {"values_over_constants", "values_put", "added_at_places"}
REFUSED_BY_THE_TAPE = {
    *PLAIN_ARRAYS,  # which NumPy makes, and chainrules_tape.numpy does not
    *("entry_of_constants_assigned", "multiplied_at_places", "whole_number_drawn"),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_tape_differentiates_or_refuses(program):
    said = run_engine_program(tape_whose(lambda *call: None), program)
    assert (said is not None) == (program.name in REFUSED_BY_THE_TAPE), said


def tape_whose(compute):
    """The tape, with calls of one kind computed in another way."""

    def call(primal, args, options):
        found = compute(primal, args, options)
        return interceptable(primal)(*args, **options) if found is None else found

    return SimpleNamespace(vjp=chainrules_tape.vjp, jvp=chainrules_tape.jvp, call=call)


def drawn_of_constants(primal, args, options):
    if primal is np.random.Generator.normal:
        source, *parameters = map(chainrules_tape.stop_gradient, args)
        return primal(source, *parameters, **options) + 0.0 * args[1]
    return None


def refused(primal, args, options):
    if primal is np.random.Generator.normal:
        raise NotDifferentiableError("here", "a draw", "draw outside", primal=primal, argument=1)


def test_an_engine_that_drops_a_derivative_is_wrong():
    with pytest.raises(CheckFailure, match="normal_drawn"):
        run_engine_program(tape_whose(drawn_of_constants), PROGRAMS["normal_drawn"])


def test_an_engine_that_raises_says_why():
    said = run_engine_program(tape_whose(refused), PROGRAMS["normal_drawn"])
    assert said.startswith("NotDifferentiableError")
    assert "draw outside" in said
    assert run_engine_program(chainrules_tape, PROGRAMS["operator_in_place"]) is None


def test_check_engine_runs_all_programs_and_says_which_are_refused(monkeypatch):
    monkeypatch.setattr(conformance, "engine_cases", lambda *args, **options: [])
    passed = check_engine(tape_whose(refused), settings=FIRST)
    assert passed + len(passed.refused) == len(PROGRAMS)
    assert "draw outside" in passed.refused["normal_drawn"]
    assert "uniform_drawn" not in passed.refused
    assert repr(passed).startswith(f"{int(passed)} pass; refused, as it should be: ")
    with pytest.raises(ExceptionGroup, match="1 of "):
        check_engine(tape_whose(drawn_of_constants), settings=FIRST)
