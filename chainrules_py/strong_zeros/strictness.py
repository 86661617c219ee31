"""Strong zeros that cost nothing where everything is finite.

Zero times infinity raises the processor's "invalid" flag, which NumPy reads after each of its loops
anyway. So a derivative is computed *strictly*: that flag becomes a FloatingPointError. Where one
comes, and only there, the step is done again, carefully: under the caller's own error state, so
that warnings are as always, and by the rule's careful form, whose products are strong
(`makers.products`, `makers.strong_contraction`). A function says what its careful form is by an
attribute `careful`; one without is called again as it is.

    strict, relax      around a few lines:        token = strict(); try: ...; finally: relax(token)
    watch, unwatch     around a whole derivative: NumPy asks `float_errors` what to do, which knows strict results

`strict` and `relax` take 0.2 us, `watch` and `unwatch` 0.25, `numpy.errstate` 1.1, an operation in
forward mode 2.3. While a derivative is watched, its steps pay nothing, but for 20 ns in forward
mode to see whether it still is: the function that is differentiated may set an error state of its
own.

NumPy's setting is a context variable, which is found by what `numpy.seterr` changes in an empty
context; if some NumPy has none, `numpy.seterr` itself is called each time.
"""

from collections.abc import Callable
from contextvars import Context, ContextVar
from typing import Any

import numpy as np

from chainrules_py.strong_zeros.float_errors import FloatErrors

# the latest error state that watches: a list, so that its readers see the next one
watched_state: list[Any] = [object()]


def _error_state() -> ContextVar[Any] | None:
    """The context variable in which NumPy keeps what it does about floating-point errors."""
    context = Context()
    context.run(np.seterr, invalid="raise")
    return next(iter(context), None)


_state = _error_state()
get_state: Any = {}.get if _state is None else _state.get
# an error state, and the strict one that belongs to it
_strict: tuple[Any, Any] = (object(), object())
_watched: tuple[Any, Any] = (object(), watched_state[0])  # an error state, and the one that watches
# the states that watch, by what numpy.errstate has set, mostly anew
_known: dict[tuple[Any, ...], Any] = {}


def _strict_state(state: Any) -> Any:
    """The error state in which invalid values raise, and all else is as in this one, which is that
    of the caller.
    """
    global _strict
    with np.errstate(invalid="raise"):
        own = get_state(None)
    _strict = (state, own)
    return own


def _watching_state(state: Any) -> Any:
    """The error state in which NumPy asks `float_errors` what to do in this one, which is that of
    the caller.
    """
    global _watched
    modes, call = np.geterr(), np.geterrcall()
    said = (*modes.values(), np.getbufsize())
    own = _known.get(said) if call is None else None
    if own is None:
        errors = FloatErrors(modes, call)
        with np.errstate(**errors.reporting_modes(), call=errors):
            own = get_state(None)
    if call is None:
        _known[said] = own
    _watched = (state, own)
    watched_state[0] = own
    return own


if _state is not None:
    _set, relax = _state.set, _state.reset

    def strict() -> Any:
        """Make invalid values raise FloatingPointError; returns what `relax` takes to undo that."""
        state = get_state(None)
        known, own = _strict
        return _set(own if known is state else _strict_state(state))

    def watch() -> Any:
        """Have NumPy ask `float_errors` what to do about floating-point errors; returns what
        `unwatch` takes to undo that.
        """
        state = get_state(None)
        known, own = _watched
        if state is own:
            return None
        return _set(own if known is state else _watching_state(state))

    def unwatch(token: Any) -> None:
        """Undo `watch`, but not what the function that was differentiated has set with
        `numpy.seterr`.
        """
        if token is None:
            return
        if get_state(None) is _watched[1]:
            relax(token)
        else:
            _relax_to_what_was_set(token)

    def _relax_to_what_was_set(token: Any) -> None:
        modes, call = np.geterr(), np.geterrcall()
        relax(token)
        before = FloatErrors(np.geterr(), None).reporting_modes()
        changed: dict[str, Any] = {
            kind: mode for kind, mode in modes.items() if mode != before[kind]
        }
        if changed:
            np.seterr(**changed)
        if not isinstance(call, FloatErrors):
            np.seterrcall(call)

else:

    def watch() -> Any:
        """Have NumPy ask `float_errors` what to do about floating-point errors; returns what
        `unwatch` takes to undo that.
        """
        modes, call = np.geterr(), np.geterrcall()
        errors = FloatErrors(modes, call)
        np.seterr(**errors.reporting_modes())
        np.seterrcall(errors)
        return modes, call

    def unwatch(token: Any) -> None:
        """Undo `watch`."""
        np.seterr(**token[0])
        np.seterrcall(token[1])

    def strict() -> Any:
        """Make invalid values raise FloatingPointError; returns what `relax` takes to undo that."""
        return np.seterr(invalid="raise")

    def relax(token: Any, /) -> None:
        """Undo `strict`."""
        np.seterr(**token)


def watching(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function while NumPy asks `float_errors` what to do about floating-point errors."""
    token = watch()
    try:
        return function(*args, **options)
    finally:
        unwatch(token)


def careful_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call after a strict call of `function` has raised FloatingPointError."""
    form: Callable[..., Any] = getattr(function, "careful", function)
    return form


def never_strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for strict calls that is called only carefully: it may run what users wrote, which
    nobody calls twice.
    """

    def refuse_strictness(*args: Any, **options: Any) -> Any:
        raise FloatingPointError("called strictly")

    refuse_strictness.careful = function  # type: ignore[attr-defined]
    return refuse_strictness
