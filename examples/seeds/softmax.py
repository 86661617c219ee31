"""A gradient of one's own for a part of a program: softmax, without the work that is known to come
to nothing.

Softmax subtracts the maximum before it exponentiates, so that nothing overflows. The result does
not depend on what was subtracted, so the derivative through the maximum is zero, but an engine that
goes operation by operation cannot know: it differentiates the maximum, finds the places where it
was attained and adds zeros there.

Two ways to say what one knows: `stop_gradient` on the maximum, or a rule for the whole. The rule
keeps what its pullback reads, call by call, so in a loop each iteration has values of its own,
whatever the names are overwritten with.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import Array, RuleTable, default_rules, primitive
from chainrules_tape import stop_gradient, vjp

Pullback = Callable[[Any], tuple[Any, ...]]


def softmax_of_parts(x: Any) -> Any:
    """Softmax over the last axis, differentiated operation by operation, the maximum included."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def softmax_of_parts_without_maximum(x: Any) -> Any:
    """Softmax over the last axis, differentiated operation by operation, the maximum being a
    constant.
    """
    e = np.exp(x - stop_gradient(np.max(x, axis=-1, keepdims=True)))
    return e / np.sum(e, axis=-1, keepdims=True)


@primitive
def softmax(x: Any) -> Any:
    """Softmax over the last axis as one step, whose derivative is `softmax_rrule`."""
    return softmax_of_parts(x)


own_gradients = RuleTable(parent=default_rules, name="own gradients")


@own_gradients.rrule.register(softmax)
def softmax_rrule(x: Array, *, xp: Any) -> tuple[Any, Pullback]:
    e = xp.exp(x - stop_gradient(xp.max(x, axis=-1, keepdims=True)))
    s = xp.sum(e, axis=-1, keepdims=True)
    y = e / s

    def softmax_pullback(y_bar: Any) -> tuple[Any, ...]:
        s_bar = -xp.sum(y_bar * y, axis=-1, keepdims=True) / s
        e_bar = y_bar / s + s_bar
        return (e_bar * e,)

    return y, softmax_pullback


def softmax_by_rows(x: Any) -> Any:
    """Softmax of each row of a matrix in a loop; one step per row, the names overwritten each time."""
    rows = []
    for i in range(len(x)):
        row = softmax(x[i])
        rows.append(row)
    return np.stack(rows)


def reductions_in_reverse(f: Callable[[Any], Any], x: Any) -> list[str]:
    """The reductions whose pullbacks run: the maximum is among them where its derivative is
    computed.
    """
    watched = RuleTable(parent=own_gradients, name="watched")
    ran: list[str] = []
    for reduction in (np.max, np.sum):
        watched.rrule.register(reduction)(noting(reduction, ran))
    y, pullback = vjp(f, x, rules=watched)
    pullback(np.ones_like(y))
    return ran


def noting(reduction: Any, ran: list[str]) -> Callable[..., Any]:
    """The shared rule of a reduction, which notes when its pullback runs."""

    def noting_rrule(x: Array, *, axis: Any = None, keepdims: bool = False) -> tuple[Any, Pullback]:
        y, pullback = default_rules.rrule(reduction, x, axis=axis, keepdims=keepdims)

        def noting_pullback(y_bar: Any) -> tuple[Any, ...]:
            ran.append(reduction.__name__)
            return pullback(y_bar)

        return y, noting_pullback

    return noting_rrule


def main() -> None:
    x = np.array([[1.0, 2.0, 3.0], [1000.0, 1001.0, 999.0]])
    y_bar = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for f in (softmax_of_parts, softmax_of_parts_without_maximum, softmax, softmax_by_rows):
        _, pullback = vjp(f, x, rules=own_gradients)
        print(f"{f.__name__:<34}", *pullback(y_bar)[0], reductions_in_reverse(f, x))


if __name__ == "__main__":
    main()
