"""Names and first lines of docstrings mean something alone: in a traceback, in a search, in a
hover.
"""

import ast
import re
import subprocess

from source_trees import ROOT, SOURCES, offending, text_of, tree_of

RIDDLES = ("The same", "Ask", "As above", "As before")
METAPHOR = re.compile(r"(?<![a-z])doo[r]s?(?![a-z])", re.IGNORECASE)
DEFINITIONS = ast.Module | ast.ClassDef | ast.FunctionDef


def definitions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, DEFINITIONS)]


def riddles(tree):
    """The definitions whose docstring can be understood only next to another one."""
    documented = [(node, ast.get_docstring(node) or "") for node in definitions(tree)]
    return [
        getattr(node, "name", "module")
        for node, text in documented
        if re.match(rf"({'|'.join(RIDDLES)})\b", text)
    ]


def own_statements(function):
    """All nodes inside a function that do not belong to a function or class inside it."""
    pending, found = list(function.body), []
    while pending:
        node = pending.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return found


def always_raises(function):
    """Whether a function says that it never returns, or ends with `raise` and has no way out
    before.
    """
    if function.returns is not None and ast.unparse(function.returns).endswith(
        ("NoReturn", "Never")
    ):
        return True
    leaves = any(
        isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)
        for node in own_statements(function)
    )
    return isinstance(function.body[-1], ast.Raise) and not leaves


def is_abstract(function):
    return isinstance(function.body[-1], ast.Raise) and "NotImplementedError" in ast.unparse(
        function.body[-1]
    )


def prescribed_names(trees):
    """The names of methods that some class implements without raising: an interface prescribes
    them.
    """
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    methods = [node for cls in classes for node in cls.body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in methods if not always_raises(node) or is_abstract(node)}


def silent_raisers(tree, prescribed):
    """The functions that always raise and do not say so; names that an interface prescribes are not
    theirs to choose.
    """
    methods = {node for cls in ast.walk(tree) if isinstance(cls, ast.ClassDef) for node in cls.body}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    mute = [
        node
        for node in functions
        if always_raises(node) and not node.name.lstrip("_").startswith(("raise_", "refuse_"))
    ]
    bound = [
        node
        for node in mute
        if node in methods and (node.name in prescribed or node.name.startswith("__"))
    ]
    return [node.name for node in mute if not is_abstract(node) and node not in bound]


def misnamed_errors(tree):
    """The functions that are called like those that raise, and return an error for somebody else to
    raise.
    """
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.returns is not None
    ]
    named = [node for node in functions if node.name.lstrip("_").startswith(("raise_", "refuse_"))]
    return [node.name for node in named if ast.unparse(node.returns).endswith("Error")]


def places(find):
    """What is found in each source, by its path."""
    return offending({path: find(tree_of(path)) for path in SOURCES})


def test_no_docstring_needs_another_one():
    assert places(riddles) == {}


def test_functions_that_always_raise_say_so():
    prescribed = prescribed_names(map(tree_of, SOURCES))
    assert places(lambda tree: silent_raisers(tree, prescribed)) == {}


def test_functions_that_return_an_error_do_not_say_that_they_raise_it():
    assert places(misnamed_errors) == {}


def test_interfaces_have_words_of_the_field():
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.md"], cwd=ROOT, capture_output=True, text=True
    )
    texts = [ROOT / name for name in listed.stdout.split()] or SOURCES
    assert (
        offending({path: METAPHOR.findall(text_of(path)) for path in texts if path.exists()}) == {}
    )
