"""The adapters of other engines, and the engines of the guide, use what is public and nothing else of
`chainrules_py`, as anybody's can.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from source_trees import ADAPTERS, ROOT, offending, text_of, tree_of

GUIDE = text_of(ROOT / "docs" / "engine_author.md")
PUBLIC = re.findall(r"^\* `(chainrules_py[\w.]*)`:", GUIDE, re.MULTILINE)


def exported(module: str) -> set[str]:
    """The names that a module re-exports or defines for others."""
    path = ROOT.joinpath(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    names = set()
    for node in statements(tree_of(source).body):
        match node:
            case ast.ImportFrom(names=aliases):
                names |= {alias.name for alias in aliases if alias.asname == alias.name}
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
    return names


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, with those under ``if TYPE_CHECKING``: names that are imported by
    their first use.
    """
    for node in body:
        yield from node.body if isinstance(node, ast.If | ast.With) else [node]


EXPORTED = {module: exported(module) for module in PUBLIC}


def private_imports(tree: ast.Module) -> Iterator[str]:
    """What a source imports of `chainrules_py` that is not public, wherever in it the import
    stands.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (
                alias.name
                for alias in node.names
                if alias.name.partition(".")[0] == "chainrules_py"
            )
        elif (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] == "chainrules_py"
        ):
            names = EXPORTED.get(node.module or "", set())
            yield from (
                f"{node.module}.{alias.name}" for alias in node.names if alias.name not in names
            )


def test_the_guide_names_the_public_modules():
    assert {"chainrules_py", "chainrules_py.engines"} <= set(PUBLIC)
    assert {"rrule", "ZERO", "default_rules"} <= EXPORTED["chainrules_py"]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_adapters_import_what_is_public(adapter):
    sources = sorted((ROOT / "backends" / f"chainrules_{adapter}").rglob("*.py"))
    assert offending({path: [*private_imports(tree_of(path))] for path in sources}) == {}


def test_engines_of_the_guide_import_what_is_public():
    sources = sorted((ROOT / "examples" / "engines").glob("*.py"))
    assert len(sources) > 5
    assert offending({path: [*private_imports(tree_of(path))] for path in sources}) == {}


@pytest.mark.parametrize(
    "line",
    [
        "import chainrules_py.table.registry",
        "from chainrules_py.table.registry import RuleTable",
        "from chainrules_py import registry",
        "def f():\n    from chainrules_py.engines.flat_calls import FlatCall",
    ],
)
def test_what_is_private_is_found(line):
    assert [*private_imports(ast.parse(line))]
    allowed = "from chainrules_py import RuleTable\nimport chainrules_python"
    assert not [*private_imports(ast.parse(allowed))]
