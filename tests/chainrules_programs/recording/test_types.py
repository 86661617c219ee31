"""What recorded values answer: as NumPy's do, and nothing that a program would not see."""

import operator

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.recording.errors import NotRecordedError
from chainrules_programs.recording.program import Call
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, grad, jvp, value_and_grad
from recorded_calls import check_recording
from replaying import replay

X = np.array([0.5, 1.5, 2.0])
OPERATORS = (
    *("add", "sub", "mul", "truediv", "pow", "floordiv", "mod"),
    *("lt", "le", "gt", "ge", "eq", "ne"),
)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize(
    "other", [2, 1.5, X[::-1], np.float64(1.5)], ids=lambda x: type(x).__name__
)
def test_operators(name, other):
    operate = getattr(operator, name)
    check_recording(lambda x: (operate(x, other), operate(other, x)), (X,), (X + 1,), tolerance=0)


def with_tangent(function):
    return lambda x: jvp(function, (x,), (1.0,))


@pytest.mark.parametrize("derivative", [value_and_grad, with_tangent])
@pytest.mark.parametrize("name", ["add", "mul", "truediv", "pow", "mod"])
def test_numbers_of_python_s_stay_python_s_beneath_a_derivative(name, derivative):
    operate = getattr(operator, name)
    program, (value, _) = record(derivative(lambda a: operate(a, 1.5)), (2.5,))
    assert type(value) is float
    assert value == operate(2.5, 1.5)
    calls = [step for step in program.steps if type(step) is Call]
    last = next(step for step in calls if step.results is program.result[0])
    assert last.primal is operate


REFUSED = {
    "float": float,
    "complex": complex,
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "asarray": np.asarray,
    "a list of values": lambda x: np.array([x, x]),
    "a text": lambda x: np.array2string(x),
    "an entry of a constant": lambda x: np.zeros(2).__setitem__(0, x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_conversions_are_refused(name):
    with pytest.raises(NotRecordedError):
        record(lambda x: REFUSED[name](x[0]), (X,))


def test_values_say_that_they_are_numpy_s():
    def function(x, a):
        assert isinstance(x, np.ndarray)
        assert isinstance(x[0], np.float64)
        assert isinstance(a, float)
        return np.sum(x * x) * a

    record(function, (X, 1.5))
    record(grad(function), (X, 1.5))


def test_facts_are_no_steps():
    def facts(x, a):
        return x.shape, x.dtype, x.ndim, x.size, len(x), np.shape(a), np.ndim(x), np.size(a)

    program, value = record(facts, (X, 1.5))
    assert program.steps == []
    assert value == facts(X, 1.5)


def test_results_go_into_buffers():
    def function(x):
        y = np.zeros_like(x)
        np.multiply(x, 3, out=y)
        np.add.at(y, [0, 0], x[1:])
        y -= x
        return y

    program = check_recording(function, (X,), (X + 1,), tolerance=0)
    targets = [step.into for step in program.steps if isinstance(step, Call)]
    assert sum(target is not None for target in targets) == 3


@pytest.mark.parametrize("other", [tnp.ones(3), [1.0, 2.0, 3.0]], ids=["buffer", "list"])
def test_an_augmented_assignment_writes_into_the_array(other):
    def f(x):
        part = x[1:]
        x -= other
        return part

    start, x = np.array([5.0, 6.0, 7.0]), np.array([5.0, 6.0, 7.0])
    program, y = record(f, (x,))
    np.testing.assert_array_equal(x, start - np.asarray(other))
    np.testing.assert_array_equal(y, x[1:])
    again = start.copy()
    np.testing.assert_array_equal(replay(program, [again]), y)
    np.testing.assert_array_equal(again, x)


def by_mask(x):
    return np.sum(np.arange(12.0).reshape(3, 4)[:, x > 1.0]) * x


def into_mask(x):
    weights = np.ones(4)
    weights[x > 1.0] = 3.0
    return weights * x


def by_positions(x):
    return np.linspace(0.0, 1.0, 4)[np.argsort(x)] * x


@pytest.mark.parametrize("function", [by_mask, into_mask, by_positions])
def test_masks_of_plain_arrays(function):
    """A plain array asks a recorded mask for its entries: a program serves while they are these."""
    step = compiled(function)
    x = np.array([0.5, 2.0, 3.0, -1.0])
    for each in (x, 1.01 * x, 1.02 * x, x[::-1].copy(), -2.0 * x, -3.0 * x, 0.9 * x):
        np.testing.assert_array_equal(step(each), function(each))
    assert len(step.programs()) == 2


def test_large_masks_of_plain_arrays():
    many = np.linspace(0.0, 2.0, 10_000)
    large = compiled(lambda x: np.zeros(x.size)[x > 1.0])
    for _ in range(3):
        assert large(many).shape == (5_000,)
    assert large.count_of_programs() == 0
