"""Reading and writing entries: NumPy's answers, and what stands for them where a mask is traced."""

import jax
import numpy as np
import pytest

from chainrules_jax import entries

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])


def test_what_a_slice_reads_is_put_back_without_a_scatter():
    """Which XLA does not fuse with what comes next: a fifth more bytes in bundle adjustment."""
    back = jax.make_jaxpr(
        lambda v: entries.scattered_sums(v, (slice(None), 1), X.shape, "float32")
    )(X[:, 1])
    assert "pad" in str(back)
    assert "scatter" not in str(back)


def test_a_known_mask_selects():
    np.testing.assert_allclose(
        jax.jit(lambda x: entries.entries_where(x, X > 0))(X), [1.0, 3.0, 5.0]
    )


def test_under_a_traced_mask_the_others_are_like_the_first_that_is_selected():
    first = jax.jit(lambda x: entries.entries_where(x, x < 0))(X)
    np.testing.assert_allclose(first, [-2.0, -2.0, -2.0, -4.0, -2.0, -6.0])


def test_under_a_traced_mask_they_are_dropped_when_they_are_put_back():
    back = jax.jit(
        lambda x: entries.scattered_sums(entries.entries_where(x, x < 0), x < 0, x.shape, x.dtype)
    )(X)
    np.testing.assert_allclose(back, np.where(X < 0, X, 0.0))


def test_a_traced_mask_over_the_first_axes_selects_rows():
    rows = jax.jit(lambda x: entries.entries_where(x, x[:, 0] < 0))(X)
    np.testing.assert_allclose(rows, [X[1], X[1]])
    back = jax.jit(
        lambda x: entries.scattered_sums(
            entries.entries_where(x, x[:, 0] < 0), x[:, 0] < 0, x.shape, x.dtype
        )
    )(X)
    np.testing.assert_allclose(back, [np.zeros(3), X[1]])


def test_a_traced_mask_over_other_axes_is_jaxs_to_refuse():
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        jax.jit(lambda x: entries.entries_where(x, x[0] < 0))(X)
