"""Complex conventions, zeros and shapes, between autograd and our rules."""

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad

from chainrules_autograd import to_autograd
from chainrules_autograd.translation import dense, other_convention, require_shape
from chainrules_py import NO_TANGENT, ZERO, SeedError, Thunk


def test_only_complex_cotangents_are_conjugated():
    assert other_convention(1 + 2j) == 1 - 2j
    assert other_convention(np.array([1j]))[0] == -1j
    assert other_convention(2.0) == 2.0
    real = np.ones(2)
    assert other_convention(real) is real


def test_gradients_are_autograds():
    z = np.array([1 + 2j, 3 - 1j])
    loss = to_autograd(np.vdot)
    # For |z|^2 = x^2 + y^2, autograd returns dx - i dy.
    assert np.allclose(grad(lambda z: anp.real(loss(z, z)))(z), 2 * np.conj(z))


def test_zeros_are_written_out_in_the_dtype_of_the_value():
    like = np.ones(2, dtype=np.float32)
    assert dense(ZERO, like).dtype == np.float32
    assert dense(NO_TANGENT, 1.0) == 0.0
    assert dense(Thunk(lambda: np.array([5.0])), np.ones(1)).tolist() == [5.0]


def test_a_cotangent_of_another_shape_is_refused():
    require_shape(1.0, (), np.sin)
    with pytest.raises(SeedError) as error:
        require_shape(np.ones((3, 2)), (2,), np.sin)
    assert error.value.expected == (2,)
