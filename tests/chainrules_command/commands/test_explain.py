"""`chainrules explain` says which rules differentiate a call."""

import numpy as np

from chainrules_py import default_rules, explain


def test_the_text_is_the_explanation_of_the_table(run):
    done = run("explain", "numpy.matmul", "array", "array")
    assert done.out.startswith(str(explain(np.matmul, np.ones((2, 2)), np.ones((2, 2)))))
    assert done.status == 0


def test_arrays_are_taken_where_nothing_is_said(run):
    assert run("explain", "numpy.arctan2", "--json").data["types"] == ["ndarray", "ndarray"]


def test_classes_types_and_values(run):
    assert run("explain", "--json", "numpy.power", "float32[3]", "2").data["types"] == [
        "ndarray",
        "int",
    ]
    assert run("explain", "--json", "numpy.add", "list", "complex").data["types"] == [
        "list",
        "complex",
    ]


def test_formulas_of_scalar_rules(run):
    lines = run("explain", "numpy.divide").out.splitlines()[-2:]
    assert [line.split(" = ")[0].strip() for line in lines] == ["dy/dx1", "dy/dx2"]
    assert [line.split(" = ")[1] for line in lines] == ["1 / x2", "-y / x2"]


def test_no_latex_is_printed_at_a_terminal(run):
    for name in ("numpy.sin", "numpy.arctan2", "numpy.where", "scipy.special.erf"):
        assert "\\" not in run("explain", name).out.replace("\\Users", "")
    assert "cos" in run("explain", "numpy.sin", "--json").data["reverse"]["formulas"]["dy/dx"]


def test_json_names_the_rule_that_fires(run):
    found = run("explain", "numpy.matmul", "--json").data
    array = np.ndarray
    assert (
        found["reverse"]["where"]
        == default_rules.rule_for("reverse", np.matmul, (array, array)).where
    )
    assert found["forward"]["entry_point"] == "frule"


def test_many_examples_are_computed_by_a_rule_or_in_a_loop(run):
    def last_line(name):
        return run("explain", name).out.splitlines()[-1].strip()

    assert last_line("numpy.sum").startswith("batched: reduces at ")
    assert last_line("numpy.matmul").startswith("batched: contracts at ")
    assert last_line("scipy.signal.cspline1d") == "batched: a loop, one call per lane"
    assert run("explain", "numpy.sum", "--json").data["batching"]["entry_point"] == "batched"
    assert run("explain", "scipy.signal.cspline1d", "--json").data["batching"] == "a loop"


def test_no_rule_is_status_1(run):
    done = run("explain", "math.floor", "str")
    assert done.status == 1
    assert done.out.count("no rule") == 2


def test_a_misspelt_function_is_status_2(run):
    done = run("explain", "numpy.matmull")
    assert (done.status, done.out) == (2, "")
    assert "did you mean numpy.matmul?" in done.err


def test_plain_code_needs_no_rule(run, model):
    done = run("explain", f"{model}:loss")
    assert done.status == 0
    assert "needs none" in done.out
    assert run("explain", "scipy.optimize.rosen").status == 1
