"""The example with JAX finds the orbit that it made up, and fits the network, without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax")
pytest.importorskip("scipy")
EXAMPLE = Path(__file__).parents[2] / "examples" / "jax_orbit.py"


def test_the_orbit_and_the_network():
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    *_, orbit, squares = done.stdout.splitlines()
    found = [float(word) for word in orbit.partition("[")[2].rstrip("]").split()]
    np.testing.assert_allclose(found, [0.4, 0.3], atol=1e-9)
    before, after = map(float, squares.split()[-2:])
    assert after < before / 1000
    assert "value: opaque" in done.stdout
    assert "reverse: traced" in done.stdout
