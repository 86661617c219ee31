"""Faults in the code that decides whether a compiled program still serves, planted one at a time.

A fault is a function with a statement left out, a condition that is always or never met, or a part
of a condition that is forgotten. `faults_of` finds all of them by the source of a function;
`planted` has the function run with one while a block of code runs.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from types import FunctionType
from typing import Any


class Fault:
    """A function, the code of it with a fault, and that in words."""

    def __init__(self, function: FunctionType, code: Any, text: str) -> None:
        self.function, self.code, self.text = function, code, text

    def __repr__(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}: {self.text}"


def functions_of(place: Any) -> Iterator[FunctionType]:
    """The functions of a module, or the methods of a class, that are defined there."""
    home = place.__module__ if inspect.isclass(place) else place.__name__
    for x in vars(place).values():
        found = x.fget if isinstance(x, property) else x
        if isinstance(found, FunctionType) and found.__module__ == home:
            yield found
        elif inspect.isclass(x) and x.__module__ == home and not inspect.isclass(place):
            yield from functions_of(x)


def faults_of(function: FunctionType) -> Iterator[Fault]:
    """All faults of a function, of the kinds that the module names."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for number in range(len(list(ast.walk(tree)))):
        changed = deepcopy(tree)
        node = list(ast.walk(changed))[number]
        before = ast.unparse(node)
        for edit in edits_of(node):
            copy = deepcopy(tree)
            edit(list(ast.walk(copy))[number], copy)
            code = code_of(copy, function)
            if code is not None:
                yield Fault(function, code, f"{edit.__name__}: {before[:90]}")


def edits_of(node: ast.AST) -> list[Callable[[Any, ast.AST], None]]:
    """What may be wrong at a node of a syntax tree."""
    if isinstance(node, ast.If | ast.IfExp):
        return [never, always]
    if isinstance(node, ast.BoolOp):
        return [without_first, without_last]
    is_action = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    return [left_out] if is_action or isinstance(node, ast.AugAssign) else []


def never(node: Any, tree: ast.AST) -> None:
    """A condition that is not met."""
    node.test = ast.Constant(False)


def always(node: Any, tree: ast.AST) -> None:
    """A condition that is met."""
    node.test = ast.Constant(True)


def without_first(node: Any, tree: ast.AST) -> None:
    """A condition whose first part is forgotten."""
    node.values[0] = ast.Constant(isinstance(node.op, ast.And))


def without_last(node: Any, tree: ast.AST) -> None:
    """A condition whose last part is forgotten."""
    node.values[-1] = ast.Constant(isinstance(node.op, ast.And))


def left_out(node: Any, tree: ast.AST) -> None:
    """A statement that is not there."""
    for parent in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(parent, field, None)
            if isinstance(body, list) and node in body:
                body[body.index(node)] = ast.copy_location(ast.Pass(), node)


def code_of(tree: Any, function: FunctionType) -> Any:
    """The code of the function that a tree defines; None where it has other variables around it."""
    definition = tree.body[0]
    definition.decorator_list = []
    outer = ast.parse("def outer():\n    pass")
    made: Any = outer.body[0]
    variables = function.__code__.co_freevars
    made.body = [ast.parse(f"{name} = None").body[0] for name in variables] + [definition]
    ast.fix_missing_locations(outer)
    holder = compile(outer, inspect.getfile(function), "exec").co_consts[0]
    codes = [x for x in holder.co_consts if inspect.iscode(x) and x.co_name == function.__name__]
    return codes[0] if codes and codes[0].co_freevars == variables else None


@contextmanager
def planted(fault: Fault) -> Iterator[None]:
    """The function has the fault while the block runs."""
    right = fault.function.__code__
    fault.function.__code__ = fault.code
    try:
        yield
    finally:
        fault.function.__code__ = right
