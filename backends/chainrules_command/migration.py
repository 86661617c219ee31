"""A file that imports `autograd`, with our imports in their place; what could not be changed is
listed.

Only what is changed is written anew: the text around it stays as it is, comments included.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from chainrules_command.autograd_names import SAME, TAKE_ARGNUM, instead_of, module_here

ROOT, HERE = "autograd", "chainrules_tape"
Position = tuple[int, int]  # a line, from 1, and a column in bytes, from 0, as `ast` has them


class Remainder(NamedTuple):
    """A construct that was not changed: its line, what it is, and what to write instead."""

    line: int
    construct: str
    instead: str


class Edit(NamedTuple):
    """A part of a file, from a position to another, and the text that takes its place."""

    begin: Position
    end: Position
    text: str


@dataclass
class Migration:
    """The text of a file with our imports, and what could not be changed."""

    before: str
    after: str
    remainders: list[Remainder]

    @property
    def is_changed(self) -> bool:
        """Whether anything was written anew."""
        return self.before != self.after


def migrated(text: str) -> Migration:
    """Change the imports of autograd in a Python file.

    >>> migrated("from autograd import grad, make_vjp\\n").after
    'from chainrules_tape import grad\\nfrom autograd import make_vjp\\n'
    """
    tree = ast.parse(text)
    plan = Plan(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            plan.change_import(node)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            plan.change_import_from(node)
        elif isinstance(node, ast.Constant):
            plan.note_text(node)
    plan.change_attributes(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            plan.change_keyword(node)
    remainders = sorted(set(plan.remainders))
    return Migration(text, edited(text, plan.edits), remainders)


@dataclass
class Plan:
    """The edits of a file, as its statements are looked at."""

    text: str
    edits: list[Edit] = field(default_factory=list)
    remainders: list[Remainder] = field(default_factory=list)
    functions: dict[str, str] = field(default_factory=dict)  # names here, and in autograd
    packages: dict[str, ast.Import] = field(default_factory=dict)  # names of autograd itself

    def change_import(self, node: ast.Import) -> None:
        """Change `import autograd.numpy as np`; `import autograd` is looked at with its uses."""
        lines = []
        for alias in node.names:
            is_whole = alias.name == ROOT or (is_of_autograd(alias.name) and not alias.asname)
            if is_whole and len(node.names) == 1:
                self.packages[alias.asname or ROOT] = node
                return
            place = None if is_whole else module_here(alias.name)
            if place is None and is_of_autograd(alias.name):
                self.leave(node, alias.name)
            lines.append(f"import {with_alias(place or alias.name, alias.asname)}")
        if lines != [f"import {with_alias(alias.name, alias.asname)}" for alias in node.names]:
            self.replace_statement(node, lines)

    def change_import_from(self, node: ast.ImportFrom) -> None:
        """Change `from autograd import grad` and `from autograd.numpy import sin`."""
        module = node.module or ""
        if not is_of_autograd(module):
            return
        kept, moved = [], []
        for alias in node.names:
            if is_here(module, alias.name):
                self.functions[alias.asname or alias.name] = alias.name
                moved.append(alias)
            else:
                self.leave(node, f"{module}.{alias.name}")
                kept.append(alias)
        place = module_here(module) or HERE
        if moved and kept:
            self.replace_statement(node, [from_import(place, moved), from_import(module, kept)])
        elif moved:
            self.replace_name(node, module, place)

    def change_attributes(self, tree: ast.AST) -> None:
        """Change `autograd.grad(f)` where autograd is imported as a whole."""
        changed: dict[str, set[str]] = {}
        left: set[str] = set()
        for node in outermost_attributes(tree):
            name, path = dotted(node)
            if name not in self.packages:
                continue
            place = place_of(path)
            if place is None:
                self.leave(node, ".".join([ROOT, *path]))
                left.add(name)
                continue
            module, part, function = place
            if function in TAKE_ARGNUM:
                self.functions[ast.unparse(part_of(node, len(path) - 1))] = function
            changed.setdefault(name, set()).add(module)
            own = part_of(node, len(path) - part)
            self.edits.append(Edit(begin_of(own), end_of(own), module))
        for name, statement in self.packages.items():
            imports = [f"import {module}" for module in sorted(changed.get(name, ()))]
            if name in left or not imports:
                if name not in left:
                    self.leave(statement, ast.unparse(statement))
                imports.append(ast.unparse(statement))
            if changed.get(name):
                self.replace_statement(statement, imports)

    def change_keyword(self, node: ast.Call) -> None:
        """Change `grad(f, argnum=1)` to `argnums=`."""
        if self.functions.get(ast.unparse(node.func)) not in TAKE_ARGNUM:
            return
        for keyword in node.keywords:
            if keyword.arg == "argnum":
                line, column = begin_of(keyword)
                self.edits.append(Edit((line, column), (line, column + len("argnum")), "argnums"))

    def note_text(self, node: ast.Constant) -> None:
        """Note a name of autograd's in a text, as for `import_module`."""
        if isinstance(node.value, str) and is_of_autograd(node.value) and " " not in node.value:
            self.leave(node, repr(node.value))

    def leave(self, node: ast.AST, construct: str) -> None:
        """Note what stays as it is."""
        instead = instead_of(construct.strip("'\""))
        self.remainders.append(Remainder(begin_of(node)[0], construct, instead))

    def replace_name(self, node: ast.stmt, name: str, new: str) -> None:
        """Write the first module of an import anew, and nothing else of it."""
        line, column = begin_of(node)
        written = self.text.encode().splitlines()[line - 1]
        first = written.index(name.encode(), column + len("from "))
        self.edits.append(Edit((line, first), (line, first + len(name)), new))

    def replace_statement(self, node: ast.stmt, lines: list[str]) -> None:
        """Write a statement anew, as one line for each, in its indentation."""
        before = self.text.splitlines()[node.lineno - 1].encode()[: node.col_offset].decode()
        between = "\n" + before if not before.strip() else "; "
        self.edits.append(Edit(begin_of(node), end_of(node), between.join(lines)))


def is_of_autograd(name: str) -> bool:
    """Tell whether a module is autograd, or one of its own."""
    return name == ROOT or name.startswith(ROOT + ".")


def is_here(module: str, name: str) -> bool:
    """Tell whether a name of a module of autograd's has a place here under that name."""
    if module in (ROOT, f"{ROOT}.extend", f"{ROOT}.differential_operators"):
        return name in SAME or module_here(f"{module}.{name}") is not None
    if module_here(module) is None:
        return False
    return not name.startswith("numpy_")  # modules in which autograd's NumPy is made


def place_of(path: list[str]) -> tuple[str, int, str] | None:
    """The module that is to be imported for an attribute of autograd's, how many names of the path
    it takes, and the function's name; None where there is none.
    """
    for count in range(len(path), 0, -1):
        module = module_here(".".join([ROOT, *path[:count]]))
        if module is not None:
            is_own = count < len(path) and path[count].startswith("numpy_")
            return None if is_own else (module, count, "")
    if path and path[0] in SAME:
        return HERE, 0, path[0]
    return None


def outermost_attributes(tree: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes of names that are not themselves parts of longer ones."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner and dotted(node)[0]:
            yield node


def dotted(node: ast.expr) -> tuple[str, list[str]]:
    """The name at the beginning of an attribute, empty where there is none, and the others."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else ""), path


def part_of(node: ast.expr, levels: int) -> ast.expr:
    """The beginning of an attribute, without as many names at its end."""
    for _ in range(levels):
        assert isinstance(node, ast.Attribute)
        node = node.value
    return node


def with_alias(name: str, alias: str | None) -> str:
    """A name of an import, with the one that it gets."""
    return f"{name} as {alias}" if alias else name


def from_import(module: str, names: list[ast.alias]) -> str:
    """An import of names of a module."""
    return f"from {module} import {', '.join(with_alias(a.name, a.asname) for a in names)}"


def begin_of(node: ast.AST) -> Position:
    """The position at which a construct begins."""
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def end_of(node: ast.AST) -> Position:
    """The position at which a construct ends."""
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def edited(text: str, edits: list[Edit]) -> str:
    """The text with all edits, which do not overlap."""
    lines = text.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found = text.encode()
    for begin, end, new in sorted(edits, reverse=True):
        first, last = (starts[line - 1] + column for line, column in (begin, end))
        found = found[:first] + new.encode() + found[last:]
    return found.decode()
