"""Operations read arrays before they were broadcast, with the same bits and order in memory."""

import operator

import numpy as np
import pytest

from chainrules_programs.compiling.passes.broadcast import broadcast
from chainrules_programs.compiling.passes.unused import unused
from chainrules_programs.recording.record import record
from replaying import replay

X = np.linspace(0.1, 2.0, 12).reshape(3, 4)


def steps_of(function, *inputs):
    """The steps that are left; both programs give the same, in the same order in memory."""
    program, y = record(function, inputs)
    found = unused(broadcast(program))
    again = replay(found, list(inputs))
    np.testing.assert_array_equal(again, y, strict=True)
    assert again.strides == y.strides
    return [step.primal for step in found.steps]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(4,), (1, 4), (3, 1), (1, 1)])
@pytest.mark.parametrize("ufunc", [np.multiply, np.arctan2, np.add])
def test_the_other_operand_has_the_shape(ufunc, shape, order):
    x, y = np.array(X, order=order), np.full(shape, 0.3)
    assert steps_of(lambda x, y: ufunc(x, np.broadcast_to(y, (3, 4))), x, y) == [ufunc]
    assert steps_of(lambda x, y: ufunc(np.broadcast_to(y, (3, 4)), x), x, y) == [ufunc]


def test_shapes_that_come_of_broadcasting_alone():
    primals = steps_of(lambda x: np.sin(np.broadcast_to(x, (5, 3, 4))), X)
    assert primals == [np.broadcast_to, np.sin]
    primals = steps_of(lambda x, y: np.broadcast_to(x, (3, 4)) * y[:, None], X[:1], X[:, 0])
    assert np.broadcast_to in primals
    primals = steps_of(lambda x: np.broadcast_to(x, (3, 4)) * 2.0, X[:1])
    assert np.broadcast_to in primals


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_that_have_axes(dtype, order):
    x, number = np.array(X, np.float32, order=order), dtype(0.3)
    assert steps_of(lambda x, y: x * y[..., None], x, number) == [np.multiply]
    assert steps_of(lambda x, y: y[None, None] - x, x, number) == [np.subtract]
    primals = steps_of(lambda x, y: x * y[..., None, None, None], x, number)  # of more axes
    assert primals == [operator.getitem, np.multiply]
    primals = steps_of(lambda x, y: y[..., None] * x[0, :1][0][..., None], x, number)
    assert primals.count(operator.getitem) == 4


def test_functions_that_are_no_ufuncs():
    primals = steps_of(lambda x: np.concatenate([np.broadcast_to(x, (2, 3, 4)), x[None]]), X)
    assert np.broadcast_to in primals


def test_memory_that_is_written_in_between():
    def function(x, y):
        kept = np.copy(y)
        wide = np.broadcast_to(kept, (3, 4))
        kept += 1.0
        return x * wide

    assert np.broadcast_to in steps_of(function, X, X[0].copy())
