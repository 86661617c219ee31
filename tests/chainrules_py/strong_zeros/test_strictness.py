"""Strict calls: an invalid value raises, and the caller's error state is as it was."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Barrier

import numpy as np
import pytest

from chainrules_py.strong_zeros import strictness
from chainrules_py.strong_zeros.float_errors import FloatErrors, Strictness
from chainrules_py.strong_zeros.strictness import (
    call_strictly,
    careful_form,
    current_state,
    never_strict,
    raise_reported,
    relax,
    strict,
    strict_within,
    this_thread,
    unwatch,
    watch,
    watching,
)

ZERO, INFINITE = np.zeros(2), np.full(2, np.inf)


@pytest.mark.parametrize("state", ["ignore", "warn", "raise"])
def test_only_what_is_invalid_raises_and_only_until_relaxed(state: str):
    with np.errstate(divide="ignore", over="warn", invalid=state):  # type: ignore[call-overload]
        before = np.geterr()
        token = strict()
        assert np.geterr() == {**before, "invalid": "raise"}
        with pytest.raises(FloatingPointError):
            np.multiply(ZERO, INFINITE)
        relax(token)
        assert np.geterr() == before


@pytest.mark.parametrize("state", ["ignore", "warn", "raise"])
def test_no_state_is_set_where_invalid_values_raise_already(state: str):
    with np.errstate(invalid=state):  # type: ignore[call-overload]
        before = np.geterr()
        outer = raise_reported()
        token = strict_within()
        assert (token is None) == (state != "ignore")
        with pytest.raises(FloatingPointError):
            np.multiply(ZERO, INFINITE)
        if token is not None:
            relax(token)
        relax(outer)
        token = strict_within()
        assert token is not None
        assert np.geterr()["invalid"] == "raise"
        relax(token)
        assert np.geterr() == before


def test_an_error_state_that_changes_is_followed():
    for over in ("ignore", "raise", "ignore"):
        with np.errstate(over=over):  # type: ignore[call-overload]
            token = strict()
            assert np.geterr()["over"] == over
            relax(token)
            assert watching(np.geterr)["over"] == over


def test_watching_reports_to_us_and_leaves_no_trace():
    before = np.geterr(), np.geterrcall()
    for _ in range(2):
        states = [current_state()]
        watch(states[0])
        states.append(current_state())
        watch(states[1])
        assert isinstance(np.geterrcall(), FloatErrors)
        assert np.geterr()["invalid"] == "log"
        assert strictness.get_state(None) is this_thread.strictness.error_state
        unwatch(states[1])
        assert isinstance(np.geterrcall(), FloatErrors)
        strict()  # as an interrupt leaves it
        for _ in range(2):
            unwatch(states[0])
        assert (np.geterr(), np.geterrcall()) == before
    with pytest.raises(FloatingPointError):
        watching(never_strict(print))
    assert (np.geterr(), np.geterrcall()) == before


def test_what_is_set_while_watching_stays():
    def call(error: str, flag: int):
        pass

    with np.errstate(divide="ignore", over="warn", under="ignore"):
        before = np.geterr()
        watching(np.seterr, divide="raise")
        assert np.geterr() == {**before, "divide": "raise"}
        watching(np.seterrcall, call)
        assert (np.geterr(), np.geterrcall()) == ({**before, "divide": "raise"}, call)
        np.seterrcall(None)


def test_states_of_several_threads_do_not_meet():
    """One thread watches another state than the one whose state was found last."""

    def between(mode: str):
        with np.errstate(over=mode):  # type: ignore[call-overload]
            before = current_state()
            watch(before)
            both.wait()
            inside = np.geterr()["over"]
            both.wait()
            unwatch(before)
            return inside, np.geterr()["over"]

    both = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(between, ("ignore", "raise"))) == [
            ("ignore", "ignore"),
            ("raise", "raise"),
        ]


def invalid_value() -> bool:
    """Whether zero times infinity raises here."""
    try:
        with warnings.catch_warnings(action="ignore"):
            np.multiply(ZERO, INFINITE)
    except FloatingPointError:
        return True
    return False


def test_strictness_is_that_of_one_thread():
    def beside() -> bool:
        return bool(watching(invalid_value))

    with ThreadPoolExecutor(1) as pool:
        assert watching(call_strictly, lambda: pool.submit(beside).result()) is False
        assert watching(lambda: this_thread.strictness.applies) is False


def test_a_derivative_in_a_thread_with_a_copy_of_the_context_is_strict_by_itself():
    def beside() -> list[bool]:
        inner = watching(call_strictly, invalid_value)
        return [inner, this_thread.strictness.applies, bool(watching(invalid_value))]

    with ThreadPoolExecutor(1) as pool:
        found = watching(lambda: pool.submit(copy_context().run, beside).result())
    assert found == [True, False, False]


def test_steps_of_threads_that_inherit_the_context_set_the_error_state(monkeypatch):
    monkeypatch.setattr(strictness, "INHERITED", True)
    monkeypatch.setattr(strictness, "latest_strictness", latest := [Strictness()])
    before = latest[0]
    watching(int)
    assert latest[0] is before


def test_strictness_is_as_before_however_a_strict_call_ends():
    def applies() -> list[bool]:
        return [
            this_thread.strictness.applies,
            call_strictly(lambda: this_thread.strictness.applies),
        ]

    assert [applies(), call_strictly(applies), applies()] == [
        [False, True],
        [True, True],
        [False, True],
    ]
    with pytest.raises(ZeroDivisionError):
        call_strictly(lambda: 1 // 0)
    assert applies() == [False, True]


def test_numpy_keeps_its_error_state_in_one_context_variable():
    context = copy_context()
    context.run(np.seterr, invalid="print")
    assert context[strictness._state] is not copy_context().get(strictness._state)


def test_what_is_called_after_a_strict_call_has_raised():
    def plain() -> str:
        return "plain"

    assert careful_form(plain) is plain
    guarded = never_strict(plain)
    with pytest.raises(FloatingPointError):
        guarded()
    assert careful_form(guarded)() == "plain"
