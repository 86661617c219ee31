"""The rules of convolution and correlation are held against the matrix of the linear map."""

import numpy as np
import pytest

from chainrules_py import rrule


@pytest.mark.parametrize("primal", [np.convolve, np.correlate])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("lengths", [(1, 1), (7, 2), (2, 7), (4, 4), (3, 8), (8, 3)])
def test_against_the_matrix_of_the_map(primal, mode, lengths):
    rng = np.random.default_rng(sum(lengths))
    a, v = (rng.normal(size=n) + 1j * rng.normal(size=n) for n in lengths)
    matrix = np.array([primal(row, v, mode=mode) for row in np.eye(len(a))])
    y, pullback = rrule(primal, a, v, mode=mode)
    y_bar = rng.normal(size=y.shape) + 1j * rng.normal(size=y.shape)
    np.testing.assert_allclose(pullback(y_bar)[0], np.conj(matrix) @ y_bar, rtol=1e-12)
