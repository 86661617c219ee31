"""Operations are equal by what they are, compute what they declare, and hand nobody's buffer on."""

import jax.numpy as jnp
import numpy as np

from chainrules_jax.calls import flat_call
from chainrules_jax.derivatives import Mapped, Pull, Push, operation_along
from chainrules_jax.operations import Value
from chainrules_jax.tangents import Spec
from chainrules_py import default_rules

VECTOR, NUMBER = Spec((3,), "float64"), Spec((), "float64")
X = np.array([1.0, 2.0, 3.0])


def sum_of_squares(outs=(NUMBER,)):
    return Value(
        flat_call(np.vdot, (jnp.ones(3), jnp.ones(3)), {}, default_rules)[0],
        (VECTOR, VECTOR),
        outs,
        False,
    )


def test_value_push_and_pull_are_one_function():
    value = sum_of_squares()
    assert value == sum_of_squares()
    assert hash(Push(value, (True, False))) == hash(Push(sum_of_squares(), (True, False)))
    assert value.evaluate(X, X)[0] == 14
    assert Push(value, (True, False)).evaluate(X, X, np.ones(3))[0] == 6
    (bar,) = Pull(value, (False, True)).evaluate(X, X, np.array(2.0))
    assert bar.tolist() == [2, 4, 6]


def test_transposes_of_transposes():
    push = Push(sum_of_squares(), (True, True))
    mapped = Mapped(push, 4, (True, False, True, False), (True,))
    for operation in (push, mapped):
        assert operation.transposed().transposed() == operation
        assert operation.transposed().outs == operation.ins[2:]


def test_what_is_mapped_is_a_loop_and_what_has_no_axis_is_summed():
    value = Mapped(sum_of_squares(), 2, (True, False), (True,))
    xs = np.stack([X, 2 * X])
    assert value.evaluate(xs, X)[0].tolist() == [14, 28]
    pull = operation_along(value, (True, True)).transposed()
    x_bars, y_bar = pull.evaluate(xs, X, np.array([1.0, 10.0]))
    assert x_bars.tolist() == [[1, 2, 3], [10, 20, 30]]
    assert y_bar.tolist() == (21 * X).tolist()
