"""The tape: what it keeps, and for which values."""

import numpy as np
import pytest

from chainrules_py import default_rules, primitive, rrule
from chainrules_tape import grad, jvp, vjp
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.tape import Tape
from chainrules_tape.core.values import is_differentiable
from chainrules_tape.refusals.handles import TracedArray


def tape_of(f, *args):
    """The tape after f has run on it."""
    tape = Tape(engine_of(default_rules))
    f(*map(tape.input, args))
    return tape


X = np.array([1.0, 2.0])


def test_what_is_not_needed_is_not_kept():
    y = np.ones(2)
    held = [
        residuals
        for residuals in tape_of(lambda x: (x + y, x * 2.0), X).residuals
        if residuals is not None
    ]
    assert all(not isinstance(part, np.ndarray) for residuals in held for part in residuals)


def test_pullbacks_of_unused_results_are_not_called():
    @primitive
    def noticed(x):
        return x + 0.0

    @rrule.register(noticed)
    def noticed_rrule(x: np.ndarray):
        def noticed_pullback(y_bar):
            raise AssertionError("called without a cotangent")

        return noticed(x), noticed_pullback

    def f(x):
        noticed(x)
        return np.sum(x)

    np.testing.assert_array_equal(grad(f)(X), [1.0, 1.0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, True),
        (1j, True),
        (np.float32(1), True),
        (np.ones(2, "complex64"), True),
        (1, False),
        (True, False),
        (np.int64(1), False),
        (np.ones(2, int), False),
        (np.array(["a"]), False),
        (np.array([None]), False),
        ("text", False),
        (None, False),
    ],
    ids=repr,
)
def test_what_has_a_tangent_space(value, expected):
    assert is_differentiable(value) is expected


def test_accumulation_does_not_write_into_a_shared_cotangent():
    # The cotangent of `a + b` goes to both, and `a` gets another one: were it added in place, `b`
    # would see it.
    a_bar, b_bar = vjp(lambda a, b: (a + b) + a * 1.0, X, X)[1](np.ones(2))
    np.testing.assert_array_equal(a_bar, [2.0, 2.0])
    np.testing.assert_array_equal(b_bar, [1.0, 1.0])


def test_seeds_for_one_value_returned_twice_add_up():
    assert vjp(lambda x: (x * 3.0, x, x), 2.0)[1]((1.0, 10.0, 100.0)) == (113.0,)


# Forward


def test_a_result_without_tangent_is_plain():
    def f(x):
        assert type(x > 1) is np.ndarray
        assert type(np.zeros_like(x)) is np.ndarray
        assert isinstance(x * 2, TracedArray)
        return np.argmax(x), x.shape

    assert jvp(f, (X,), (X,))[0] == (1, (2,))
