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
