"""Frames, bytecode, reference counts and the garbage collector are asked in one package alone."""

import ast

from source_trees import ROOT, SOURCES, offending, tree_of

INTROSPECTION = ROOT / "chainrules_py" / "introspection"
FRAMES = ("_getframe", "currentframe", "getouterframes", "f_back", "f_locals")
PLACES = ("f_lasti", "tb_lasti", "co_positions")
BYTECODE = ("co_code", "_co_code_adaptive", "co_exceptiontable")
REFERENCES = ("getrefcount", "get_referrers", "get_referents")
ATTRIBUTES = frozenset((*FRAMES, *PLACES, *BYTECODE, *REFERENCES))
MODULES = frozenset({"dis", "opcode", "_opcode"})


def offences(tree):
    """What a source reads of the interpreter, by line."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
            found.append((node.lineno, node.attr))
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found += [(node.lineno, name) for name in names if name.partition(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names if alias.name in ATTRIBUTES]
            names += [node.module] if (node.module or "").partition(".")[0] in MODULES else []
            found += [(node.lineno, name) for name in names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            codes = [word.arg for word in node.keywords if (word.arg or "").startswith("co_")]
            found += [(node.lineno, f"replace({name}=)") for name in codes]
    return found


def test_one_package_asks():
    sources = [path for path in SOURCES if INTROSPECTION not in path.parents]
    assert offending({path: offences(tree_of(path)) for path in sources}) == {}
