"""No module of the project imports itself by way of others: not at the top, not in a function, not
for its types only.
"""

import ast
from graphlib import CycleError, TopologicalSorter

from source_trees import PACKAGES, SETTINGS, imported, tree_of


def modules() -> dict[str, ast.Module]:
    """The trees of all modules by their dotted names.

    A package's `__init__` re-exports what is beneath it, and so imports what may import the
    package: it is left out.
    """
    files = [
        (package, path)
        for package in PACKAGES
        for path in package.rglob("*.py")
        if path.name != "__init__.py"
    ]
    return {
        ".".join(path.relative_to(package.parent).with_suffix("").parts): tree_of(path)
        for package, path in files
    }


def circle(trees: dict[str, ast.Module]) -> list[str]:
    """Modules that import each other in a circle, the first one again at the end; empty where there
    is none.
    """
    graph = {
        name: [other for other in imported(tree) if other in trees] for name, tree in trees.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_there_is_no_circle():
    assert circle(modules()) == []


# The parts of chainrules_py from the bottom to the top, as the linter of imports has them: each
# imports only those before it.
LINTER = SETTINGS["tool"]["importlinter"]
(LAYERS,) = [each["layers"] for each in LINTER["contracts"] if each["id"] == "chainrules_py"]
ORDER = LAYERS[::-1]


def part(name: str) -> str:
    """The part of chainrules_py that a module belongs to."""
    return name.split(".")[1]


def test_parts_of_the_core_import_only_what_is_beneath_them():
    floor = {name: number for number, name in enumerate(ORDER)}
    found = {name: tree for name, tree in modules().items() if name.startswith("chainrules_py.")}
    assert {part(name) for name in found} <= set(ORDER)
    upward = [
        (name, other)
        for name, tree in found.items()
        for other in imported(tree)
        if other in found and floor[part(other)] > floor[part(name)]
    ]
    assert upward == []
