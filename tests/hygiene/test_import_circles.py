"""No module of the project imports itself by way of others: not at the top, not in a function, not
for its types only.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = [
    ROOT / "chainrules_py",
    *sorted(path.parent for path in ROOT.glob("backends/*/__init__.py")),
]


def modules() -> dict[str, Path]:
    """The files of all packages by their dotted names, those of the packages themselves included."""
    found = {}
    for package in PACKAGES:
        for path in package.rglob("*.py"):
            *folders, name = path.relative_to(package.parent).with_suffix("").parts
            found[".".join(folders if name == "__init__" else [*folders, name])] = path
    return found


def imported(source: str) -> Iterator[str]:
    """The dotted names that a source imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def circle(sources: dict[str, str]) -> list[str]:
    """Modules that import each other in a circle, the first one again at the end; empty where there
    is none.
    """
    graph = {
        name: [other for other in imported(source) if other in sources]
        for name, source in sources.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_there_is_no_circle():
    # A package's __init__ re-exports what is beneath it, and so imports what may import the
    # package: it is left out.
    sources = {
        name: path.read_text() for name, path in modules().items() if path.name != "__init__.py"
    }
    assert circle(sources) == []


@pytest.mark.parametrize(
    "line",
    [
        "import b",
        "from b import x",
        "def f():\n    import b",
        "if TYPE_CHECKING:\n    from b import x",
    ],
    ids=["at the top", "a name", "in a function", "for its types"],
)
def test_a_circle_is_found(line):
    assert circle({"a": line, "b": "import a"})
    assert not circle({"a": line, "b": ""})
