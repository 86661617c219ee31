"""Type checkers see the mistakes of a program that uses the tape, and no others."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A line that ends in ``wrong`` is a mistake, which both have to see; in all others they see none.
PROGRAM = '''
from typing import Any, assert_type

import numpy
from numpy.typing import NDArray

import chainrules_tape.numpy as np
from chainrules_tape import checkpoint, compiled, grad, hessian, jacobian, jvp, stop_gradient
from chainrules_tape import value_and_grad, vjp


def energy(x: NDArray[numpy.float64], stiffness: float) -> float:
    """A function of an array and a number."""
    return float(np.sum(x**2) * stiffness)


x = numpy.ones(2)
grad(energy)(x, stiffness=2.0)
grad(energy)("text", 2.0)  # wrong
grad(energy)(x, stifness=2.0)  # wrong
hessian(energy)(x)  # wrong
jacobian(energy)(x, 2.0, 3.0)  # wrong
grad(3.0)  # wrong
assert_type(value_and_grad(energy)(x, 2.0), tuple[float, Any])
assert_type(jvp(energy, (x, 2.0), (x, 0.0)), tuple[float, Any])
jvp(energy, 1.0, 1.0)  # wrong
assert_type(vjp(energy, x, 2.0)[0], float)
assert_type(compiled(energy)(x, 2.0), float)
compiled(to="math")(energy)("text", 2.0)  # wrong
assert_type(checkpoint(energy)(x, 2.0), float)
assert_type(stop_gradient("a"), str)
assert_type(np.zeros(3), numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]])
np.zeroes(3)  # wrong
np.linalg.choleski(x)  # wrong
grad(numpy.linalg.norm)(x)
jacobian(np.cumsum)(x)
grad(lambda p: p["w"] ** 2)({"w": 3.0})
np.fft.rfft(np.random.default_rng(0).normal(size=3))
grad(np.interceptable(numpy.sum))(x)
'''
CHECKERS = {
    "mypy": ["mypy", "--config-file", str(ROOT / "pyproject.toml")],
    "pyright": ["pyright", "--project", str(ROOT), "--pythonpath", sys.executable],
}
ERROR = re.compile(r"typed_program\.py:(\d+):.*error")


@pytest.mark.long  # half a minute for both
@pytest.mark.parametrize("checker", CHECKERS)
def test_mistakes_are_seen(checker, tmp_path):
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed (group: dev)")
    module, *options = CHECKERS[checker]
    file = tmp_path / "typed_program.py"
    file.write_text(PROGRAM)
    command = [sys.executable, "-m", module, *options, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = {int(line) for line in ERROR.findall(done.stdout)}
    lines = enumerate(PROGRAM.splitlines(), 1)
    mistakes = {number for number, line in lines if line.endswith("# wrong")}
    assert len(mistakes) == 9
    assert found == mistakes, done.stdout + done.stderr
