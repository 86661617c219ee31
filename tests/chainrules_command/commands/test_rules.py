"""`chainrules rules` lists the functions that have rules."""

import json

import pytest

from chainrules_command.commands.rules import matches
from chainrules_py import default_rules
from processes import printed


def test_json_has_every_rule_of_the_table(run):
    found = run("rules", "--json").data
    assert len(found) == len(list(default_rules.load_all().rules()))
    assert {each["function"] for each in found} >= {"numpy.sin", "numpy.linalg.inv"}


def test_a_pattern_that_names_a_library_loads_no_other_and_finds_as_much(run):
    asked = "from chainrules_command.entry import main; main(['rules', '--json', 'numpy.*'])"
    program = f"import sys; {asked}; print({{*sys.modules}} & {{'scipy'}})"
    *data, loaded = printed(program).splitlines()
    assert loaded == "set()"
    expected = {
        each["function"]
        for each in run("rules", "--json").data
        if each["function"].startswith("numpy.")
    }
    assert {each["function"] for each in json.loads("\n".join(data))} == expected


def test_json_says_what_a_rule_takes(run):
    rrule, frule = run("rules", "--json", "numpy.sinh").data
    assert {rrule["entry_point"], frule["entry_point"]} == {"rrule", "frule"}
    assert "cosh" in rrule["formulas"]["dy/dx"]
    assert rrule["where"].rpartition(":")[2].isdigit()


def test_packs_are_listed_and_not_imported(tmp_path):
    info = tmp_path / "broken_pack-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-pack\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[chainrules_py.backends]\nlabelled = nowhere\n")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from chainrules_command.entry import main
main(["rules", "--packs", "--json", "label"])
"""
    (found,) = json.loads(printed(program))
    assert [*found.values()] == ["labelled", "nowhere", "backends", "broken-pack", "2.0"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("", True),
        ("SIN", True),
        ("numpy.*", True),
        ("numpy", True),
        ("sin*", False),
        ("cos", False),
    ],
)
def test_patterns(pattern, found):
    assert matches("numpy.sin", pattern) is found
