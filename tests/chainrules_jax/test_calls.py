"""Calls with constants: small arrays of integers are a part of what a call is, everything else
varies.
"""

import jax.numpy as jnp
import numpy as np

from chainrules_jax.calls import flat_call
from chainrules_py import RuleConfig, default_rules
from chainrules_py.engines import LARGEST_CONSTANT


def taken_apart(primal, *args, **options):
    return flat_call(primal, args, options, default_rules)


def test_small_integers_of_numpy_are_constants_by_content():
    first, leaves = taken_apart(np.take, jnp.ones(3), np.array([0, 1]))
    again, _ = taken_apart(np.take, jnp.zeros(3), np.array([0, 1]))
    other, _ = taken_apart(np.take, jnp.ones(3), np.array([0, 2]))
    assert len(leaves) == 1
    assert first == again
    assert hash(first) == hash(again)
    assert first != other


def test_what_is_large_floating_or_jaxs_varies():
    large = np.zeros(LARGEST_CONSTANT + 1, "int8")
    for index in (large, jnp.array([0, 1])):
        assert len(taken_apart(np.take, jnp.ones(3), index)[1]) == 2
    assert len(taken_apart(np.multiply, np.ones(3), 2.0)[1]) == 2


def test_values_and_rules_are_functions_of_what_varies():
    call, _ = taken_apart(np.compress, np.array([True, False, True]), jnp.ones(3))
    x = np.array([1.0, 2.0, 3.0])
    assert call.value([x]).leaves[0].tolist() == [1, 3]
    y, dots = call.frule([x], [x], RuleConfig())
    assert dots[0].tolist() == [1, 3]
    y, pull = call.rrule([x], [True], RuleConfig())
    (x_bar,) = pull([np.array([5.0, 7.0])])
    assert x_bar.tolist() == [5, 0, 7]


def test_pythons_numbers_are_weak_again():
    call, _ = taken_apart(np.multiply, jnp.ones(2), 2.0)
    a, b = call.as_numbers(
        [np.ones(2, "float32"), np.array(3.0, "float32")], "reverse", RuleConfig()
    )
    assert (type(a), type(b)) == (np.ndarray, float)


def test_what_is_written_into_an_array_later_changes_no_call():
    index = np.array([0, 1])
    call, leaves = taken_apart(np.take, jnp.ones(3), index)
    index[:] = 2
    assert call == taken_apart(np.take, jnp.ones(3), np.array([0, 1]))[0]
    assert call.arguments(leaves)[1]["indices"].tolist() == [0, 1]
