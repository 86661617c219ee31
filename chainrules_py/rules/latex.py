r"""Write scalar expressions as LaTeX, with no more brackets than a reader needs.

>>> latex("x / (x*x + y*y)")
'\\frac{x}{x^{2} + y^{2}}'
>>> latex("where(x2 == 0, 0, -out * log(x1))")
'\\begin{cases}0 & x_{2} = 0\\\\-y \\, \\log\\left(x_{1}\\right) & \\text{otherwise}\\end{cases}'
"""

import ast
import re

# how tightly a piece binds: what is looser than its place gets brackets
_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(5)

_FUNCTIONS = {
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "arcsin",
    "arccos",
    "arctan",
    "log",
    "exp",
    "min",
    "max",
}
_NAMES = {"pi": r"\pi", "inf": r"\infty", "e": "e"}
_COMPARISONS = {
    ast.Lt: "<",
    ast.LtE: r"\le",
    ast.Gt: ">",
    ast.GtE: r"\ge",
    ast.Eq: "=",
    ast.NotEq: r"\ne",
}


def latex(expression: str, out: str = "y") -> str:
    """The expression in LaTeX; the output is called `out`, and `x1` becomes x with an index."""
    return _render(ast.parse(with_output(expression, out), mode="eval").body)[0]


def with_output(expression: str, out: str) -> str:
    """The expression with another name for the output.

    >>> with_output("out * x / out_1", "y")
    'y * x / y_1'
    """
    return re.sub(r"\bout(?=\b|_)", out, expression.strip())


def _render(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.Constant(value=value):
            return repr(value), _ATOM
        case ast.Name(id=name):
            return _name(name), _ATOM
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=index)):
            return f"{_name(name)}_{{{index!r}}}", _ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{_at_least(operand, _PRODUCT)}", _UNARY - 1
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _render(operand)
        case ast.UnaryOp(operand=operand):
            return rf"\neg {_at_least(operand, _ATOM)}", _UNARY
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(left, op, right)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            steps = (
                f" {_COMPARISONS[type(op)]} {_render(right)[0]}"
                for op, right in zip(ops, rights, strict=True)
            )
            return _render(left)[0] + "".join(steps), _SUM
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, args)
    return rf"\mathtt{{{ast.unparse(node)}}}", _ATOM


def _binary(left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[str, int]:
    match op:
        case ast.Add() | ast.Sub():
            sign = "+" if isinstance(op, ast.Add) else "-"
            return f"{_at_least(left, _SUM)} {sign} {_at_least(right, _PRODUCT)}", _SUM
        case ast.Mult() if ast.dump(left) == ast.dump(right):
            return _power(left, "2")
        case ast.Mult():
            return rf"{_at_least(left, _PRODUCT)} \, {_at_least(right, _PRODUCT)}", _PRODUCT
        case ast.Div():
            return rf"\frac{{{_render(left)[0]}}}{{{_render(right)[0]}}}", _POWER
        case ast.Pow():
            return _power(left, _render(right)[0])
        case ast.BitAnd() | ast.BitOr():
            word = r"\wedge" if isinstance(op, ast.BitAnd) else r"\vee"
            return f"{_render(left)[0]} {word} {_render(right)[0]}", _SUM
    return rf"{_at_least(left, _PRODUCT)} \bmod {_at_least(right, _UNARY)}", _PRODUCT


def _power(base: ast.expr, exponent: str) -> tuple[str, int]:
    return f"{_at_least(base, _ATOM)}^{{{exponent}}}", _POWER


def _call(name: str, args: list[ast.expr]) -> tuple[str, int]:
    inside = [_render(arg)[0] for arg in args]
    if name == "where":
        chosen = rf"{inside[1]} & {inside[0]}"
        otherwise = rf"{inside[2]} & \text{{otherwise}}"
        return rf"\begin{{cases}}{chosen}\\{otherwise}\end{{cases}}", _ATOM
    if name == "sqrt":
        return rf"\sqrt{{{inside[0]}}}", _ATOM
    if name in ("abs", "absolute"):
        return rf"\left|{inside[0]}\right|", _ATOM
    upright = name.replace("_", r"\_")
    shown = rf"\{name}" if name in _FUNCTIONS else rf"\operatorname{{{upright}}}"
    return rf"{shown}\left({', '.join(inside)}\right)", _ATOM


def _at_least(node: ast.expr, binding: int) -> str:
    text, own = _render(node)
    return text if own >= binding else rf"\left({text}\right)"


def _name(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    parts = re.fullmatch(r"([A-Za-z]+?)_?(\d+)", name)
    letter, index = parts.groups() if parts else (name, "")
    shown = letter if len(letter) == 1 else rf"\mathrm{{{letter.replace('_', ' ')}}}"
    return f"{shown}_{{{index}}}" if index else shown
