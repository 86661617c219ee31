"""Random programs with surroundings, as source, and random changes of these: nothing may be stale.

A program is a function of arrays and numbers in a module of its own, with global numbers, arrays,
lists, a dict, a helper function, an object with a method, and an enclosing function whose variables
it captures. It goes different paths by values, flags and lengths. `changes` are what somebody may
do to all of that between two calls.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules_tape import grad, hvp, jacobian, jvp, value_and_grad, vmap

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
)
MODULE = """
import numpy as np

def helper(x):
    return np.cos(x) * B + SHIFT

def shifted(x, by=1.0):
    return x - by

def half(x, factor=0.5):
    return factor * x

class Model:
    shared = 1.5

    def __init__(self, w):
        self.w, self.power, self.unused = w, 2, 0

    def apply(self, x):
        return x * self.w + self.power * HIDDEN

    def chain(self, x):
        return np.sin(self.apply(x)) * self.shared

def make(c, d):
    def f(x, y, t):
        {body}
        return {result}

    def change(new_c, new_d):
        nonlocal c, d
        c, d = new_c, new_d

    return f, change, lambda: d
"""


class RandomProgram:
    """A function, its module, its arguments, and what may happen between two calls."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.size = self.rng.choice([2, 3, 4])
        self.source = self._source()
        self.space: dict[str, Any] = {"__name__": f"users_module_{seed}"}
        exec(self.source, self.space)
        self._fill()
        made = self.space["make"](self.rng.choice([0.7, 1.3]), self.array())
        self.function, self.set_free, self.get_free = made
        self.args = (self.array(), self.array(), 0.8)

    def array(self) -> Any:
        """A new array of the size of the program."""
        return self.numbers.uniform(-1.5, 1.5, self.size)

    def _source(self) -> str:
        lines, names = [], ["x"]
        for k in range(self.rng.randrange(1, 5)):
            operands = [*names, *self.rng.sample(ATOMS, 3)]
            a, b = self.rng.choice(operands), self.rng.choice(ATOMS)
            statement = self.rng.choice(STATEMENTS)
            lines.append(statement.format(v=f"v{k}", a=f"({a})", b=f"({b})"))
            names.append(f"v{k}")
        body = "\n    ".join(lines).replace("\n    ", "\n        ")
        result = f"np.sum({names[-1]} * np.sin({self.rng.choice(names)}))"
        return MODULE.format(body=body, result=result)

    def _fill(self) -> None:
        rng, space = self.rng, self.space
        space.update(A=self.array(), B=self.array(), S=0.3, N=2, FLAG=True, SHIFT=0.1)
        space.update(LIST=[0.5, 1.5], W=(1.5, 2), HIDDEN=self.array(), functions=[np.sin])
        space["CONFIG"] = {"k": 0.4, "w": self.array()}
        space["MASK"] = np.array([rng.random() < 0.5 for _ in range(self.size)])
        space["INDEX"] = np.array([rng.randrange(self.size) for _ in range(self.size)])
        space["model"] = space["Model"](self.array())

    def changes(self) -> list[Callable[[], Any]]:
        """What may happen to the surroundings between two calls."""
        space, rng = self.space, self.rng
        model, number = space["model"], lambda: rng.choice([-1.5, -0.5, 0.25, 0.9, 1.7])

        def put(name: str, value: Any) -> Callable[[], Any]:
            return lambda: space.__setitem__(name, value)

        def into(array: Any) -> Callable[[], Any]:
            return lambda: array.__setitem__(rng.randrange(self.size), number())

        arrays = [space["A"], space["B"], space["HIDDEN"], space["CONFIG"]["w"], model.w]
        return [
            *map(into, arrays),
            into(self.get_free()),
            *[put(name, self.array()) for name in ("A", "B", "HIDDEN")],
            *[put(name, number()) for name in ("S", "SHIFT")],
            put("N", rng.choice([1, 2, 3])),
            put("FLAG", not space["FLAG"]),
            put("W", (number(), 2)),
            put("MASK", ~space["MASK"]),
            put("INDEX", space["INDEX"][::-1].copy()),
            lambda: space["LIST"].__setitem__(0, number()),
            lambda: space["LIST"].append(number()),
            lambda: space["CONFIG"].__setitem__("k", number()),
            lambda: space["CONFIG"].__setitem__("w", self.array()),
            lambda: space["functions"].__setitem__(0, rng.choice([np.sin, np.cos, np.tanh])),
            lambda: setattr(model, "w", self.array()),
            lambda: setattr(model, "power", rng.choice([1, 2, 3])),
            lambda: setattr(model, "unused", number()),
            lambda: setattr(model, "shared", number()),
            lambda: setattr(space["Model"], "shared", number()),
            lambda: put("model", space["Model"](self.array()))(),
            lambda: exec("def helper(x): return x * B - SHIFT", space),
            lambda: setattr(space["half"], "__defaults__", (number(),)),
            lambda: setattr(space["Model"], "apply", lambda self, x: x - self.w),
            lambda: self.set_free(number(), self.get_free()),
            lambda: self.set_free(0.5, self.array()),
        ]

    def change(self) -> None:
        """Let something happen, most often to the arguments alone."""
        kind = self.rng.randrange(10)
        if kind < 3:
            self.args = (self.array(), self.array(), self.rng.choice([-0.6, 0.2, 1.1]))
        elif kind < 4:
            self.args = (-self.args[0], self.args[1], self.args[2])
        elif kind < 5:
            self.args = (self.args[0], self.array(), self.args[2])
        else:
            for change in self.rng.sample(self.changes(), 3):
                change()


def transforms() -> dict[str, Callable[[Any], Callable[..., Any]]]:
    """Compositions that are compiled, each a function of a function."""
    return {
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


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What a call returns, or the class of what it raises."""
    with np.errstate(all="ignore"):
        try:
            return function(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])
        except Exception as error:
            return type(error)


def leaves(x: Any) -> Iterator[Any]:
    """The numbers and arrays of a result."""
    if isinstance(x, tuple | list):
        for part in x:
            yield from leaves(part)
    else:
        yield x


def is_same_outcome(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same, to roundoff."""
    ones, others = list(leaves(one)), list(leaves(other))
    return len(ones) == len(others) and all(map(is_close, ones, others))


def is_close(one: Any, other: Any) -> bool:
    """Whether two leaves are of one class, and the same to roundoff."""
    if isinstance(one, type) or isinstance(other, type):
        return one is other
    if type(one) is not type(other) or np.shape(one) != np.shape(other):
        return False
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True))
