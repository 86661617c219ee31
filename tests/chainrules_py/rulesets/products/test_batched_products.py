"""Products of sequences in lanes: what is infinite stays at its place."""

import numpy as np
import pytest

from chainrules_py import batched
from chainrules_tape import grad, vmap

A = np.array([[1.0, 2.0, 3.0, -1.0], [0.5, 4.0, -2.0, 1.0]])
V = np.array([[np.inf, 1.0, 2.0], [1.0, -1.0, np.inf]])


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("function", [np.convolve, np.correlate])
@pytest.mark.parametrize("lanes", [(True, True), (True, False), (False, True)])
def test_no_zero_of_a_border_meets_infinity(function, mode, lanes):
    for first, second in ((A, V), (V, A)):
        given = [x if lane else x[0] for x, lane in zip((first, second), lanes, strict=True)]
        found = batched(function, lanes, *given, mode=mode)
        for number in range(2):
            own = [x[number] if lane else x for x, lane in zip(given, lanes, strict=True)]
            np.testing.assert_array_equal(found[number], function(*own, mode=mode))


def test_derivatives_at_borders():
    def total(a, v):
        return np.sum(np.convolve(a, v) * np.arange(6))

    finite = np.where(np.isinf(V), 3.0, V)
    found = vmap(grad(total, (0, 1)))(A, finite)
    for number in range(2):
        expected = grad(total, (0, 1))(A[number], finite[number])
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one[number], other)


def test_numbers_are_sequences_of_one_entry():
    found = batched(np.convolve, (True, True), A, A[:, 0], mode="full")
    np.testing.assert_array_equal(found, A * A[:, :1])
