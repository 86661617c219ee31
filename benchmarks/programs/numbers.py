"""Loops over single numbers, written once for all engines, and a tape of nothing but partials.

Each program takes steps of a state. `xp` has `exp`, `sin` and `where` of the engine.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class NumberProgram:
    """A loop: where it starts, a step, how many, and the argument. JAX has a step of its own where
    the program branches.
    """

    start: Callable[[Any], tuple[Any, ...]]
    step: Callable[[Any, tuple[Any, ...], Any], tuple[Any, ...]]
    count: int
    argument: float | tuple[float, ...] = 0.31
    step_in_jax: Callable[[Any, tuple[Any, ...], Any], tuple[Any, ...]] | None = None

    def loop(self, xp: Any) -> Callable[[Any], Any]:
        """The program as a function of its argument."""

        def run(x: Any) -> Any:
            state = self.start(x)
            for _ in range(self.count):
                state = self.step(xp, state, x)
            return state[0]

        return run

    def scan(self, x: Any) -> Any:
        """The program by JAX's `lax.scan`."""
        import jax

        step = self.step_in_jax or self.step
        start = tuple(jax.numpy.asarray(each, float) for each in self.start(x))

        def advance(state: Any, _: Any) -> Any:
            return step(jax.numpy, state, x), None

        return jax.lax.scan(advance, start, None, length=self.count)[0][0]


def affine(xp: Any, state: tuple[Any, ...], x: Any) -> tuple[Any, ...]:
    """A recursion."""
    return (state[0] * 1.01 + 0.1 * x,)


def currents(xp: Any, v: Any, n: Any) -> tuple[Any, Any]:
    """The slopes of a neuron with one gate, after Hodgkin and Huxley (1952)."""
    opening = 0.1 * (10.0 - v) / (xp.exp((10.0 - v) / 10.0) - 1.0)
    closing = 0.125 * xp.exp(-v / 80.0)
    return 10.0 - 36.0 * n**4 * (v + 12.0) - 0.3 * (v - 10.6), opening * (1.0 - n) - closing * n


def neuron(xp: Any, state: tuple[Any, ...], x: Any, dt: float = 0.01) -> tuple[Any, ...]:
    """A step of Runge and Kutta's."""
    v, n = state
    v1, n1 = currents(xp, v, n)
    v2, n2 = currents(xp, v + dt / 2 * v1, n + dt / 2 * n1)
    v3, n3 = currents(xp, v + dt / 2 * v2, n + dt / 2 * n2)
    v4, n4 = currents(xp, v + dt * v3, n + dt * n3)
    v = v + dt / 6 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
    return v, n + dt / 6 * (n1 + 2.0 * n2 + 2.0 * n3 + n4)


def logistic(xp: Any, state: tuple[Any, ...], x: Any) -> tuple[Any, ...]:
    """A map with a branch."""
    y = 3.7 * state[0] * (1.0 - state[0])
    return (y * 0.9 if y > 0.5 else y,)


def logistic_in_jax(xp: Any, state: tuple[Any, ...], x: Any) -> tuple[Any, ...]:
    """A map with a branch, by a function."""
    y = 3.7 * state[0] * (1.0 - state[0])
    return (xp.where(y > 0.5, y * 0.9, y),)


def reservoir(xp: Any, state: tuple[Any, ...], x: Any) -> tuple[Any, ...]:
    """Two stores of water, whose parameters are entries of an array."""
    upper, lower = state
    seeping, quick = x[0] * upper, x[1] * upper
    return upper + 1.3 - seeping - quick, lower + seeping - x[2] * lower


def sines(xp: Any, state: tuple[Any, ...], x: Any) -> tuple[Any, ...]:
    """A function of NumPy's of a number."""
    return (xp.sin(state[0]) + 0.1 * x,)


PROGRAMS = {
    "recursion": NumberProgram(lambda x: (x,), affine, 200),
    "neuron by Runge-Kutta": NumberProgram(lambda x: (x, 0.3), neuron, 30),
    "logistic map with branches": NumberProgram(
        lambda x: (x,), logistic, 200, step_in_jax=logistic_in_jax
    ),
    "two reservoirs": NumberProgram(lambda x: (1.0, 2.0), reservoir, 100, (0.2, 0.1, 0.05)),
    "sines": NumberProgram(lambda x: (x,), sines, 200),
    "three operations": NumberProgram(lambda x: (x,), lambda xp, s, x: (s[0] * x + 2.0 * x,), 1),
}


class Partial:
    """A number on the smallest tape there is: a list of parents and partial derivatives."""

    __slots__ = ("slot", "value")
    tape: list[tuple[tuple[int, float], ...]] = []  # noqa: RUF012 - one for all numbers

    def __init__(self, value: float, *parents: tuple[int, float]) -> None:
        self.value, self.slot = value, len(self.tape)
        self.tape.append(parents)

    def __neg__(self) -> "Partial":
        return Partial(-self.value, (self.slot, -1.0))

    def __pow__(self, n: float) -> "Partial":
        return Partial(self.value**n, (self.slot, n * self.value ** (n - 1)))

    def __gt__(self, other: float) -> bool:
        return self.value > other


def define(
    name: str, compute: Any, partials: Callable[[float, float], tuple[float, float]]
) -> None:
    """Define an operator of two numbers."""

    def operate(a: Partial, b: Any) -> Partial:
        if type(b) is Partial:
            da, db = partials(a.value, b.value)
            return Partial(compute(a.value, b.value), (a.slot, da), (b.slot, db))
        return Partial(compute(a.value, b), (a.slot, partials(a.value, b)[0]))

    def reflected(b: Partial, a: Any) -> Partial:
        return Partial(compute(a, b.value), (b.slot, partials(a, b.value)[1]))

    setattr(Partial, f"__{name}__", operate)
    setattr(Partial, f"__r{name}__", reflected)


define("add", operator.add, lambda a, b: (1.0, 1.0))
define("sub", operator.sub, lambda a, b: (1.0, -1.0))
define("mul", operator.mul, lambda a, b: (b, a))
define("truediv", operator.truediv, lambda a, b: (1.0 / b, -a / (b * b)))


def exponential(x: Partial) -> Partial:
    """Compute ``exp(x)``."""
    y = math.exp(x.value)
    return Partial(y, (x.slot, y))


OF_PARTIALS = SimpleNamespace(
    exp=exponential, sin=lambda x: Partial(math.sin(x.value), (x.slot, math.cos(x.value)))
)


def gradient_by_partials(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The gradient of a program on the smallest tape."""

    def gradient(x: Any) -> Any:
        Partial.tape.clear()
        inputs = [Partial(each) for each in x] if isinstance(x, tuple) else [Partial(x)]
        y = run(inputs if isinstance(x, tuple) else inputs[0])
        bars = [0.0] * len(Partial.tape)
        bars[y.slot] = 1.0
        for slot in range(len(bars) - 1, -1, -1):
            bar = bars[slot]
            for parent, partial in Partial.tape[slot]:
                bars[parent] += bar * partial
        return bars[: len(inputs)]

    return gradient
