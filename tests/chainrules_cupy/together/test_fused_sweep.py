"""The tape on a device with kernels: what is multiplied and added in one launch."""

from functools import partial

import numpy as np
import pytest

import chainrules_tape as tape
from benchmarks.gpu_programs import PROGRAMS
from chainrules_cupy.kernels.postponed import FusedProduct
from chainrules_py import ZERO
from chainrules_py.accumulation import Owned
from chainrules_tape.device_sweep import handed_on
from stand_ins.waiting import is_counted, staying

cupy = pytest.importorskip("cupy")

X = np.linspace(0.1, 0.9, 6).reshape(2, 3)
LOSSES = {
    "a square": lambda x: np.sum(x * x),
    "two uses": lambda x: np.sum(np.sin(x) * x),
    "many uses": lambda x: np.sum(np.sin(x) * np.cos(x) + np.exp(x) / x),
    "a sum that is handed on": lambda x: np.sum(np.exp(x - np.max(x, axis=1, keepdims=True)) * x),
    "a maximum beside others": (
        lambda x: np.sum(x * x * np.max(x, axis=1, keepdims=True)) + np.max(x)
    ),
    "entries": lambda x: np.sum(x[:, 1] * np.sin(x).T * x[0, 2] * x.T),
    **{program.name: partial(program.loss, np) for program in PROGRAMS},
}
INPUTS = {program.name: program.inputs(program.small) for program in PROGRAMS}


@pytest.mark.gpu
@pytest.mark.parametrize("name", LOSSES)
def test_gradients_and_second_derivatives(name):
    loss, inputs = LOSSES[name], INPUTS.get(name, (X,))
    x, *constants = map(cupy.asarray, inputs)
    with staying():
        found = tape.grad(loss)(x, *constants)
        product = tape.hvp(loss, x, x, *constants)
    expected = tape.hvp(loss, inputs[0], *inputs)
    np.testing.assert_allclose(found.get(), tape.grad(loss)(*inputs), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(product.get(), expected, rtol=1e-9, atol=1e-11)


# one per operation that multiplies; none that adds
LAUNCHES = {"a square": 1, "two uses": 2, "many uses": 5}


@pytest.mark.gpu
@pytest.mark.parametrize("name", LAUNCHES)
def test_one_launch_per_operation_however_often_a_value_is_used(name):
    if not is_counted():
        pytest.skip("this device counts no launches")
    from emulated_cuda import traffic

    _, pullback = tape.vjp(LOSSES[name], cupy.asarray(X))
    y_bar = cupy.ones(())
    with traffic() as found:
        pullback(y_bar)
    assert found.launches == LAUNCHES[name]


@pytest.mark.gpu
def test_a_cotangent_that_others_hold_is_not_written_to():
    """The product adds to a cotangent that came from outside, for a, and to a sum of its own, for b."""
    a, b, y_bar = cupy.asarray(X), cupy.asarray(X), cupy.ones(X.shape)
    _, pullback = tape.vjp(lambda a, b: a * b + a + np.sin(b) + np.cos(b), a, b)
    a_bar, b_bar = pullback(y_bar)
    np.testing.assert_array_equal(y_bar.get(), 1.0)
    np.testing.assert_allclose(a_bar.get(), X + 1, rtol=1e-12)
    np.testing.assert_allclose(b_bar.get(), X + np.cos(X) - np.sin(X), rtol=1e-12)


# A product of which only a sum is wanted

POINTS, MEANS = (
    np.random.default_rng(0).normal(size=(1100, 1, 8)),
    np.random.default_rng(1).normal(size=(32, 8)),
)
# losses, and whether the cotangent of what is as large as all pairs is left to a sum
DIFFERENCES = {
    "squared": (lambda m, points: np.sum((points - m) ** 2), True),
    "in a function": (lambda m, points: np.sum(np.cos(points - m)), True),
    "used twice": (
        lambda m, points: (lambda apart: np.sum(np.sin(apart) * apart))(points - m),
        False,
    ),
    "of two that depend": (lambda m, points: np.sum((points * m[0, 0] - m) ** 2), False),
    "small": (lambda m, points: np.sum((points[:10] - m) ** 2), False),
}


@pytest.mark.gpu
@pytest.mark.parametrize("name", DIFFERENCES)
def test_what_is_only_summed_is_left_to_the_sum(name, monkeypatch):
    loss, is_left = DIFFERENCES[name]
    expected = tape.grad(loss)(MEANS, POINTS)
    made = []
    summed_to = FusedProduct.summed_to
    monkeypatch.setattr(
        FusedProduct, "summed_to", lambda *args: made.append(args) or summed_to(*args)
    )
    found = tape.grad(loss)(cupy.asarray(MEANS), cupy.asarray(POINTS))
    np.testing.assert_allclose(found.get(), expected, rtol=1e-10)
    assert bool(made) == is_left
    assert not any(product.forced for product, *_ in made)


# A sum that is handed on as it is

WIDE, FEW = np.ones((2, 3)), np.ones((1, 3))
HANDED_ON = {
    "to one": ((WIDE,), (0,), [ZERO], 0),
    "to one of two, and summed": ((WIDE, FEW), (0, 1), [ZERO, ZERO], 0),
    "to the second": ((FEW, WIDE), (0, 1), [ZERO, ZERO], 1),
    "to both": ((WIDE, WIDE), (0, 1), [ZERO, ZERO], None),
    "where something is": ((WIDE,), (0,), [FEW], None),
    "to a container": ((WIDE,), ({"part": 0},), [ZERO], None),
}


@pytest.mark.parametrize("name", HANDED_ON)
def test_a_buffer_stays_a_buffer_where_one_value_takes_it(name):
    args_bar, slots, bars, kept = HANDED_ON[name]
    found = handed_on(args_bar, WIDE, slots, bars)
    assert [k for k, x_bar in enumerate(found) if type(x_bar) is Owned] == (
        [] if kept is None else [kept]
    )
    assert all(
        x_bar is other or x_bar.buffer is other
        for x_bar, other in zip(found, args_bar, strict=True)
    )
