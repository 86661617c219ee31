"""Frames, bytecode, reference counts and the garbage collector are asked in one package alone."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTROSPECTION = ROOT / "chainrules_py" / "introspection"
SOURCES = sorted(
    path
    for folder in ("chainrules_py", "backends")
    for path in (ROOT / folder).rglob("*.py")
    if INTROSPECTION not in path.parents
)
ATTRIBUTES = frozenset(
    {
        *(
            "_getframe",
            "currentframe",
            "getouterframes",
            "f_back",
            "f_locals",
            "f_lasti",
            "tb_lasti",
        ),
        *("co_code", "_co_code_adaptive", "co_positions", "co_exceptiontable"),
        *("getrefcount", "get_referrers", "get_referents"),
    }
)
MODULES = frozenset({"dis", "opcode", "_opcode"})


def offences(source):
    """What a source reads of the interpreter, by line."""
    found = []
    for node in ast.walk(ast.parse(source)):
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
    found = {
        str(path.relative_to(ROOT)): offences(path.read_text(encoding="utf-8")) for path in SOURCES
    }
    assert {path: each for path, each in found.items() if each} == {}


@pytest.mark.parametrize(
    "planted",
    [
        "import sys\nframe = sys._getframe(1)",
        "from sys import _getframe",
        "import inspect\nframe = inspect.currentframe()",
        "caller = frame.f_back",
        "values = frame.f_locals.values()",
        "at = frame.f_lasti",
        "import dis",
        "from opcode import opmap",
        "units = code.co_code",
        "code = code.replace(co_consts=())",
        "import sys\ncount = sys.getrefcount(x)",
        "from gc import get_referrers",
    ],
)
def test_a_planted_offence_is_found(planted):
    assert offences(planted)


def test_what_a_message_names_is_no_offence():
    assert not offences(
        "place = f'{frame.f_code.co_filename}:{frame.f_lineno}'\nx = y.replace(a=1)"
    )
