"""Test files say what they hold, import no other test file, leave the path on which Python finds
modules alone, and are not skipped where a module of this repository is missing.
"""

import ast

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
