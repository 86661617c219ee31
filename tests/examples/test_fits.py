"""The examples that fit something find what they made up, or get better."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="scipy is not installed (extra: scipy)")


def numbers_in_brackets(lines):
    """The vector that each line ends with."""
    return [np.fromstring(line.partition("[")[2].rstrip("]"), sep=" ") for line in lines]


@pytest.mark.parametrize(
    ("name", "needs", "first", "count", "tolerance"),
    [("autograd_mixed_model", "autograd", 0, 2, 0.02), ("fitted_orbit", "numpy", 1, 1, 1e-3)],
)
def test_a_fit_finds_the_truth(name, needs, first, count, tolerance, load, capsys):
    pytest.importorskip(needs)
    load(name).main()
    truth, *fits = numbers_in_brackets(capsys.readouterr().out.splitlines()[first:])
    assert len(fits) == count
    assert all(np.allclose(found, truth, atol=tolerance) for found in fits)


def test_a_law_and_a_network_of_torch_explain_the_measurements(load):
    pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
    example = load("torch_mixed_model")
    data = example.measurements()
    assert example.fit(*data, iterations=60).fun < 0.1 * example.loss(example.start(), *data)


def test_an_orbit_and_a_network_of_jax():
    pytest.importorskip("jax")
    example = Path(__file__).parents[2] / "examples" / "jax_orbit.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", example],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    *_, orbit, squares = done.stdout.splitlines()
    (found,) = numbers_in_brackets([orbit])
    np.testing.assert_allclose(found, [0.4, 0.3], atol=1e-9)
    before, after = map(float, squares.split()[-2:])
    assert after < before / 1000
    assert "value: opaque" in done.stdout
    assert "reverse: traced" in done.stdout
