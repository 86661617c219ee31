"""Fast dispatch, on a tape and in forward mode, says what slow dispatch says, and steps aside
where it must.
"""

import gc
import operator
import sys
from datetime import timedelta

import numpy as np
import pytest

from chainrules_py import (
    ZERO,
    Array,
    ChainRulesError,
    OptionError,
    RuleTable,
    Space,
    Tangent,
    default_rules,
)
from chainrules_py.errors import TangentTypeError
from chainrules_tape import EscapedValueError, InPlaceError, grad, jvp, primitive, vjp, vmap
from chainrules_tape.arrays.fast_lookup import as_list
from chainrules_tape.arrays.handles import DualArray
from chainrules_tape.core.config import engine_of
from chainrules_tape.core.duals import Pushforward
from chainrules_tape.core.inner_functions import rrule_of
from chainrules_tape.core.levels import SlowDispatchOnly
from chainrules_tape.core.tape import Tape
from chainrules_tape.scipy import special
from product.programs import rows_of

X = np.arange(1.0, 7.0).reshape(2, 3)
V = np.array([0.5, -1.0, 2.0])
MASK = X > 2

BODIES = {
    "a body": lambda x: np.hstack([x, X, x]),
    "a body's option": lambda x: np.nansum(x, axis=0),
    "a body's option by position": lambda x: np.tile(x, 2),
    "a body's options by position": lambda x: np.average(x, 1, V**2),
    "a body's default by position": lambda x: np.ptp(x, None),
    "a body of a body": lambda x: np.vstack([np.cov(x), x[:, :2]]),
    "another attribute": lambda x: x.real,
    "a dtype": lambda x: x.astype(np.dtype("float64")),
}
SPELT = {
    "an option by position": lambda x: np.sum(x, 1),
    "an option at its default": lambda x: np.sum(x, axis=None),
    "a default by position": lambda x: np.sum(x, None),
    "several options": lambda x: np.max(x, axis=(0, 1), keepdims=True, initial=3.0),
    "an array as an option": lambda x: np.sum(x, where=MASK),
    "the argument by keyword": lambda x: np.sum(a=x, axis=0),
    "a method with a tuple": lambda x: x.reshape((3, 2)),
    "a method with axes": lambda x: x.transpose(1, 0),
    "a method with its arguments exchanged": lambda x: x.compress(
        np.array([True, False, True]), axis=1
    ),
    "bounds by keyword": lambda x: np.clip(x, a_min=2.0, a_max=None),
    "traced second": lambda x: np.dot(V, np.swapaxes(x, 0, 1)),
    "several outputs": lambda x: np.split(x, [1], axis=1)[1],
    "a list for an axis": lambda x: np.moveaxis(x, [0], [1]),
    "lists of axes": lambda x: np.tensordot(x, x, axes=[(0, 1), [0, 1]]),
    "axes by keyword": lambda x: np.transpose(x, axes=[1, 0]),
    "several by keyword": lambda x: np.diff(x, n=1, axis=-1),
    "a list of counts": lambda x: np.repeat(x, [1, 2, 0], axis=1),
    "a primitive's option": lambda x: special.logsumexp(x, axis=1),
    "a primitive's argument": lambda x: special.logsumexp(x, axis=0, b=2.0),
    "both": lambda x: V - 2.0 * x * x + 1 - x / 4 + x * V,
    "a ufunc of two": lambda x: np.arctan2(V, x) + np.arctan2(x, V),
    "products": lambda x: (x @ V) @ x + X.T @ x,
    "no derivative": lambda x: x * np.sign(x) + (x > 0.6) * x + x.argmax(),
    **BODIES,
}
AGREEING = {
    **{
        program.name: (program.function, program.arguments[0])
        for program in rows_of("plain")
        if not program.marks
        if len(program.arguments) == 1 and program.name not in ("constant", "required order")
        # which want a level
        if not any(word in program.name for word in ("vectorize", "list"))
    },
    **{name: (f, X) for name, f in SPELT.items()},
}
IN_BOTH_WAYS = pytest.mark.parametrize(("f", "x"), AGREEING.values(), ids=AGREEING)


def general(engine):
    """A tape on which nothing takes fast dispatch."""
    tape = Tape(engine)
    tape.stages = SlowDispatchOnly()
    return tape


def agree(ways):
    """Two ways have the same classes and bits."""
    for fast, slow in zip(*ways, strict=True):
        assert type(fast) is type(slow)
        np.testing.assert_array_equal(fast, slow)


@IN_BOTH_WAYS
def test_both_ways_agree(f, x):
    answers = []
    for tape in (Tape(engine_of(default_rules)), general(engine_of(default_rules))):
        y, pullback = rrule_of(tape, f, (x,), {})
        seed = np.cos(np.arange(np.size(y)).reshape(np.shape(y)))
        answers.append((y, *pullback(seed.astype(np.result_type(y)))))
    agree(answers)
    np.testing.assert_array_equal(answers[0][0], f(x))  # bit for bit what NumPy computes


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


def test_a_primitive_with_a_rule_that_overwrites_takes_slow_dispatch():
    rules = RuleTable(parent=default_rules)

    @primitive
    def double(x):
        x *= 2

    @rules.rrule.register(double, overwrites="x")
    def double_rrule(x: Array):
        x *= 2
        return x, lambda y_bar: (2 * y_bar,)

    def f(x):
        y = x * 1.0
        double(y)
        return np.sum(y * y)

    np.testing.assert_allclose(grad(f, rules=rules)(X), 8 * X)


def test_out_is_refused():
    with pytest.raises(InPlaceError):
        grad(lambda x: np.sum(np.sum(x, axis=0, out=np.empty(3))))(X)


@pytest.mark.parametrize("derivative", [grad, lambda f: lambda x: jvp(f, (x,), (x,))])
def test_values_of_a_derivative_that_is_over(derivative):
    escaped = []
    derivative(lambda x: np.sum(escaped.append(x) or x))(X)
    for use in (
        *(np.sum, np.transpose, np.sin, operator.neg, lambda x: x * 2, lambda x: 2 * x),
        *(lambda x: x.sum(), lambda x: np.concatenate([x, x]), lambda x: x[0], lambda x: x @ V),
        lambda x: x > 0,
    ):
        with pytest.raises(EscapedValueError):
            use(escaped[0])


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
        assert not callable(part) or isinstance(part, type | Space)
        found += [*part] if type(part) is tuple else []
    assert len(seen) == arrays


@pytest.mark.parametrize("f", [LEAN[name][0] for name in ("reshape", "sum", "a read", "matmul")])
def test_the_collector_leaves_alone_what_is_kept(f):
    (residuals,) = kept_by(f)
    gc.collect()
    gc.collect()
    parts = gc.get_referents(residuals)
    if gc.is_tracked({}):  # Python 3.14 tracks each dict
        parts = [part for part in parts if type(part) is not dict]
    assert not any(map(gc.is_tracked, parts))


def kept_by(f):
    """The residuals of the one operation of f."""
    tape = Tape(engine_of(default_rules))
    f(tape.input(X))
    return tape.residuals[1:]


def test_a_value_that_is_returned_twice_has_a_slot_each():
    _, pullback = vjp(lambda x: [np.sum(x), x.T], X)
    (x_bar,) = pullback([2.0, np.ones((3, 2))])
    np.testing.assert_array_equal(x_bar, np.full((2, 3), 3.0))


def test_handles_have_no_dictionary():
    seen = []
    grad(lambda x: np.sum(seen.append(x) or x))(X)
    jvp(lambda x: seen.append(x) or x, (X,), (X,))
    assert not any(hasattr(x, "__dict__") for x in seen)


def test_tangents_of_a_sequence():
    assert as_list({1: 5.0}, 3) == Tangent[list](ZERO, 5.0, ZERO)


# Forward mode

POINT = np.array([[0.5, 1.5, -2.2], [1.1, -0.3, 0.7]])
DOT = np.cos(np.arange(6.0)).reshape(2, 3)


def pushed(f, x, general):
    """The value and the tangent, by operators by fast or by slow dispatch."""
    level = Pushforward(engine_of(default_rules))
    if general:
        level.stages = SlowDispatchOnly()
    y = f(level.dual(x, np.cos(x)))
    return y.value, y.tangent


@IN_BOTH_WAYS
def test_both_ways_agree_in_forward_mode(f, x):
    agree([pushed(f, x, general) for general in (False, True)])


def test_the_fast_way_is_taken():
    level = Pushforward(engine_of(default_rules))
    level.stages = runs = {}
    x = level.dual(POINT, DOT)
    for _ in range(2):
        assert type(np.sin(x) * x + 1) is DualArray
    assert set(runs) == {
        (np.sin, DualArray, np.ndarray),
        (np.multiply, DualArray, np.ndarray, DualArray, np.ndarray),
        (np.add, DualArray, np.ndarray, None, int),
    }


def functions_called(f, x):
    """The names of the functions that a second call runs, which finds what the first one has found."""
    found, called = f(x), set()
    sys.setprofile(lambda frame, event, arg: called.add(frame.f_code.co_name))
    try:
        again = f(x)
    finally:
        sys.setprofile(None)
    np.testing.assert_array_equal(again, found)
    return called


BESIDE_FLOATS = {
    "a number and a float": lambda x: np.sin(x) * x,
    "a float and a number": lambda x: x - np.sin(x),
    "two floats": lambda x: x * 0.5 - 2 / x * x,
    "an array": lambda x: np.sum(V * x + x / V),
    "a traced array": lambda x: np.sum((V * x + 2.0) ** x - x * (x - V)),
    "single precision": lambda x: np.sum((V.astype("float32") * x) * x),
    "a ufunc": lambda x: np.add(x, np.sin(x)) * np.hypot(1.0, x) + np.hypot(x, x),
}


@pytest.mark.parametrize(
    "derivative",
    [grad, lambda f: lambda x: jvp(f, (x,), (1.0,))[1]],
    ids=["grad", "jvp"],
)
@pytest.mark.parametrize("f", BESIDE_FLOATS.values(), ids=BESIDE_FLOATS)
def test_traced_floats_take_fast_dispatch(f, derivative):
    called = functions_called(derivative(f), 0.7)
    assert called & {"operation", "of_one", "of_two"}
    assert not called & {"slowly", "applied"}


@pytest.mark.parametrize(
    "derivative",
    [grad, lambda f: lambda x: jvp(f, (x,), (X,))[1], vmap],
    ids=["grad", "jvp", "vmap"],
)
@pytest.mark.parametrize("f", BODIES.values(), ids=BODIES)
def test_bodies_take_fast_dispatch(f, derivative):
    x = np.stack([X, X + 1]) if derivative is vmap else X
    called = functions_called(derivative(lambda x: np.sum(f(x))), x)
    assert "call_function" in called
    assert not called & {"array_function", "find_operator", "plan_of", "applied"}


def test_entries_of_an_array_of_objects_lose_no_derivative_in_silence():
    for f in (lambda x: (np.zeros(2, object) + x)[0], lambda x: np.sum(np.ones(2, object) * x)):
        with pytest.raises((ChainRulesError, TypeError)):
            grad(f)(1.5)


def test_a_ufunc_may_be_called_as_a_function_after_it_was_an_operation():
    from chainrules_tape.numpy.namespaces import interceptable

    x = np.array([-1.0, 2.0])
    as_function = interceptable(np.absolute)
    assert grad(lambda x: np.sum(np.absolute(x) + as_function(x)))(x).tolist() == [-2.0, 2.0]


@pytest.mark.parametrize("point", [2.0, np.float64(2.0), np.array(2.0)])
@pytest.mark.parametrize(
    "multiplied",
    [
        lambda x: [1.0, 2.0] * x,
        lambda x: x * [1.0, 2.0],
        lambda x: (1.0, 2.0) * np.sin(x),
        lambda x: np.multiply([1.0, 2.0], x),
    ],
)
def test_lists_times_numbers_are_refused_where_numpy_refuses_them(multiplied, point):
    def total(x):
        return np.sum(multiplied(x))

    try:
        total(point)
        expected = None
    except TypeError:
        expected = TypeError
    for differentiated in (grad(total), lambda x: jvp(total, (x,), (1.0,))[1], grad(grad(total))):
        if expected is None:
            assert np.isfinite(differentiated(point))
        else:
            with pytest.raises(TypeError, match=r"numpy\.multiply"):
                differentiated(point)


# --- Operands that are neither numbers nor arrays ---


class Scaled:
    """A class of a user's, which knows numbers."""

    def __radd__(self, other):
        return other + 3.0

    def __rmul__(self, other):
        return 3.0 * other


@pytest.mark.parametrize("x", [2.0, np.float64(2.0), np.array([2.0, 3.0]), np.array(2.0)], ids=repr)
def test_another_class_is_asked_by_itself(x):
    for value, dot in (
        vjp_and_jvp(lambda x: x * Scaled(), x),
        vjp_and_jvp(lambda x: x + Scaled(), x),
    ):
        np.testing.assert_array_equal(value, dot)
    for wrong in (None, object(), {1}, timedelta(1)):
        with pytest.raises(TypeError, match="unsupported operand"):
            vjp(lambda x, wrong=wrong: x + wrong, x)
        with pytest.raises(TypeError, match="unsupported operand"):
            jvp(lambda x, wrong=wrong: wrong * x, (x,), (x,))


def vjp_and_jvp(f, x):
    return vjp(f, x)[0], jvp(f, (x,), (x,))[0]


def test_a_special_tangent_is_no_index():
    x = np.ones((2, 2))
    for run in (grad, vmap, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(TangentTypeError):
            run(lambda x: x[ZERO])(x)
