"""Write partial derivatives for people: as Python for terminals, as LaTeX for notebooks and pages.

A partial derivative is an expression, or a function. A function is written as the formula with
which its docstring begins, else as the expression that it returns, else in its own words. The
functions that it calls are written out in the same way, but for one that is called ``f_by_p`` and
has a parameter p: that is the derivative of f by p, ``df_dp`` in a longer formula. Names of the
array namespace lose their prefix; numbers and functions that a function reads of its surroundings
stand for themselves.
"""

import ast
import copy
import inspect
import operator
import textwrap
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.introspection import is_same_code
from chainrules_py.rules.latex import latex, with_output
from chainrules_py.values.identity import made_of
from chainrules_py.values.signatures import parameters_of


def in_python(partial, out: str) -> str:
    """Write a partial derivative as Python, where the output is called `out`."""
    expression = expression_of(partial)
    if expression is not None:
        return with_output(ast.unparse(expression), out)
    return words_of(partial) or getattr(partial, "__name__", None) or repr(partial)


def in_latex(partial, out: str) -> str:
    """Write a partial derivative as LaTeX, where the output is called `out`."""
    expression = expression_of(partial)
    formula = "" if expression is None else latex(ast.unparse(expression), out)
    if formula and ("mathtt" not in formula or isinstance(partial, tuple)):
        return formula
    words = words_of(partial)
    name = getattr(partial, "__name__", None) or repr(partial)
    return rf"\text{{{words}}}" if words else rf"\mathtt{{{name}}}"


def expression_of(partial) -> ast.expr | None:
    """Find the expression that a partial derivative is, in functions that people know.

    A partial is an expression with the functions that it calls, by name, or it is a function.
    """
    try:
        if isinstance(partial, tuple):
            return written_out(*partial)
        return formula_of(partial) if callable(partial) else None
    except RecursionError:  # of a function that calls itself
        return None


def written_out(tree: ast.expr, around: Mapping[str, Any]) -> ast.expr:
    """Replace names by what they mean in their surroundings, and calls by formulas."""
    names, tree = PlainNames(around), copy.deepcopy(tree)
    if isinstance(tree, ast.Call):
        return names.written_call(tree, is_whole=True)
    return names.visit(tree)


def formula_of(function: Function) -> ast.expr | None:
    """Find the formula of a function of its parameters; None where it says none."""
    if changes_sign(function):
        inner = formula_of(function.__wrapped__)  # type: ignore[attr-defined]
        return None if inner is None else negative(inner)

    primal = made_of(function)
    if primal is None and hasattr(function, "__wrapped__"):
        return None  # it does something else with what it wraps
    body = primal or function
    found = formula_in(first_sentence(body))
    if found is None and primal is None:  # a primitive is one operation, whatever it returns
        found = returned(body)
    return None if found is None else written_out(found, surroundings(body))


def with_arguments(function, args: list[ast.expr]) -> ast.expr | None:
    """Find the formula of a function with these arguments in the place of its parameters; None of
    what has none, and of functions of NumPy and SciPy.
    """
    if not isinstance(function, FunctionType) or is_known_by_name(function):
        return None
    formula = formula_of(function)
    if formula is None:
        return None
    names = [name for name in parameters_of(function).names if name != "xp"]
    return Replaced(dict(zip(names, args, strict=False))).visit(formula)


def is_known_by_name(function: Function) -> bool:
    """Whether people know a function by its name: it is NumPy's, SciPy's or Python's."""
    return function.__module__.partition(".")[0] in ("numpy", "scipy", "math")


def changes_sign(function: Function) -> bool:
    """Whether a function returns the negative of the function that it wraps."""
    if not hasattr(function, "__wrapped__") or made_of(function) is not None:
        return False
    return operator.neg in inspect.getclosurevars(function).nonlocals.values()


def negative(expression: ast.expr) -> ast.expr:
    """Change the sign of an expression."""
    match expression:
        case ast.UnaryOp(ast.USub(), operand):
            return operand
    return ast.UnaryOp(ast.USub(), expression)


def words_of(function) -> str:
    """Say what a function without a formula is."""
    if not callable(function):
        return ""
    wrapped = getattr(function, "__wrapped__", None)
    if changes_sign(function):
        words = words_of(wrapped)
        return f"minus: {words}" if words else ""
    return first_sentence(function) if wrapped is None else ""


def first_sentence(function: Function) -> str:
    """Return the first paragraph of a docstring in one line, without its full stop."""
    paragraph = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).rstrip(".")


def formula_in(sentence: str) -> ast.expr | None:
    """Find the formula with which a sentence begins, up to a comma, a colon or its end."""
    ends = [k for k, letter in enumerate(sentence) if letter in ",;:"]
    for end in (*ends, len(sentence)):
        try:
            found = ast.parse(sentence[:end], mode="eval").body
        except SyntaxError:
            continue
        return None if isinstance(found, ast.Name | ast.Tuple) else found
    return None


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


def surroundings(function: Function) -> dict[str, Any]:
    """The values that a function reads of its surroundings, by name."""
    around = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    return {name: around[name] for name in around.keys() - {*parameters_of(function).names}}


class Simplified(ast.NodeTransformer):
    """Leaves out what is plain once numbers stand in the place of names."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Add numbers to numbers, and leave out factors of one."""
        left: ast.expr = self.visit(node.left)
        right: ast.expr = self.visit(node.right)
        match left, node.op, right:
            case ast.BinOp(first, ast.Add(), inner), ast.Sub(), outer if is_equal_constant(
                inner, outer
            ):
                return first
            case first, ast.Add(), ast.Constant(value=0):
                return first
            case ast.Constant(value=1), ast.Mult(), second:
                return second
            case ast.Constant(value=-1), ast.Mult(), second:
                return negative(second)
            case ast.UnaryOp(ast.USub(), ast.Constant(value=1)), ast.Mult(), second:
                return negative(second)
            case ast.Constant(value=float() as a), ast.Add(), ast.Constant(value=int() as b):
                return ast.Constant(a + b)
            case ast.Constant(value=float() as a), ast.Sub(), ast.Constant(value=int() as b):
                return ast.Constant(a - b)
        return ast.BinOp(left, node.op, right)


def is_equal_constant(one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are the same number."""
    match one, other:
        case ast.Constant(value=a), ast.Constant(value=b):
            return a == b
    return False


class PlainNames(Simplified):
    """Writes ``xp.f(x, xp)`` and ``call(f, x)`` as ``f(x)``, captured names by their values, and
    calls of functions that nobody knows by their formulas.
    """

    def __init__(self, around: Mapping[str, Any]) -> None:
        self.around = around

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name of the surroundings by its value."""
        value = self.around.get(node.id)
        if isinstance(value, int | float) and node.id not in ("pi", "inf", "e"):
            return ast.Constant(value)
        return ast.Name(getattr(value, "__name__", node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Keep the last name alone."""
        return ast.Name(node.attr)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Write a call without the namespace, by the function that is meant."""
        return self.written_call(node, is_whole=False)

    def written_call(self, node: ast.Call, *, is_whole: bool) -> ast.expr:
        """Write a call by a formula, where there is one; a derivative only if it `is_whole`."""
        asked, *given = (part for part in (node.func, *node.args) if not is_namespace(part))
        if isinstance(asked, ast.Name) and asked.id == "call":
            asked, *given = given
        args: list[ast.expr] = list(map(self.visit, given))
        function = self.around.get(asked.id) if isinstance(asked, ast.Name) else None
        derivative = name_of_derivative(function)
        formula = with_arguments(function, args) if is_whole or not derivative else None
        if formula is not None:
            return formula
        name = derivative or getattr(function, "__name__", None) or name_in(asked)
        return ast.Call(ast.Name(name), args, [])


def name_in(node: ast.expr) -> str:
    """Read the last name of what is called."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ast.unparse(node)


def name_of_derivative(function) -> str | None:
    """Write ``df_dp`` for a function ``f_by_p`` that has a parameter p; None of any other."""
    if not isinstance(function, FunctionType):
        return None
    name, _, parameter = function.__name__.rpartition("_by_")
    if not name or parameter not in parameters_of(function).names:
        return None
    return f"d{name}_d{parameter}"


def is_namespace(node: ast.expr) -> bool:
    """Whether a part of a call is the array namespace."""
    return isinstance(node, ast.Name) and node.id == "xp"


class Replaced(Simplified):
    """Writes expressions in the place of names."""

    def __init__(self, by_name: Mapping[str, ast.expr]) -> None:
        self.by_name = by_name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name."""
        return copy.deepcopy(self.by_name.get(node.id, node))  # else visited twice
