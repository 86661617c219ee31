"""The plug-in runs the samples through an engine, in a run of pytest of its own."""

import os
import subprocess
import sys

import pytest

WRONG = """\
from chainrules_tape import jvp

def vjp(f, *args):
    import chainrules_tape
    y, pullback = chainrules_tape.vjp(f, *args)
    return y, lambda y_bar: tuple(2.0 * bar for bar in pullback(y_bar))
"""


@pytest.mark.parametrize(
    ("engine", "status", "said"),
    [("chainrules_tape", 0, "8 passed"), ("wrong_engine", 1, "multiply by 1/2")],
)
def test_an_engine_from_the_command_line(engine, status, said, tmp_path):
    (tmp_path / "wrong_engine.py").write_text(WRONG)
    (tmp_path / "test_other.py").write_text("def test_nothing_else(): raise ValueError('tanh')\n")
    words = ["--engine", engine, "--engine-order", "1", "-k", "numpy.tanh", "-q"]
    plugin = ["-p", "no:cacheprovider", "-p", "chainrules_py.testing.pytest_engine"]
    paths = [str(tmp_path), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, said in done.stdout) == (status, True), done.stdout + done.stderr
    assert "test_other" not in done.stdout
