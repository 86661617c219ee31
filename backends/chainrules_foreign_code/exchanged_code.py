"""Code for the functions of a file, in which each call asks for a function that takes traced
values.

It is compiled from the source, as that of an assertion is that a test tool rewrites. Where the
source says ``callee(x)``, the code says ``SEEN.called(callee)(x)``. Functions begin with
``SEEN.take(x)`` of their arguments, and functions that they make go through ``SEEN.made``. Nothing
else differs: names, lines, variables and defaults are those of the source. `SEEN` is a constant of
the code, and its last one, by which such a code is told. The one before it is the code of the source.
"""

import ast
import sys
from collections.abc import Collection, Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from chainrules_py.introspection.called_code import with_constants
from chainrules_tape.refusals.advice import OF_OBJECTS

# Compilers take a tuple for a constant, in whose place the object is put.
# methods for which others are called where their owner is an array or a number
WITH_DTYPE = ("sum", "cumsum", "prod", "cumprod")
METHODS = OF_OBJECTS.union(
    WITH_DTYPE,
    ("__array__", "__array_namespace__", "accumulate", "astype", "copy", "dot", "item", "outer"),
    ("reduce", "round", "searchsorted", "tolist"),
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
_COMPILERS = ("numba",)  # what they compile is plain code


class Exchanging(ast.NodeTransformer):
    """Make each call in a tree ask for its callee, and for functions of modules that it passes on.

    `names` are those of modules and functions of the file, and `compilers` those of them that compile
    what they decorate.
    """

    def __init__(self, names: set[str], compilers: set[str]) -> None:
        self.names, self.compilers = names, compilers
        self.function = ""  # in which a statement is
        self.left: set[tuple[str, int]] = set()  # names and first lines of what is compiled so

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
        """Look up an attribute that a number may have only because it is traced."""
        self.generic_visit(node)
        if node.attr not in _OF_NUMPY or not isinstance(node.ctx, ast.Load):
            return node
        return looked_up(node, "attribute", [node.value, node.attr])

    def visit_MatchValue(self, node: Any) -> ast.AST:
        """Leave patterns, in which names stand for themselves."""
        return node

    visit_MatchClass = visit_MatchMapping = visit_MatchValue

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Look at a text that may contain traced numbers."""
        self.generic_visit(node)
        return ast.copy_location(call_of_seen("shown", [node]), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """Leave the format as it is, which is a text of its own in a tree."""
        node.value = self.visit(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Have ``text % x`` looked up, where the left operand may be a text, and lists that are written as
        operands.
        """
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod):
            return looked_up(node, "remainder", [node.left, node.right])
        node.left, node.right = map(operand, (node.left, node.right))
        return node

    def handed_on(self, node: ast.expr) -> ast.expr:
        """An argument; if it may be a function of a module, ask for its replacement."""
        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            root = root.value
        is_held = isinstance(root, ast.Name) and root.id in self.names
        return looked_up(node, "held", [node]) if is_held else node

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        """Begin with the arguments, and note that the function was made; annotations stay, as they
        are not the function's code.
        """
        if any(root_name(each) in self.compilers for each in node.decorator_list):
            self.left.add((node.name, node.decorator_list[0].lineno))
            return node
        node.args = self.visit(node.args)
        node.decorator_list = list(map(self.visit, node.decorator_list))
        names = names_of(node.args)
        has_doc = ast.get_docstring(node, clean=False) is not None
        doc, body = node.body[:has_doc], node.body[has_doc:]
        around, self.function = self.function, node.name
        node.body = list(map(self.visit, body))
        self.function = around
        if node.body:
            node.body.insert(0, at_begin(ast.Expr(call_of_take(names)), node.body[0]))
        node.body = [*doc, *node.body]
        node.decorator_list.append(at_begin(of_seen("made"), node))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Have ``__array__`` return one of NumPy's arrays where compiled code asks for it."""
        self.generic_visit(node)
        if self.function == "__array__" and node.value is not None:
            node.value = ast.copy_location(call_of_seen("as_array", [node.value]), node.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Begin with the arguments, and say that the function was made."""
        self.generic_visit(node)
        taken = at_begin(call_of_take(names_of(node.args)), node.body)  # returns None
        node.body = ast.copy_location(ast.BoolOp(ast.Or(), [taken, node.body]), node.body)
        return at_begin(call_of_seen("made", [node]), node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Leave annotations as they are."""
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave annotations as they are."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


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
    """``SEEN.name(*args)`` in the place of a node."""
    call = call_of_seen(name, [ast.Constant(arg) if type(arg) is str else arg for arg in args])
    return ast.copy_location(call, node)


def operand(node: ast.expr) -> ast.expr:
    """An operand, which may be a list that is written there."""
    is_list = isinstance(node, ast.List | ast.ListComp)
    return looked_up(node, "operand", [node]) if is_list else node


def at_begin(made: Any, node: Any) -> Any:
    """Give a new node the place of a source node, so that its line counts as run."""
    made.lineno = made.end_lineno = node.lineno
    made.col_offset = made.end_col_offset = node.col_offset
    return made


def root_name(node: ast.AST) -> str:
    """The variable that a decorator begins with."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def handed_names(variables: dict[str, Any], tree: ast.Module) -> set[str]:
    """The names of modules, functions and objects of a file, and of what its functions import."""
    found = {name for name, held in variables.copy().items() if is_handed(held)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(each.asname or each.name).partition(".")[0] for each in node.names}
    return found


def compilers_in(variables: dict[str, Any]) -> set[str]:
    """The names of a file that belong to what compiles functions."""
    return {
        name
        for name, held in variables.copy().items()
        if str(getattr(held, "__module__", getattr(held, "__name__", ""))).startswith(_COMPILERS)
        and is_handed(held)
    }


def is_handed(held) -> bool:
    """Whether a variable holds a function, an object that is called, or a module."""
    return callable(held) or type(held) is ModuleType


def exchanged_codes(
    source: str, filename: str, flags: int, is_rewritten: bool, variables: dict[str, Any], seen
) -> dict[CodeType, CodeType]:
    """The codes of the functions of a source file, each with its replacement.

    pytest has rewritten the assertions of a file of tests, before it was compiled.
    """
    try:
        tree = ast.parse(source, filename)
        if is_rewritten:
            sys.modules["_pytest.assertion.rewrite"].rewrite_asserts(tree, source.encode())
        plain = compile(tree, filename, "exec", flags & FUTURE, dont_inherit=True)
        nodes: Iterator[Any] = ast.walk(tree)
        for node in nodes if is_rewritten else ():
            if hasattr(node, "lineno") and node.end_lineno is None:
                node.end_lineno = node.lineno
        exchanging = Exchanging(handed_names(variables, tree), compilers_in(variables))
        tree = ast.fix_missing_locations(exchanging.visit(tree))
        new = compile(tree, filename, "exec", flags & FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, KeyError):
        return {}
    found: dict[CodeType, CodeType] = {}
    other_code(new, plain, seen, exchanging.left, found)
    return found


def zip_alike(plain: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the codes in a code, each with the first one for the same function in another code."""
    others = inner_codes(new)
    for one in inner_codes(plain):
        found = next((other for other in others if is_alike(one, other)), None)
        if found is not None:
            others.remove(found)
            yield one, found


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


def other_code(
    new: CodeType, plain: CodeType, seen, left: Collection[Any], found: dict[CodeType, CodeType]
) -> CodeType:
    """A code whose last constants are the source's code and `SEEN`; the source's code itself, if it
    needs no change. It is noted as found, as are those in it.
    """
    if (plain.co_name, plain.co_firstlineno) in left:
        return found.setdefault(plain, plain)
    others = {
        id(other): other_code(other, one, seen, left, found) for one, other in zip_alike(plain, new)
    }
    consts = [seen if is_place(each) else others.get(id(each), each) for each in new.co_consts]
    return found.setdefault(plain, with_constants(new, (*consts, plain, seen)))


def is_place(const) -> bool:
    """Whether a constant stands for `SEEN`."""
    return type(const) is tuple and const == PLACE
