"""What does not depend on the inputs is computed once; what changes nothing is left out."""

from operator import setitem

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.compiling.passes.folded import folded
from chainrules_programs.compiling.passes.unused import unused
from chainrules_programs.recording.program import Call, Program, Value
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, grad, vmap

X = np.linspace(1.0, 2.0, 6)


def steps_of(function, *args):
    """The steps that are left of a function's program."""
    program, _ = record(function, args)
    return unused(folded(program)).steps


@pytest.mark.parametrize(
    ("nothing", "x"),
    [
        (lambda x: x * 1.0, X),
        (lambda x: 1 * x, X),
        (lambda x: x / np.ones(6), X),
        (lambda x: x**1, X),
        (lambda x: np.power(x, 1), X),
        (lambda x: np.reshape(x, 6), X),
        (lambda x: np.broadcast_to(x, (6,)), X),
        (lambda x: x.astype(float), X),
        (lambda x: np.conj(x), X),
        (lambda x: x[:], X),
    ],
)
def test_what_changes_nothing_is_left_out(nothing, x):
    (step,) = steps_of(lambda x: np.sin(nothing(x)), x)
    assert step.primal is np.sin


@pytest.mark.parametrize(
    ("something", "x"),
    [
        (lambda x: 1.0 / x, X),
        (lambda x: 1**x, X),
        (lambda x: x * np.ones((2, 6)), X),
        (lambda x: np.conj(x), X + 1j),
        # an infinite part times one is not a number
        (lambda x: x * 1.0, X + 1j),
        (lambda x: x * 1.0, X.astype(np.float32).astype(int)),
        (lambda x: np.transpose(x), X[:4].reshape(2, 2)),
        (lambda x: x[::-1], X),
        (lambda x: x + 0.0, -0.0 * X),
    ],
)
def test_what_changes_something_stays(something, x):
    assert len(steps_of(lambda x: np.sin(something(x)), x)) == 2


def test_functions_of_shapes_are_constants_and_values_are_not():
    assert [s.primal for s in steps_of(lambda x: x * np.zeros_like(x), X)] == [np.multiply]
    assert [s.primal for s in steps_of(lambda x: x * np.full_like(x, 3.0), X)] == [np.multiply]
    found = steps_of(lambda x: x * np.full_like(x, x[0]), X)
    assert np.full_like in [step.primal for step in found]


def test_random_numbers_and_memory_that_is_not_filled_are_no_constants():
    for primal in (np.random.standard_normal, np.empty):
        made = Value(primal(3))
        step = Call(primal, (3,), {}, made)
        assert folded(Program((), [step], made)).steps == [step]


def test_memory_that_is_written_is_left_alone():
    x, zeros = Value(X), Value(np.zeros(6))
    steps = [Call(np.zeros, (6,), {}, zeros), Call(setitem, (zeros, 0, x), {}, None, into=zeros)]
    one = Value(zeros.array * 1.0)
    steps.append(Call(np.multiply, (zeros, 1.0), {}, one))
    steps.append(Call(setitem, (zeros, 1, x), {}, None, into=zeros))
    assert folded(Program((x,), steps, one)).steps == steps


def test_constants_are_copies():
    made = Value(np.arange(3.0))
    program = folded(Program((), [Call(np.arange, (3.0,), {}, made)], made))
    made.array[0] = 7
    assert program.result[0] == 0


def test_large_constants_are_made_in_each_run():
    made = Value(np.zeros(200_000))
    step = Call(np.zeros, (200_000,), {}, made)
    assert folded(Program((), [step], made)).steps == [step]


def test_repeated_numbers_take_no_memory():
    made = Value(np.broadcast_to(1.0, (1000, 1000)))
    step = Call(np.broadcast_to, (1.0, (1000, 1000)), {}, made)
    result = folded(Program((), [step], made)).result
    assert result.shape == (1000, 1000)
    assert result.strides == (0, 0)


def test_a_result_does_not_become_an_argument():
    x = Value(X)
    one = Value(X * 1.0)
    step = Call(np.multiply, (x, 1.0), {}, one)
    assert folded(Program((x,), [step], one)).result is one


# --- Constants into which a pullback writes after they were read ---

COLUMN = np.array([2.0, 2.0, 2.0])
WRITES = {
    "a constant mask": lambda t, p: t.__setitem__(COLUMN == 2.0, p**2),
    "constant places": lambda t, p: t.__setitem__(np.flatnonzero(COLUMN), p**2),
    "places by values": lambda t, p: t.__setitem__(np.argsort(p), p**2),
    "a mask by values": lambda t, p: t.__setitem__(p > 0, p**2),
    "read and written": lambda t, p: t.__setitem__(p > 0, t[p > 0] + p**2),
    "put": lambda t, p: np.put(t, np.argsort(p), p**2),
    "copyto": lambda t, p: np.copyto(t, p**2, where=p > 0),
    "putmask": lambda t, p: np.putmask(t, p > 0, p**2),
    "put_along_axis": lambda t, p: np.put_along_axis(t, np.argsort(p), p**2, 0),
    "add.at": lambda t, p: np.add.at(t, np.argsort(p), p**2),
    "out": lambda t, p: np.multiply(p, p, out=t, where=p > 0),
}
ENDS = {
    "sum": np.sum,
    "mean": np.mean,
    "entry": lambda t: t[0],
    "product with ones": lambda t: np.ones(3) @ t,
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("in_lanes", [False, True])
def test_a_constant_cotangent_that_a_pullback_overwrites(write, end, in_lanes):
    def f(p):
        t = tnp.zeros(3)
        WRITES[write](t, p)
        return ENDS[end](t)

    slope = (lambda p: vmap(grad(f))(np.stack([p, p + 1.0]))) if in_lanes else grad(f)
    step, p = compiled(slope), np.array([80.0, 120.0, 90.0])
    for _ in range(4):
        np.testing.assert_allclose(step(p), slope(p))
    assert step.count_of_programs() == 1
