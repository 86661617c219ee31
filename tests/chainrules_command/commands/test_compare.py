"""`chainrules compare` times a function and its gradient by each engine."""

import pytest

from chainrules_command.commands.compare import total

TWO = ("--engine", "tape", "--engine", "complex step")


def test_the_figures_belong_together(run, model):
    found = run("compare", f"{model}:loss", "float64[100]", "float64[100]", *TWO, "--json").data
    tape, step = found["engines"]
    assert (tape["engine"], step["engine"], step["error"]) == ("tape", "complex step", "")
    assert tape["first"] > tape["seconds"] > found["seconds"] > 0
    assert tape["memory"] >= 800


def test_an_engine_that_raises_has_its_error_in_the_table(run):
    call = "compare", "numpy.power", "2.0", "3", "--engine", "fortran"  # 3 is a constant
    done = run(*call, "--engine", "tape")
    assert done.status == 0
    assert "engine='fortran'; name one of tape, compiled" in done.out
    assert run(*call).status == 1


@pytest.mark.parametrize(("y", "summed"), [(2.0, 2.0), ([1.0, 2.0], 3.0), ([1 + 5j, 2j], 1.0)])
def test_functions_of_several_results_are_summed(y, summed):
    assert total(lambda: y, y)() == summed
