"""A recorded call under every transform, run again on other numbers."""

import gc

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.recording.errors import NotRecordedError
from chainrules_programs.recording.program import Call, Value
from chainrules_programs.recording.record import is_input, record
from chainrules_tape import (
    checkpoint,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from recorded_calls import check_recording, replayed

RNG = np.random.default_rng(0)
A, X, V = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)


def loss(x):
    return np.sum(np.tanh(A @ x) ** 2 * np.exp(-x))


def several(x):
    return np.tanh(A @ x) * x


def newton(x):
    y = x
    while np.max(np.abs(y * y - 2)) > 1e-8:
        y = y - (y * y - 2) / (2 * y)
    return np.sum(y * x)


def buffer(x):
    y = tnp.zeros(3)
    for k in range(3):
        y[k] = x[k] * x[(k + 1) % 3]
    y[1:] += x[:2]
    return np.sum(y * y)


def view(x):
    y = x * 2
    y[0] = x[1] ** 2
    z = y[1:]
    z *= x[0]
    return np.sum(y**2)


def masked(x):
    y = np.copy(x)
    y[y > 0] = 0.5
    y += x
    return np.sum(y**3)


def heat(x):
    u = tnp.zeros((5, 3))
    u[0] = x
    for k in range(4):
        u[k + 1] = u[k]
        u[k + 1, 1:-1] += 0.1 * (u[k, 2:] - 2 * u[k, 1:-1] + u[k, :-2])
    return np.sum(u[-1] ** 2)


def tree(p):
    return np.sum(p["a"] * p["b"][0]) + p["b"][1] ** 2


def number(a):
    return a * a * 2 + np.sin(a)


def forward(f):
    return lambda x, v: jvp(f, (x,), (v,))


CALLS = {
    "a plain function": (loss, X),
    "grad": (grad(loss), X),
    "value_and_grad": (value_and_grad(loss), X),
    "hessian": (hessian(loss), X),
    "jacobian": (jacobian(several), X),
    "jacobian, forward": (jacobian(several, mode="forward"), X),
    "jvp": (forward(several), X, V),
    "hvp": (lambda x, v: hvp(loss, x, v), X, V),
    "vjp": (lambda x, v: vjp(several, x)[1](v), X, V),
    "grad of grad": (grad(lambda x: np.sum(grad(loss)(x) ** 2)), X),
    "vmap": (vmap(several), A),
    "vmap of grad": (vmap(grad(loss)), A),
    "checkpoint": (grad(checkpoint(loss)), X),
    "stop_gradient": (grad(lambda x: np.sum(x * stop_gradient(x))), X),
    "a loop until it converges": (grad(newton), np.abs(X) + 0.5),
    "a mask": (grad(lambda x: np.sum(x[x > 0] ** 2)), X),
    "argmax": (grad(lambda x: x[np.argmax(x)] ** 2), X),
    "sort": (grad(lambda x: np.sum(np.sort(x) * V)), X),
    "entries one by one": (grad(lambda x: sum(t * t for t in x)), X),
    "containers": (value_and_grad(tree), {"a": X, "b": (V, 2.0)}),
    "a number": (value_and_grad(number), 1.5),
    "second derivative of a number": (hessian(number), 1.5),
    "complex": (lambda z: vjp(lambda z: z * z * np.conj(z), z)[1](z), X + 1j * V),
    "a buffer": (grad(buffer), X),
    "a buffer, plain": (buffer, X),
    "writes through a view": (grad(view), X),
    "writes through a view, plain": (view, X),
    "writes through a view, forward": (forward(view), X, V),
    "writes through a view, second order": (lambda x, v: hvp(view, x, v), X, V),
    "writes through a view, many": (vmap(view), A),
    "writes at a mask": (grad(masked), X),
    "rows from rows": (grad(heat), X),
    "the slope of a norm at zero": (grad(np.linalg.norm), np.zeros(3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_recorded_calls(name):
    function, *args = CALLS[name]
    others = [a for a in args if type(a) is np.ndarray]
    nearby = [a * 1.001 for a in args] if len(others) == len(args) else args
    check_recording(function, tuple(args), tuple(nearby), tolerance=1e-12)


def test_single_precision_stays_single():
    program = check_recording(
        value_and_grad(loss), (X.astype("f4"),), (V.astype("f4"),), tolerance=1e-6
    )
    assert program.result[1].array.dtype == np.float32


def test_leaves_that_are_inputs():
    inputs = (np.ones(2), np.array([1, 2]), 1.5, 1j, np.float32(1))
    constants = (2, True, "text", None, np.int64(3), np.array(["a"]))
    assert all(map(is_input, inputs))
    assert not any(map(is_input, constants))


def test_the_result_holds_values_where_something_was_computed():
    program, value = record(lambda x, n: {"y": x * n, "n": n}, (X, 3))
    assert isinstance(program.result["y"], Value)
    assert program.result["n"] == value["n"] == 3
    assert len(program.inputs) == 1


def test_values_answer_nothing_after_the_recording():
    escaped = []
    record(lambda x: escaped.append(x + 1) or x, (X,))
    assert type(escaped[0]) is Value
    assert escaped[0].recording is None


def test_an_error_leaves_arguments_as_they_were():
    def function(x):
        x[0] = 5.0
        return float(x[1])

    x = X.copy()
    with pytest.raises(NotRecordedError):
        record(function, (x,))
    np.testing.assert_array_equal(x, X)


def test_writes_into_arguments_are_steps():
    def function(x):
        x[0] = 5.0
        return x * 2

    x = X.copy()
    program, value = record(function, (x,))
    other = V.copy()
    found = replayed(program, (other,))
    assert x[0] == other[0] == 5.0
    assert value[0] == found[0] == 10.0


def test_the_collector_runs_again_afterwards():
    before = gc.get_threshold()
    assert before[0] > 0
    record(loss, (X,))
    assert gc.get_threshold() == before
    with pytest.raises(ZeroDivisionError):
        record(lambda x: 1 / 0, (X,))
    assert gc.get_threshold() == before


def test_steps_of_a_pullback_are_strict():
    program, _ = record(grad(loss), (X,))
    calls = [step for step in program.steps if isinstance(step, Call)]
    assert {step.strict for step in calls if step.primal is np.tanh} == {False}
    assert any(step.strict for step in calls)


def test_a_program_without_steps():
    program, value = record(lambda x, n: (x, n), (X, 3))
    assert program.steps == []
    np.testing.assert_array_equal(value[0], X)
    check_recording(lambda x: x.shape, (X,))


def test_refusals_behind_an_error_of_numpys():
    """NumPy raises a ValueError where the conversion of an entry raises."""

    def fills(x):
        entries = np.zeros(2)
        entries[0] = np.sum(x)
        return entries

    with pytest.raises(NotRecordedError):
        record(fills, (np.ones(3),))
