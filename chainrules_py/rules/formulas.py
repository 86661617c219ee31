"""Write partial derivatives for people: as Python for terminals, as LaTeX for notebooks and pages.

A partial derivative is an expression, or a function, which is written as the expression that it
returns, else in its own words. Names of the array namespace lose their prefix; numbers and
functions that a function reads of its surroundings stand for themselves.
"""

import ast
import inspect
import operator
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from chainrules_py.introspection import is_same_code
from chainrules_py.rules.latex import latex, with_output

Function = Callable[..., Any]


def in_python(partial, out: str) -> str:
    """Write a partial derivative as Python, where the output is called `out`."""
    if isinstance(partial, str):
        return with_output(partial, out)
    return text_of_function(partial, out) if callable(partial) else repr(partial)


def in_latex(partial, out: str) -> str:
    """Write a partial derivative as LaTeX, where the output is called `out`."""
    if isinstance(partial, str):
        return latex(partial, out)
    formula = latex_of_function(partial, out) if callable(partial) else None
    return formula or rf"\mathtt{{{getattr(partial, '__name__', None) or repr(partial)}}}"


def text_of_function(function: Function, out: str) -> str:
    """Write the value of a function as Python, else what it says of itself, else its name."""
    if changes_sign(function):
        return f"-({text_of_function(function.__wrapped__, out)})"  # type: ignore[attr-defined]
    expression = returned(function)
    if expression is not None:
        return with_output(plain_text(expression, function), out)
    return first_sentence(function) or getattr(function, "__name__", repr(function))


def latex_of_function(function: Function, out: str) -> str | None:
    """Write the value of a function in LaTeX, else what it says of itself; None if it is silent."""
    if changes_sign(function):
        formula = latex_of_function(function.__wrapped__, out)  # type: ignore[attr-defined]
        return None if formula is None else rf"-\left({formula}\right)"
    if hasattr(function, "__wrapped__"):
        return None  # it does something else with what it wraps

    expression = returned(function)
    if expression is not None:
        formula = latex(plain_text(expression, function), out)
        if "mathtt" not in formula:
            return formula
    words = first_sentence(function)
    return rf"\text{{{words}}}" if words else None


def changes_sign(function: Function) -> bool:
    """Whether a function returns the negative of the function that it wraps."""
    if not hasattr(function, "__wrapped__"):
        return False
    return operator.neg in inspect.getclosurevars(function).nonlocals.values()


def first_sentence(function: Function) -> str:
    """Return the first paragraph of a docstring in one line, without its full stop."""
    paragraph = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).rstrip(".")


def returned(function: Function) -> ast.expr | None:
    """Find the expression that a function returns, if it is all that the function does."""
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
    """Parse the statement that defines a function; for a `lambda` in a longer call, its file."""
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
    """Whether a function was made by this `lambda`: parameters and names in the body are equal."""
    code = eval(compile(ast.Expression(node), "", "eval")).__code__
    own = function.__code__
    if code.co_varnames != own.co_varnames:
        return False
    return bool(own.co_freevars) or is_same_code(code, own)


def plain_text(expression: ast.expr, function: Function) -> str:
    """Write what a function returns with plain names, as in the expressions of `scalar_rule`."""
    around = inspect.getclosurevars(function).nonlocals
    return ast.unparse(PlainNames(around).visit(expression))


class PlainNames(ast.NodeTransformer):
    """Writes ``xp.f(x, xp)`` and ``call(f, x)`` as ``f(x)``, and captured names by their values."""

    def __init__(self, around: Mapping[str, Any]) -> None:
        self.around = around

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name of the surroundings by its value."""
        value = self.around.get(node.id)
        if isinstance(value, int | float):
            return ast.Constant(value)
        return ast.Name(getattr(value, "__name__", node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Keep the last name alone."""
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
