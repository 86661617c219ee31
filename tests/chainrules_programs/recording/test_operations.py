"""What is written down: constants as they were, and no write that a derivative would not see."""

import numpy as np
import pytest

from chainrules_programs.recording.program import Guard
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, grad
from recorded_calls import check_recording

X = np.array([0.5, 1.5, 2.0])


def test_constants_are_kept_as_they_were():
    def function(x):
        c = np.ones(3)
        y = x * c
        c[0] = 7.0
        return y + x * c

    program = check_recording(function, (X,), (X + 1,), tolerance=0)
    first, second = [step.args[1] for step in program.steps if step.primal is np.multiply]
    assert first[0] == 1.0
    assert second[0] == 7.0


def test_an_array_of_objects_that_is_changed_between_two_uses_is_two_constants():
    def function(x):
        c = np.array([1.0, 2.0, 3.0], dtype=object)
        y = np.sum(x * c)
        c[0] = 7.0
        return y + np.sum(x * c)

    check_recording(function, (X,), (X + 1,), tolerance=0)
    run = compiled(function)
    for _ in range(3):  # the recorded program runs from the third call on
        assert run(X) == 0.5 * (1 + 7) + 1.5 * 4 + 2.0 * 6


def test_a_constant_that_stays_is_copied_once():
    c = np.ones(3)
    program, _ = record(lambda x: x * c + x * c, (X,))
    first, second = [step.args[1] for step in program.steps if step.primal is np.multiply]
    assert first is second is not c


def test_buffers_of_rules_are_new_in_each_run():
    program, _ = record(grad(lambda x: x[0] ** 2 + x[0] * x[2]), (X,))
    makers = [step for step in program.steps if getattr(step, "primal", None) is np.zeros]
    assert makers
    check_recording(grad(lambda x: x[0] ** 2 + x[0] * x[2]), (X,), (X + 1,), (X - 1,))


OF_MATRICES = (np.linalg.eig, np.linalg.eigvals)
GUARDED = (np.unique, np.nonzero, np.flatnonzero, np.argwhere, np.trim_zeros, *OF_MATRICES)
FREE = (np.sum, np.sort, np.cumsum, np.transpose, np.ravel, np.linalg.norm, np.fft.fft)


@pytest.mark.parametrize("function", [*GUARDED, *FREE])
def test_shapes_and_dtypes_that_depend_on_values_are_guarded(function):
    program, _ = record(function, (X if function not in OF_MATRICES else np.diag(X),))
    assert any(isinstance(step, Guard) for step in program.steps) is (function in GUARDED)
