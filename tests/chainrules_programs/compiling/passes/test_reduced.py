"""Sums of arrays are reductions; what is of another form stays."""

import numpy as np
import pytest

from chainrules_programs.compiling.passes.reduced import reduced
from chainrules_programs.recording.record import record
from replaying import replay

X = np.arange(24.0).reshape(2, 3, 4) % 5


def primal_of(function, x):
    program, y = record(function, (x,))
    found = reduced(program)
    np.testing.assert_array_equal(replay(found, [x]), y, strict=True)
    return found.steps[0].primal


@pytest.mark.parametrize("x", [X, X.astype(np.float32), X.astype(int), X > 2, X.T, X[:, ::2]])
@pytest.mark.parametrize(
    "options",
    [{}, {"axis": 0}, {"axis": (0, 2)}, {"axis": -1, "keepdims": True}, {"keepdims": True}],
)
def test_reductions(x, options):
    assert primal_of(lambda x: np.sum(x, **options), x) == np.add.reduce
    assert primal_of(lambda x: np.max(x, **options), x) == np.maximum.reduce
    assert primal_of(lambda x: np.min(x, **options), x) == np.minimum.reduce


@pytest.mark.parametrize("x", [X, X.T, X[:, ::2], X / 7])
@pytest.mark.parametrize(
    "options",
    [{}, {"axis": 0}, {"axis": (0, 2)}, {"axis": -1, "keepdims": True}, {"keepdims": True}],
)
def test_means(x, options):
    assert primal_of(lambda x: np.mean(x, **options), x) == np.add.reduce
    assert primal_of(lambda x: x.mean(**options), x) == np.add.reduce


@pytest.mark.parametrize("x", [X.astype(np.float32), X.astype(int), X + 1j, X > 2])
def test_means_in_other_precision_are_left_to_the_function(x):
    assert primal_of(lambda x: np.mean(x, axis=0), x) is np.mean
    assert primal_of(lambda x: np.mean(x, dtype=np.float32), X) is np.mean


def test_an_axis_by_position_is_kept():
    assert primal_of(lambda x: np.sum(x, 1), X) == np.add.reduce


@pytest.mark.parametrize("dtype", [np.float32, np.int8, complex])
def test_dtypes_of_sums(dtype):
    options = {"dtype": dtype, "keepdims": True, "axis": 1}
    assert primal_of(lambda x: np.sum(x, **options), X) == np.add.reduce
    assert primal_of(lambda x: np.prod(x, dtype=dtype), X > 1) == np.multiply.reduce


@pytest.mark.parametrize("options", [{"initial": 1.0}, {"where": X > 2}])
def test_other_options_are_left_to_the_function(options):
    assert primal_of(lambda x: np.sum(x, **options), X) is np.sum


def test_whether_any_number_is_not_zero_is_left_to_the_function():
    assert primal_of(lambda x: np.any(x), X) is np.any


def test_methods():
    assert primal_of(lambda x: np.swapaxes(x, 0, 1), X) is np.ndarray.swapaxes
    assert primal_of(lambda x: np.reshape(x, (4, 6)), X) is np.ndarray.reshape


def test_a_mean_into_an_array_is_written_there():
    def f(x):
        y = x[0] * 1.0
        np.mean(x, axis=0, out=y)
        return x + y

    program, y = record(f, (X,))
    np.testing.assert_array_equal(replay(reduced(program), [X]), y, strict=True)
    np.testing.assert_array_equal(y, X + np.mean(X, axis=0))


@pytest.mark.parametrize("exponent", [2, 2.0])
@pytest.mark.parametrize("x", [X / 7 - 0.3, np.float64(-0.7), np.array(1.3)])
def test_squares_are_products(x, exponent):
    assert primal_of(lambda x: np.power(x, exponent), x) is np.multiply


def test_squares_have_the_bits_of_powers():
    rng = np.random.default_rng(0)
    for x in rng.normal(size=5_000) * 10.0 ** rng.integers(-150, 150, 5_000):
        assert np.power(x, 2) == x * x


@pytest.mark.parametrize("exponent", [3, 2.5, np.float64(2)])
def test_other_powers_stay(exponent):
    assert primal_of(lambda x: np.power(x, exponent), X) is np.power


@pytest.mark.parametrize("x", [X.astype(np.float32), X.astype(int), X + 1j])
def test_squares_in_other_precision_stay(x):
    assert primal_of(lambda x: np.power(x, 2), x) is np.power


def last_primal_of(function, *args):
    program, y = record(function, args)
    found = reduced(program)
    np.testing.assert_array_equal(replay(found, args), y, strict=True)
    return found.steps[-1].primal


def test_numbers_that_are_stacked():
    assert last_primal_of(lambda x: np.stack([x[0], x[1], x[0]]), X[0, 0]) is np.array
    assert last_primal_of(lambda x: np.stack([x[0], x[1]], axis=0), X[0, 0]) is np.array


@pytest.mark.parametrize("x", [X, X[0, 0].astype(np.float32)])
def test_other_things_that_are_stacked(x):
    assert last_primal_of(lambda x: np.stack([x[0], x[1]]), x) is np.stack
    assert last_primal_of(lambda x: np.stack([x[..., 0], x[..., 1]], axis=-1), x) is np.stack
