"""Recorded values as an array library of the table's."""

import numpy as np
import pytest

from chainrules_programs.recording.record import record
from chainrules_programs.recording.types import RecordedNumber, RecordedPython
from chainrules_py import ProjectTo
from chainrules_tape import grad, value_and_grad
from replaying import replay

X = np.array([0.5, 1.5])


def test_spaces():
    def function(x, a):
        assert type(ProjectTo(a)(x[0])) is RecordedPython
        assert type(ProjectTo(x[0])(x[:1].reshape(()))) is RecordedNumber
        assert type(ProjectTo(x)(np.ones(2))) is np.ndarray
        return x

    record(function, (X, 1.5))


def test_gradients_of_numbers_are_numbers():
    _, (_, (of_x, of_a)) = record(value_and_grad(lambda x, a: np.sum(x * a), (0, 1)), (X, 1.5))
    assert type(of_x) is np.ndarray
    assert type(of_a) is float


def read_as_an_array(x):
    n = np.linalg.norm(x)
    return n[..., None][0] * 2.0 + n[...]


def read_by_a_mask(x):
    n = np.sum(x)
    return n[n > 0][0] * n[...]


@pytest.mark.parametrize("f", [read_as_an_array, read_by_a_mask])
def test_cotangents_of_reads_of_a_number(f):
    program, value = record(grad(f), (X,))
    np.testing.assert_array_equal(value, grad(f)(X))
    np.testing.assert_allclose(replay(program, [X + 1.0]), grad(f)(X + 1.0), rtol=1e-15)
