"""Each program by each way: derivatives are those of the plain program, or a refusal is said."""

import warnings
from typing import Any

import pytest

from chainrules_tape import NotCompiledWarning
from product.judge import case_of
from product.programs import Program, every_program
from product.ways import Way, refusal, ways_of

CHAINS, ENGINES = 12, 6
PROGRAMS = every_program()

LIKE_OTHERS = {"sampling", "interpolating", "converting", "united"}


def kind(program: Program) -> str:
    """What a program is drawn with: faults have been found by those of many features."""
    if "solver" in program.marks:
        return "solved"
    return "like others" if program.table in LIKE_OTHERS else "of many features"


def cells(wanted: str) -> list[Any]:
    """The cells of the programs of one kind."""
    return [
        pytest.param(
            *(program, way),
            id=" | ".join([program.name, way.name, *sorted(program.marks)]),
            marks=pytest.mark.gpu if "CuPy" in way.name else (),
        )
        for program in PROGRAMS
        if kind(program) == wanted
        for way in ways_of(program, CHAINS, ENGINES)
    ]


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("program", "way"), cells("of many features"))
def test_cell(program: Program, way: Way) -> None:
    check(program, way)


@pytest.mark.one_in(75)
@pytest.mark.parametrize(("program", "way"), cells("like others"))
def test_cell_like_others(program: Program, way: Way) -> None:
    check(program, way)


@pytest.mark.one_in(120)
@pytest.mark.parametrize(("program", "way"), cells("solved"))
def test_cell_of_a_solver(program: Program, way: Way) -> None:
    check(program, way)


def check(program: Program, way: Way) -> None:
    case, error = case_of(program), refusal(program, way)
    with warnings.catch_warnings(action="ignore", category=NotCompiledWarning):
        if error is None:
            way.check(case)
        else:
            with pytest.raises(error):
                way.check(case)
