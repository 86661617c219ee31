"""The code of the functions of a file in which each call asks for what takes traced values.

It is compiled from the source, as that of an assertion is that a test tool rewrites. Where the
source says ``callee(x)``, the code says ``callee(x)`` while no derivative is being taken, and
``SEEN[callee](x)`` otherwise. Functions begin with ``SEEN.take(x)`` of their arguments then. Nothing
else differs: names, lines, variables and defaults are those of the source. `SEEN` is a constant of
the code, and its last one, by which such a code is told.
"""

import ast
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from chainrules_py.introspection.called_code import with_other_constants
from chainrules_tape.refusals.advice import OF_OBJECTS

# Compilers take a tuple for a constant, in whose place the object is put.
# methods for which others are called where their owner is an array or a number
WITH_DTYPE = ("sum", "cumsum", "prod", "cumprod")
METHODS = OF_OBJECTS.union(
    WITH_DTYPE,
    ("__array__", "__array_namespace__", "accumulate", "astype", "copy", "dot", "item", "outer"),
    ("reduce", "round", "tolist"),
)
PLACE: Any = ("chainrules_foreign_code", "SEEN")
# the flags of code that `from __future__` sets; higher ones say what a code is
FUTURE = 0x1FF0000
# functions of Python's that nothing stands in the place of, and `super`, which asks for its caller
_NEVER = frozenset(
    {
        *("super", "len", "range", "enumerate", "zip", "print", "isinstance", "issubclass"),
        *("setattr", "locals", "globals", "list", "dict", "tuple", "set"),
    }
)
_JOINING = frozenset({"r_", "c_", "mgrid", "ogrid"})  # objects of NumPy's that join or make arrays
# attributes of NumPy's numbers that code asks for, and Python's have not
_OF_NUMPY = frozenset(dir(np.float64)).difference(dir(float), METHODS)
_SIMPLE = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Slice, ast.Tuple, ast.BinOp),
    *(ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context),
)


class Exchanging(ast.NodeTransformer):
    """Has each call of a tree ask for its callee, and for functions of modules that it hands on.

    `names` are those of modules and functions of the file.
    """

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Have a call look up its callee, and functions among its arguments."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            node.func = looked_up(node.func, "named", [node.func.value, node.func.attr])
        elif not (isinstance(node.func, ast.Name) and node.func.id in _NEVER):
            node.func = looked_up(node.func, "called", [node.func])
        node.args = list(map(self.handed_on, node.args))
        for keyword in node.keywords:
            if keyword.arg != "dtype":
                keyword.value = self.handed_on(keyword.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Have ``np.r_[x, y]`` look up the object of NumPy's that joins the entries."""
        self.generic_visit(node)
        if getattr(node.value, "attr", getattr(node.value, "id", "")) in _JOINING:
            node.value = looked_up(node.value, "held", [node.value])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Have an attribute looked up that a number may have by being traced alone."""
        self.generic_visit(node)
        if node.attr not in _OF_NUMPY or not isinstance(node.ctx, ast.Load):
            return node
        return looked_up(node, "attribute", [node.value, node.attr])

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Have a text looked at, in which traced numbers may be."""
        self.generic_visit(node)
        return ast.copy_location(call_of_seen("shown", [node]), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """Leave the format as it is, which is a text of its own in a tree."""
        node.value = self.visit(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Have ``text % x`` looked up, where the left operand may be a text."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mod) or not is_simple(node.left):
            return node
        return looked_up(node, "remainder", [node.left, node.right])

    def handed_on(self, node: ast.expr) -> ast.expr:
        """An argument: where it may be a function of a module, what is handed on in its place."""
        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            root = root.value
        is_held = isinstance(root, ast.Name) and root.id in self.names
        return looked_up(node, "held", [node]) if is_held else node

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        """Begin with the arguments; annotations stay, which are not of the function."""
        node.args = self.visit(node.args)
        node.decorator_list = list(map(self.visit, node.decorator_list))
        names = names_of(node.args)
        has_doc = ast.get_docstring(node, clean=False) is not None
        if node.name == "__array__":
            node = AsArray().visit(node)
        doc, body = node.body[:has_doc], node.body[has_doc:]
        node.body = [part for each in body for part in as_list(self.visit(each))]
        if names and node.body:
            taken = ast.If(of_seen("levels"), [ast.Expr(call_of_take(names))], [])
            node.body.insert(0, ast.copy_location(taken, node.body[0]))
        node.body = [*doc, *node.body]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Begin with the arguments."""
        self.generic_visit(node)
        names = names_of(node.args)
        if names:
            is_taken = ast.BoolOp(ast.And(), [of_seen("levels"), call_of_take(names)])  # false
            node.body = ast.copy_location(ast.BoolOp(ast.Or(), [is_taken, node.body]), node.body)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Leave annotations as they are."""
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave annotations as they are."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


class AsArray(ast.NodeTransformer):
    """Has ``__array__`` return one of NumPy's arrays where compiled code asks for it."""

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Have the result looked at."""
        if node.value is not None:
            node.value = ast.copy_location(call_of_seen("as_array", [node.value]), node.value)
        return node


def as_list(found) -> list[Any]:
    """What a visit returned, as statements."""
    return found if isinstance(found, list) else [found]


def names_of(args: ast.arguments) -> list[str]:
    """The names of all arguments of a function."""
    others = [args.vararg, args.kwarg]
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs, *(x for x in others if x is not None)]
    return [each.arg for each in found]


def of_seen(name: str) -> ast.expr:
    """``SEEN.name``."""
    return ast.Attribute(ast.Constant(PLACE), name, ast.Load())


def call_of_seen(name: str, args: list[ast.expr]) -> ast.expr:
    """``SEEN.name(x, y)``."""
    return ast.Call(of_seen(name), args, [])


def call_of_take(names: list[str]) -> ast.expr:
    """``SEEN.take(x, y)``."""
    return call_of_seen("take", [ast.Name(name, ast.Load()) for name in names])


def looked_up(node: ast.expr, name: str, args: list[Any]) -> ast.expr:
    """``SEEN.name(*args) if SEEN.levels else node``, or without the question, which the former asks,
    too, where `node` would be long twice.
    """
    call = call_of_seen(name, [ast.Constant(arg) if type(arg) is str else arg for arg in args])
    made = ast.IfExp(of_seen("levels"), call, node) if is_simple(node) else call
    return ast.copy_location(made, node)


def is_simple(node: ast.expr) -> bool:
    """Whether an expression is short, and has no function of its own."""
    return all(isinstance(part, _SIMPLE) for part in ast.walk(node))


def handed_names(variables: dict[str, Any], tree: ast.Module) -> set[str]:
    """The names of modules, functions and objects of a file, and of what its functions import."""
    found = {name for name, held in variables.copy().items() if callable(held)}
    found |= {name for name, held in variables.copy().items() if type(held) is ModuleType}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(each.asname or each.name).partition(".")[0] for each in node.names}
    return found


def exchanged_codes(
    source: str, filename: str, flags: int, variables: dict[str, Any], seen
) -> dict[CodeType, CodeType]:
    """The codes of the functions of a source file, and those in their place."""
    try:
        tree = ast.parse(source, filename)
        plain = compile(tree, filename, "exec", flags & FUTURE, dont_inherit=True)
        tree = ast.fix_missing_locations(Exchanging(handed_names(variables, tree)).visit(tree))
        new = compile(tree, filename, "exec", flags & FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return dict(pairs(plain, new, seen))


def pairs(plain: CodeType, new: CodeType, seen) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the codes in a code, each with the other one for it."""
    for one, other in zip(inner_codes(plain), inner_codes(new), strict=False):
        if is_alike(one, other):
            yield one, with_seen(other, seen)
            yield from pairs(one, other, seen)


def inner_codes(code: CodeType) -> list[CodeType]:
    """The codes among the constants of a code."""
    return [const for const in code.co_consts if type(const) is CodeType]


def is_alike(one: CodeType, other: CodeType) -> bool:
    """Whether a function may have either code."""
    names = (
        *("co_qualname", "co_firstlineno", "co_varnames", "co_freevars", "co_cellvars"),
        *("co_argcount", "co_kwonlyargcount", "co_posonlyargcount", "co_flags"),
    )
    return all(getattr(one, name) == getattr(other, name) for name in names)


def with_seen(code: CodeType, seen) -> CodeType:
    """A code with `SEEN` in its place, and as its last constant."""
    return with_other_constants(
        code, lambda found: seen if type(found) is tuple and found == PLACE else found, seen
    )
