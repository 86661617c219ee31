"""`check_pattern` passes a right engine, and finds patterns that lack an entry."""

from types import SimpleNamespace

import numpy as np
import pytest

import chainrules_tape
from chainrules_py.testing import (
    CheckFailure,
    Sample,
    Settings,
    UnsuitableCallError,
    check_pattern,
    run_pattern_case,
)
from chainrules_py.testing.cases import Case

pytest.importorskip("scipy", reason="SciPy is not installed (extra: scipy)")

X = np.array([[0.3, -0.7], [1.2, 0.4]])


class Engine:
    """The tape, with patterns changed by a function of the booleans."""

    jvp = staticmethod(chainrules_tape.jvp)

    def __init__(self, change):
        self.change = change

    def sparsity(self, f, x):
        found = self.change(chainrules_tape.sparsity(f, x).pattern.toarray())
        return SimpleNamespace(pattern=SimpleNamespace(toarray=lambda: found))


def without_one(pattern):
    changed = pattern.copy()
    changed[tuple(np.argwhere(pattern)[-1])] = False
    return changed


def test_a_right_engine():
    check_pattern(chainrules_tape, np.hypot, X, np.ones(2))
    check_pattern(chainrules_tape, np.cumsum, X, axis=1)
    check_pattern(chainrules_tape, np.linalg.solve, X, np.ones(2))
    check_pattern(chainrules_tape, np.argsort, X)


def test_too_many_entries_are_right():
    check_pattern(Engine(np.ones_like), np.sin, X)


@pytest.mark.parametrize("primal", [np.sin, np.cumsum, np.linalg.inv, np.transpose])
def test_an_entry_that_is_missing(primal):
    with pytest.raises(CheckFailure, match="lacks 1 entries") as caught:
        check_pattern(Engine(without_one), primal, X)
    assert caught.value.diagnosis.kind == "pattern"


def test_a_pattern_of_another_shape():
    with pytest.raises(CheckFailure, match="shape"):
        check_pattern(Engine(lambda pattern: pattern[:1]), np.sin, X)


def test_an_engine_without_patterns():
    with pytest.raises(UnsuitableCallError, match="no sparsity"):
        check_pattern(SimpleNamespace(jvp=chainrules_tape.jvp), np.sin, X)


def test_settings_choose_the_constants_of_a_call():
    """A pattern that lacks the entries of a constant is right."""
    fixed = Settings(fixed=(1,))
    engine = Engine(lambda pattern: pattern[:, :4])
    with pytest.raises(CheckFailure):
        check_pattern(engine, np.multiply, X, X)
    check_pattern(engine, np.multiply, X, X, settings=fixed)


def unreachable(x):
    """What NumPy does not hand over: it converts its argument."""
    return np.multiply(2.0, x.tolist())


def test_an_engine_may_call_another_function():
    sample = Sample(np.array([0.3, -0.7]))
    case = Case(unreachable, sample, "float64", "forward", Settings())
    with pytest.raises(CheckFailure):
        run_pattern_case(chainrules_tape, case)
    run_pattern_case(chainrules_tape, case, called=lambda primal: lambda x: 2.0 * x)
