"""Run a pullback again in its careful form where zero met infinity; free where all is finite.

Zero times infinity raises the processor's "invalid" flag, which NumPy reads after each of its loops
anyway. So a derivative is computed *strictly*: that flag becomes a FloatingPointError. Where one
comes, and only there, the step is done again, carefully: under the caller's own error state, so
that warnings are as always, and by the rule's careful form, whose products are strong
(`makers.products`, `strong_contraction`). A function says what its careful form is by an
attribute `careful`; one without is called again as it is.

    watch, unwatch     around a whole derivative: NumPy reports errors to a `FloatErrors`
    strictness         around a step of a watched derivative: ``this_thread.strictness.applies``
    strict, relax      around a step that may not be watched: token = strict(); ...; relax(token)

An interrupt may come as `watch` returns, or as `unwatch` begins. So both are told the state of
before, `unwatch` may be called again, and it takes a strict state for one that was left behind.

What this costs: `strict` and `relax` take 0.2 us, `watch` and `unwatch` 0.25, `numpy.errstate` 1.1,
an operation in forward mode 2.3. While a derivative is watched, a step sets two attributes, 8 ns.

Which `Strictness` is the right one depends on the thread. A sweep asks for its thread once. A step
of forward mode stands alone, and cannot afford to ask (75 ns). It compares the error state with that
of `latest_strictness` instead, 15 ns. Where they differ it calls `strict`: another thread has begun
a derivative, or the function that is differentiated has set an error state of its own.

So two threads may not have one error state. In Python each thread has its own, unless it is started
with a copy of another one's context. In some builds all are (`INHERITED`); there, the steps of
forward mode always call `strict`. Not covered is forward mode in threads to which a program copies
the context itself, as `asyncio.to_thread` does, if several of them meet infinities at once.

NumPy's setting is a context variable, which is found by what `numpy.seterr` changes in an empty
context.
"""

import sys
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from threading import local
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.strong_zeros.float_errors import FloatErrors, Strictness

# Whether a new thread starts with the context of the one that starts it.
INHERITED = bool(getattr(sys.flags, "thread_inherit_context", False))


class ThisThread(local):
    """The `Strictness` of each thread."""

    def __init__(self) -> None:
        self.strictness = Strictness()


this_thread = ThisThread()

# that of the thread that began a derivative last: a list, so that its readers see the next one
latest_strictness: list[Strictness] = [Strictness()]


def _error_state() -> ContextVar[Any]:
    """The context variable in which NumPy keeps what it does about floating-point errors."""
    context = Context()
    context.run(np.seterr, invalid="raise")
    (state,) = context
    return state


_state = _error_state()
get_state: Any = _state.get


def _state_made(call: FloatErrors | None = None, **modes: Any) -> Any:
    """The error state that differs by some modes from the caller's, which an interrupt leaves as it
    is: within `numpy.errstate`, it would stay.
    """
    context = copy_context()
    context.run(np.seterr, **modes)
    if call is not None:
        context.run(np.seterrcall, call)
    return context[_state]


# an error state, and the strict one that belongs to it
_strict: tuple[Any, Any] = (object(), object())
_raising: tuple[Any, Any] = (object(), object())  # likewise, of `raise_reported`
# an error state, and what `raised_errors` says
_asked: tuple[Any, frozenset[str]] = (object(), frozenset())
_raising_invalid: Any = object()  # the latter, where it raises for invalid values


def _strict_state(state) -> Any:
    """Make the error state that raises where a value is invalid, and else is that of the caller."""
    global _strict
    own = _state_made(invalid="raise")
    _strict = (state, own)
    return own


def _raising_state(state) -> Any:
    """Make the error state that raises what that of the caller would report."""
    global _raising, _raising_invalid
    reported = {kind: "raise" for kind, mode in np.geterr().items() if mode != "ignore"}
    own = _state_made(None, **reported)
    _raising = (state, own)
    if "invalid" in reported:
        _raising_invalid = own
    return own


def _watching_state(strictness: Strictness, state) -> Any:
    """Make the error state in which NumPy reports to a `FloatErrors`, for that of the caller."""
    modes, call = np.geterr(), np.geterrcall()
    # numpy.errstate makes a new state each time: that is found again by what it says
    said = (*modes.values(), np.getbufsize())
    own = strictness.known_states.get(said) if call is None else None
    if own is None:
        errors = FloatErrors(modes, call, strictness)
        own = _state_made(errors, **errors.reporting_modes())
    if call is None:
        strictness.known_states[said] = own
    strictness.callers_state, strictness.error_state = state, own
    return own


current_state: Callable[[], Any] = _state.get
set_state: Callable[[Any], Any] = _state.set
relax = _state.reset


def strict() -> Any:
    """Make invalid values raise FloatingPointError; returns what `relax` takes to undo that."""
    state = get_state(None)
    known, own = _strict
    return set_state(own if known is state else _strict_state(state))


def raise_reported() -> Any:
    """Make errors that would be warned of raise FloatingPointError; `relax` undoes that."""
    state = get_state(None)
    known, own = _raising
    return set_state(own if known is state else _raising_state(state))


_silent = _state_made(all="ignore")


def silence() -> Any:
    """Have no floating-point error reported; `relax` undoes that."""
    return set_state(_silent)


def silently(function: Function, /, *args, **options) -> Any:
    """Call a function with no floating-point error reported.

    An interrupt within `numpy.errstate`, as it begins, would leave it so.
    """
    before = current_state()
    try:
        try:
            silence()
            return function(*args, **options)
        finally:
            set_state(before)
    finally:  # where an interrupt came as the former began
        set_state(before)


def watch(before) -> None:
    """Have NumPy report errors to a `FloatErrors`; `before` is the `current_state`."""
    strictness = this_thread.strictness
    own = strictness.error_state
    if before is own:
        return
    if before is not strictness.callers_state:
        own = _watching_state(strictness, before)
    if not INHERITED:
        latest_strictness[0] = strictness
    set_state(own)


def unwatch(before) -> None:
    """Undo `watch`, but not what the differentiated function has set with `numpy.seterr`."""
    state = current_state()
    if state is before:
        return
    own = this_thread.strictness.error_state
    if before is own:
        return
    is_ours = state is own or state is latest_strictness[0].error_state
    if is_ours or state is _strict[1] or state is _raising[1]:
        set_state(before)
    else:
        _set_what_was_set(before)


def _set_what_was_set(state) -> None:
    modes, call = np.geterr(), np.geterrcall()
    set_state(state)
    before = FloatErrors(np.geterr(), None, this_thread.strictness).reporting_modes()
    changed: dict[str, Any] = {kind: mode for kind, mode in modes.items() if mode != before[kind]}
    if changed:
        np.seterr(**changed)
    if not isinstance(call, FloatErrors):
        np.seterrcall(call)


def strict_within() -> Any:
    """Call `strict`, but within `raise_reported`, where invalid values raise: then this is None.

    To set a state and undo that costs 0.3 us, a third of it in NumPy's next two operations.
    """
    return None if get_state(None) is _raising_invalid else strict()


def raised_errors() -> frozenset[str]:
    """The kinds of floating-point errors that the caller's error state raises, or calls a function for.

    It takes 0.1 us where the state is the one that was asked about last.
    """
    global _asked
    state = get_state(None)
    known, answer = _asked
    if state is not known:
        call = np.geterrcall()
        modes: dict[str, Any] = dict(np.geterr())
        if isinstance(call, FloatErrors):  # to which the caller's other modes are reported
            modes = {kind: call.modes[kind] if m == "log" else m for kind, m in modes.items()}
        answer = frozenset({kind for kind, mode in modes.items() if mode in ("raise", "call")})
        _asked = (state, answer)
    return answer


def is_strict(strictness: Strictness) -> bool:
    """Whether an invalid value raises just now, in the thread of a `Strictness`."""
    return strictness.applies or get_state(None) is _strict[1]


def watching(function: Function, *args, **options) -> Any:
    """Call a function while NumPy reports floating-point errors to a `FloatErrors`."""
    before = current_state()
    try:
        try:
            watch(before)
            return function(*args, **options)
        finally:
            unwatch(before)
    except BaseException:
        unwatch(before)  # where an interrupt came as it began
        raise


def call_strictly(function: Function, *args) -> Any:
    """Call a function strictly, and its careful form where zero meets infinity in it.

    The derivative has to be watched (`watch`).
    """
    strictness = this_thread.strictness
    outer = strictness.applies
    strictness.applies = True
    try:
        try:
            return function(*args)
        finally:
            strictness.applies = outer
    except FloatingPointError:
        return careful_form(function)(*args)


def careful_form(function: Function) -> Function:
    """The function to call after a strict call of `function` has raised FloatingPointError."""
    return getattr(function, "careful", function)


def careful_by_first_residual(pull: Function) -> Function:
    """Give a pullback a careful form, by that of the rule's pullback, which is its first residual."""

    def careful(residuals, y_bar):
        return pull((careful_form(residuals[0]), *residuals[1:]), y_bar)

    pull.careful = careful  # type: ignore[attr-defined]
    return pull


class CalledStrictlyError(FloatingPointError):
    """A pullback with a careful form alone was called strictly: no trouble, and never shown."""


def never_strict(function: Function) -> Function:
    """Make a function whose strict calls all come to its careful form, so that it runs once.

    That is for functions that may run what users wrote.
    """

    def refuse_strictness(*args, **options):
        raise CalledStrictlyError

    refuse_strictness.careful = function  # type: ignore[attr-defined]
    return refuse_strictness
