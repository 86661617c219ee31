"""`chainrules bench` times a function and its gradient."""

import io

import pytest

from chainrules_command.commands.bench import calls_within, total


def test_the_figures_belong_together(run, model):
    found = run(
        "bench", f"{model}:loss", "float64[100]", "float64[100]", "--seconds", "0.2", "--json"
    ).data
    assert found["seconds_with_gradient"] > found["seconds"] > 0
    assert found["ratio"] > 1
    assert found["bytes_kept"] == 4 * 800 - 800  # x for the sine; w and its sine for the product


def test_the_table(run, model):
    done = run("bench", f"{model}:loss", "2.0", "3.0", "--seconds", "0.05")
    rows = [
        line.split() for line in done.out.splitlines() if "function" in line or "gradient" in line
    ]
    assert rows[0][:2] == ["the", "function"]
    assert float(rows[1][-1]) > 1


def test_whole_numbers_are_constants(run):
    assert run("bench", "numpy.power", "2.0", "3", "--seconds", "0.05", "--json").data["ratio"] > 1


def test_progress_is_shown_on_a_terminal(run, model):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    assert (
        "24/25"
        in run("bench", f"{model}:loss", "2.0", "3.0", "--seconds", "0.05", err=Terminal()).err
    )


@pytest.mark.parametrize(("y", "summed"), [(2.0, 2.0), ([1.0, 2.0], 3.0), ([1 + 5j, 2j], 1.0)])
def test_functions_of_several_results_are_summed(y, summed):
    assert total(lambda: y)() == summed


def test_a_slow_call_is_called_once():
    assert calls_within(1e-9, lambda: None) == 1
