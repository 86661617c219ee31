"""The QR factorisation of tall, wide and square matrices."""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, frule, rrule
from chainrules_py.errors import NotDifferentiableError, OptionError


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 4)])
def test_tangents_reconstruct_keep_unitarity_and_stay_triangular(shape, dtype):
    parts = np.random.default_rng(0).normal(size=(4, *shape))
    a, a_dot = (
        (parts[0] + 1j * parts[1], parts[2] + 1j * parts[3])
        if dtype is complex
        else (parts[0], parts[2])
    )
    (q, r), (q_dot, r_dot) = frule((a_dot,), np.linalg.qr, a)
    np.testing.assert_allclose(q_dot @ r + q @ r_dot, a_dot, atol=1e-10)
    np.testing.assert_allclose(adjoint(q) @ q_dot, -adjoint(adjoint(q) @ q_dot), atol=1e-10)
    np.testing.assert_array_equal(np.tril(r_dot, -1), 0)


def test_unused_q_costs_nothing():
    y, pullback = rrule(np.linalg.qr, np.diag([2.0, 3.0]))
    r_only, only_pullback = rrule(np.linalg.qr, np.diag([2.0, 3.0]), mode="r")
    r_bar = np.array([[1.0, 2.0], [0.0, 3.0]])
    np.testing.assert_array_equal(
        pullback(Tangent[type(y)](ZERO, r_bar))[0], only_pullback(r_bar)[0]
    )


def test_dependent_columns_raise_as_numpy_does():
    y, pullback = rrule(np.linalg.qr, np.array([[1.0, 0.0], [0.0, 0.0]]))
    with pytest.raises(np.linalg.LinAlgError):
        pullback(Tangent[type(y)](*map(np.ones_like, y)))


def test_refused_modes_say_what_to_write():
    with pytest.raises(NotDifferentiableError) as caught:
        rrule(np.linalg.qr, np.ones((3, 2)), mode="complete")
    assert caught.value.argument == "mode"
    with pytest.raises(OptionError) as refused:
        rrule(np.linalg.qr, np.ones((3, 2)), mode="raw")
    assert refused.value.option == "mode"
