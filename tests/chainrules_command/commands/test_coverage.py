"""`chainrules coverage` counts what becomes of each function of NumPy and SciPy."""

import numpy as np
import pytest

from chainrules_command.commands.coverage import scipy_coverage
from chainrules_numpy.coverage import Coverage, coverage


def test_a_row_per_module_and_their_sum(run):
    done = run("coverage")
    lines = [
        line.split() for line in done.out.splitlines() if line.startswith(("numpy", "scipy", "all"))
    ]
    rows = {name: [int(count) for count in counts] for name, *counts in lines}
    modules = [counts for name, counts in rows.items() if name != "all"]
    assert rows["all"] == [sum(column) for column in zip(*modules, strict=True)]
    for *categories, functions, at_once in rows.values():
        assert sum(categories) == functions
        assert at_once <= categories[0]
    assert done.status == 0


def test_numpys_functions_are_those_of_its_table(run):
    found = {each["function"]: each["coverage"] for each in run("coverage", "--json").data}
    expected = {
        each.name if each.name.startswith("numpy.") else f"numpy.{each.name}": str(each.coverage)
        for each in coverage()
    }
    assert {name: found.get(name) for name in expected} == expected


def test_how_many_examples_are_computed_is_said_of_functions_with_rules(run):
    found = {each["function"]: each["batches"] for each in run("coverage", "--json").data}
    assert found["numpy.add"]
    assert found["numpy.sum"]
    assert not found["numpy.require"]
    assert "at once" in run("coverage", "numpy.add").out


def test_missing_lists_only_those_without_rules(run):
    assert {each["coverage"] for each in run("coverage", "--missing", "--json").data} == {
        "no rule yet"
    }


def test_every_public_name_of_scipys_modules_has_a_category_and_the_missing_ones_a_reason():
    special = pytest.importorskip("scipy.special")
    found = {each.name.rpartition(".")[2]: each for each in scipy_coverage("scipy.special")}
    assert found.keys() == {name for name in special.__all__ if callable(getattr(special, name))}
    assert found["erf"].coverage is Coverage.RULE
    assert [
        name
        for name, each in found.items()
        if each.coverage is Coverage.MISSING and not each.reason
    ] == []


def test_a_distribution_has_the_rules_of_its_density():
    pytest.importorskip("scipy")
    found = {each.name: each.coverage for each in scipy_coverage("scipy.stats")}
    assert found["scipy.stats.norm"] is Coverage.RULE
    assert np.any([kind is Coverage.MISSING for kind in found.values()])
