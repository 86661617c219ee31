"""`chainrules check` passes right modules, fails wrong ones with the diagnosis, and leaves the path
as it was.
"""

import io
import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from chainrules_command.commands.check import rules_of
from chainrules_py import default_rules
from chainrules_py.values import progress

RIGHT = """
    import numpy as np
    from chainrules_py import scalar_rule
    from chainrules_py.testing import samples_for, Sample

    def {name}(x):
        return x * x * x

    scalar_rule({name}, "x", "{partial}")
"""
SAMPLES = """
    @samples_for({name})
    def samples(draw):
        yield Sample(draw.any(2, 3))
        yield Sample(draw.any(0))
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name, source, **names):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source.format(name=name, **names)))
        return name

    return write


@pytest.fixture
def check(run):
    """The status and the text of a check."""

    def check(*words, progress=None):
        done = run("check", *words, err=progress)
        return done.status, done.out

    return check


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_right_module_passes(module, check):
    status, said = check(module("right_cube", RIGHT + SAMPLES, partial="3 * x * x"))
    assert status == 0
    assert said.splitlines()[-1] == "8 passed, 0 failed"  # two samples, two dtypes, two modes


def test_a_wrong_module_fails_with_the_diagnosis(module, check):
    status, said = check(
        module("wrong_cube", RIGHT + SAMPLES, partial="2 * x * x"), "--dtype", "float64"
    )
    assert status == 1
    assert "factor" in said
    assert said.splitlines()[-1] == "2 passed, 2 failed"


def test_fail_fast_stops_at_the_first(module, check):
    said = check(module("fast_cube", RIGHT + SAMPLES, partial="2 * x * x"), "--fail-fast")[1]
    assert said.splitlines()[-1].endswith("1 failed")


def test_a_rule_without_samples_fails(module, check):
    status, said = check(module("bare_cube", RIGHT, partial="3 * x * x"))
    assert status == 1
    assert "samples" in said


@pytest.mark.parametrize("source", ["import nowhere_to_be_found", "x = 1"])
def test_a_module_that_cannot_be_imported_or_registers_nothing(module, check, source):
    assert check(module("odd_" + str(len(source)), source))[0] == 2


def test_progress_is_shown_on_terminals_only(module, check, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    name, terminal, pipe = (
        module("shown_cube", RIGHT + SAMPLES, partial="3 * x * x"),
        Terminal(),
        io.StringIO(),
    )
    check(name, progress=terminal)
    check(name, progress=pipe)
    assert "7 of 8" in terminal.getvalue()
    assert pipe.getvalue() == ""


def test_the_rules_of_a_module_are_those_written_in_it():
    found = rules_of("chainrules_py.rulesets.ufuncs.elementwise", default_rules)
    assert {rule.primal for rule in found} >= {np.sin, np.multiply}
    assert all("elementwise" in rule.where for rule in found)


@pytest.mark.parametrize("named", ["own_rules", "./own_rules.py"])
def test_a_module_in_the_current_folder_is_found(tmp_path, named):
    source = textwrap.dedent((RIGHT + SAMPLES).format(name="own_rules", partial="3 * x * x"))
    (tmp_path / "own_rules.py").write_text(source)
    # With -P the interpreter leaves the current folder out, as it does for a console script.
    command = [sys.executable, "-P", "-m", "chainrules_command", "check", named]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["8 passed, 0 failed"], done.stdout + done.stderr


def test_json_has_the_failures(module, check):
    status, said = check(
        module("json_cube", RIGHT + SAMPLES, partial="2 * x * x"), "--dtype", "float64", "--json"
    )
    found = json.loads(said)
    assert (status, found["passed"], len(found["failures"])) == (1, 2, 2)
    assert "json_cube" in found["failures"][0]["case"]
    assert "factor" in found["failures"][0]["error"]
