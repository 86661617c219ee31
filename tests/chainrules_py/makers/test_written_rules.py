"""The texts of common rules are those that the makers write, and their code is used."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chainrules_py import default_rules, scalar_rule
from chainrules_py.makers.multilinear import dot_is_flagged
from chainrules_py.makers.written_rules import FUNCTIONS

WRITE = Path(__file__).with_name("write_rules.py")


def printed(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.skipif(not dot_is_flagged(), reason="`dot` of this NumPy has another text")
def test_the_texts_are_those_that_the_makers_write():
    assert printed(WRITE, "check") == "", f"run {WRITE}"


def test_common_first_gradients_compile_no_rule():
    program = """
import builtins
import numpy as np
from chainrules_tape import grad
grad(lambda x: x)(1.0)
plain, modes = builtins.compile, []
def noted(source, filename, mode, *args, **options):
    modes.append(mode)
    return plain(source, filename, mode, *args, **options)
builtins.compile = noted
grad(lambda x: np.sum(np.sin(x) * x - 2 / np.exp(x)) ** 2 + x[0])(np.ones(2))
print("eval" in modes, "exec" in modes)
"""
    assert printed("-c", program) == "True False"  # expressions are parsed, no text is compiled


def test_each_rule_has_objects_of_its_own():
    arrays = (np.ndarray, np.ndarray)
    rule = default_rules.resolve("reverse", np.multiply, arrays, (True, True))
    other = default_rules.resolve("reverse", np.exp, (np.ndarray,), (True,))
    assert Path(rule.stage.__code__.co_filename).name == "written_rules.py"
    codes = [function.__code__ for functions in FUNCTIONS.values() for function in functions]
    assert rule.stage.__code__ in codes
    assert rule.stage.__globals__["primal"] is np.multiply
    assert other.stage.__globals__["primal"] is np.exp


def test_what_is_written_otherwise_is_compiled():
    def cube(x):
        return x**3

    scalar_rule(cube, "x", "3 * x**2")
    rule = default_rules.resolve("reverse", cube, (np.ndarray,), (True,))
    assert "cube_stage of" in rule.stage.__code__.co_filename
    y, pullback = rule(np.array([2.0]))
    assert y == 8.0
    assert pullback(np.array([1.0])) == (12.0,)
