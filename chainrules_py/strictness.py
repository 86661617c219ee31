"""Strong zeros that cost nothing where everything is finite.

Zero times infinity raises the processor's "invalid" flag, which NumPy reads after each of its loops anyway. So a derivative is
computed *strictly*: NumPy turns that flag into a FloatingPointError. Where one comes, and only there, the step is done again,
carefully: under the caller's own error state, so that warnings are as always, and by the rule's careful form, whose products
are strong (`makers.products`, `makers.strong_contraction`). A function says what its careful form is by an attribute `careful`;
one without is called again as it is.

    strict, relax       around a few lines:              token = strict(); try: ...; finally: relax(token)
    strict_context      around many calls, one by one:   run = strict_context().run; run(function, *args)

Of calls one by one each costs 70 ns, `strict` and `relax` 0.3 us, and `numpy.errstate` 1.6 us, where `x * x` of one number
takes 0.45 us. NumPy's setting is a context variable, which is found by what `numpy.seterr` changes in an empty context; if some
NumPy has none, `numpy.seterr` itself is called each time.
"""

from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from typing import Any

import numpy as np


def _error_state() -> ContextVar[Any] | None:
    """The context variable in which NumPy keeps what it does about floating-point errors."""
    context = Context()
    context.run(np.seterr, invalid="raise")
    return next(iter(context), None)


_state = _error_state()
_latest: tuple[Any, Any] = (object(), None)  # an error state, and the strict one that belongs to it


def _strict_state(state: Any) -> Any:
    """The error state in which invalid values raise, and all else is as in this one, which is that of the caller."""
    global _latest
    assert _state is not None, "asked by those that found it"
    context = copy_context()
    context.run(np.seterr, invalid="raise")
    own = context[_state]
    _latest = (state, own)
    return own


if _state is not None:
    _get, _set, relax = _state.get, _state.set, _state.reset

    def strict() -> Any:
        """Make invalid values raise FloatingPointError; returns what `relax` takes to undo that."""
        state = _get(None)
        known, own = _latest
        return _set(own if known is state else _strict_state(state))
else:

    def strict() -> Any:
        """Make invalid values raise FloatingPointError; returns what `relax` takes to undo that."""
        return np.seterr(invalid="raise")

    def relax(token: Any, /) -> None:
        """Undo `strict`."""
        np.seterr(**token)


def strict_context() -> Context:
    """A copy of the current context in which invalid values raise; its `run` is for one caller at a time."""
    context = copy_context()
    context.run(strict)
    return context


def careful_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call after a strict call of `function` has raised FloatingPointError."""
    form: Callable[..., Any] = getattr(function, "careful", function)
    return form


def never_strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for strict calls that is called only carefully: it may run what users wrote, which nobody calls twice."""

    def refuse_strictness(*args: Any, **options: Any) -> Any:
        raise FloatingPointError("called strictly")

    refuse_strictness.careful = function  # type: ignore[attr-defined]
    return refuse_strictness
