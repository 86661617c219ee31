"""The fast way through a tape says what the general way says, and steps aside where it must."""

import gc

import numpy as np
import pytest

from chainrules_py import OptionError, RuleTable, default_rules
from chainrules_tape import EscapedValueError, InPlaceError, grad, jvp, vjp
from chainrules_tape.core.config import engine_of, rrule_of
from chainrules_tape.core.levels import GeneralWayOnly
from chainrules_tape.core.tape import Tape, TapeArray

X = np.arange(1.0, 7.0).reshape(2, 3)
V = np.array([0.5, -1.0, 2.0])
MASK = X > 2

CALLS = {
    "no options": lambda x: np.sum(x),
    "an option": lambda x: np.sum(x, axis=0),
    "an option by position": lambda x: np.sum(x, 1),
    "an option at its default": lambda x: np.sum(x, axis=None),
    "a default by position": lambda x: np.sum(x, None),
    "several options": lambda x: np.max(x, axis=(0, 1), keepdims=True, initial=3.0),
    "an array as an option": lambda x: np.sum(x, where=MASK),
    "the argument by keyword": lambda x: np.sum(a=x, axis=0),
    "a method": lambda x: x.sum(axis=-1),
    "a method with a shape": lambda x: x.reshape(3, 2),
    "a method with a tuple": lambda x: x.reshape((3, 2)),
    "a method without arguments": lambda x: x.transpose(),
    "a method with axes": lambda x: x.transpose(1, 0),
    "a method with its arguments exchanged": lambda x: x.compress(np.array([True, False, True]), axis=1),
    "an attribute": lambda x: x.T,
    "bounds by keyword": lambda x: np.clip(x, a_min=2.0, a_max=None),
    "another name": lambda x: np.amax(x, axis=1),
    "two traced": lambda x: np.dot(x, x.T),
    "traced second": lambda x: np.dot(V, np.swapaxes(x, 0, 1)),
    "a constant first": lambda x: np.where(MASK, x, 0.0),
    "a sequence": lambda x: np.concatenate([x, X, x], axis=1),
    "a tuple": lambda x: np.stack((x, x)),
    "a sequence of numbers too": lambda x: np.concatenate([x[0], [1.0, 2.0]]),
    "several outputs": lambda x: np.split(x, [1], axis=1)[1],
    "a list for an axis": lambda x: np.moveaxis(x, [0], [1]),
    "integers": lambda x: x * np.argsort(x, axis=0),
    "a complex result": lambda x: np.real(np.fft.fft(x, axis=0) ** 2),
    "a scalar result": lambda x: np.linalg.norm(x),
    "an index with axes": lambda x: x[:, None] * x[None, ..., :],
    "a mask": lambda x: x[MASK],
    "a list for an operand": lambda x: x + [1.0, 2.0, 3.0],
}


def general(engine):
    """A tape on which nothing takes the fast way."""
    tape = Tape(engine)
    tape.stages = GeneralWayOnly()
    return tape


@pytest.mark.parametrize("f", CALLS.values(), ids=CALLS)
def test_both_ways_agree(f):
    answers = []
    for tape in (Tape(engine_of(default_rules)), general(engine_of(default_rules))):
        y, pullback = rrule_of(f, (X,), {}, default_rules, tape)
        answers.append((y, *pullback(np.cos(np.arange(np.size(y)).reshape(np.shape(y))))))
    for fast, slow in zip(*answers, strict=True):
        assert type(fast) is type(slow)
        np.testing.assert_array_equal(fast, slow)
    np.testing.assert_array_equal(answers[0][0], f(X))  # bit for bit what NumPy computes


def half(x, *, power=1, scale=0.5):
    return scale * x**power


def test_an_option_without_rule_is_refused_after_its_default_was_seen():
    rules = RuleTable(parent=default_rules)
    rules.rrule.register(half)(lambda x, *, scale=0.5: (scale * x, lambda y_bar: (scale * y_bar,)))
    from chainrules_tape import primitive

    halved = primitive(half)
    rules.alias(halved, half)
    assert grad(lambda x: halved(x, power=1), rules=rules)(3.0) == 0.5
    with pytest.raises(OptionError) as caught:
        grad(lambda x: halved(x, power=2), rules=rules)(3.0)
    assert caught.value.option == "power"


@pytest.mark.parametrize(
    "f", [lambda x: np.sum(x, initial=x[0, 0]), lambda x: np.sum(x, 0, None, None, False, x[0, 0])], ids=["keyword", "position"]
)
def test_traced_options_are_refused(f):
    with pytest.raises(OptionError) as caught:
        grad(f)(X)
    assert caught.value.option == "initial"


def test_out_is_refused():
    with pytest.raises(InPlaceError):
        grad(lambda x: np.sum(np.sum(x, axis=0, out=np.empty(3))))(X)


def test_functions_and_methods_of_escaped_values():
    escaped = []
    grad(lambda x: np.sum(escaped.append(x) or x))(X)
    for use in (np.sum, np.transpose, lambda x: x.sum(), lambda x: np.concatenate([x, x]), lambda x: x[0]):
        with pytest.raises(EscapedValueError):
            use(escaped[0])


def test_values_of_outer_levels():
    def f(x):
        inner = grad(lambda y: np.sum(np.concatenate([y, x * y]) ** 2))(X)
        return np.sum(inner)

    # inner = 2 X + 2 x^2 X, so that the gradient of its sum is 4 x X
    np.testing.assert_allclose(grad(f)(X), 4 * X * X)
    _, y_dot = jvp(f, (X,), (np.ones_like(X),))
    assert y_dot == pytest.approx(np.sum(4 * X * X))


LEAN = {
    "reshape": (lambda x: np.reshape(x, (3, 2)), 0),
    "sum": (lambda x: np.sum(x, axis=0), 0),
    "a read": (lambda x: x[0], 0),
    "matmul": (lambda x: x @ V, 1),
    "concatenate": (lambda x: np.concatenate([x, x]), 0),
}


@pytest.mark.parametrize(("f", "arrays"), LEAN.values(), ids=LEAN)
def test_what_is_kept_has_no_closures(f, arrays):
    found, seen = kept_by(f), []
    while found:
        part = found.pop()
        seen += [part] if isinstance(part, np.ndarray) else []
        assert not callable(part) or isinstance(part, type)
        found += [*part] if type(part) is tuple else []
    assert len(seen) == arrays


@pytest.mark.parametrize("f", [LEAN[name][0] for name in ("reshape", "sum", "a read", "matmul")])
def test_the_collector_leaves_alone_what_is_kept(f):
    (kept,) = kept_by(f)
    gc.collect()
    gc.collect()
    assert not any(map(gc.is_tracked, gc.get_referents(kept)))


def kept_by(f):
    """The residuals of the one operation of f."""
    tape = Tape(engine_of(default_rules))
    f(tape.input(X))
    return tape.kept[1:]


def test_a_handle_has_one_slot_each():
    _, pullback = vjp(lambda x: [np.sum(x), x.T], X)
    (x_bar,) = pullback([2.0, np.ones((3, 2))])
    np.testing.assert_array_equal(x_bar, np.full((2, 3), 3.0))
    assert TapeArray.__slots__ == ("slot",)
