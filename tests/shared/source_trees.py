"""The files of the repository as text and as syntax trees, each of which a process reads once."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from chainrules_py.introspection.collections_paused import collections_paused

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TOOLS = SETTINGS["tool"]
ADAPTERS = [module.removesuffix(".*") for module in TOOLS["mypy"]["overrides"][0]["module"]]
SHIPPED = [
    ROOT / "chainrules_py",
    *sorted(path.parent for path in ROOT.glob("backends/*/__init__.py")),
]
PACKAGES = [*SHIPPED, ROOT / "tests/samples/chainrules_samples"]
SOURCES = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
STRANGER = ROOT.glob("tests/emulated_cuda/example/*.py")  # a project as others have it
TESTS = sorted({ROOT / "conftest.py", *ROOT.glob("tests/**/*.py")} - {*SOURCES, *STRANGER})


@cache
def text_of(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file: of many nodes, among which no garbage is looked for."""
    with collections_paused(all_stay=True):
        return ast.parse(text_of(path), str(path))


def imported(tree: ast.Module) -> Iterator[str]:
    """The dotted names that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offered(source: Path) -> set[str]:
    """The names that a module re-exports, by ``import x as x``, or assigns, those under ``with`` and
    ``if TYPE_CHECKING`` among them: what is imported by its first use.
    """
    names = set()
    for statement in tree_of(source).body:
        for node in statement.body if isinstance(statement, ast.If | ast.With) else [statement]:
            match node:
                case ast.ImportFrom(names=aliases):
                    names |= {alias.name for alias in aliases if alias.asname == alias.name}
                case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                    names.add(name)
    return names


def offending(found: dict[Path, list[str]]) -> dict[str, list[str]]:
    """What was found, where anything was, by paths below the root."""
    return {str(path.relative_to(ROOT)): names for path, names in found.items() if names}
