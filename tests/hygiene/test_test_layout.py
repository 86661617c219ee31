"""Test files say what they hold, import no other test file, leave the path on which Python finds
modules alone, and are not skipped where a module of this repository is missing.
"""

import ast

import pytest

from source_trees import PACKAGES, ROOT, TESTS, text_of, tree_of

FEWEST_WORDS = 5  # of a sentence that says more than the name of the file
OURS = {
    "benchmarks",
    *(package.name for package in PACKAGES),
    *(path.stem for path in ROOT.glob("tests/shared/*")),
}


def statements_that(offend, word, files=TESTS):
    """The places of statements about which a function of the tree's nodes is true, as `file:line`, in
    the files that have a word.
    """
    return [
        f"{path}:{node.lineno}"
        for path in files
        if word in text_of(path)
        for node in ast.walk(tree_of(path))
        if offend(node)
    ]


def imports_a_test(node):
    """Whether a statement imports a test file, a `conftest`, or anything by the folder of the
    tests.
    """
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
    if "autograd.test_util" in names:
        return False  # a module of that library
    return any(
        part.startswith("test_") or part in ("conftest", "tests")
        for part in ".".join(names).split(".")
    )


def changes_the_path(node):
    """Whether a statement assigns to `sys.path` or a part of it, or calls one of its methods.

    Reading it changes nothing.
    """
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and is_the_path(node.func.value)
    targets = (
        node.targets
        if isinstance(node, ast.Assign | ast.Delete)
        else [getattr(node, "target", None)]
    )
    return any(is_the_path(part) for target in targets if target for part in ast.walk(target))


def is_the_path(node):
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path"


def skips_without_ours(node):
    """Whether `pytest.importorskip` is called with a module of this repository: if that were
    renamed, the tests would be skipped, and nobody would notice.
    """
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "pytest.importorskip":
        return False
    name = node.args[0]
    return isinstance(name, ast.Constant) and name.value.partition(".")[0] in OURS


def is_a_sentence(docstring):
    """Whether a docstring begins with a sentence that has words enough to be understood alone."""
    line = (docstring or "").partition("\n\n")[0].strip()
    return (
        line.endswith(".") and len(line.split()) >= FEWEST_WORDS and not line.startswith("The same")
    )


def test_no_test_file_imports_another_one():
    assert statements_that(imports_a_test, "import") == []


def test_no_test_file_changes_the_path():
    assert statements_that(changes_the_path, "sys.path") == []
    assert "PYTHONPATH" not in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_no_test_is_skipped_without_a_module_of_ours():
    assert statements_that(skips_without_ours, "importorskip") == []


def test_each_file_begins_with_a_sentence():
    docstrings = {path: ast.get_docstring(tree_of(path)) for path in TESTS}
    assert [
        str(path) for path, docstring in docstrings.items() if not is_a_sentence(docstring)
    ] == []


OFFENCES = {
    "a test file": (imports_a_test, "import test_masks"),
    "what a test file has": (imports_a_test, "from test_masks import X"),
    "a test file of a folder": (imports_a_test, "from makers import test_scalar"),
    "a test file by the root": (imports_a_test, "import tests.makers.test_scalar"),
    "a conftest": (imports_a_test, "from conftest import reason_without_gpu"),
    "a new first folder": (changes_the_path, "sys.path.insert(0, 'tests')"),
    "a new last folder": (changes_the_path, "sys.path += ['tests']"),
    "another path": (changes_the_path, "sys.path = []"),
    "a part of the path": (changes_the_path, "sys.path[:1] = []"),
    "a folder less": (changes_the_path, "del sys.path[0]"),
    "a skip without a package of ours": (
        skips_without_ours,
        "pytest.importorskip('chainrules_tape.scipy')",
    ),
    "a skip without what tests share": (
        skips_without_ours,
        "calls = pytest.importorskip('stand_ins.jax_calls')",
    ),
}
ALLOWED = {
    "a package of tests": (imports_a_test, "from stand_ins.fields import X"),
    "a package of ours": (imports_a_test, "import chainrules_py.testing"),
    "a skip without another library": (skips_without_ours, "pytest.importorskip('scipy.stats')"),
    "a skip without a library by name": (skips_without_ours, "pytest.importorskip(library)"),
    "reading the path": (changes_the_path, "before = list(sys.path)"),
    "a program for another process": (
        changes_the_path,
        "program = 'import sys; sys.path.insert(0, folder)'",
    ),
}


@pytest.mark.parametrize("name", [*OFFENCES, *ALLOWED])
def test_offences_are_noticed_and_nothing_else(name, tmp_path):
    offend, statement = (OFFENCES | ALLOWED)[name]
    file = tmp_path / "some_file.py"
    file.write_text(f"import sys\n{statement}\n")
    assert statements_that(offend, "import", [file]) == ([f"{file}:2"] if name in OFFENCES else [])


@pytest.mark.parametrize(
    "docstring", [None, "Indexing.", "No full stop at the end", "The same for complex numbers."]
)
def test_what_is_no_sentence_is_noticed(docstring):
    assert not is_a_sentence(docstring)
