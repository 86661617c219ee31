"""A file that imports `autograd`, with our imports in their place; what could not be changed is
listed.

Only what is changed is written anew: the text around it stays as it is, comments included.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from chainrules_command.autograd_names import MODULES, instead_of, place_of

ROOT, PACKAGE = "autograd", "chainrules_tape"
HERE = f"{PACKAGE}.{ROOT}"
CLASS_OF_AUTOGRAD = f"<class '{ROOT}."  # as str(type(x)) is
# what a docstring says of autograd that its readers, or doctest, would try
IN_DOCSTRINGS = re.compile(rf"\b{ROOT}\.\w+|\b(import|from) {ROOT}\b")
REWRITTEN = f"write {HERE} there, too"
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
    is_read: bool = True

    @property
    def is_changed(self) -> bool:
        """Whether anything was written anew."""
        return self.before != self.after


def migrated(text: str) -> Migration:
    """Change the imports of autograd in a Python file.

    >>> migrated("from autograd import numpy as np\\n").after
    'from chainrules_tape.autograd import numpy as np\\n'
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
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            plan.note_docstring(node.value)
    plan.note_attributes(tree)
    remainders = sorted(set(plan.remainders))
    return Migration(text, edited(text, plan.edits), remainders)


@dataclass
class Plan:
    """The edits of a file, as its statements are looked at."""

    text: str
    edits: list[Edit] = field(default_factory=list)
    remainders: list[Remainder] = field(default_factory=list)
    packages: set[str] = field(default_factory=set)  # names of autograd itself

    def change_import(self, node: ast.Import) -> None:
        """Change `import autograd.numpy as np`; what follows `autograd.` is looked at, too."""
        lines = []
        for alias in node.names:
            if not is_of_autograd(alias.name):
                lines.append(f"import {with_alias(alias.name, alias.asname)}")
            elif alias.asname:
                lines.append(self.import_of_module(node, alias))
            else:
                lines.append(f"from {PACKAGE} import {ROOT}")
                self.packages.add(ROOT)
            if alias.name == ROOT:
                self.packages.add(alias.asname or ROOT)
        if any(is_of_autograd(alias.name) for alias in node.names):
            self.replace_statement(node, list(dict.fromkeys(lines)))

    def import_of_module(self, node: ast.Import, alias: ast.alias) -> str:
        """The import of a module that gets a name; of an object where ours is no module."""
        place = MODULES.get(alias.name)
        if place is not None:
            return f"import {with_alias(place, alias.asname)}"
        above, _, last = alias.name.rpartition(".")
        if place := place_of(above, last):
            return f"from {place} import {with_alias(last, alias.asname)}"
        self.leave(node, alias.name)
        return f"import {with_alias(alias.name, alias.asname)}"

    def change_import_from(self, node: ast.ImportFrom) -> None:
        """Change `from autograd import grad` and `from autograd.numpy import sin`."""
        module = node.module or ""
        if not is_of_autograd(module):
            return
        by_place: dict[str, list[ast.alias]] = {}
        for alias in node.names:
            place = place_of(module, alias.name)
            if place is None:
                self.leave(node, f"{module}.{alias.name}")
            by_place.setdefault(place or module, []).append(alias)
        if len(by_place) == 1:
            self.replace_name(node, module, next(iter(by_place)))
            return
        self.replace_statement(node, [from_import(*part) for part in by_place.items()])

    def note_attributes(self, tree: ast.AST) -> None:
        """Note the attributes of autograd's that are not here."""
        for node in outermost_attributes(tree):
            name, path = dotted(node)
            if name not in self.packages:
                continue
            module = ROOT
            while path and f"{module}.{path[0]}" in MODULES:
                module = f"{module}.{path.pop(0)}"
            if path and not place_of(module, path[0]):
                self.leave(node, ".".join([module, *path]))

    def note_text(self, node: ast.Constant) -> None:
        """Note a name of autograd's in a text, as for `import_module`, and a class by its text."""
        text = node.value
        if not isinstance(text, str):
            return
        is_module = is_of_autograd(text) and " " not in text
        if is_module or text.startswith(CLASS_OF_AUTOGRAD):
            self.leave(node, repr(text))

    def note_docstring(self, node: ast.Constant) -> None:
        """Note the lines of a docstring that name a module or an import of autograd's."""
        if not isinstance(node.value, str):
            return
        for number, line in enumerate(node.value.split("\n")):
            if IN_DOCSTRINGS.search(line):
                at = node.lineno + number
                self.remainders.append(Remainder(at, "a docstring that names autograd", REWRITTEN))

    def leave(self, node: ast.AST, construct: str) -> None:
        """Note what stays as it is."""
        instead = instead_of(construct.strip("'\"<>"))
        self.remainders.append(Remainder(begin_of(node)[0], construct, instead))

    def replace_name(self, node: ast.stmt, name: str, new: str) -> None:
        """Write the first module of an import anew, and nothing else of it."""
        line, column = begin_of(node)
        written = self.text.encode().splitlines()[line - 1]
        first = written.index(name.encode(), column + len("from "))
        self.edits.append(Edit((line, first), (line, first + len(name)), new))

    def replace_statement(self, node: ast.stmt, lines: list[str]) -> None:
        """Write a statement anew, as one line for each, in its indentation."""
        # of bytes, which have the ends of lines that `ast` counts, and a text has form feeds, too
        line = self.text.encode().splitlines(keepends=True)[node.lineno - 1]
        before = line[: node.col_offset].decode()
        end = "\r\n" if line.endswith(b"\r\n") else "\n"
        between = end + before if not before.strip() else "; "
        self.edits.append(Edit(begin_of(node), end_of(node), between.join(lines)))


def is_of_autograd(name: str) -> bool:
    """Tell whether a module is autograd, or one of its own."""
    return name == ROOT or name.startswith(ROOT + ".")


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
