"""Random programs with surroundings, as source, and random changes of these: nothing may be stale.

A program is a function of arrays and numbers in a module of its own, with global numbers, arrays,
lists, a dict, a helper function, an object with a method, and an enclosing function whose variables
it captures. It goes different paths by values, flags and lengths. `CHANGES` are what somebody may
do to all of that between two calls.
"""

import contextlib
import random
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules_tape import grad, hvp, jacobian, jvp, seen_through, value_and_grad, vmap
from chainrules_tape.core.trees import flatten

ATOMS = (
    *("x", "y[0] * x", "np.sin(x)", "x * x", "np.exp(-x * x)", "x[::-1]", "np.cumsum(x)"),
    *("x + A", "A * x", "A[0] * x", "x @ np.outer(A, A)", "np.roll(x, 1) * B", "S * x", "x ** N"),
    *("W[0] * x", "CONFIG['k'] * x", "x * CONFIG['w']", "helper(x)", "model.apply(x)", "c * x"),
    *("model.w * x", "x * d", "np.where(x > S, x, A * x)", "np.maximum(x, B)", "x * len(LIST)"),
    *("np.concatenate([x[1:], A[:1]])", "sum(v * x for v in LIST)", "np.tanh(x - y)", "y * x"),
    *("np.full_like(x, y[0])", "np.sort(x)", "np.clip(x, -A[0], 2.0)", "np.sqrt(x * x + 1.0)"),
    *("functions[0](x)", "shifted(x, S)", "np.stack([x, A])[1] * x", "np.einsum('i,i->i', x, A)"),
    *("np.linalg.solve(np.eye(len(x)) + 0.1 * np.outer(A, A), x)", "half(x)", "x * Model.shared"),
    *("np.array([v * S for v in x])", "np.mean(A) * x", "np.asarray(LIST)[0] * x", "x * t"),
    *("x * len(A)", "x * TABLE['a'][0]", "x + box.inner.value", "x * named.rate", "scaled(x)"),
    *("x * tools.gain", "tools.bent(x)", "counted(x)"),
    *("x[INDEX[0]] * x", "x * (x.size - len(MASK))"),
    *("np.sum(x[x > S]) * x", "np.nonzero(A > S)[0].size * x", "x * np.unique(np.round(y)).size"),
    *("x[int(np.argmax(A)):][0] * x", "x * (2.0 if MODE == 'up' else 0.5)", "x * box.doubled"),
    *("x ** (2 if SWITCH is None else 3)", "x * float(A.dtype.itemsize)"),
    *("np.interp(x, np.sort(A), B)", "x * UNUSUAL", "powers[1](x)", "x + SMALL", "nested(x)"),
    *("x * sum(PAIRS.values())", "outer_array * x", "x * np.prod(GRID.shape)", "GRID[0, 1] * x"),
    *("guarded(x)", "scoped(x)", "bound(x)", "x * GRID.ravel('K')[1]", "x * constant(x)"),
    *("np.sum(x) * COUNTS.ravel('K')[1] * x", "table['half'](x)", "where(x > S, x, A * x)"),
    *("x * weak().k", "x * VIEW['p']", "x * (2.0 if 'up' in KINDS else S)", "logged(x)"),
    *("copy.deepcopy(layer).forward(x)", "limited(x)"),
)
# in the scope of `seen_through` alone
ATOMS_IN_SCOPE = (
    *("np.array([math.exp(-v * v) for v in x])", "float(t) * x", "x * math.sqrt(1.0 + t * t)"),
    *("x * math.floor(t)", "x * int(t + 2.0)", "np.where(x < A, x, B * x)", "np.sign(x) * x"),
    *("x * (2.0 if x[0] < A[0] else S)", "x * np.where(x == A, 2.0, S)", "np.abs(x) * (x >= S)"),
    "x * (2.0 if math.isclose(t, S) else 0.5)",
)
STATEMENTS_IN_SCOPE = (
    "{v} = {a}\n    for k in range(20):\n        {v} = np.where({v} < S, 1.1 * {v}, 0.9 * {v})",
    "w = t\n    for k in range(18):\n        w = 1.1 * w if math.sin(k * w) > 0.1 else 0.9 * w\n    {v} = w * {a}",
)
STATEMENTS = (
    "{v} = {a} + {b}",
    "{v} = {a} * {b}",
    "if FLAG:\n        {v} = {a}\n    else:\n        {v} = {b}",
    "if np.sum({a}) > S:\n        {v} = {a}\n    else:\n        {v} = {b}",
    "if {a}[0] > {b}[0]:\n        {v} = {a} - {b}\n    else:\n        {v} = {b}",
    "{v} = {a}\n    for k in range(N):\n        {v} = np.sin({v}) * {b}",
    "{v} = np.zeros(len(x))\n    {v}[1:] = ({a})[1:]\n    {v}[0] = ({b})[0]",
    "{v} = ({a}).copy()\n    {v}[MASK] = 0.5",
    "{v} = {a}\n    {v} = {v} + ({b})[INDEX]",
    "{v} = {a} + np.sum(({b})[({b}) > 0.0])",
    "{v} = ({a}) * t + {b}",
    "{v} = {a}\n    while np.sum({v} * {v}) > 4.0:\n        {v} = 0.5 * {v}",
    "{v} = {a}\n    {v} += {b}",
    "{v} = model.chain({a})",
    "BUFFER[:] = A * S\n    {v} = BUFFER * {a}",
    "{v} = {a}\n    for w in LIST:\n        {v} = {v} * w",
    "{v} = {a}\n    if MODE == 'up':\n        {v} = {v} + {b}",
    "{v} = {a}\n    if isinstance(t, float):\n        {v} = {v} * 2.0",
    "{v} = {a}\n    if np.any(MASK):\n        {v} = {v} - {b}",
    "{v} = {a}\n    if A[0] > B[0]:\n        {v} = {v} * {b}",
    "{v} = {a}\n    if np.max({b}) > 1.0 and y[0] < t:\n        {v} = {v} * 0.5",
    "{v} = {a}\n    for k in np.argsort(y):\n        {v} = {v} + x[k] * k",
    "try:\n        {v} = {a} * box.rare\n    except AttributeError:\n        {v} = {b}",
)
FORMS = [*(f"{{v}} = {atom} + {{b}}" for atom in ATOMS + ATOMS_IN_SCOPE), *STATEMENTS]
MODULE = """
import abc
import collections
import contextlib
import copy
import fractions
import functools
import logging
import math
import sys
import time
import types
import warnings
import weakref
import numpy as np
from numpy import where

LOG = logging.getLogger(__name__)

@np.errstate(under="ignore")
@np.errstate(under="ignore")
def guarded(x):
    return x * S + SHIFT

@contextlib.contextmanager
def scope():
    yield

@scope()
@scope()
def scoped(x):
    return helper(x) * PAIRS["p"]

def bound(x, *, by=functools.partial(lambda n, x: x * n * S, 0.5)):
    return by(x)

def constant(x):
    v = np.zeros(3)
    v[1] = S
    return float(v[1]) + float(format(v[1], ".2f"))

def helper(x):
    return np.cos(x) * B + SHIFT

def shifted(x, by=1.0):
    return x - by

def half(x, factor=0.5):
    return factor * x

def scaled(x, *, by=1.5):
    return x * by

def counted(x):
    return x * sum(1 for v in A if v > S)

def nested(x):
    return half(shifted(x, SHIFT))

class Inner:
    __slots__ = ("value",)

class Box:
    def __init__(self, value):
        self.inner = Inner()
        self.inner.value = value

    @property
    def doubled(self):
        return 2.0 * self.inner.value

Named = collections.namedtuple("Named", ["rate", "name"])

class Layer(abc.ABC):
    def __init__(self, k):
        self.k = k

    @abc.abstractmethod
    def forward(self, x):
        ...

class Square(Layer):
    def forward(self, x):
        return x * x * self.k

def logged(x):
    LOG.debug("at %s", x.shape)
    logging.debug("at %s", x.shape)
    if S > 100.0:
        print("far out")
        warnings.warn("far out", stacklevel=1)
    return x * S

def limited(x):
    if sys.maxsize < 0:
        return sys.argv
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.minimum(x, sys.float_info.max) * S

class Model:
    shared = 1.5

    def __init__(self, w):
        self.w, self.power, self.unused = w, 2, 0

    def apply(self, x):
        return x * self.w + self.power * HIDDEN

    def chain(self, x):
        return np.sin(self.apply(x)) * self.shared

def make(c, d):
    outer_array = np.linspace(0.1, 0.9, len(d))

    def f(x, y, t):
        {body}
        return {result}

    def change(new_c, new_d):
        nonlocal c, d
        c, d = new_c, new_d

    return f, change, lambda: d
"""


# What the module holds, and what changes with the number of entries.
VALUES = """
A, B, HIDDEN, BUFFER = array(), array(), array(), array()
S, N, FLAG, SHIFT, MODE, SWITCH = 0.3, 2, True, 0.1, "up", None
SMALL, UNUSUAL = np.float32(0.25), fractions.Fraction(1, 2)
LIST, W, functions, powers = [0.5, 1.5], (1.5, 2), [np.sin], (np.cos, np.square)
CONFIG, TABLE = {"k": 0.4, "w": array()}, {"a": [0.5, 2.0]}
PAIRS, KINDS, VIEW = {"p": 0.5, "q": 1.5}, {"up", "down"}, types.MappingProxyType({"p": 0.5})
MASK, INDEX = array() > 0, np.array([place() for _ in A])
GRID, COUNTS, table = random((2, 2)), np.arange(4).reshape(2, 2), {"half": half}
model, box, named, layer = Model(array()), Box(0.7), Named(0.4, "n"), Square(3.0)
weak, tools = weakref.ref(layer), types.ModuleType("users_tools")
exec("import numpy as np\\ngain = 1.25\\ndef bent(x): return np.sin(x) * gain", vars(tools))
"""
OF_OTHER_SIZES = """
A, B, HIDDEN, BUFFER = array(), array(), array(), array()
MASK, INDEX = array() > 0, np.arange(len(A))
model.w, CONFIG["w"] = array(), array()
set_free(0.7, array())
"""
ARGUMENTS = (
    *3 * ("(array(), array(), choice([-0.6, 0.2, 1.1]))",),
    *("(-x, y, t)", "(x, array(), t)", "(x, x, t)", "(np.repeat(x, 2)[::2], y, t)"),
    *("(x.astype(np.float32), y, t)", "(x.astype(float), y, t)", "(x.copy(), y, t)"),
    "(x, y, choice([0.8, 1, np.float64(0.8), np.float32(0.5)]))",
)
# Statements in the module: what may happen between two calls, by the name of what changes.
CHANGES: dict[str, tuple[str, ...]] = {
    **{
        name: (f"{name}[place()] = number()", f"{name} = array()", f"{name} = -{name}")
        for name in ("B", "HIDDEN", "BUFFER")
    },
    "A": ("A[place()] = number()", "A = array()", "A = -A", "A = array().astype(np.float32)"),
    "S": ("S = number()", "S = np.float64(number())", "S = 1"),
    "SHIFT": ("SHIFT = number()",),
    "SMALL": ("SMALL = np.float64(0.25)", "SMALL = np.float32(number())"),
    "UNUSUAL": ("UNUSUAL = fractions.Fraction(1, 3)", "UNUSUAL = number()"),
    "SWITCH": ("SWITCH = choice([None, 1])",),
    "MODE": ("MODE = choice(['up', 'down'])",),
    "N": ("N = choice([1, 2, 3])", "N = float(N)"),
    "FLAG": ("FLAG = not FLAG",),
    "W": ("W = (number(), 2)", "W = [number(), 3]"),
    "MASK": ("MASK = ~MASK", "np.logical_not(MASK, MASK)"),
    "INDEX": ("INDEX = INDEX[::-1].copy()", "INDEX.fill(1)"),
    "LIST": (
        *("LIST[0] = number()", "LIST.append(number())", "LIST[0] = np.float32(0.5)"),
        "LIST.reverse()",
    ),
    "CONFIG": (
        *("CONFIG['k'] = number()", "CONFIG['w'] = array()", "CONFIG['w'][place()] = number()"),
        "CONFIG = {'k': number(), 'w': array()}",
    ),
    "TABLE": ("TABLE['a'][0] = number()",),
    "PAIRS": ("PAIRS['p'] = number()", "PAIRS['r'] = number()"),
    "GRID": (
        *("GRID = random((3, 2))", "GRID = np.asfortranarray(random((2, 2)))"),
        "GRID[0, 1] = number()",
    ),
    "COUNTS": ("COUNTS = np.asfortranarray(COUNTS)", "COUNTS[0, 1] = 7"),
    "guarded": ("S = number()", "SHIFT = number()"),
    "scoped": ("B[place()] = number()", "PAIRS['p'] = number()"),
    "bound": ("S = number()",),
    "constant": ("S = number()",),
    "table": ("half.__defaults__ = (number(),)",),
    "functions": ("functions[0] = choice([np.sin, np.cos, np.tanh])",),
    "powers": ("powers = (np.cos, choice([np.square, np.exp, np.sin]))",),
    "model": (
        *("model.w = array()", "model.w[place()] = number()", "model.power = choice([1, 2, 3])"),
        *("model.unused = number()", "model.shared = number()", "Model.shared = number()"),
        *("model.apply = lambda x: x * 3.0", "Model.apply = lambda self, x: x - self.w"),
        *("Model.chain = lambda self, x: self.apply(x) * 0.5", "model = Model(array())"),
        "model.__class__ = type('Other', (Model,), {'shared': 0.2})",
    ),
    "Model": ("Model.shared = number()",),
    "box": (
        *("box.inner.value = number()", "box = Box(number())", "box.rare = number()"),
        "Box.doubled = property(lambda self: self.inner.value)",
    ),
    "named": ("named = Named(number(), 'n')",),
    "tools": ("tools.gain = number()", "exec('def bent(x): return np.cos(x)', vars(tools))"),
    "helper": ("def helper(x): return x * B - SHIFT", "SHIFT = number()"),
    "counted": ("A[place()] = number()", "S = number()"),
    "shifted": ("def shifted(x, by=1.0): return x + by",),
    "half": ("half.__defaults__ = (number(),)",),
    "scaled": (
        "scaled.__kwdefaults__ = {'by': number()}",
        "scaled.__code__ = (lambda x, *, by=1.0: x - by).__code__",
    ),
    "nested": (
        *("SHIFT = number()", "half.__defaults__ = (number(),)"),
        "def shifted(x, by=1.0): return x * by",
    ),
    "len": ("len = lambda x: 3", "globals().pop('len', None)"),
    "sum": ("sum = np.mean", "globals().pop('sum', None)"),
    "weak": ("other = Square(number())\nweak = weakref.ref(other)",),
    "VIEW": ("VIEW = types.MappingProxyType({'p': number()})", "VIEW = {'p': 5}"),
    "KINDS": ("KINDS = {'down'}", "KINDS.discard('up')"),
    "layer": ("layer.k = number()", "layer = Square(number())"),
    "logged": ("S = number()",),
    "limited": ("S = number()",),
    "math": ("math = types.SimpleNamespace(**{**vars(math), 'exp': math.sin})",),
    "c": ("set_free(number(), get_free())",),
    "d": ("set_free(0.5, array())", "get_free()[place()] = number()"),
    "np": ("shrink()",),
}


@contextlib.contextmanager
def seen_module(module: types.ModuleType) -> Iterator[None]:
    """See through a module that is known to Python meanwhile."""
    sys.modules[module.__name__] = module
    try:
        with seen_through(module.__name__):
            yield
    finally:
        del sys.modules[module.__name__]


class RandomProgram:
    """A function, its module, its arguments, and what may happen between two calls.

    With `in_scope` it is one that is differentiated while its module is seen through; it may be of
    one `statement`.
    """

    def __init__(self, seed: int, *, in_scope: bool = False, statement: str = "") -> None:
        self.in_scope, self.statement = in_scope, statement
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.size = self.rng.choice([2, 3, 4])
        self.source = self._source()
        self.module = types.ModuleType(f"users_module_{seed}")
        self.space: dict[str, Any] = vars(self.module)
        exec(self.source, self.space)
        self._fill()
        made = self.space["make"](self.rng.choice([0.7, 1.3]), self.array())
        self.function, self.space["set_free"], self.space["get_free"] = made
        self.args = (self.array(), self.array(), 0.8)

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """The scope in which it is differentiated."""
        if not self.in_scope:
            return contextlib.nullcontext()
        return seen_module(self.module)

    def array(self):
        """A new array of the size of the program."""
        return self.numbers.uniform(-1.5, 1.5, self.size)

    def _source(self) -> str:
        lines, names = [], ["x"]
        atoms, statements = ATOMS, STATEMENTS
        if self.in_scope:  # three times as often as others
            atoms, statements = ATOMS + 3 * ATOMS_IN_SCOPE, STATEMENTS + 3 * STATEMENTS_IN_SCOPE
        if self.statement:
            atoms, statements = ("x", "x * x", "y * x"), (self.statement,)
        for k in range(1 if self.statement else self.rng.randrange(1, 5)):
            operands = [*names, *self.rng.sample(atoms, 3)]
            a, b = self.rng.choice(operands), self.rng.choice(atoms)
            statement = self.rng.choice(statements)
            lines.append(statement.format(v=f"v{k}", a=f"({a})", b=f"({b})"))
            names.append(f"v{k}")
        body = "\n    ".join(lines).replace("\n    ", "\n        ")
        result = f"np.sum({names[-1]} * np.sin({self.rng.choice(names)}))"
        self.body = body + result
        return MODULE.format(body=body, result=result)

    def _fill(self) -> None:
        rng, space = self.rng, self.space
        # what values and changes are made of
        space.update(array=self.array, random=self.numbers.random, shrink=self._shrink)
        space.update(choice=rng.choice, place=lambda: rng.randrange(self.size))
        space.update(number=lambda: rng.choice([-1.5, -0.5, 0.25, 0.9, 1.7]))
        exec(VALUES, space)
        sys.modules["users_tools"] = space["tools"]

    def _shrink(self) -> None:
        """Change the number of entries of everything."""
        self.size = 5 - self.size if self.size < 5 else 2
        exec(OF_OTHER_SIZES, self.space)
        self.args = (self.array(), self.array(), 0.8)

    def change(self) -> None:
        """Let one thing happen: a second one would hide that the first was not noticed."""
        if self.rng.random() < 0.4:
            own = dict(zip("xyt", self.args, strict=True))
            self.args = eval(self.rng.choice(ARGUMENTS), self.space, own)
        else:
            exec(self.rng.choice(self.likely_changes()), self.space)

    def likely_changes(self) -> tuple[str, ...]:
        """The changes of what the program names; rarely those of everything else."""
        named = [name for name in CHANGES if re.search(rf"\b{name}\b", self.body)]
        if self.rng.random() < 0.1 or not named:
            named = list(CHANGES)
        return CHANGES[self.rng.choice(named)]


# Compositions that are compiled, each a function of a function.
TRANSFORMS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "value_and_grad": lambda f: value_and_grad(f, (0, 1, 2)),
    "grad": grad,
    "plain": lambda f: f,
    "jvp": lambda f: lambda x, y, t: jvp(f, (x, y, t), (y, x, 1.0)),
    "hvp": lambda f: lambda x, y, t: hvp(lambda x: f(x, y, t), x, y),
    "grad of grad": lambda f: grad(lambda x, y, t: np.sum(grad(f)(x, y, t) ** 2)),
    "jacobian": lambda f: jacobian(lambda x, y, t: grad(f)(x, y, t)),
    "vmap": lambda f: (
        lambda x, y, t: vmap(grad(f), in_axes=(0, None, None))(np.stack([x, 2 * x]), y, t)
    ),
}


def outcome(function: Callable[..., Any], args: tuple[Any, ...]):
    """What a call on copies of its arguments returns, or the class of what it raises."""
    with np.errstate(all="ignore"):
        try:
            return function(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])
        except Exception as error:
            return type(error)


def is_same_outcome(one, other) -> bool:
    """Whether two outcomes are the same, to roundoff."""
    ones, others = flatten(one)[0], flatten(other)[0]
    # a number of single precision rounds all that follows it
    is_single = any(getattr(x, "dtype", None) == np.float32 for x in (*ones, *others))
    tolerance = 1e-4 if is_single else 1e-9
    pairs = zip(ones, others, strict=False)
    return len(ones) == len(others) and all(is_close(a, b, tolerance) for a, b in pairs)


def is_close(one, other, tolerance: float) -> bool:
    """Whether two leaves are of one class, and the same to roundoff."""
    if isinstance(one, type) or isinstance(other, type) or one is other:
        return one is other
    if type(one) is not type(other) or np.shape(one) != np.shape(other):
        return False
    return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True))
