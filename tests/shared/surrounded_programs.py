"""Programs that read one thing beside their arguments, and what happens to that between two calls.

`HELD` has what is read: an expression for an object H, an expression that computes with it, and how
the result of that is changed. `PLACES` has where a program may have the object from, as source in
which {held} is the first and {read} the second expression. Each pair makes a program.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np


class Held(NamedTuple):
    """An object, what is computed with it, and how that is set to another number."""

    held: str
    read: str
    change: Callable[[dict[str, Any], int], Any]


def run(text: str) -> Callable[[dict[str, Any], int], Any]:
    """A change by a statement in the module of the program, with a number `v`."""
    return lambda space, number: exec(text, {**space, "v": number})


def set_environment(space: dict[str, Any], number: int) -> None:
    """Set a variable of the process's environment."""
    os.environ["A_SCALE"] = str(number)


def write_file(space: dict[str, Any], number: int) -> None:
    """Write a file of so many characters; of 2 and fewer it is removed."""
    if number > 2:
        space["file"].write_text(number * "1")
    else:
        space["file"].unlink(missing_ok=True)


def set_limit(space: dict[str, Any], number: int) -> None:
    """Set the depth of recursion."""
    sys.setrecursionlimit(2000 + number)


def set_name(space: dict[str, Any], number: int) -> None:
    """Name the thread."""
    threading.current_thread().name = str(number)


def set_errors(space: dict[str, Any], number: int) -> None:
    """Set how NumPy reports that a number is too small, which does not happen here."""
    np.seterr(under="ignore" if number > 2 else "warn")


OUTSIDE = {
    "os": Held("os", "float(H.environ['A_SCALE'])", set_environment),
    "os.environ": Held("os.environ", "float(H['A_SCALE'])", set_environment),
    "os.getenv": Held("os.getenv", "float(H('A_SCALE'))", set_environment),
    "os.path.expandvars": Held("os.path.expandvars", "float(H('$A_SCALE'))", set_environment),
    "os.path": Held("os.path", "float(H.expandvars('$A_SCALE'))", set_environment),
    "os.path of os": Held("os", "float(H.path.expandvars('$A_SCALE'))", set_environment),
    "os.path.exists": Held("os.path.exists", "(2.0 if H(path) else 1.0)", write_file),
    "os.access": Held("os.access", "(2.0 if H(path, 0) else 1.0)", write_file),
    "sys": Held("sys", "H.getrecursionlimit()", set_limit),
    "sys.getrecursionlimit": Held("sys.getrecursionlimit", "H()", set_limit),
    "current_thread": Held("threading.current_thread", "float(H().name)", set_name),
    "threading": Held("threading", "float(H.current_thread().name)", set_name),
    "decimal": Held("decimal", "H.getcontext().prec", run("decimal.getcontext().prec = v")),
    "getcontext": Held("decimal.getcontext", "H().prec", run("decimal.getcontext().prec = v")),
    "numpy": Held("numpy", "len(H.geterr()['under'])", set_errors),
    "numpy.geterr": Held("numpy.geterr", "len(H()['under'])", set_errors),
}
INSIDE = {
    "number": Held("NUMBER", "H[0]", run("NUMBER[0] = float(v)")),
    "array": Held("ARRAY", "H[1]", run("ARRAY[1] = v")),
    "whole numbers": Held("WHOLE", "H[1]", run("WHOLE[1] = v")),
    "function": Held("function", "H(2.0)", run("NUMBER[0] = float(v)")),
    "object": Held("point", "H.scale", run("point.scale = v")),
    "class": Held("Point", "H.shared", run("Point.shared = v")),
    "row": Held("ROWS[0]", "float(H['a'])", run("ROWS['a'] = v")),
}
HELD = {**OUTSIDE, **INSIDE}
MODULE = """
import collections, contextlib, dataclasses, decimal, functools, os, sys, threading, types
import numpy
import numpy as np

NUMBER, ARRAY, WHOLE = [2.0], np.array([1.0, 2.0]), np.array([1, 2])
ROWS = np.zeros(2, [("a", float)])
ROWS["a"] = 2.0

def function(x): return x * NUMBER[0]

class Point:
    shared = 2
    def __init__(self): self.scale = 2

point = Point()

class Holder: pass

@contextlib.contextmanager
def scope():
    yield
"""
RETURN = "\n    return np.sum(np.sin(x)) * {read}\n"
BODY = "def f(x):\n    H = {of}" + RETURN
PLACES = {
    "global": "H = {held}\ndef f(x):" + RETURN,
    "default": "def f(x, H={held}):" + RETURN,
    "default by its name": "def f(x, *, H={held}):" + RETURN,
    "variable": "def make(H):\n    def f(x): return np.sum(np.sin(x)) * {read}\n    return f\n"
    "f = make({held})",
    "variable in a list": "def make(L):\n    def f(x):\n        H = L[0]\n"
    "        return np.sum(np.sin(x)) * {read}\n    return f\nf = make([{held}])",
    "dict": "D = dict(h={held})\n" + BODY.replace("{of}", "D['h']"),
    "list": "L = [{held}]\n" + BODY.replace("{of}", "L[0]"),
    "tuples": "L = (1, ({held},))\n" + BODY.replace("{of}", "L[1][0]"),
    "named tuple": "P = collections.namedtuple('P', 'h')\np = P({held})\n"
    + BODY.replace("{of}", "p.h"),
    "attribute": "c = Holder()\nc.h = {held}\n" + BODY.replace("{of}", "c.h"),
    "attribute by getattr": "c = Holder()\nc.h = {held}\n"
    + BODY.replace("{of}", "getattr(c, 'h')"),
    "attribute of a class": "class C: h = ({held},)\n" + BODY.replace("{of}", "C.h[0]"),
    "slot": "class C: __slots__ = ('h',)\nc = C()\nc.h = {held}\n" + BODY.replace("{of}", "c.h"),
    "attribute of a function": "def g(): pass\ng.h = {held}\n" + BODY.replace("{of}", "g.h"),
    "attribute of a module": "m = types.ModuleType('users_m')\nm.h = {held}\n"
    + BODY.replace("{of}", "m.h"),
    "namespace": "m = types.SimpleNamespace(h={held})\n" + BODY.replace("{of}", "m.h"),
    "static method": "class C:\n    @staticmethod\n    def g(H={held}): return {read}\n"
    "def f(x): return np.sum(np.sin(x)) * C.g()",
    "method": "H = {held}\nclass C:\n    def g(self): return {read}\nc = C()\n"
    "def f(x): return np.sum(np.sin(x)) * c.g()",
    "property": "H = {held}\nclass C:\n    @property\n    def g(self): return {read}\nc = C()\n"
    "def f(x): return np.sum(np.sin(x)) * c.g",
    "partial": "def g(H): return {read}\nh = functools.partial(g, {held})\n"
    "def f(x): return np.sum(np.sin(x)) * h()",
    "option of a partial": "def g(H=None): return {read}\nh = functools.partial(g, H={held})\n"
    "def f(x): return np.sum(np.sin(x)) * h()",
    "dataclass": "@dataclasses.dataclass\nclass C:\n    h: object\nc = C({held})\n"
    + BODY.replace("{of}", "c.h"),
    "argument of a lambda": "def f(x): return np.sum(np.sin(x)) * (lambda H: {read})({held})",
    "two error states": "H = {held}\n@np.errstate(over='ignore')\n@np.errstate(all='ignore')\n"
    "def f(x):" + RETURN,
    "three scopes": "@scope()\n@scope()\n@scope()\ndef f(x, H={held}):" + RETURN,
    "wrapped twice": "H = {held}\ndef g(x):" + RETURN + "@functools.wraps(g)\n"
    "def f(*args): return g(*args)\nf = scope()(f)",
    "vectorized": "H = {held}\nv = np.vectorize(lambda y: y * {read}, otypes=[float])\n"
    "def f(x): return np.sum(np.sin(x)) * v(1.0)",
    "global by a computed name": "H = {held}\ndef f(x): return (lambda H: np.sum(np.sin(x)) *"
    " {read})(globals()['h'.upper()])",
    "behind a cache": "H = {held}\n@functools.lru_cache\ndef g(a): return {read}\n"
    "def f(x): return np.sum(np.sin(x)) * g.__wrapped__(1)",
}
IMPORTED = {
    "import": "def f(x):\n    {imported}" + RETURN,
    "import in a helper": "def g():\n    {imported}\n    return {read}\n"
    "def f(x): return np.sum(np.sin(x)) * g()",
    "import in a method": "class C:\n    def g(self):\n        {imported}\n        return {read}\n"
    "c = C()\ndef f(x): return np.sum(np.sin(x)) * c.g()",
    "import in an inner function": "def f(x):\n    def g():\n        {imported}\n"
    "        return {read}\n    return np.sum(np.sin(x)) * g()",
    "importlib": "def f(x):\n    import importlib\n    H = importlib.import_module({home}){rest}"
    + RETURN,
    "__import__": "def f(x):\n    H = __import__({home}){rest}" + RETURN,
    "sys.modules": "def f(x):\n    import sys\n    H = sys.modules[{home}]{rest}" + RETURN,
}


def programs() -> Iterator[tuple[str, str]]:
    """All pairs of a place and of what is held there."""
    for place in PLACES:
        for held in HELD:
            yield place, held
    for place in IMPORTED:
        for held in OUTSIDE:
            yield place, held


def source_of(place: str, held: str) -> str:
    """The source of a program: a module with a function `f` of an array."""
    what = HELD[held]
    home, _, name = what.held.rpartition(".")
    root, _, rest = what.held.partition(".")
    names = {
        "held": what.held,
        "read": what.read,
        "imported": f"from {home} import {name} as H" if home else f"import {name} as H",
        "home": repr(root),
        "rest": f".{rest}" if rest else "",
    }
    return MODULE + {**PLACES, **IMPORTED}[place].format(**names)
