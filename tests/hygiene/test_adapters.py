"""The adapters of other engines, and the engines of the guide, use what is public and nothing else of
`chainrules_py`, as anybody's can.
"""

import ast
import re
from pathlib import Path

import pytest

from source_trees import (
    ADAPTERS,
    PACKAGES,
    ROOT,
    SOURCES,
    imported,
    offending,
    offered,
    text_of,
    tree_of,
)

GUIDE = text_of(ROOT / "docs" / "engine_author.md")
PUBLIC = re.findall(r"^\* `(chainrules_py[\w.]*)`:", GUIDE, re.MULTILINE)


def source_of(module: str) -> Path:
    """The file of a module or a package."""
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


EXPORTED = {module: offered(source_of(module)) for module in PUBLIC}
OPEN = {*PUBLIC, *(f"{module}.{name}" for module in PUBLIC for name in EXPORTED[module])}
OURS = {package.name for package in PACKAGES}
OF_ADAPTERS = {f"chainrules_{name}" for name in ADAPTERS}


def sources_of(*packages: str) -> list[Path]:
    """The sources of packages of the project."""
    return [path for path in SOURCES if not {*packages}.isdisjoint(path.relative_to(ROOT).parts)]


def private_imports(tree: ast.Module, *open_packages: str) -> list[str]:
    """What a source imports of the project that is not public, wherever in it the import stands."""
    closed = OURS.difference(open_packages)
    return [
        name for name in imported(tree) if name.partition(".")[0] in closed and name not in OPEN
    ]


def test_the_guide_names_the_public_modules():
    assert {"chainrules_py", "chainrules_py.engines"} <= set(PUBLIC)
    assert {"rrule", "ZERO", "default_rules"} <= EXPORTED["chainrules_py"]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_adapters_import_what_is_public_and_each_other(adapter):
    sources, beside = sources_of(f"chainrules_{adapter}"), (*OF_ADAPTERS, "chainrules_array_api")
    assert sources
    assert offending({path: private_imports(tree_of(path), *beside) for path in sources}) == {}


def test_nothing_beneath_the_adapters_imports_one():
    others = OURS - OF_ADAPTERS
    beneath = sources_of("chainrules_py", "chainrules_array_api")
    assert offending({path: private_imports(tree_of(path), *others) for path in beneath}) == {}


def test_engines_of_the_guide_import_what_is_public():
    sources = sorted((ROOT / "examples" / "engines").glob("*.py"))
    assert len(sources) > 5
    others = OURS - {"chainrules_py"}
    assert offending({path: private_imports(tree_of(path), *others) for path in sources}) == {}
