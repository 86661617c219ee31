"""Which tests notice a change of the sources: one change each, in a copy, run by several sets of tests.

    python tests/shared/mutants.py backends/chainrules_tape/in_place --count 20 \\
        --by "tests/product" --by "tests/in_place/test_random_programs.py"

A change turns a comparison, a condition or an operator, moves a number by one, or leaves out a call
whose result nobody reads. Of each it is printed which sets of tests failed, and at the end how many
each set noticed. Before a file of tests goes, what it alone notices becomes a row of the tables in
`product`.
"""

import argparse
import ast
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("chainrules_py", "backends")
OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def places(tree: ast.AST) -> Iterator[ast.AST]:
    """What may be changed in the functions of a module."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in (found for statement in function.body for found in ast.walk(statement)):
                if is_changeable(node):
                    yield node


def is_changeable(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[op]) | ast.BinOp(op=op) | ast.BoolOp(op=op):
            return type(op) in OPPOSITE
        case ast.If() | ast.IfExp():
            return True
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Expr(value=ast.Call()):
            return True
    return False


def change(node: ast.AST) -> None:
    """Change one place of a tree."""
    match node:
        case ast.Compare(ops=[op]):
            node.ops = [OPPOSITE[type(op)]()]
        case ast.BinOp(op=op) | ast.BoolOp(op=op):
            node.op = OPPOSITE[type(op)]()
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant():
            node.value += 1
        case ast.Expr():
            node.value = ast.Constant(None)


def mutant(path: Path, chosen: random.Random) -> tuple[str, str]:
    """A changed text of a module, and what was changed."""
    tree = ast.parse(path.read_text())
    node = chosen.choice([*places(tree)])
    before = ast.unparse(node).splitlines()[0]
    change(node)
    ast.fix_missing_locations(tree)
    after = ast.unparse(node).splitlines()[0]
    return ast.unparse(tree), f"{path.relative_to(ROOT)}:{node.lineno}: {before}  ->  {after}"


def is_noticed(copy: Path, tests: str, seconds: int) -> bool:
    """Whether some tests fail, or do not end, on the copy."""
    paths = os.pathsep.join([str(copy), str(copy / "backends")])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    call = [
        str(Path(sys.executable).with_name("pytest")),
        "-x",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
    ]
    try:
        ended = subprocess.run(
            [*call, *shlex.split(tests)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--by", action="append", required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=600)
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    files = sorted(
        path.resolve()
        for source in options.sources
        for path in (source.rglob("*.py") if source.is_dir() else [source])
        if any(places(ast.parse(path.read_text())))
    )
    weights = [len([*places(ast.parse(path.read_text()))]) for path in files]
    noticed = dict.fromkeys(options.by, 0)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in SOURCES:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for tests in options.by:
            assert not is_noticed(copy, tests, options.seconds), f"fail without a change: {tests}"
        for _ in range(options.count):
            (path,) = chosen.choices(files, weights)
            text, said = mutant(path, chosen)
            target = copy / path.relative_to(ROOT)
            whole = target.read_text()
            target.write_text(text)
            found = [is_noticed(copy, tests, options.seconds) for tests in options.by]
            target.write_text(whole)
            for tests, failed in zip(options.by, found, strict=True):
                noticed[tests] += failed
            print(" ".join("x" if failed else "." for failed in found), said, flush=True)
    for tests, number in noticed.items():
        print(f"{number} of {options.count} noticed by {tests}")


if __name__ == "__main__":
    main()
