"""Both states solve the equations, which agree with a matrix written by hand."""

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse")


def laplacian(program):
    """The five-point stencil, as one writes it with Kronecker products."""
    size = program.SIZE
    line = sparse.diags_array(
        [np.ones(size - 1), np.full(size, -2.0), np.ones(size - 1)], offsets=[-1, 0, 1]
    )
    eye = sparse.eye_array(size)
    return (sparse.kron(line, eye) + sparse.kron(eye, line)) / program.SPACING**2


def test_both_states_are_steady(program, result):
    for u in result["states"].values():
        gained = laplacian(program) @ u + program.RATE * np.exp(u)
        np.testing.assert_allclose(gained, 0.0, atol=1e-6)
        assert np.all(u > 0)
