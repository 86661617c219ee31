"""Gradients of gradients, and an aggregate operator with an intermediate output, by one rule
without a case distinction.

The function is (a + b) * b. Twice differentiated, it is where hand-made aggregates go wrong: the
pullback reads the intermediate value t = a + b, so at the second order t has a cotangent of its
own, although no caller ever saw it. The cure is to let t be an output of the operator. What then
arrives at its pullback is one of three patterns:

    first order                             r_bar is there, t_bar is zero
    second order, of the first gradient     r_bar is zero, t_bar is there
    second order, of value and gradient     both are there

With zeros of a type (`ZERO`), the rule is the mathematics and nothing else, and each pattern costs
what it must: products and sums with ZERO are decided by their type, and no array is touched.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import ZERO, AbstractTangent, Array, RuleTable, default_rules, is_zero, primitive
from chainrules_tape import grad, value_and_grad

Pullback = Callable[[Any], tuple[Any, ...]]
Binary = Callable[[Any, Any], Any]


def simple(a: Any, b: Any) -> Any:
    """The operator, traced operation by operation."""
    t = a + b
    return t * b


@primitive
def simple_with_intermediate(a: Any, b: Any) -> tuple[Any, Any]:
    """The operator as one step, with its intermediate value as a second output."""
    t = a + b
    return t * b, t


def aggregate(a: Any, b: Any) -> Any:
    """The operator as its user sees it."""
    r, _ = simple_with_intermediate(a, b)
    return r


def table_with_aggregate(patterns: list[tuple[bool, bool]]) -> RuleTable:
    """The shared rules and one for the aggregate, which notes which of its output cotangents were
    zero.
    """
    table = RuleTable(parent=default_rules, name="aggregate")

    @table.rrule.register(simple_with_intermediate)
    def simple_rrule(a: Array, b: Array) -> tuple[Any, Pullback]:
        # called, not written out: an outer derivative meets the operator itself
        r, t = simple_with_intermediate(a, b)

        def simple_pullback(y_bar: Any) -> tuple[Any, ...]:
            r_bar, t_bar = y_bar
            patterns.append((is_zero(r_bar), is_zero(t_bar)))
            a_bar = t_bar + r_bar * b
            return a_bar, a_bar + r_bar * t

        return (r, t), simple_pullback

    return table


def gradients(f: Binary, a: Any, b: Any, table: RuleTable = default_rules) -> tuple[Any, Any]:
    """The gradients of the first loss, L0 = sum f(a, b)."""
    both: tuple[Any, Any] = grad(lambda a, b: np.sum(f(a, b)), (0, 1), rules=table)(a, b)
    return both


def gradients_of_gradients(
    f: Binary, a: Any, b: Any, table: RuleTable = default_rules
) -> tuple[Any, Any]:
    """The gradients of the second loss, L1 = sum of the squares of the first gradients."""

    def second_loss(a: Any, b: Any) -> Any:
        a_bar, b_bar = gradients(f, a, b, table)
        return np.sum(a_bar * a_bar + b_bar * b_bar)

    both: tuple[Any, Any] = grad(second_loss, (0, 1), rules=table)(a, b)
    return both


def gradients_of_both(
    f: Binary, a: Any, b: Any, table: RuleTable = default_rules
) -> tuple[Any, Any]:
    """The gradients of L0 * L1, in which the value counts as well as its gradients."""

    def product_of_losses(a: Any, b: Any) -> Any:
        loss, (a_bar, b_bar) = value_and_grad(lambda a, b: np.sum(f(a, b)), (0, 1), rules=table)(
            a, b
        )
        return loss * np.sum(a_bar * a_bar + b_bar * b_bar)

    both: tuple[Any, Any] = grad(product_of_losses, (0, 1), rules=table)(a, b)
    return both


class Counted(np.ndarray):
    """An array that counts the operations on it."""

    operations: list[str] = []  # noqa: RUF012  (one count for all)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(x, AbstractTangent) for x in inputs):
            return NotImplemented  # a ZERO among the operands decides the result by its type
        Counted.operations.append(ufunc.__name__)
        plain = [x.view(np.ndarray) if isinstance(x, Counted) else x for x in inputs]
        return np.asarray(getattr(ufunc, method)(*plain, **options)).view(Counted)


def operations_of_pullback(table: RuleTable, a: Any, b: Any, r_bar: Any, t_bar: Any) -> list[str]:
    """The array operations that the aggregate's pullback does for these cotangents."""
    _, pullback = table.rrule(simple_with_intermediate, *(x.view(Counted) for x in (a, b)))
    Counted.operations.clear()
    pullback(
        tuple(bar.view(Counted) if isinstance(bar, np.ndarray) else bar for bar in (r_bar, t_bar))
    )
    return list(Counted.operations)


def main() -> None:
    a, b = np.array([0.4605, 0.4061, 0.9422, 0.3946]), np.array([0.0850, 0.3296, 0.9888, 0.6494])
    print("gradients             ", *gradients(simple, a, b))
    print("gradients of gradients", *gradients_of_gradients(simple, a, b))
    patterns: list[tuple[bool, bool]] = []
    table = table_with_aggregate(patterns)
    print("by the aggregate      ", *gradients_of_gradients(aggregate, a, b, table))
    for r_zero, t_zero in dict.fromkeys(patterns):
        print(
            f"the pullback met r_bar {'zero' if r_zero else 'dense'}, t_bar"
            f" {'zero' if t_zero else 'dense'}"
        )
    ones = np.ones(4)
    for r_bar, t_bar in ((ones, ZERO), (ZERO, ones), (ones, ones)):
        print(operations_of_pullback(table, a, b, r_bar, t_bar))


if __name__ == "__main__":
    main()
