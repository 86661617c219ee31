"""Complex conventions, zeros and constants, between autograd and our rules."""

import numpy as np

from chainrules_autograd.differentiation import jvp, vjp
from chainrules_autograd.translation import dense, other_convention
from chainrules_py import NO_TANGENT, ZERO, Thunk


def test_only_complex_cotangents_are_conjugated():
    assert other_convention(1 + 2j) == 1 - 2j
    assert other_convention(np.array([1j]))[0] == -1j
    assert other_convention(2.0) == 2.0
    real = np.ones(2)
    assert other_convention(real) is real


def test_zeros_are_written_out_in_the_dtype_of_the_value():
    like = np.ones(2, dtype=np.float32)
    assert dense(ZERO, like).dtype == np.float32
    assert dense(NO_TANGENT, 1.0) == 0.0
    assert dense(Thunk(lambda: np.array([5.0])), np.ones(1)).tolist() == [5.0]


def test_a_function_of_nothing_differentiable_is_constant():
    y, pullback = vjp(lambda n: {"n": n + 1.0}, 3)
    assert y == {"n": 4.0}
    assert pullback({"n": 1.0}) == (NO_TANGENT,)
    assert jvp(lambda n: n + 1.0, (3,), (NO_TANGENT,)) == (4.0, 0.0)


def test_a_constant_function_has_zero_derivatives_without_a_warning():
    assert vjp(lambda x: 1.0, np.ones(2))[1](1.0)[0].tolist() == [0.0, 0.0]
    assert jvp(lambda x: 1.0, (np.ones(2),), (np.ones(2),)) == (1.0, 0.0)
