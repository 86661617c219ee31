"""SymPy derivatives out of rules: a function with a rule becomes a SymPy function, whose partial
derivatives the rule writes.

    softplus = symbolic(my_softplus)      # my_softplus has a scalar_rule, "1 / (1 + exp(-x))"
    sympy.diff(softplus(x) ** 2, x, 2)    # an expression in softplus(x) and exp(x)

SymPy asks a function for its partial derivatives by `fdiff`, and knows the chain rule. Here `fdiff`
evaluates the partials of the rule on symbols. Further derivatives follow, because partials are
written in functions that SymPy has, or that have rules themselves. A partial with a comparison in
it is refused: SymPy compares expressions, not values.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sympy

from chainrules_py import (
    ArrayLibrary,
    NotDifferentiableError,
    RealScalar,
    default_rules,
    is_zero,
    register_library,
)
from chainrules_py.engines import FlatValue, qualified_name

CIRCULAR = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
SHARED = {getattr(np, name): getattr(sympy, name) for name in ("exp", "log", "sqrt", *CIRCULAR)}
SHARED |= {getattr(np, f"arc{name}"): getattr(sympy, f"a{name}") for name in CIRCULAR}
OPERATORS = {
    np.square: lambda x: x * x,
    np.power: lambda x, y: x**y,
    np.multiply: lambda x, y: x * y,
}


@cache
def symbolic(primal: Any) -> Any:
    """The function as SymPy's: one of the same name and meaning, or a new one, differentiated by
    the rule.
    """
    if primal in SHARED | OPERATORS:
        return (SHARED | OPERATORS)[primal]

    def fdiff(self: Any, argindex: int = 1) -> Any:
        rule = default_rules.rule_for("reverse", primal, (sympy.Expr,) * len(self.args))
        formula = None
        if rule is not None:
            formula = rule.formulas().get(f"dy/d{rule.names[argindex - 1]}")
        if formula is None or any(sign in formula for sign in "=<>"):
            got = "its rule is no expression that holds everywhere"
            instead = "write scalar_rule with expressions, without comparisons"
            raise NotDifferentiableError(
                qualified_name(primal), got, instead, primal=primal, argument=argindex - 1
            )
        partial = default_rules.derivatives_given_output(self, primal, *self.args)[argindex - 1]
        return sympy.Integer(0) if is_zero(partial) else sympy.sympify(partial)

    return type(
        primal.__name__, (sympy.Function,), {"fdiff": fdiff, "primal": staticmethod(primal)}
    )


class Namespace:
    """NumPy's functions for partials that are evaluated on symbols."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return symbolic(found) if callable(found) and not isinstance(found, type) else found


def implementation(primal: Any) -> Any:
    """The function that partials call in the place of one that has a rule."""
    return symbolic(primal) if primal in default_rules else None


RealScalar.register(sympy.Expr)
register_library(
    ArrayLibrary(
        "sympy",
        Namespace(),
        (),
        (sympy.Expr,),
        mutable=False,
        priority=80,
        implementations=implementation,
    )
)


def evaluated(expression: Any, values: dict[Any, Any]) -> Any:
    """The expression with values for its symbols: a number, or an expression where they are
    expressions of others.
    """
    expression = sympy.sympify(expression)
    if any(isinstance(value, sympy.Expr) for value in values.values()):
        return expression.subs(values)
    functions = {
        type(f).__name__: f.primal for f in expression.atoms(sympy.Function) if hasattr(f, "primal")
    }
    found = sympy.lambdify(list(values), expression, [functions, "numpy"])(*values.values())
    return found if expression.free_symbols - values.keys() else float(found)


def differentiated(
    function: Callable[..., Any], args: tuple[Any, ...]
) -> tuple[FlatValue, list[list[Any]]]:
    """The value of a function of symbols at numbers, and for each of its leaves the partial
    derivatives.
    """
    values = {sympy.Dummy(f"x{n}", real=True): arg for n, arg in enumerate(args)}
    y = FlatValue.of(function(*values))
    rows = [[evaluated(sympy.diff(leaf, x), values) for x in values] for leaf in y.leaves]
    return FlatValue([evaluated(leaf, values) for leaf in y.leaves], y.tree), rows


def vjp(function: Callable[..., Any], *args: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value and the pullback."""
    y, rows = differentiated(function, args)

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        bars = y.tangents(y_bar)
        return tuple(
            sum((bar * row[n] for bar, row in zip(bars, rows, strict=True)), 0.0)
            for n in range(len(args))
        )

    return y.with_leaves(y.leaves), pullback


def jvp(
    function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The value and its derivative along the tangents."""
    y, rows = differentiated(function, args)
    dots = [
        sum((slope * dot for slope, dot in zip(row, tangents, strict=True)), 0.0) for row in rows
    ]
    return y.with_leaves(y.leaves), y.with_leaves(dots)
