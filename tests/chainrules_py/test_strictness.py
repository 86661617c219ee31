"""Strict calls: an invalid value raises, and the caller's error state is as it was."""

from contextvars import copy_context

import numpy as np
import pytest

from chainrules_py import strictness
from chainrules_py.strictness import careful_form, never_strict, relax, strict, strict_context

ZERO, INFINITE = np.zeros(2), np.full(2, np.inf)


@pytest.mark.parametrize("state", ["ignore", "warn", "raise"])
def test_only_what_is_invalid_raises_and_only_until_relaxed(state: str) -> None:
    with np.errstate(divide="ignore", over="warn", invalid=state):  # type: ignore[call-overload]
        before = np.geterr()
        token = strict()
        assert np.geterr() == {**before, "invalid": "raise"}
        with pytest.raises(FloatingPointError):
            np.multiply(ZERO, INFINITE)
        relax(token)
        assert np.geterr() == before


def test_an_error_state_that_changes_is_followed() -> None:
    for over in ("ignore", "raise", "ignore"):
        with np.errstate(over=over):  # type: ignore[call-overload]
            assert strict_context().run(np.geterr)["over"] == over


def test_a_strict_context_leaves_the_callers_alone() -> None:
    before = np.geterr()
    run = strict_context().run
    with pytest.raises(FloatingPointError):
        run(np.multiply, ZERO, INFINITE)
    assert np.geterr() == before
    assert run(np.add, 1.0, 1.0) == 2.0


def test_numpy_keeps_its_error_state_in_one_context_variable() -> None:
    """If a newer NumPy does otherwise, strict calls are as right as before, but take a microsecond more."""
    context = copy_context()
    context.run(np.seterr, invalid="print")
    assert strictness._state is not None
    assert context[strictness._state] is not copy_context().get(strictness._state)


def test_what_is_called_after_a_strict_call_has_raised() -> None:
    def plain() -> str:
        return "plain"

    assert careful_form(plain) is plain
    guarded = never_strict(plain)
    with pytest.raises(FloatingPointError):
        guarded()
    assert careful_form(guarded)() == "plain"
