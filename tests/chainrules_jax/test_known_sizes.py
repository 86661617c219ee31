"""Functions whose results have a size that depends on values: inside `jax.jit` they are NumPy's
where the values are known.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_jax import explicit_axes, namespace as completed
from chainrules_jax.known_sizes import FUNCTIONS
from chainrules_jax.namespace import namespace

X = np.array([[1.5, 2.5, -3.5], [4.0, 5.0, 6.0]])
MASK = np.array([[True, False, True], [False, False, True]])


@pytest.mark.parametrize("name", ["compress", "extract"])
@pytest.mark.parametrize("at", [jnp.asarray, np.asarray], ids=["jax", "numpy"])
def test_a_condition_that_jit_closes_over_is_known(name, at):
    condition = at([True, False, True])
    y = jax.jit(lambda x: getattr(namespace, name)(condition, x))(X)
    np.testing.assert_allclose(y, [1.5, -3.5])


@pytest.mark.parametrize("name", ["compress", "extract"])
def test_a_condition_beyond_the_end_is_an_error_as_in_numpy(name):
    for xp in (np, namespace):
        with pytest.raises(IndexError):
            getattr(xp, name)(
                np.array([False, False, True]), jnp.zeros(2) if xp is namespace else np.zeros(2)
            )


@pytest.mark.parametrize("name", ["compress", "extract", "bincount", "nonzero"])
def test_of_traced_values_jax_says_itself_what_it_lacks(name):
    with pytest.raises((jax.errors.ConcretizationTypeError, jax.errors.TracerBoolConversionError)):
        jax.jit(lambda x: getattr(namespace, name)(x, *([] if name == "nonzero" else [x])))(
            np.array([1, 0, 1])
        )


def test_leading_zeros_of_known_coefficients_are_stripped_and_of_traced_ones_become_nan():
    coefficients = jnp.array([0.0, 1.0, -2.0])
    np.testing.assert_allclose(namespace.roots(coefficients), [2.0])
    traced = jax.jit(namespace.roots)(coefficients)
    np.testing.assert_allclose(traced, [2.0, np.nan])


def test_what_is_computed_at_once_is_known():
    def known(x):
        masks = (
            namespace.logical_not(MASK),
            namespace.logical_or(MASK, MASK),
            *namespace.nonzero(MASK),
        )
        assert not any(isinstance(found, jax.core.Tracer) for found in masks)
        return x

    jax.jit(known)(1.0)


def test_everything_else_is_jax_numpys():
    own = [n for n in dir(namespace) if getattr(namespace, n) is not getattr(jnp, n, None)]
    replaced = FUNCTIONS | explicit_axes.FUNCTIONS | completed.FUNCTIONS
    assert own == sorted({*replaced, *completed.JOINING, *completed.OF_ARRAYS})
    with pytest.raises(AttributeError):
        namespace.unheard_of


def test_negative_integers_are_not_counted():
    with pytest.raises(ValueError, match="negative"):
        namespace.bincount(jnp.array([1, -1]))
