"""Partial derivatives that are functions are written in LaTeX: the expression that one returns, or
what it says of itself.

Names of the array namespace lose their prefix; numbers and functions of the surroundings stand for
themselves.
"""

import ast
import inspect
import operator
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from chainrules_py.introspection import is_same_code
from chainrules_py.makers.latex import latex, with_output

Function = Callable[..., Any]


def latex_of_function(function: Function, out: str) -> str | None:
    """The value of a function of one expression in LaTeX, else the first line of its docstring as
    text, if it has any.
    """
    if hasattr(function, "__wrapped__"):
        return latex_of_negative(function, out)
    expression = returned(function)
    formula = None if expression is None else latex(ast.unparse(written(expression, function)), out)
    if formula is not None and "mathtt" not in formula:
        return formula
    words = first_sentence(function)
    return rf"\text{{{words}}}" if words else None


def text_of_function(function: Function, out: str) -> str:
    """The value of a function of one expression as Python, else what it says of itself, else its
    name.
    """
    negated: Any = getattr(function, "__wrapped__", None)
    if negated is not None and operator.neg in inspect.getclosurevars(function).nonlocals.values():
        return f"-({text_of_function(negated, out)})"
    expression = returned(function)
    if expression is not None:
        return with_output(ast.unparse(written(expression, function)), out)
    words = first_sentence(function)
    return words or getattr(function, "__name__", repr(function))


def first_sentence(function: Function) -> str:
    """The first paragraph of a function's docstring in one line, without its full stop."""
    paragraph = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).rstrip(".")


def latex_of_negative(function: Function, out: str) -> str | None:
    """The value of a function that changes the sign of the one that it wraps; None where it does
    something else with that.
    """
    if operator.neg not in inspect.getclosurevars(function).nonlocals.values():
        return None
    formula = latex_of_function(function.__wrapped__, out)  # type: ignore[attr-defined]
    return None if formula is None else rf"-\left({formula}\right)"


def returned(function: Function) -> ast.expr | None:
    """The expression that a function returns, if it is all that the function does."""
    try:
        tree = syntax_tree(function)
    except (OSError, TypeError, SyntaxError):
        return None

    first = tree.body[0]
    if isinstance(first, ast.FunctionDef) and first.name == function.__name__:
        statements = first.body[1:] if ast.get_docstring(first) else first.body
        only = statements[0]
        return only.value if len(statements) == 1 and isinstance(only, ast.Return) else None

    lambdas = (node for node in ast.walk(tree) if isinstance(node, ast.Lambda))
    return next((node.body for node in lambdas if is_of(node, function)), None)


def syntax_tree(function: Function) -> ast.Module:
    """The statement that defines a function; for a `lambda` inside a longer call, its file."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)).strip())
    except SyntaxError:
        lines, _ = inspect.findsource(function)
        tree = ast.parse("".join(lines))

    first = function.__code__.co_firstlineno
    here = [
        node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and node.lineno == first
    ]
    return ast.Module([ast.Expr(node) for node in here], [])


def is_of(node: ast.Lambda, function: Function) -> bool:
    """Whether a function was made by this `lambda`: its parameters and the names in its body are
    those of the function.
    """
    code = eval(compile(ast.Expression(node), "", "eval")).__code__
    own = function.__code__
    return code.co_varnames == own.co_varnames and (
        bool(own.co_freevars) or is_same_code(code, own)
    )


def written(expression: ast.expr, function: Function) -> ast.expr:
    """An expression with plain names, as `Expression`s have them."""
    found: ast.expr = Plainly(inspect.getclosurevars(function).nonlocals).visit(expression)
    return found


class Plainly(ast.NodeTransformer):
    """Write numbers and functions of the surroundings by value and name, ``xp.f(x, xp)`` and
    ``call(f, x)`` as ``f(x)``.
    """

    def __init__(self, around: Mapping[str, Any]) -> None:
        self.around = around

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name of the surroundings by its value."""
        value = self.around.get(node.id)
        if isinstance(value, int | float):
            return ast.Constant(value)
        return ast.Name(getattr(value, "__name__", node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Leave the last name alone."""
        return ast.Name(node.attr)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Write a call without the namespace, and by the function that is meant."""
        parts: list[ast.expr] = list(map(self.visit, [node.func, *node.args]))
        function, *args = (
            part for part in parts if not (isinstance(part, ast.Name) and part.id == "xp")
        )
        if isinstance(function, ast.Name) and function.id == "call":
            function, *args = args
        return ast.Call(function, args, [])
