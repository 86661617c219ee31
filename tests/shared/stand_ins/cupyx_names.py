"""The public names of the modules of `cupyx.scipy`, read from their sources, as most cannot be
imported without CUDA.
"""

import ast
from importlib.util import find_spec
from pathlib import Path


def names_of(module):
    """The public names of a module of `cupyx.scipy`: what it imports from others of CuPy's, a star
    for all that they define.
    """
    names = set()
    for node in ast.parse(Path(find_spec(f"cupyx.scipy.{module}").origin).read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("cupy"):
            starred = any(alias.name == "*" for alias in node.names)
            names |= (
                defined(node.module)
                if starred
                else {alias.asname or alias.name for alias in node.names}
            )
    return sorted(name for name in names if not name.startswith("_"))


def defined(module):
    """The functions and classes that a source defines."""
    parent, _, name = module.rpartition(".")
    tree = ast.parse((Path(find_spec(parent).origin).parent / f"{name}.py").read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
