"""The vector-Jacobian product of multiplication: derived, registered, replaced, removed again.

For y = x1 * x2, entry by entry, dy_i/dx1_j is x2_i where i = j and zero elsewhere. The Jacobian is
the diagonal matrix of x2, and a row vector times a diagonal matrix is an elementwise product:
nobody needs the matrix. That product is the rule.

The rule lives in a table of its own here, laid over the shared one: what it says is true for
whoever asks that table, and for nobody else.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import Array, RuleRedefinitionWarning, RuleTable, default_rules, linear_rule
from chainrules_tape import vjp

Pullback = Callable[[Any], tuple[Any, ...]]


def product(x1: Any, x2: Any) -> Any:
    """The program that is differentiated: plain NumPy."""
    return x1 * x2


def by_jacobian(x1: Any, x2: Any, y_bar: Any) -> tuple[Any, Any]:
    """y_bar^T J, with the Jacobian written out: the definition, and what a rule avoids."""
    return y_bar @ np.diag(x2), y_bar @ np.diag(x1)


def multiply_rrule(x1: Array, x2: Array) -> tuple[Any, Pullback]:
    y = x1 * x2

    def multiply_pullback(y_bar: Any) -> tuple[Any, ...]:
        return y_bar * x2, y_bar * x1

    return y, multiply_pullback


def forgetful_multiply_rrule(x1: Array, x2: Array) -> tuple[Any, Pullback]:
    """Another opinion: x2 is a constant scale that no gradient should reach."""
    y = x1 * x2

    def forgetful_multiply_pullback(y_bar: Any) -> tuple[Any, ...]:
        return y_bar * x2, np.zeros_like(x2)

    return y, forgetful_multiply_pullback


def gradients(table: RuleTable, x1: Any, x2: Any, y_bar: Any) -> tuple[Any, ...]:
    """The vector-Jacobian product, by the rules of a table."""
    _, pullback = vjp(product, x1, x2, rules=table)
    return pullback(y_bar)


def name_of_rule(table: RuleTable, x1: Any, x2: Any) -> str:
    """Which function differentiates the product."""
    rule = table.explain(np.multiply, x1, x2).reverse
    return "none" if rule is None else rule.name


def life_of_a_rule(x1: Any, x2: Any, y_bar: Any) -> list[tuple[str, str, tuple[Any, ...]]]:
    """List changes of a table, each with the rule in force after it and the gradients it gives."""
    mine = RuleTable(parent=default_rules, name="mine")
    history: list[tuple[str, str, tuple[Any, ...]]] = []

    def note(event: str) -> None:
        history.append((event, name_of_rule(mine, x1, x2), gradients(mine, x1, x2, y_bar)))

    note("empty overlay: the shared rule")
    mine.rrule.register(np.multiply)(multiply_rrule)
    note("registered")
    with warnings.catch_warnings():
        # replacing is said aloud, unless one means it
        warnings.simplefilter("ignore", RuleRedefinitionWarning)
        mine.rrule.register(np.multiply)(forgetful_multiply_rrule)
    note("replaced")
    mine.rrule.remove(np.multiply)
    note("removed: the shared rule again")
    linear_rule(
        np.multiply, lambda y_bar, x1, x2: y_bar * x2, lambda y_bar, x1, x2: y_bar * x1, table=mine
    )
    note("registered in one line")
    return history


def main() -> None:
    rng = np.random.default_rng(0)
    x1, x2, y_bar = rng.normal(size=(3, 3))
    print("by the Jacobian:", *by_jacobian(x1, x2, y_bar))
    for event, rule, bars in life_of_a_rule(x1, x2, y_bar):
        print(f"{event:<32}{rule:<26}", *bars)


if __name__ == "__main__":
    main()
