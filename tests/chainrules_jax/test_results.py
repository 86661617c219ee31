"""Shapes and dtypes of values before they are computed: by JAX's trace, or by a call with made-up
numbers.
"""

import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_jax import JaxError
from chainrules_jax.calls import flat_call
from chainrules_jax.results import host_result, traced_result
from chainrules_jax.tangents import spec_of
from chainrules_py import default_rules


def call_of(primal, *args):
    call, leaves = flat_call(primal, args, {}, default_rules)
    return call, tuple(spec_of(leaf) for leaf in leaves)


def test_a_traced_value_or_the_reason_against_it():
    assert traced_result(*call_of(np.tanh, jnp.ones(3))).leaves[0].shape == (3,)
    assert "TracerArrayConversionError" in traced_result(
        *call_of(lambda x: np.asarray(x), jnp.ones(3))
    )


def test_made_up_matrices_are_regular_and_the_next_numbers_are_tried():
    def inverse(a):
        return np.linalg.inv(np.asarray(a)), {"trace": np.trace(a)}

    y = host_result(*call_of(inverse, jnp.ones((2, 2))))
    assert [leaf.shape for leaf in y.leaves] == [(2, 2), ()]
    assert set(y.with_leaves([1, 2])[1]) == {"trace"}

    def only_ones(x):
        if np.any(x != 1):
            raise ValueError("only_ones: got another number; pass 1")
        return x

    assert host_result(*call_of(only_ones, jnp.ones(2))).leaves[0].shape == (2,)


def test_nothing_is_no_result_of_made_up_numbers():
    def steam(x):
        return {"enthalpy": None if np.max(x) < 2 else 2.0 * x}

    with pytest.raises(JaxError, match=r"no array and no number.*shapes=\.\.\."):
        host_result(*call_of(steam, jnp.ones(2)))


def test_made_up_numbers_are_tried_in_their_order():
    """A function may take limits and points between them, and refuse those in any other order."""

    def between(scale, lower, upper, points):
        points = np.asarray(points)
        inside = float(lower) <= points[0] and points[-1] <= float(upper)
        if not inside or (np.diff(points) < 0).any():
            raise ValueError("the points are not in their order between the limits")
        return scale * points[:-1] if lower < upper else points[:0]

    given = 2.0, 0.0, 1.0, np.array([0.2, 0.4, 0.9])
    for args in (given, given[1:]):
        function = between if len(args) == 4 else lambda *three: between(1.0, *three)
        found = host_result(*call_of(function, *map(jnp.asarray, args)))
        assert [leaf.shape for leaf in found.leaves] == [(2,)]
