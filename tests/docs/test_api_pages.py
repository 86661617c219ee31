"""Every public name of the public packages is on a page of the API, and every name on these pages
is public.
"""

import re
from pathlib import Path

import pytest

from source_trees import ROOT, offered

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
    """The names of a package that are for its users."""
    return offered(package / "__init__.py") - FOR_THEIR_EFFECT


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
