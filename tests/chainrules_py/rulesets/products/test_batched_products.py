"""Products of sequences in lanes: what is infinite stays at its place."""

import numpy as np
import pytest

from chainrules_py import batched
from chainrules_tape import vmap

A = np.array([[1.0, 2.0, 3.0, -1.0], [0.5, 4.0, -2.0, 1.0]])
V = np.array([[np.inf, 1.0, 2.0], [1.0, -1.0, np.inf]])


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("function", [np.convolve, np.correlate])
@pytest.mark.parametrize("lanes", [(True, True), (True, False), (False, True)])
def test_no_zero_of_a_border_meets_infinity(function, mode, lanes):
    for first, second in ((A, V), (V, A)):
        given = [x if lane else x[0] for x, lane in zip((first, second), lanes, strict=True)]
        # some kernels of BLAS report an invalid operation beside an infinity, and compute none
        with np.errstate(invalid="ignore"):
            found = batched(function, lanes, *given, mode=mode)
        for number in range(2):
            own = [x[number] if lane else x for x, lane in zip(given, lanes, strict=True)]
            np.testing.assert_array_equal(found[number], function(*own, mode=mode))


def test_numbers_are_sequences_of_one_entry():
    found = batched(np.convolve, (True, True), A, A[:, 0], mode="full")
    np.testing.assert_array_equal(found, A * A[:, :1])


@pytest.mark.parametrize("shapes", [((3, 3), (9, 3, 3)), ((2, 4), (5, 4, 1)), ((1, 2), (1, 2, 8))])
@pytest.mark.parametrize("dtype", [float, complex, np.float32, int])
def test_small_matrices_times_a_constant_stack(shapes, dtype):
    rng = np.random.default_rng(0)
    a = (10 * rng.normal(size=(6, *shapes[0]))).astype(dtype)
    b = (10 * rng.normal(size=shapes[1])).astype(dtype)
    found = vmap(lambda x: x @ b)(a)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, [x @ b for x in a], rtol=1e-5)
