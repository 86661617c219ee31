"""`chainrules compare` times a function and its gradient by each engine."""

import pytest

from chainrules_command.commands.compare import total

TWO = ("--engine", "tape", "--engine", "differences")


def test_the_figures_belong_together(run, model):
    found = run("compare", f"{model}:loss", "float64[100]", "float64[100]", *TWO, "--json").data
    tape, differences = found["engines"]
    assert (tape["engine"], differences["engine"]) == ("tape", "differences")
    assert tape["first"] > tape["seconds"] > found["seconds"] > 0
    assert tape["memory"] >= 800


def test_an_engine_that_raises_has_its_error_in_the_table(run, model):
    words = ("--engine", "tape", "--engine", "fortran")
    done = run("compare", f"{model}:loss", "2.0", "3.0", *words)
    assert done.status == 0
    assert "engine='fortran'; name one of tape, compiled" in " ".join(done.out.split())
    assert run("compare", f"{model}:loss", "2.0", "3.0", *words[2:]).status == 1


def test_whole_numbers_are_constants(run):
    assert run("compare", "numpy.power", "2.0", "3", *TWO).status == 0


@pytest.mark.parametrize(("y", "summed"), [(2.0, 2.0), ([1.0, 2.0], 3.0), ([1 + 5j, 2j], 1.0)])
def test_functions_of_several_results_are_summed(y, summed):
    assert total(lambda: y)() == summed
