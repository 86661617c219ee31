"""The staged form of a reverse rule: ``stage(*args, **options) -> (y, pull, kept)``, then ``pull(kept, y_bar) -> bars``.

It is the rule without its closure: `pull` is one function for all calls, and `kept`, a flat tuple, is what the pullback would
have captured. Tapes record the two; everybody else gets the closure, which `closed` makes of the same stage. So there is one
formula, and what a pullback keeps can be read off one line.

Why: a closure and its cells are objects that Python's garbage collector visits again and again, where a tuple of arrays and
shapes is soon left alone. With closures a tape of 10**6 operations costs 2.5 times as much per operation as one of 10**3.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.projection.dense import dense_space
from chainrules_py.strictness import relax, strict
from chainrules_py.tangents.thunk import Thunk

Stage = Callable[..., tuple[Any, Callable[[Any, Any], tuple[Any, ...]], Any]]


def closed(stage: Stage) -> Callable[..., tuple[Any, Callable[[Any], tuple[Any, ...]]]]:
    """The rule of a stage, and the way to the stage, which engines ask for as ``rule.staged()``."""

    def staged_rrule(*args: Any, **options: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        y, pull, kept = stage(*args, **options)

        def staged_pullback(y_bar: Any) -> tuple[Any, ...]:
            return pull(kept, y_bar)

        return y, staged_pullback

    staged_rrule.staged = lambda: stage  # type: ignore[attr-defined]
    return staged_rrule


def strictly_closed(stage: Stage, careful: Callable[[Any, Any], tuple[Any, ...]]) -> Callable[..., Any]:
    """The rule of a stage whose pullbacks are computed strictly (see `strictness`), and where that raises, by `careful`."""

    def staged_rrule(*args: Any, **options: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        y, pull, kept = stage(*args, **options)

        def staged_pullback(y_bar: Any) -> tuple[Any, ...]:
            token = strict()
            try:
                try:
                    return pull(kept, y_bar)
                finally:
                    relax(token)
            except FloatingPointError:
                return careful(kept, y_bar)

        return y, staged_pullback

    staged_rrule.staged = lambda: stage  # type: ignore[attr-defined]
    return staged_rrule


def fitted(x_bar: Any, cls: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A cotangent in the space of arrays of this class, shape and dtype."""
    if type(x_bar) is cls and x_bar.shape == shape and x_bar.dtype is dtype:
        return x_bar
    return project_dense(x_bar, cls, shape, dtype)


def project_dense(x_bar: Any, cls: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The same where it is not there yet; generated code compares before it calls."""
    if isinstance(x_bar, Thunk) and x_bar.is_in(shape, dtype):
        return x_bar
    return dense_space(cls, shape, dtype)(x_bar)
