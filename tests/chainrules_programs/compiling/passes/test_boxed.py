"""Numbers beside arrays become arrays of the dtype that the function computes with."""

import numpy as np
import pytest

from chainrules_programs.compiling.passes.boxed import boxed
from chainrules_programs.recording.record import record
from replaying import replay


def boxed_step(function, x):
    """The first step of a function, with boxes; both give the same bits."""
    program, y = record(function, (x,))
    found = boxed(program)
    np.testing.assert_array_equal(replay(found, [x]), y, strict=True)
    return found.steps[0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.int64])
@pytest.mark.parametrize("number", [2, 1.01, np.float64(0.1), True])
def test_a_box_has_the_dtype_of_the_loop(dtype, number):
    x = np.arange(1, 10).astype(dtype)
    _, box = boxed_step(lambda x: x * number, x).args
    assert isinstance(box, np.ndarray)
    assert box.shape == ()
    assert box.dtype == np.result_type(x, number)


def test_comparisons_have_boxes_of_their_operands_dtype():
    step = boxed_step(lambda x: x > 0.1, np.full(9, 0.1, np.float32))
    assert step.args[1].dtype == np.float32


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.power(x, 2),
        lambda x: x**2,
        lambda x: np.maximum(x, x),
        lambda x: np.sum(x, 0),
        lambda x: x > -1,  # of an unsigned number
    ],
)
def test_what_is_no_number_beside_an_array_stays(function):
    step = boxed_step(function, np.arange(1, 10).astype(np.uint8))
    assert not any(isinstance(arg, np.ndarray) for arg in step.args)


def test_numbers_beside_numbers_stay():
    assert type(boxed_step(lambda x: x * 2.0, np.float64(3.0)).args[1]) is float


def test_an_array_of_one_number_is_a_box_where_another_decides_the_shape():
    x = np.ones((2, 5))
    assert boxed_step(lambda x: x * np.full((2, 5), 3.0), x).args[1].shape == ()
    assert boxed_step(lambda x: x * np.full(5, 3.0), x).args[1].shape == ()
    assert boxed_step(lambda x: x * np.full((3, 2, 5), 3.0), x).args[1].shape == (3, 2, 5)
    assert boxed_step(lambda x: x * np.full((2, 5), 3.0), x[:1]).args[1].shape == (2, 5)


def test_equal_boxes_are_one():
    program = boxed(record(lambda x: (x + 2.0) * 2.0, (np.ones(3),))[0])
    assert program.steps[0].args[1] is program.steps[1].args[1]
