"""Recorded values as an array library of the table's."""

import numpy as np
import pytest

from chainrules_programs.recording.library import recorded_library
from chainrules_programs.recording.record import record
from chainrules_programs.recording.types import Recorded, RecordedNumber, RecordedPython
from chainrules_py import ProjectTo
from chainrules_py.values.arrays import is_number_class, is_numpys, library_of, stood_for
from chainrules_tape import grad, value_and_grad
from chainrules_tape.core.values import is_array_class
from replaying import replay

X = np.array([0.5, 1.5])


@pytest.mark.parametrize("cls", [Recorded, RecordedNumber, RecordedPython])
def test_classes(cls):
    assert library_of(cls) is recorded_library
    assert is_number_class(cls) is (cls is not Recorded)
    assert not is_array_class(cls)


def test_what_they_stand_for():
    def function(x):
        assert is_numpys(x)
        assert not is_numpys(x[0])
        assert stood_for(x) is x.array
        return x

    record(function, (X,))
    assert is_numpys(X)
    assert stood_for(X) is None


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
