"""A program is compiled, one thing that it reads is changed, and the next call shows that.

Each case is a user's module with a function `f`, and what is run in it then. One that a compiled
program cannot cover may run on the tape: its result is the function's own in each case.
"""

import builtins
import contextlib
import datetime
import decimal
import functools
import gc
import operator
import sys
import types

import numpy as np
import pytest

from chainrules_programs.compiling import kinds_of_values, places, surroundings
from chainrules_tape import compiled, grad
from planted_faults import faults_of, planted

X = np.array([0.5, -1.0, 2.0])
POINT = """
from typing import NamedTuple
import dataclasses

S = 2.0

class Point(NamedTuple):
    a: float
    def value(self, x): return np.sum(self.a * x * S)

@dataclasses.dataclass
class Data:
    a: float
    def value(self, x): return np.sum(self.a * x * S)

"""
CLASS = "class C:\n    s = 2.0\nc = C()\n"
ABSENT = """
def f(x):
    try:
        return np.sum(x) * c.s
    except AttributeError:
        return np.sum(x)
"""
ENUM = """
import enum

class Mode(enum.Enum):
    A = [1.0]
    def scale(self): return S

S, mode = 2.0, Mode.A
"""
CHOSEN = """
import functools

S = 2.0

@functools.singledispatch
def g(x): return 1.0

@g.register(str)
def of_text(x): return S

class C:
    @functools.singledispatchmethod
    def g(self, x): return 1.0
    @g.register(str)
    def of_text(self, x): return S

c = C()
"""
ARRAYS = """
class OfUfuncs:
    __module__ = "numpy"
    def __init__(self): self.hidden = bytearray([1, 1, 1])
    def __array_ufunc__(self, ufunc, method, x):
        return getattr(ufunc, method)(np.array(list(self.hidden), float))

class OfFunctions:
    __module__ = "numpy"
    def __init__(self): self.hidden = bytearray([1, 1, 1])
    def __array_function__(self, function, types, args, options): return float(sum(self.hidden))
"""
CHANGED = "c.hidden[0] = 5"
MOST = "def f(x): return np.sum(x) * "
TWICE = "B = A\ndef f(x): return np.sum(A * x) + np.sum(B * x * x)"
FORTRAN = "A = np.asfortranarray(np.arange(16.0).reshape(4, 4))\n"
STEPPED = "A = np.arange(64.0).reshape(8, 8)[::2, ::2]"
FILLED = """
S = 2.0

class Registry(dict):
    active = "one"
    def __init__(self, *args):
        super().__init__(*args)
        self.by = 1.5
    def __getitem__(self, key):
        found = super().__getitem__(key)
        return found(S) if callable(found) else found
    def value(self, x): return np.sum(x * self[self.active]) * self.by * len(self)

class Rows(list):
    def value(self, x): return sum(np.sum(x * each) for each in self)

def double(s): return 2.0 * s

held = Registry({"one": 3.0, "two": np.ones(3), "three": double, "four": [2.0]})
rows = Rows([np.ones(3), 2.0, Registry({"one": 3.0})])
"""
REGISTRY = FILLED + "def f(x): return held.value(x)"
ROWS = (
    FILLED
    + "def f(x): return rows.value(x) if len(rows) < 3 else np.sum(x * rows[0]) * rows[2]['one']"
)
CASES = {
    "item of a user's dict": (REGISTRY, "held['one'] = 5.0"),
    "array in a user's dict": (
        REGISTRY + "\nheld.active = 'two'",
        "dict.__getitem__(held, 'two')[0] = 5.0",
    ),
    "function in a user's dict": (REGISTRY + "\nheld.active = 'three'", "S = 5.0"),
    "attribute of a user's dict": (REGISTRY, "held.by = 5.0"),
    "class attribute of a user's dict": (REGISTRY, "Registry.active = 'two'"),
    "method of a user's dict": (REGISTRY, "Registry.__getitem__ = lambda self, key: 7.0"),
    "length of a user's dict": (REGISTRY, "held['five'] = 1.0"),
    "keys of a user's dict": (
        FILLED + "def f(x): return np.sum(x) * (2.0 if list(held)[0] == 'one' else 3.0)",
        "held['one'] = held.pop('one')",
    ),
    "item of a user's list": (ROWS, "rows[0] = 5.0"),
    "array in a user's list": (ROWS, "rows[0][:2] = 5.0"),
    "order of a user's list": (ROWS, "rows[0] = rows[1]"),
    "user's dict in a user's list": (ROWS, "dict.__setitem__(rows[2], 'one', 7.0)"),
    "class of a user's dict": (
        REGISTRY,
        "class Other(Registry): by = 3.0\nheld = Other(held)\nheld.by = 9.0",
    ),
    "one array under two names": (f"A = np.ones(3)\n{TWICE}", "B = np.array([5.0, 6.0, 7.0])"),
    "the first of two names": (f"A = np.ones(3)\n{TWICE}", "A = np.array([5.0, 6.0, 7.0])"),
    "strides": (FORTRAN + MOST + "A.strides[0]", STEPPED),
    "flags": (FORTRAN + MOST + "(2 if A.flags.f_contiguous else 3)", STEPPED),
    "type of an array": ("A = np.ones(3)\ndef f(x): return A * 2", "A = np.ones(3, np.float32)"),
    "class of an array": (
        "class Five(np.ndarray):\n    def __len__(self): return 5\nA = np.ones(3)\n"
        + MOST
        + "len(A)",
        "A = np.ones(3).view(Five)",
    ),
    "shape of an array": ("A = np.ones(3)\ndef f(x): return np.sum(x) / A.size", "A = np.ones(4)"),
    "method of a named tuple": (POINT + "p = Point(3.0)\ndef f(x): return p.value(x)", "S = 5.0"),
    "class of a named tuple": (
        POINT + "p = Point(3.0)\ndef f(x): return p.value(x)",
        "Point.value = lambda self, x: np.sum(x)",
    ),
    "global of an enumeration": (ENUM + MOST + "mode.scale()", "S = 5.0"),
    "attribute of an enumeration": (ENUM + "mode.s = 2.0\n" + MOST + "mode.s", "mode.s = 5.0"),
    "value of an enumeration": (ENUM + MOST + "mode.value[0]", "mode.value[0] = 5.0"),
    "attribute of a number": (
        "class C(float): pass\nc = C(3.0)\nc.s = 2.0\n" + MOST + "c.s",
        "c.s = 5.0",
    ),
    "metaclass": (
        "class Meta(type):\n"
        "    @property\n"
        "    def scale(cls): return S\n"
        "class C(metaclass=Meta): pass\n"
        "S = 2.0\n" + MOST + "C.scale",
        "S = 5.0",
    ),
    "class attribute of a base": (
        CLASS + "class D(C): pass\nd = D()\n" + MOST + "d.s",
        "C.s = 5.0",
    ),
    "subclass that is added": (
        "class A: pass\nclass B(A): pass\n" + MOST + "len(A.__subclasses__())",
        "class C(A): pass",
    ),
    "name that is added to the builtins": (
        (
            "def f(x):\n    try: return np.sum(x) * a_scale_of_yours\n"
            "    except NameError: return np.sum(x)"
        ),
        "builtins.a_scale_of_yours = 5.0",
    ),
    "clock of a date": (
        "class Date(datetime.date):\n    @classmethod\n    def today(cls): return TODAY\n"
        "TODAY = Date(2020, 1, 2)\nD = [Date]\n" + MOST + "D[0].today().day",
        "TODAY = Date(2020, 1, 5)",
    ),
    "method of a base": (
        "class A:\n    def g(self): return 2.0\n"
        "class B(A):\n    def g(self): return super().g()\n"
        "b = B()\n" + MOST + "b.g()",
        "A.g = lambda self: 5.0",
    ),
    "bases": (
        "class Z: pass\nclass A(Z): s = 2.0\nclass A2(Z): s = 5.0\nclass B(A): pass\nb = B()\n"
        + MOST
        + "b.s",
        "B.__bases__ = (A2,)",
    ),
    "further base": (
        "class A: pass\nclass C(A): pass\nclass D: s = 5.0\nc = C()\n" + ABSENT,
        "C.__bases__ = (A, D)",
    ),
    "class of an object": (CLASS + "class D: s = 5.0\n" + MOST + "c.s", "c.__class__ = D"),
    "class attribute that is hidden": (CLASS + MOST + "c.s", "c.s = 5.0"),
    "name with two underscores": (
        "class C: __scale__ = 2.0\nc = C()\n" + MOST + "c.__scale__",
        "C.__scale__ = 5.0",
    ),
    "item of a class": (
        "S = 2.0\nclass C:\n    def __class_getitem__(cls, k): return S * k\n" + MOST + "C[2]",
        "S = 5.0",
    ),
    "property": (
        "S = 2.0\nclass C:\n    @property\n    def s(self): return S\nc = C()\n" + MOST + "c.s",
        "S = 5.0",
    ),
    "static method": (
        "S = 2.0\nclass C:\n    @staticmethod\n    def s(): return S\nc = C()\n" + MOST + "c.s()",
        "S = 5.0",
    ),
    "environment in a method": (
        "import os\nos.environ['A_SCALE'] = '2'\n"
        "class C:\n    def s(self): return float(os.environ['A_SCALE'])\nc = C()\n"
        + MOST
        + "c.s()",
        "os.environ['A_SCALE'] = '5'",
    ),
    "array that knows ufuncs": (
        ARRAYS + "c = OfUfuncs()\n" + MOST + "float(np.negative(c)[0])",
        CHANGED,
    ),
    "array that knows functions": (ARRAYS + "c = OfFunctions()\n" + MOST + "np.sum(c)", CHANGED),
    "truth of an object": (CLASS + MOST + "(2 if c else 3)", "C.__bool__ = lambda self: False"),
    "__getattr__": ("class C: pass\nc = C()\n" + ABSENT, "C.__getattr__ = lambda self, n: 5.0"),
    "slot that was empty": ("class C: __slots__ = ('s',)\nc = C()\n" + ABSENT, "c.s = 5.0"),
    "slot of a private name": (
        (
            "class C:\n"
            "    __slots__ = ('__s',)\n"
            "    def __init__(self): self.__s = 2.0\n"
            "    def value(self): return self.__s\n"
            "c = C()\n" + MOST + "c.value()"
        ),
        "c._C__s = 5.0",
    ),
    "slot with a default": (
        "class C: __slots__ = ('s',)\nc = C()\n" + MOST + "getattr(c, 's', 2.0)",
        "c.s = 5.0",
    ),
    "options of a partial": (
        (
            "import functools\n"
            "def g(x, p=2): return np.sum(x**p)\n"
            "h = functools.partial(g)\n"
            "def f(x): return h(x)"
        ),
        "h.keywords['p'] = 3",
    ),
    "attribute of a partial": (
        "import functools\nh = functools.partial(np.sum)\nh.s = 2.0\ndef f(x): return h(x) * h.s",
        "h.s = 5.0",
    ),
    "attribute of itself": (MOST + "f.s\nf.s = 2.0", "f.s = 5.0"),
    "array of a function": (
        "def g(x): return np.sum(x * g.s)\ng.s = np.ones(3)\ndef f(x): return g(x)",
        "g.s[0] = 5.0",
    ),
    "attrgetter": (CLASS + "import operator\n" + MOST + "operator.attrgetter('s')(c)", "C.s = 5.0"),
    "__dict__": (CLASS + "c.s = 3.0\n" + MOST + "c.__dict__['s']", "c.s = 5.0"),
    "pattern with names": (
        CLASS + "def f(x):\n    match c:\n        case C(s=s): return np.sum(x) * s",
        "c.s = 5.0",
    ),
    "pattern with positions": (
        (
            "class C: __match_args__ = ('s',)\nc = C()\nc.s = 2.0\n"
            "def f(x):\n    match c:\n        case C(s): return np.sum(x) * s"
        ),
        "c.s = 5.0",
    ),
    "keys that are functions": (
        (
            "S = 2.0\ndef g(x): return np.sum(x) * S\nD = {g: 3.0}\n"
            "def f(x): return sum(w * k(x) for k, w in D.items())"
        ),
        "S = 5.0",
    ),
    "keys that are objects": (
        CLASS + "D = {c: 3.0}\ndef f(x): return sum(w * k.s * np.sum(x) for k, w in D.items())",
        "c.s = 5.0",
    ),
    "list in a tuple": ("t = ([2.0], 3.0)\n" + MOST + "t[0][0]", "t[0][0] = 5.0"),
    "dict deep in tuples": (
        "t = (1, ({'s': 2.0},))\n" + MOST + "t[1][0]['s']",
        "t[1][0]['s'] = 5.0",
    ),
    "number of items in a tuple": ("t = ([2.0],)\n" + MOST + "len(t[0])", "t[0].append(1.0)"),
    "list in a tuple of a class": (
        "class C:\n    t = ([2.0],)\nc = C()\n" + MOST + "c.t[0][0]",
        "C.t[0][0] = 5.0",
    ),
    "list in a tuple that is a default": (
        "def f(x, t=([2.0],)): return np.sum(x) * t[0][0]",
        "f.__defaults__[0][0][0] = 5.0",
    ),
    "signed zero in a tuple": (
        "T = (0.0, 1.0)\ndef f(x): return np.copysign(x, T[0])",
        "T = (-0.0, 1.0)",
    ),
    "class of a number in a tuple": (
        "T = (2,)\ndef f(x): return np.arange(3) * T[0]",
        "T = (2.0,)",
    ),
    "signed zero of a decimal number": (
        "from decimal import Decimal\nT = Decimal('0')\ndef f(x): return np.copysign(x, float(T))",
        "T = Decimal('-0')",
    ),
    "time zone of one instant": (
        "from datetime import datetime, timedelta, timezone\n"
        "T = datetime(2020, 1, 1, 2, tzinfo=timezone.utc)\n" + MOST + "T.hour",
        "T = T.astimezone(timezone(timedelta(hours=3)))",
    ),
    "unit of one time": (
        "T = np.timedelta64(2, 'h')\n" + MOST + "T.astype(int)",
        "T = T + np.timedelta64(0, 'm')",
    ),
    "function behind a ufunc": (
        "S = 2.0\ng = np.frompyfunc(lambda v: v * S, 1, 1)\n" + MOST + "g(2.0)",
        "S = 5.0",
    ),
    "method of a dict": ("D = {'s': 2.0}\nget = D.get\n" + MOST + "get('s')", "D['s'] = 5.0"),
    "method of an array": ("A = np.ones(3)\ns = A.sum\n" + MOST + "s()", "A[0] = 5.0"),
    "method of a function": (
        "S = 2.0\ndef g(x): return np.sum(x) * S\nh = g.__call__\ndef f(x): return h(x)",
        "S = 5.0",
    ),
    "function for a class": (CHOSEN + MOST + "g('a')", "S = 5.0"),
    "other function for a class": (CHOSEN + MOST + "g(1)", "g.register(int)(lambda x: 5.0)"),
    "method for a class": (CHOSEN + MOST + "c.g('a')", "S = 5.0"),
    "default for a name": (
        "def g(x, *, s=2.0): return np.sum(x) * s\ndef f(x): return g(x)",
        "g.__kwdefaults__ = {'s': 5.0}",
    ),
    "wrapped function": (
        (
            "import functools\nS = 2.0\n"
            "def g(x): return np.sum(x) * S\n"
            "@functools.wraps(g)\ndef h(*args): return g(*args)\ndef f(x): return h(x)"
        ),
        "S = 5.0",
    ),
    "lookup by a module's name": (MOST + "getattr(m, 'SC' + 'ALE')", "m.SCALE = 5.0"),
    "dict of a module": (MOST + "m.__dict__['SCALE']", "m.SCALE = 5.0"),
    "name that a module had not": (ABSENT.replace("c.s", "m.other"), "m.other = 5.0"),
    "table of modules": ("import sys\n" + MOST + "sys.modules[m.__name__].SCALE", "m.SCALE = 5.0"),
    "module that is imported inside": (
        "import importlib\n" + MOST + "importlib.import_module(m.__name__).SCALE",
        "m.SCALE = 5.0",
    ),
    "file": (
        "from pathlib import Path\n" + MOST + "float(Path(path).read_text())",
        "Path(path).write_text('5.0')",
    ),
    "file that is opened": (
        (
            "from pathlib import Path\n"
            "def f(x):\n"
            "    with Path(path).open() as file:\n"
            "        return np.sum(x) * float(file.read())"
        ),
        "Path(path).write_text('5.0')",
    ),
    "name that somebody put among the builtins": (
        "import builtins\nbuiltins.a_scale_of_mine = 2.0\n" + MOST + "a_scale_of_mine",
        "builtins.a_scale_of_mine = 5.0",
    ),
    "two arrays that become one": (
        "A, B = np.ones(3), np.ones(3)\n" + MOST + "(2.0 if A is B else 3.0)",
        "B = A",
    ),
    "two arrays that are one": (
        "A = B = np.ones(3)\n" + MOST + "(2.0 if A is B else 3.0)",
        "B = np.ones(3)",
    ),
    "file that is asked for": (
        "from pathlib import Path\n" + MOST + "(2.0 if Path(path).exists() else 3.0)",
        "Path(path).unlink()",
    ),
    "file that is asked for by os": (
        "import os\n" + MOST + "(2.0 if os.path.exists(path) else 3.0)",
        "os.remove(path)",
    ),
    "file that is asked for by a function": (
        "from os.path import isfile\n" + MOST + "(2.0 if isfile(path) else 3.0)",
        "import os\nos.remove(path)",
    ),
    "names of files": (
        "import glob\n" + MOST + "(1 + len(glob.glob(path)))",
        "import os\nos.remove(path)",
    ),
    "list of folders": (
        "import sys\n" + MOST + "(2.0 if 'no folder' in sys.path else 3.0)",
        "sys.path.append('no folder')",
    ),
    "digits of decimal numbers": (
        "import decimal\ndecimal.getcontext().prec = 28\n" + MOST + "float(decimal.Decimal(1) / 3)",
        "decimal.getcontext().prec = 3",
    ),
    "globals by their dict": (MOST + "f.__globals__['S']\nS = 2.0", "S = 5.0"),
    "variable by its cell": (
        "def make(s):\n    def g(): return s\n    return g\n"
        "g = make(2.0)\n" + MOST + "g.__closure__[0].cell_contents",
        "g.__closure__[0].cell_contents = 5.0",
    ),
    "attribute that a function had not": (
        "def g(): pass\n" + ABSENT.replace("c.s", "g.s"),
        "g.s = 5.0",
    ),
    "attribute that itself had not": (MOST + "getattr(f, 's', 2.0)", "f.s = 5.0"),
    "default of a dict": (
        (
            "import collections\nS = 2.0\nD = collections.defaultdict(lambda: S)\n"
            "def f(x):\n    found = D['a']\n    del D['a']\n    return np.sum(x) * found"
        ),
        "S = 5.0",
    ),
    "class that is registered": (
        (
            "import abc\nclass A(abc.ABC): pass\nclass B: pass\nb = B()\n"
            + MOST
            + "(2.0 if isinstance(b, A) else 3.0)"
        ),
        "A.register(B)",
    ),
    "class that meets a protocol": (
        (
            "import typing\n@typing.runtime_checkable\n"
            "class P(typing.Protocol):\n    def g(self): ...\n"
            "class B: pass\nb = B()\n" + MOST + "(2.0 if isinstance(b, P) else 3.0)"
        ),
        "B.g = lambda self: 1",
    ),
    "members of a weak set": (
        "import weakref\nclass C: pass\nkept = [C(), C()]\nmembers = weakref.WeakSet(kept[:1])\n"
        + MOST
        + "len(members)",
        "members.add(kept[1])",
    ),
    "text of a function": ("def g(): 'ab'\n" + MOST + "len(g.__doc__)", "g.__doc__ = 'abcde'"),
    "given text of a function": (
        "def g(): pass\ng.__doc__ = 'ab'\n" + MOST + "len(g.__doc__)",
        "g.__doc__ = 'abcde'",
    ),
    "flag of an array": (
        "A = np.ones(3)\n" + MOST + "(2 if A.flags.writeable else 3)",
        "A.flags.writeable = False",
    ),
    "module that was absent": (
        (
            "def f(x):\n"
            "    try:\n"
            "        import a_module_that_is_absent as m\n"
            "    except ImportError:\n"
            "        return np.sum(x)\n"
            "    return np.sum(x) * m.SCALE"
        ),
        "import sys\nsys.modules['a_module_that_is_absent'] = m",
    ),
    "array that a cache handed out": (
        "import functools\n"
        "@functools.cache\ndef nodes(n): return (np.arange(1.0, n),)\n" + MOST + "nodes(4)[0][0]",
        "nodes(4)[0][0] = 5.0",
    ),
    "method by its name": (
        CLASS + "C.g = lambda self: self.s\nimport operator\n"
        "get = operator.methodcaller\n" + MOST + "operator.methodcaller('g')(c)",
        "c.s = 5.0",
    ),
}


def same(one, other):
    """Whether two results are the same, with their types and signs."""
    one, other = np.asarray(one), np.asarray(other)
    signs = np.array_equal(np.signbit(one), np.signbit(other))
    return one.dtype == other.dtype and signs and np.allclose(one, other, rtol=1e-12, atol=0)


def is_right_after(source, change, calls, args=lambda space: (X,), **names):
    """Whether a program that has run some times is right after a change."""
    space = {"np": np, "__name__": "a_users_module", **names}
    exec(source, space)
    function = compiled(space["f"])
    for _ in range(calls):
        function(*args(space))
    before = space["f"](*args(space))
    exec(change, space)
    now = space["f"](*args(space))
    assert not same(before, now)  # else the case shows nothing
    return same(function(*args(space)), now)


def written_module():
    """A module of the user's."""
    module = types.ModuleType("a_module_with_a_scale")
    module.SCALE = 2.0
    return module


# the places are asked one by one after few calls, and by a function written for them after many
@pytest.mark.parametrize("calls", [3, 20])
@pytest.mark.parametrize("case", list(CASES))
def test_change_is_seen(case, calls, monkeypatch, tmp_path):
    module, path = written_module(), tmp_path / "scale.txt"
    path.write_text("2.0")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, "a_module_that_is_absent", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(builtins, "a_scale_of_mine", 2.0, raising=False)
    monkeypatch.setattr(builtins, "a_scale_of_yours", 2.0, raising=False)
    monkeypatch.delattr(builtins, "a_scale_of_yours")
    with decimal.localcontext():
        names = {"m": module, "path": str(path), "builtins": builtins, "datetime": datetime}
        assert is_right_after(*CASES[case], calls, **names)


ARGUMENTS = {
    "item of a user's dict": (
        FILLED + "d = held\ndef f(d, x): return d.value(x)",
        "held['one'] = 5.0",
    ),
    "item of a user's list": (
        FILLED + "d = rows\ndef f(d, x): return np.sum(x * d[0]) * d[1]",
        "rows[1] = 5.0",
    ),
    "method of a named tuple": (
        POINT + "d = Point(3.0)\ndef f(d, x): return d.value(x)",
        "S = 5.0",
    ),
    "method of a dataclass": (POINT + "d = Data(3.0)\ndef f(d, x): return d.value(x)", "S = 5.0"),
    "other method of a dataclass": (
        POINT + "d = Data(3.0)\ndef f(d, x): return d.value(x)",
        "Data.value = lambda self, x: np.sum(x)",
    ),
    "in a list": (POINT + "d = [Data(3.0)]\ndef f(d, x): return d[0].value(x)", "S = 5.0"),
    "enumeration": (ENUM + "d = mode\ndef f(d, x): return np.sum(x) * d.scale()", "S = 5.0"),
    "number with attributes": (
        "class C(float): pass\nd = C(3.0)\nd.s = 2.0\ndef f(d, x): return np.sum(x) * d.s",
        "d.s = 5.0",
    ),
    "set": ("d = {1}\ndef f(d, x): return np.sum(x) * len(d)", "d.add(2)"),
    "bytes": ("d = bytearray(b'a')\ndef f(d, x): return np.sum(x) * len(d)", "d.append(2)"),
    "order of keys": (
        (
            "d = {'a': 2.0, 'b': 3.0}\n"
            "def f(d, x): return functools.reduce(lambda s, k: 0.5 * s + d[k], d, np.sum(x))"
        ),
        "d = {'b': 3.0, 'a': 2.0}",
    ),
    "order of inner keys": (
        (
            "d = [{'a': 2.0, 'b': 3.0}]\n"
            "def f(d, x): return functools.reduce(lambda s, k: 0.5 * s + d[0][k], d[0], np.sum(x))"
        ),
        "d = [{'b': 3.0, 'a': 2.0}]",
    ),
    "keys that are equal": (
        "d = {1: 2.0}\ndef f(d, x): return np.sum(x) * (2.0 if isinstance(min(d), bool) else 3.0)",
        "d = {True: 2.0}",
    ),
    "keys with equal parts": (
        "d = {(1,): 2.0}\ndef f(d, x): return np.sum(x) * 2.0 if '1.0' in str([*d]) else np.sum(x)",
        "d = {(1.0,): 2.0}",
    ),
}


@pytest.mark.parametrize("case", list(ARGUMENTS))
def test_change_of_an_argument_is_seen(case):
    source, change = ARGUMENTS[case]
    assert is_right_after(source, change, 3, lambda s: (s["d"], X), functools=functools)


def test_order_of_options():
    def f(**parts):
        total = 0.0
        for name in parts:
            total = 0.5 * total + np.sum(parts[name])
        return total

    function = compiled(f)
    for _ in range(3):
        function(a=X, b=2 * X + 1)
    assert same(function(b=2 * X + 1, a=X), f(b=2 * X + 1, a=X))


def test_whether_two_arguments_are_one_array():
    def f(a, b):
        return np.sum(a * b) * (2.0 if a is b else 3.0)

    function = compiled(f)
    for a, b in [(X, X), (X, X.copy()), (X, X), (X, 2 * X), (X, X), (X, X[:])]:
        assert same(function(a, b), f(a, b))
    assert function.count_of_programs() == 1, function.reasons


A, MISSING, is_same = X + 1, object(), operator.is_
HELD, TEXTS = [A], [np.array(["a", "b"])]
STAYS = {"id", "id in a dict", "operator.is_", "operator.is_ by another name", "operator.is_not"}
ASKING_WHICH_ARRAY = {
    "x is A": lambda x: 2.0 if x is A else 3.0,
    "A is x": lambda x: 2.0 if A is x else 3.0,
    "x is not A": lambda x: 3.0 if x is not A else 2.0,
    "an item": lambda x: 2.0 if any(x is y for y in [A]) else 3.0,
    "in a tuple that changes": lambda x: 2.0 if x is HELD[0] else 3.0,
    "an array that is compared": lambda x: 2.0 if x is TEXTS[0] or x is A else 3.0,
    "id": lambda x: 2.0 if id(x) == id(A) else 3.0,
    "id in a dict": lambda x: 2.0 if {id(A): 1}.get(id(x)) else 3.0,
    "operator.is_": lambda x: 2.0 if operator.is_(x, A) else 3.0,
    "operator.is_ by another name": lambda x: 2.0 if is_same(x, A) else 3.0,
    "operator.is_not": lambda x: 3.0 if operator.is_not(x, A) else 2.0,
}


@pytest.mark.parametrize("name", ASKING_WHICH_ARRAY)
def test_whether_an_argument_is_a_captured_array(name):
    question = ASKING_WHICH_ARRAY[name]

    def f(x):
        return x * question(x)

    function = compiled(f)
    for x in (A, X.copy(), X.copy(), X.copy(), A, X.copy(), A):
        assert same(function(x), f(x))
    assert bool(function.count_of_programs()) is (name not in STAYS), function.reasons


REGISTERED = {}


class Node:
    """An object that others know by its identity."""

    def __init__(self, scale):
        self.scale = scale

    def of_itself(self, x):
        known = {id(self): self.scale}
        return known[id(self)] * np.sum(x * x) * REGISTERED.get(id(self), 1.0)


def test_identities_of_objects():
    """As keys, beside those that are known outside of the function."""
    node, other = Node(2.0), Node(3.0)
    f, g = node.of_itself, (lambda x: other.of_itself(x) + node.of_itself(2 * x))
    for function in (f, g, grad(f)):
        step = compiled(function)
        for change in (None, None, None, node, other, None):
            if change is not None:
                REGISTERED[id(change)] = 5.0
                change.scale += 1.0
            assert same(step(X), function(X))
        REGISTERED.clear()
        assert same(step(X), function(X))


def test_classes_that_no_value_has():
    step = compiled(grad(lambda x: np.sum(x * x) * (2.0 if type(x) is Node else 3.0)))
    for k in range(4):
        assert same(step(k * X), 6.0 * k * X)
    assert step.count_of_programs() == 1, step.reasons


def test_other_questions_for_identity_leave_a_function_compiled():
    def f(x):
        factor = 2.0 if x is not MISSING and x is not np.newaxis and x is not None else 3.0
        return np.sum(x * A) * factor

    function = compiled(f)
    for _ in range(3):
        assert same(function(X), f(X))
    assert len(function.programs()) == 1


@pytest.mark.parametrize("x", [X, 2.0])
def test_whether_an_argument_is_of_a_class(x):
    """Recorded values have classes of their own."""
    function = compiled(lambda x: np.sum(x) * (2.0 if type(x) in CLASSES and is_array(x) else 3.0))
    for _ in range(3):
        assert same(function(x), np.sum(x) * (2.0 if is_array(x) else 3.0))


def is_array(x):
    return type(x) is np.ndarray


CLASSES = (np.ndarray, float)


@pytest.mark.parametrize("text", [str, "{:}".format])
def test_text_of_an_argument(text):
    def f(x):
        return np.sum(x) * len(text(x))

    function = compiled(f)
    for x in (X, X / 3, 2 * X):
        assert same(function(x), f(x))


def view_of_numbers(count):
    """An array that is a view of another one."""
    return np.arange(1.0, 9.0)[:count]


MEMORY = {
    "x.flags.writeable": lambda x: x.flags.writeable,
    "x.flags.owndata": lambda x: x.flags.owndata,
    "x.base": lambda x: x.base is None,
    "np.shares_memory": lambda x: np.shares_memory(x, SHARED),
}
SHARED = np.arange(1.0, 9.0)


@pytest.mark.parametrize("question", list(MEMORY.values()), ids=list(MEMORY))
def test_how_an_argument_stands_in_memory(question):
    def f(x):
        return np.sum(x) * (2.0 if question(x) else 3.0)

    function, read_only = compiled(f), X.copy()
    read_only.flags.writeable = False
    for x in (X, X, X, read_only, SHARED[:3], SHARED[4:7], view_of_numbers(3)):
        assert same(function(x), f(x))
    assert "memory" in function.reasons[0] or "view" in function.reasons[0]


def test_a_name_that_arrays_have_too_is_no_reason():
    space = {"np": np, "__name__": "a_users_module"}
    exec("class C: base = 2.0\nc = C()\ndef f(x): return np.sum(x) * c.base", space)
    function = compiled(space["f"])
    for _ in range(3):
        assert same(function(X), space["f"](X))
    assert function.count_of_programs() == 1


STATES = {
    "geterr": (lambda: np.geterr()["under"], lambda: np.errstate(under="raise")),
    "getbufsize": (lambda: np.getbufsize(), lambda: buffer_of(4096)),
    "get_printoptions": (
        lambda: np.get_printoptions()["precision"],
        lambda: np.printoptions(precision=3),
    ),
}


@contextlib.contextmanager
def buffer_of(size):
    """NumPy's buffer has this size meanwhile."""
    before = np.setbufsize(size)
    yield
    np.setbufsize(before)


@pytest.mark.parametrize("name", list(STATES))
def test_settings_of_numpys(name):
    asked, other = STATES[name]

    def g(x):
        return np.sum(x) * (2.0 if asked() == before else 3.0)

    before = asked()
    function = compiled(g)
    for _ in range(3):
        assert same(function(X), g(X))
    with other():
        assert same(function(X), g(X))
    assert same(function(X), g(X))


def test_the_collector_of_garbage_is_not_asked_while_it_rests():
    def f(x):
        return np.sum(x) * (2.0 if gc.isenabled() else 3.0)

    function = compiled(f)
    for _ in range(3):
        assert same(function(X), f(X))
    assert "garbage" in function.reasons[0]


@pytest.mark.parametrize("source", [REGISTRY, ROWS])
def test_containers_of_users_classes_are_compiled(source):
    space = {"np": np, "__name__": "a_users_module"}
    exec(source, space)
    step = compiled(space["f"])
    for _ in range(4):
        assert step(X) == space["f"](X)
    assert step.count_of_programs() == 1


def test_dates_that_are_made_of_numbers_are_compiled():
    space = {"np": np, "datetime": datetime, "__name__": "a_users_module"}
    exec("def f(x): return np.sum(x) * datetime.date(2020, MONTH, 1).toordinal()", space)
    step = compiled(space["f"])
    for month in (1, 1, 1, 2, 2, 2):
        space["MONTH"] = month
        assert step(X) == space["f"](X)
    assert step.count_of_programs() == 2


def test_modules_that_code_comes_by_with_attributes_of_any_name():
    """One that does more than compute is no reason, unless the code has its name."""
    tools = types.ModuleType("a_users_tools")
    exec("import random\nimport random as clock\nscale = 2.0", tools.__dict__)
    space = {"np": np, "tools": tools, "NAME": "scale", "__name__": "a_users_module"}
    exec(
        "def f(x): return np.sum(x) * getattr(tools, NAME)\n"
        "def g(x): return np.sum(x) + getattr(tools, 'clock').random()",
        space,
    )
    steps = compiled(space["f"]), compiled(space["g"])
    for k in range(4):
        tools.scale = 2.0 + k // 3
        assert steps[0](X) == space["f"](X)
    assert len({steps[1](X) for _ in range(4)}) == 4
    assert [step.count_of_programs() for step in steps] == [1, 0]


@pytest.mark.parametrize("cls", ["datetime", "date"])
def test_clocks_behind_classes_are_not_compiled(cls):
    space = {"np": np, "__name__": "a_users_module"}
    now = {"datetime": "now", "date": "today"}[cls]
    exec(f"from datetime import {cls}\n{MOST}{cls}.{now}().year", space)
    function = compiled(space["f"])
    for _ in range(3):
        function(X)
    assert not function.count_of_programs()
    assert now in function.reasons[0]


def test_arrays_that_are_one_are_one_input():
    space = {"np": np, "__name__": "a_users_module", "A": np.ones(3)}
    exec(TWICE, space)
    function = compiled(space["f"])
    for _ in range(20):
        function(X)
    space["A"] = space["B"] = np.array([5.0, 6.0, 7.0])
    assert same(function(X), space["f"](X))
    assert function.count_of_programs() == 1


def test_captured_arrays_are_inputs_of_the_program():
    space = {"np": np, "__name__": "a_users_module", "A": np.ones(3)}
    exec("def f(x): return np.sum(A * x)", space)
    function = compiled(space["f"])
    for k in range(20):
        space["A"] = np.full(3, float(k))
        assert same(function(X), space["f"](X))
    assert function.count_of_programs() == 1
    assert not function.faults  # a program that raises is the function's call


# a fault of the code, its words from the beginning on, and the case that fails with it
Reading = surroundings.Surroundings
FAULTS = [
    (places.Places.array, "never", "one array under two names"),
    (places.Places.array, "left_out: self.all.append", "one array under two names"),
    (Reading._bases, "never", "class attribute of a base"),
    (Reading._parts_of_wrapper, "never", "property"),
    (Reading._parts_of_wrapper, "never", "static method"),
    (Reading._note_effect, "always: if effect", "environment in a method"),
    (Reading._note_effect, "always: if bound", "environment in a method"),
    (Reading._parts_of_class, "left_out: self.places.add(IDENTICAL", "further base"),
    (Reading._parts_of_class, "left_out: yield from self._special", "item of a class"),
    (Reading._parts_of_partial, "left_out: self.places.add(KEYS", "options of a partial"),
    (kinds_of_values.kind_of, "never: if is_users_class(cls)", "attribute of a number"),
    (kinds_of_values.kind_of, "without_last: hasattr", "array that knows ufuncs"),
    (kinds_of_values.kind_of, "without_first: hasattr", "array that knows functions"),
    (kinds_of_values.kind_of, "without_first: is_bound", "method of a dict"),
    (kinds_of_values.kind_of, "without_last: is_bound", "function behind a ufunc"),
    (Reading._marshalled, "always: if is_unchangeable", "list in a tuple"),
    (Reading.__init__, "never: if self.compares", "two arrays that become one"),
    (Reading._state_behind, "never: if isinstance", "class that is registered"),
    (Reading._parts_of_items, "never: if isinstance(x, defaultdict", "default of a dict"),
    (Reading._parts_of_class, "never: if getattr", "class that meets a protocol"),
    (
        Reading._note_absent,
        "left_out: self.places.add(DISJOINT",
        "attribute that a function had not",
    ),
]


@pytest.mark.parametrize(("function", "words", "case"), FAULTS)
def test_cases_fail_with_a_fault(function, words, case):
    fault = next(each for each in faults_of(function) if each.text.startswith(words))
    with planted(fault):
        assert not is_right_after(*CASES[case], 3)


@pytest.mark.parametrize(
    ("words", "case"),
    [
        ("type({v}) is ndarray and ", "class of an array"),
        (" and {v}.shape == {e[1]}", "shape of an array"),
    ],
)
def test_cases_fail_with_a_part_of_a_question_left_out(words, case, monkeypatch):
    asked = places.Kind(places.ARRAY.text.replace(words, ""), parts=3)
    assert asked.text != places.ARRAY.text
    monkeypatch.setattr(places.ARRAY, "holds", asked.holds)
    assert not is_right_after(*CASES[case], 3)
