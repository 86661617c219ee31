"""NumPy as rules see it on recorded values."""

import numpy as np
import pytest

from chainrules_programs.recording.namespace import namespace, read_recorded
from chainrules_programs.recording.record import record
from chainrules_py.values.arrays import call
from recorded_calls import check_recording

X = np.array([[0.5, 1.5, 2.0], [1.0, 2.0, 3.0]])
FUNCTIONS = {
    "asarray": lambda x: namespace.asarray(x, dtype="f4"),
    "array": lambda x: namespace.array([x[0], x[1] * 2]),
    "ascontiguousarray": lambda x: namespace.ascontiguousarray(x.T),
    "take": lambda x: namespace.take(np.arange(9.0), np.argsort(x[0])),
    "astype": lambda x: namespace.astype(x, "f4"),
    "zeros": lambda x: namespace.zeros(3) + x,
    "linalg": lambda x: namespace.linalg.norm(x),
    "constants read by values": lambda x: read_recorded(np.arange(9.0), np.argsort(x[0])),
    "a sum": lambda x: call(np.sum, x, axis=0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    check_recording(FUNCTIONS[name], (X,), (-X,), tolerance=1e-12)


def test_short_rows_are_summed_in_the_order_of_the_tape():
    x = np.random.default_rng(0).normal(size=(5000, 3))
    program, value = record(lambda x: call(np.sum, x, -1), (x,))
    np.testing.assert_array_equal(value, call(np.sum, x, -1))
    assert len(program.steps) > 1
