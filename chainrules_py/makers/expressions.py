"""Scalar expressions are parsed and checked where they are defined; errors mark the place.

An expression is arithmetic and function calls over the argument names, `out` (or `out[0]`,
`out[1]`, ... for several outputs), numbers, and mathematical functions. Anything else in it is
refused where the rule is defined, not where it first runs: the text may come from a file, and the
array namespace has names that read files, run what is in them, or change settings.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from chainrules_py.errors import ExpressionError
from chainrules_py.values.records import Record
from chainrules_py.values.signatures import signature_of

_ALLOWED = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Load, ast.Constant,
    ast.Compare, ast.Subscript,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.Mod, ast.FloorDiv, ast.USub, ast.UAdd,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.BitAnd, ast.BitOr, ast.Invert,
)  # fmt: skip

# functions of NumPy's, no ufuncs, that compute each entry from those in the same place
_ELEMENTWISE = frozenset({"angle", "clip", "i0", "imag", "real", "round", "sinc", "where"})
_ELEMENTWISE |= {"nan_to_num", "ones_like", "zeros_like"}
_DEEPEST = 150  # Python's own recursion, in writing an expression out, ends at some 300
_MOST_BITS = 1024  # of the largest float
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: pow, ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv,
}  # fmt: skip


class Expression(Record):
    """A checked expression, with the `variables` it reads and the `functions` it calls."""

    tree: ast.expr
    variables: frozenset[str]
    functions: Mapping[str, Any]

    @cached_property
    def source(self) -> str:
        """The expression as Python."""
        return ast.unparse(self.tree)

    @cached_property
    def constant(self) -> float | None:
        """The number this expression is, if it is one."""
        return _constant(self.tree)

    def dividing(self, numbers: frozenset[str]) -> str:
        """Write the expression with `quotient` for each division by Python's `numbers`."""
        return ast.unparse(_Quotients(numbers).visit(ast.parse(self.source, mode="eval")))

    @cached_property
    def reciprocal(self) -> str | None:
        """The denominator of an expression ``1 / d``: a product with it is one division."""
        if (
            isinstance(self.tree, ast.BinOp)
            and isinstance(self.tree.op, ast.Div)
            and _constant(self.tree.left) == 1
        ):
            return ast.unparse(self.tree.right)
        return None


def is_mathematical(name: str) -> bool:
    """Whether NumPy has a number, or a function of each entry by itself, of this name.

    >>> is_mathematical("pi"), is_mathematical("sin"), is_mathematical("load")
    (True, True, False)
    """
    return name in _ELEMENTWISE or isinstance(vars(np).get(name), np.ufunc | float)


def mathematical(name: str) -> Any | None:
    """Find NumPy's mathematical function, or number, of a name; None means nothing."""
    return getattr(np, name) if is_mathematical(name) else None


def mathematical_names() -> frozenset[str]:
    """List the names of NumPy's that an expression may use, for suggestions."""
    return frozenset(filter(is_mathematical, vars(np)))


def parse(
    text: str,
    primal,
    arguments: tuple[str, ...],
    outputs: int,
    lookup: Callable[[str], Any | None],
    known: Callable[[], frozenset[str]],
    where: str = "scalar_rule",
) -> Expression:
    """Parse and check an expression.

    `lookup` finds what a name stands for, `known` lists names for suggestions.

    >>> e = parse("-sin(x) * out", np.cos, ("x",), 1, mathematical, mathematical_names)
    >>> sorted(e.variables), sorted(e.functions)
    (['out', 'x'], ['sin'])
    """
    checker = _Checker(where, primal, text, arguments, outputs)
    tree = checker.tree()
    checker.require_shallow(tree)
    checker.number(tree)
    tree = tree if outputs < 2 else _OutputNames(outputs).visit(tree)
    names: dict[str, ast.Name] = {}
    for node in ast.walk(tree):
        checker.check(node)
        if isinstance(node, ast.Name):
            names.setdefault(node.id, node)
    allowed = frozenset((*arguments, *output_names(outputs)))
    functions = {name: lookup(name) for name in names if name not in allowed}
    for name, found in functions.items():
        if found is None:
            checker.refuse_name(names[name], known() | allowed)
    checker.require_calls_of(functions, tree)
    return Expression(tree, allowed & names.keys(), functions)


class _Checker(Record):
    """A checker refuses what an expression may not have, and marks the place in its text."""

    where: str
    primal: Any
    text: str
    arguments: tuple[str, ...]
    outputs: int

    def tree(self) -> ast.expr:
        """Parse the text; what is no expression is refused."""
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except SyntaxError as error:
            self._raise_expression_error(
                (error.offset or 1) - 1, error.msg, "write one Python expression"
            )
        # RecursionError and MemoryError: of a parser whose stack is full; ValueError: null bytes,
        # and numbers of too many digits
        except (RecursionError, MemoryError, ValueError) as error:
            is_value = isinstance(error, ValueError)
            got = str(error) if is_value else f"it is nested more than {_DEEPEST} deep"
            self._raise_expression_error(0, got, "write one Python expression")

    def check(self, node: ast.AST) -> None:
        """Refuse everything but arithmetic, calls and outputs."""
        column = getattr(node, "col_offset", 0)
        if not isinstance(node, _ALLOWED):
            got = f"{type(node).__name__} has no place here"
            function = self.as_function() if isinstance(node, ast.Attribute) else "pass a function"
            self._raise_expression_error(column, got, f"use arithmetic and calls, or {function}")
        if isinstance(node, ast.Constant) and not is_constant_number(node.value):
            self._raise_expression_error(column, f"{node.value!r} is no number", "write numbers")
        if isinstance(node, ast.Subscript):
            self._raise_expression_error(column, *_why_no_index(node, self.outputs))

    def require_calls_of(self, functions: Mapping[str, Any], tree: ast.expr) -> None:
        """Refuse calls of anything but functions by their names, with arguments by position."""
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "id", None)
            if called not in functions:
                got = f"{ast.unparse(node.func)} is called, but is no function"
                self._raise_expression_error(node.col_offset, got, "write the name of a function")

    def require_shallow(self, tree: ast.expr) -> None:
        """Refuse what is nested so deeply that Python could not write it out again."""
        level: list[ast.AST] = [tree]
        for _ in range(_DEEPEST):
            level = [part for node in level for part in ast.iter_child_nodes(node)]
            if not level:
                return
        column = max(getattr(node, "col_offset", 0) for node in level)
        got = f"it is nested more than {_DEEPEST} deep, a sum of as many terms included"
        self._raise_expression_error(column, got, self.as_function())

    def number(self, node: ast.AST) -> Any:
        """The number that a part without names is, None of any other part; refuses whole numbers
        that are larger than any float, which Python would compute digit by digit.
        """
        parts = [self.number(part) for part in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Constant):
            return self.of_bounded_size(node, lambda: node.value)
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and is_constant_number(parts[1])
        ):
            return -parts[1]
        if not isinstance(node, ast.BinOp):
            return None
        left, _, right = parts
        operation = _OPERATIONS.get(type(node.op))
        if operation is None or not (is_constant_number(left) and is_constant_number(right)):
            return None
        is_of_ints = type(left) is type(right) is int
        # of a power, before it is computed
        if operation is pow and is_of_ints and (abs(left).bit_length() - 1) * right > _MOST_BITS:
            self._refuse_size(node)
        return self.of_bounded_size(node, lambda: operation(left, right))

    def of_bounded_size(self, node: ast.expr, compute: Callable[[], Any]) -> Any:
        """What is computed, unless it is a whole number that no float holds; None for an error."""
        try:
            value = compute()
        except ArithmeticError:
            return None
        if type(value) is int and value.bit_length() > _MOST_BITS:
            self._refuse_size(node)
        return value

    def _refuse_size(self, node: ast.expr) -> NoReturn:
        got = "a whole number that is larger than any float"
        self._raise_expression_error(node.col_offset, got, "write it as a float, or inf")

    def refuse_name(self, node: ast.Name, known: frozenset[str]) -> NoReturn:
        """Refuse a name that nobody has, and suggest one."""
        import difflib  # 2 ms that only a misspelt name needs

        near = difflib.get_close_matches(node.id, known, n=3)
        instead = f"the arguments are {', '.join(self.arguments)}"
        if near:
            instead = f"write {' or '.join(near)}"
        instead = f"{instead}; or, if {node.id} is a name of yours, {self.as_function()}"
        if _is_parameter(self.primal, node.id):
            instead = (
                f"name it as an argument; if {node.id!r} is an option, write the rule with"
                " linearised_rule"
            )
        got = f"{node.id!r} is neither an argument nor a mathematical function of NumPy's"
        self._raise_expression_error(node.col_offset, got, instead, node.id)

    def as_function(self) -> str:
        """Write the function that may stand in place of the expression, as it sees all names."""
        if self.outputs != 1:
            return "pass a function of the arguments"
        named = {node.id for node in ast.walk(self.tree()) if isinstance(node, ast.Name)}
        read = [name for name in (*self.arguments, "out") if name in named]
        return (
            "pass a function in place of the text:"
            f" {' '.join(['lambda', ', '.join(read)]).strip()}: {self.text.strip()}"
        )

    def _raise_expression_error(
        self, column: int, got: str, instead: str, name: str | None = None
    ) -> NoReturn:
        marked = f"\n    {self.text}\n    {' ' * column}{'^' * len(name or ' ')}\n"
        raise ExpressionError(
            self.where,
            f"{got}{marked}",
            instead,
            primal=self.primal,
            expression=self.text,
            name=name,
            column=column,
            rule=None,
        ) from None


def is_constant_number(value) -> bool:
    """Whether a value is a number of Python's."""
    return isinstance(value, int | float | complex)


def _why_no_index(node: ast.Subscript, outputs: int) -> tuple[str, str]:
    """Say what is wrong with an index, and what to write: only one of several outputs has one."""
    if isinstance(node.value, ast.Name) and node.value.id == "out":
        instead = "write out, which is the only output"
        if outputs > 1:
            instead = f"write out[0] to out[{outputs - 1}]"
        return f"{ast.unparse(node)} is none of the {outputs} outputs", instead
    return (
        f"{ast.unparse(node)} reads an entry, and an expression is elementwise",
        "write a rule for the whole arrays",
    )


def _is_parameter(primal, name: str) -> bool:
    try:
        return name in signature_of(primal).parameters
    except (TypeError, ValueError):
        return False


def output_names(outputs: int) -> tuple[str, ...]:
    """The variables that hold the outputs."""
    return ("out",) if outputs == 1 else tuple(f"out_{i}" for i in range(outputs))


class _OutputNames(ast.NodeTransformer):
    """``out[1]`` becomes the variable ``out_1``: each output is kept, or not, by itself."""

    def __init__(self, outputs: int) -> None:
        self.outputs = outputs

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        index = node.slice
        if not (
            isinstance(node.value, ast.Name)
            and node.value.id == "out"
            and isinstance(index, ast.Constant)
        ):
            return node
        if index.value not in range(self.outputs):
            return node  # no output: refused with the other indices
        return ast.copy_location(ast.Name(f"out_{index.value!r}", ast.Load()), node)


class _Quotients(ast.NodeTransformer):
    """``1 / x`` becomes ``quotient(1, x)`` where all that x is made of are Python numbers."""

    def __init__(self, numbers: frozenset[str]) -> None:
        self.numbers = numbers

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        read = {name.id for name in ast.walk(node.right) if isinstance(name, ast.Name)}
        if isinstance(node.op, ast.Div) and read and read <= self.numbers:
            return ast.Call(ast.Name("quotient", ast.Load()), [node.left, node.right], [])
        return node


def _constant(tree: ast.expr) -> float | None:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        inner = _constant(tree.operand)
        return None if inner is None else -inner
    if isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float)):
        return tree.value
    return None
