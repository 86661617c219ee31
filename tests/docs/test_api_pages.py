"""Every public name of the public packages is on a page of the API, and every name on these pages
is public.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "api").glob("*.md"))]
FOLDERS = {path.name: path for path in (ROOT / "backends").glob("chainrules_*")}
FOLDERS |= {"chainrules_py": ROOT / "chainrules_py"} | {
    f"chainrules_py.{name}": ROOT / "chainrules_py" / name for name in ("engines", "testing")
}
FOLDERS["chainrules_tape.autograd"] = FOLDERS["chainrules_tape"] / "autograd"
FOR_THEIR_EFFECT = {
    "aliases",
    "behaviour",
    "common_rules",
    "device_step",
    "handles",
    "namespace",
    "standard",
}
FOR_THEIR_EFFECT |= {"__version__"}
FOR_THEIR_EFFECT |= {"MODULES", "numpy", "scipy"}
FOR_THEIR_EFFECT |= {"dict", "isinstance", "list", "tuple", "type"}  # in autograd: Python's own


def public(package: Path) -> set[str]:
    """The names that an `__init__` re-exports, by ``import x as x``, or assigns."""
    names = set()
    for node in statements(ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body):
        match node:
            case ast.ImportFrom(names=aliases):
                names |= {alias.name for alias in aliases if alias.asname == alias.name}
            case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                names.add(name)
    return names - FOR_THEIR_EFFECT


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under ``with`` and ``if TYPE_CHECKING`` among them: what is imported at
    its first use.
    """
    for node in body:
        yield from node.body if isinstance(node, ast.If | ast.With) else [node]


def on_pages() -> dict[str, set[str]]:
    """The names on the pages, by package."""
    found: dict[str, set[str]] = {}
    module = ""
    for kind, name in re.findall(r"\.\. (currentmodule|auto\w+):: (\S+)", "\n".join(PAGES)):
        if kind == "currentmodule":
            module = name
        else:
            found.setdefault(module, set()).add(name)
    return found


@pytest.mark.parametrize("package", FOLDERS)
def test_every_public_name_has_a_place(package):
    assert on_pages().get(package, set()) == public(FOLDERS[package])


def test_names_are_found_in_the_sources():
    names = public(FOLDERS["chainrules_py"])
    assert {"rrule", "scalar_rule", "ZERO", "explain"} <= names
    assert "grad" in public(FOLDERS["chainrules_tape"])
