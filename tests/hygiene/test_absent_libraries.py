"""Tests of what is not installed are skipped: folders that are not even collected without a library
say so, once each, and other files ask for an engine before they import it.
"""

import ast
from importlib.util import find_spec

import pytest

from source_trees import ADAPTERS, ROOT, TESTS, tree_of

# Libraries that the group `test` does not bring.
ENGINES = {"array_api_strict", "cupy", *ADAPTERS}
FOLDERS = [
    ("asv", "tests/benchmarks", "bench"),
    ("cupy", "tests/chainrules_cupy", "cupy"),
    ("array_api_strict", "tests/chainrules_array_api", "standard"),
    ("jax", "backends/chainrules_jax", "jax"),
    *((name, f"tests/chainrules_{name}", name) for name in ADAPTERS),
    ("scipy", "tests/chainrules_py/rulesets/scipy", "scipy"),
    ("scipy", "tests/chainrules_tape/scipy", "scipy"),
    ("scipy", "tests/numerics/scipy", "scipy"),
]


@pytest.mark.parametrize(("library", "folder", "extra"), FOLDERS, ids=[row[1] for row in FOLDERS])
def test_what_needs_a_library_is_collected_with_it(library, folder, extra):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed (extra: {extra}): {folder} is not collected")
    assert any((ROOT / folder).rglob("*.py"))


def unasked_engines(path):
    """The engines that a file imports at its top before it asks for them by `importorskip`, and those
    that modules shared by tests import for it.
    """
    asked = set()
    unasked = []
    for statement in tree_of(path).body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.importorskip":
                asked.add(str(getattr(node.args[0], "value", None)).partition(".")[0])
        names = [getattr(statement, "module", None) or ""]
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        engines = {name.partition(".")[0] for name in names} & ENGINES
        for name in names:
            shared = ROOT / "tests" / "shared" / f"{name.replace('.', '/')}.py"
            engines |= {*unasked_engines(shared)} if shared.exists() else set()
        unasked += sorted(engines - asked)
    return unasked


def test_no_test_imports_an_engine_before_it_asks_for_it():
    folders = {ROOT / folder for _, folder, _ in FOLDERS}
    tests = [path for path in TESTS if path.name.startswith("test_")]
    elsewhere = [path for path in tests if folders.isdisjoint(path.parents)]
    unasked = {str(path): unasked_engines(path) for path in elsewhere}
    assert {path: engines for path, engines in unasked.items() if engines} == {}
