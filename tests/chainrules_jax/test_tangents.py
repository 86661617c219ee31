"""Tangents of JAX as ours and back: zeros, integers, dtypes, shapes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_jax import JaxError
from chainrules_jax.tangents import (
    Spec,
    as_tangent,
    from_symbolic,
    in_declared_dtype,
)
from chainrules_py import NO_TANGENT, ZERO


def test_zeros_of_jax_are_zero():
    assert from_symbolic(np.zeros(2, jax.dtypes.float0)) is ZERO
    assert from_symbolic(jnp.ones(2)) is not ZERO


def test_ours_are_dense_and_integers_have_float0():
    assert as_tangent(ZERO, Spec((2,), "float32")).tolist() == [0, 0]
    assert as_tangent(NO_TANGENT, Spec((2,), "int32")).dtype == jax.dtypes.float0


def test_dtypes_are_the_declared_ones_and_shapes_are_not_changed():
    y = in_declared_dtype(np.array([1 + 2j]), Spec((1,), "float32"))
    assert (y.dtype, y.tolist(), y.weak_type) == ("float32", [1.0], False)
    with pytest.raises(JaxError, match=r"shape \(2,\) for one of shape \(1,\)"):
        in_declared_dtype(np.ones(2), Spec((1,), "float32"))
