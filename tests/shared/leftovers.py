"""What a scope leaves behind: all that the modules of packages hold is compared, by identity,
before and after.

``python leftovers.py [FOLDER ...] PACKAGE ...``, given folders where more packages are, prints for
each package, and for all of them together, how many entries there are, how many are different
inside, and which are different afterwards. Entries are those of modules, classes, dicts, lists,
tuples, objects' own dicts, closures and defaults, and the code of functions.
"""

import builtins
import importlib
import json
import pkgutil
import site
import sys
import warnings
from pathlib import Path
from types import FunctionType, MethodType, ModuleType

import numpy as np

import chainrules_py.rulesets.scipy as scipy_rules
from chainrules_tape import seen_through

DEEPEST = 40  # of objects inside objects: what is deeper is long enough


class Entries:
    """The entries of packages: for each path what is there, and the objects that were visited."""

    def __init__(self, packages):
        self.found, self.visited = {}, {}
        for name, module in sorted(sys.modules.items()):
            if name.partition(".")[0] in packages and issubclass(type(module), ModuleType):
                self.put((name, "class"), type(module), 0)
                self.items((name,), vars(module).items(), 0)
        self.put(("builtins", "import"), builtins.__import__, 0)
        self.put(("sys", "meta_path"), sys.meta_path, 0)

    def put(self, path, value, depth):
        self.found[path] = value
        if id(value) not in self.visited and depth < DEEPEST:
            self.visited[id(value)] = value
            self.visit(path, value, depth + 1)

    def items(self, path, items, depth):
        for key, value in list(items):
            if key not in ("__builtins__", "__loader__", "__spec__"):
                self.put(
                    (*path, key if isinstance(key, str | int) else f"key {id(key)}"), value, depth
                )

    def visit(self, path, value, depth):
        kind = type(value)
        if value is sys.modules or issubclass(kind, ModuleType | np.ufunc):
            return
        if kind is FunctionType:
            self.function(path, value, depth)
        elif issubclass(kind, type):
            self.items(path, vars(value).items(), depth)
        elif issubclass(kind, dict):
            self.items(path, dict.items(value), depth)
        elif issubclass(kind, list | tuple):
            self.items(
                path,
                enumerate(kind.__base__.__iter__(value) if kind not in (list, tuple) else value),
                depth,
            )
        elif kind in (staticmethod, classmethod, MethodType):
            self.put((*path, "function"), value.__func__, depth)
        elif kind is property:
            self.items(
                path, [("get", value.fget), ("set", value.fset), ("delete", value.fdel)], depth
            )
        else:
            self.instance(path, value, depth)

    def function(self, path, function, depth):
        self.items(
            path,
            [
                ("code", function.__code__),
                ("defaults", function.__defaults__),
                ("keyword defaults", function.__kwdefaults__),
                ("own", function.__dict__),
            ],
            depth,
        )
        for position, cell in enumerate(function.__closure__ or ()):
            try:
                self.put((*path, "cell", position), cell.cell_contents, depth)
            except ValueError:
                self.put((*path, "cell", position), None, depth)

    def instance(self, path, value, depth):
        try:
            held = object.__getattribute__(value, "__dict__")
        except Exception:
            return
        if type(held) is dict:
            self.items(path, held.items(), depth)


def differences(before, after):
    """The paths where something else is than before."""
    paths = [
        path
        for path, value in before.found.items()
        if path not in after.found or after.found[path] is not value
    ]
    return paths + [path for path in after.found if path not in before.found]


def comparison(packages):
    """The number of entries, how many differ while the packages are seen through, and where some
    differ afterwards.
    """
    before = Entries(packages)
    with seen_through(*packages):
        inside = Entries(packages)
    after = Entries(packages)
    return len(before.found), len(differences(before, inside)), differences(before, after)


def main(arguments):
    """Print the report; say whether something was left."""
    folders = [name for name in arguments if Path(name).is_dir()]
    packages = [name for name in arguments if name not in folders]
    for folder in folders:
        site.addsitedir(folder)
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20000)
    present = []
    for name in packages:
        try:
            importlib.import_module(name)
            present.append(name.partition(".")[0])
        except Exception as error:
            print(f"not imported: {name}: {error}", file=sys.stderr)
    for module in pkgutil.walk_packages(scipy_rules.__path__, f"{scipy_rules.__name__}."):
        # reading the rules calls functions of SciPy, some of which remember that
        importlib.import_module(module.name)
    report = {name: comparison([name]) for name in dict.fromkeys(present)}
    report["together"] = comparison(list(dict.fromkeys(present)))
    print(json.dumps(report))
    return any(left for _, _, left in report.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
