r"""Write scalar expressions as LaTeX, with no more brackets than a reader needs.

>>> latex("x / (x*x + y*y)")
'\\frac{x}{x^{2} + y^{2}}'
>>> latex("where(x2 == 0, 0, -out * log(x1))")
'\\begin{cases}0 & x_{2} = 0\\\\-y \\, \\log\\left(x_{1}\\right) & \\text{otherwise}\\end{cases}'
"""

import ast
import math
import re
from fractions import Fraction
from typing import Any

# How tightly a piece binds: what is looser than its place gets brackets. What begins with a minus is
# looser than a product, so that it gets brackets behind another sign or a factor.
_OR, _AND, _COMPARISON, _MODULO, _SUM, _SIGNED, _PRODUCT, _POWER, _ATOM = range(9)

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
_CONSTANTS = (
    (math.pi, r"\pi", ""),
    (1 / math.pi, "", r"\pi"),
    (math.sqrt(math.pi), r"\sqrt{\pi}", ""),
    (1 / math.sqrt(math.pi), "", r"\sqrt{\pi}"),
    (math.sqrt(2 * math.pi), r"\sqrt{2 \pi}", ""),
    (1 / math.sqrt(2 * math.pi), "", r"\sqrt{2 \pi}"),
    (math.sqrt(2), r"\sqrt{2}", ""),
    (math.log(2), r"\log 2", ""),
    (math.log(10), r"\log 10", ""),
)
_GREEK = ("alpha", "beta", "delta", "gamma", "mu", "nu", "phi", "pi", "sigma", "theta")
_NAMES = {"inf": r"\infty", "e": "e", "lmbda": r"\lambda"} | {name: rf"\{name}" for name in _GREEK}
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
            return _number(value), _ATOM
        case ast.Name(id=name):
            return _name(name), _ATOM
        case ast.Subscript(value=several, slice=ast.Constant(value=index)):
            return f"{_at_least(several, _ATOM)}_{{{index!r}}}", _ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{_at_least(operand, _PRODUCT)}", _SIGNED
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _render(operand)
        case ast.UnaryOp(operand=operand):
            return rf"\neg {_at_least(operand, _ATOM)}", _COMPARISON
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(left, op, right)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            steps = (
                f" {_COMPARISONS[type(op)]} {_at_least(right, _MODULO)}"
                for op, right in zip(ops, rights, strict=True)
            )
            return _at_least(left, _MODULO) + "".join(steps), _COMPARISON
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, args)
    return _as_code(node), _ATOM


def _binary(left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[str, int]:
    match op:
        case ast.Add() | ast.Sub():
            sign = "+" if isinstance(op, ast.Add) else "-"
            return f"{_at_least(left, _SUM)} {sign} {_at_least(right, _PRODUCT)}", _SUM
        case ast.Mult() if ast.dump(left) == ast.dump(right):
            return _power(left, "2")
        case ast.Mult() if isinstance(left, ast.UnaryOp):
            return _render(ast.UnaryOp(left.op, ast.BinOp(left.operand, op, right)))
        case ast.Mult() if _is_product_with(left, right):
            return _binary(left.left, op, ast.BinOp(right, op, right))  # type: ignore[attr-defined]
        case ast.Mult():
            product = rf"{_at_least(left, _SIGNED)} \, {_at_least(right, _PRODUCT)}"
            return product, _SIGNED if _render(left)[1] == _SIGNED else _PRODUCT
        case ast.Div():
            return _fraction(left, right), _POWER
        case ast.FloorDiv():
            return rf"\left\lfloor{_fraction(left, right)}\right\rfloor", _ATOM
        case ast.Pow():
            return _power(left, _render(right)[0])
        case ast.Mod():
            return rf"{_at_least(left, _SUM)} \bmod {_at_least(right, _SUM)}", _MODULO
        case ast.BitAnd():
            return rf"{_at_least(left, _AND)} \wedge {_at_least(right, _AND)}", _AND
        case ast.BitOr():
            return rf"{_at_least(left, _OR)} \vee {_at_least(right, _OR)}", _OR
    return _as_code(ast.BinOp(left, op, right)), _ATOM


def _is_product_with(node: ast.expr, factor: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Mult(), right=last):
            return ast.dump(last) == ast.dump(factor)
    return False


def _number(value: Any) -> str:
    """Write a number as what it is a small multiple of, where that is one of the constants."""
    if isinstance(value, complex):
        return "i" if value == 1j else rf"{value.imag:g} \, i"
    if len(repr(value)) < 10:
        return repr(value)
    for constant, above, below in _CONSTANTS:
        ratio = Fraction(value / constant).limit_denominator(10**6)
        up, down = ratio.as_integer_ratio()
        if 0 < up < 1000 and math.isclose(up / down * constant, value, rel_tol=1e-15):
            top = _without_one(up, above)
            return (
                top
                if down == 1 and not below
                else rf"\frac{{{top}}}{{{_without_one(down, below)}}}"
            )
    return repr(value)


def _without_one(factor: int, name: str) -> str:
    return name if name and factor == 1 else " ".join(filter(None, (str(factor), name)))


def _fraction(left: ast.expr, right: ast.expr) -> str:
    return rf"\frac{{{_render(left)[0]}}}{{{_render(right)[0]}}}"


def _as_code(node: ast.expr) -> str:
    return rf"\mathtt{{{ast.unparse(node)}}}"


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
    if name in ("integral", "total"):
        body, (variable, low, high) = _at_least(args[0], _PRODUCT), inside[1:]
        sign, end = (r"\int", rf" \, d{variable}") if name == "integral" else (r"\sum", "")
        start = low if name == "integral" else f"{variable} = {low}"
        return rf"{sign}_{{{start}}}^{{{high}}} {body}{end}", _SIGNED
    return rf"{_function(name)}\left({', '.join(inside)}\right)", _ATOM


def _function(name: str) -> str:
    derivative = re.fullmatch(r"d(\w+)_d([a-z]+)", name)
    if derivative:
        function, parameter = derivative.groups()
        return rf"\frac{{\partial {_function(function)}}}{{\partial {_name(parameter)}}}"
    upright = name.replace("_", r"\_")
    return rf"\{name}" if name in _FUNCTIONS else rf"\operatorname{{{upright}}}"


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
