"""Threads that register rules, and list them, while others differentiate new functions."""

import subprocess
import sys
from pathlib import Path

import pytest

import many_threads


@pytest.mark.parametrize("seconds", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_derivatives_are_right_while_other_threads_change_the_table(seconds):
    program = Path(many_threads.__file__)
    done = subprocess.run(
        [sys.executable, program, str(seconds)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
