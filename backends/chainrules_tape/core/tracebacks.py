"""Tracebacks of errors, as they leave a derivative: with the frames of the program alone.

A `KeyError` in a function of which a Hessian is taken passes through sixteen frames of this library.
None of them says anything about the mistake, so they are cut out where the outermost derivative
ends. `chainrules_py.debug_mode` keeps all of them.
"""

from functools import partial, wraps
from types import TracebackType
from typing import Any, TypeVar, cast

from chainrules_py.annotations import Function
from chainrules_py.checks.contract import debugging
from chainrules_py.errors import ChainRulesError
from chainrules_py.strong_zeros.strictness import CalledStrictlyError
from chainrules_tape.core.following import again, follow, is_as_before
from chainrules_tape.core.levels import differentiates_here

F = TypeVar("F", bound=Function)


def hide_frames(error: Exception) -> None:
    """Cut the frames of this library out of the traceback of an error that is about to leave it.

    A ``raise`` without an error follows: it adds no frame of its own. Inside of another derivative
    nothing is cut, because errors are explained there by their frames.
    """
    if type(error.__context__) is CalledStrictlyError:
        error.__context__ = None
    if not differentiates_here() and not debugging():
        error.__traceback__ = of_program(error.__traceback__, isinstance(error, ChainRulesError))


def of_program(trace: TracebackType | None, is_refusal: bool) -> TracebackType | None:
    """Return a traceback without the frames of this library.

    The innermost ones are left where an error is none of ours, and may be a fault of ours.
    """
    from chainrules_tape.refusals.error_notes import is_ours_or_numpys, package_of_frame

    entries: list[Any] = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    of_others = [k for k, entry in enumerate(entries) if not is_ours_or_numpys(entry.tb_frame)]
    end = of_others[-1] + 1 if of_others else 0
    kept = [
        one for one in entries[:end] if not package_of_frame(one.tb_frame).startswith("chainrules_")
    ]
    if not is_refusal:
        kept += entries[end:]
    inner: TracebackType | None = None
    for one in reversed(kept):
        one.tb_next = inner
        inner = one
    return inner


def without_own_frames(function: F) -> F:
    """Make a function that people call of one that differentiates the function it is given.

    What is refused is seen through, where that helps (`following`), and errors show the frames of
    the program alone. It costs 0.1 us a call: `gradients`, whose calls are the shortest, has it
    written out.
    """

    @wraps(function)
    def call(*args, **options):
        if not args:  # the function is named, or left out
            named = (options.pop("function"),) if "function" in options else ()
            return (call if named else function)(*named, **options)
        try:
            if not (differentiates_here() or is_as_before(args[0])):
                return follow(function, *args, **options)
            try:  # nearly always: what `follow` does then
                return function(*args, **options)
            except Exception as error:
                attempt = again(error, partial(follow, function), args, options)
                if attempt is None:
                    raise
            return attempt(*args, **options)
        except Exception as error:
            hide_frames(error)
            raise

    return cast("F", call)
