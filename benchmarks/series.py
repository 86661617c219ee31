"""Taylor series: one run on series against forward mode nested, and against JAX's jets."""

import math
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.cases import Measured, Ratios, in_units_of, measured_cases, ratios_of
from benchmarks.measure import ratio
from benchmarks.titles import titled
from chainrules_tape import jvp, taylor

ORDER = 6
WIDTH = 50
RNG = np.random.default_rng(0)
FIRST, SECOND = RNG.normal(size=(2, WIDTH, WIDTH)) / 7

Function = Callable[[Any, Any], Any]


def number(xp: Any, x: Any) -> Any:
    """exp(x sin x), of a number."""
    return xp.exp(x * xp.sin(x))


def perceptron(xp: Any, x: Any) -> Any:
    """Two layers of 50."""
    first, second = xp.asarray(FIRST), xp.asarray(SECOND)
    return xp.sum(xp.tanh(xp.matmul(second, xp.tanh(xp.matmul(first, x)))))


PROGRAMS: dict[str, tuple[Function, Any, Any]] = {
    "exp(x sin x)": (number, 0.7, 1.0),
    "perceptron": (perceptron, RNG.normal(size=WIDTH), RNG.normal(size=WIDTH)),
}


def nested(function: Callable[[Any], Any], x: Any, direction: Any, order: int) -> Any:
    """Compute a derivative by forward mode of forward mode."""
    if order == 0:
        return function(x)
    return jvp(lambda x: nested(function, x, direction, order - 1), (x,), (direction,))[1]


class Expansion:
    """A program with its Taylor coefficients, of which the highest is checked first."""

    def __init__(self, name: str) -> None:
        program, self.x, self.direction = PROGRAMS[name]
        self.function = lambda x: program(np, x)
        highest = math.factorial(ORDER) * self.series(ORDER)[ORDER]
        np.testing.assert_allclose(highest, self.nested(), rtol=1e-8)

    def series(self, order: int) -> list[Any]:
        found: list[Any] = taylor(self.function, self.x, order, self.direction)
        return found

    def nested(self) -> Any:
        return nested(self.function, self.x, self.direction, ORDER)

    def once(self) -> Any:
        return jvp(self.function, (self.x,), (self.direction,))


def ratios_of_expansion(name: str) -> Ratios:
    """Series in units of nested forward mode, and of one directional derivative."""
    own = Expansion(name)
    to_order = {order: partial(own.series, order) for order in (2, ORDER, 20)}
    against_nested = in_units_of("nested", {"nested": own.nested, "order 6": to_order[ORDER]})
    candidates = {"once": own.once, "order 2": to_order[2], "order 20": to_order[20]}
    return {**against_nested, **in_units_of("once", candidates)}


class Coefficients:
    """Measure Taylor coefficients in units of nested forward mode, and of one directional
    derivative.
    """

    params = tuple(PROGRAMS)
    param_names = ("program",)

    def setup_cache(self) -> Measured:
        return measured_cases(ratios_of_expansion, PROGRAMS)

    setup_cache.timeout = 300  # type: ignore[attr-defined]

    def setup(self, measured: Measured, name: str) -> None:
        self.ratios = ratios_of(measured, name)

    @titled("Taylor series, order 6 / nested jvp", "ratio")
    def track_nested(self, measured: Measured, name: str) -> float:
        return self.ratios["order 6"]

    @titled("Taylor series, order 2 / jvp", "ratio")
    def track_order_2(self, measured: Measured, name: str) -> float:
        return self.ratios["order 2"]

    @titled("Taylor series, order 20 / jvp", "ratio")
    def track_order_20(self, measured: Measured, name: str) -> float:
        return self.ratios["order 20"]


class Jets:
    """Measure Taylor coefficients against `jax.experimental.jet`, as it is called and compiled."""

    params = (tuple(PROGRAMS), ("eager", "compiled"))
    param_names = ("program", "form")

    def setup(self, name: str, form: str) -> None:
        if find_spec("jax") is None:
            raise NotImplementedError("jax is not installed")
        import jax
        import jax.numpy as jnp
        from jax.experimental import jet

        untyped: Any = jax.config
        untyped.update("jax_enable_x64", True)
        expand_in_jax: Any = jet.jet
        program, x, direction = PROGRAMS[name]
        x_there, zero = jnp.asarray(x), jnp.zeros_like(jnp.asarray(x))
        terms = [jnp.asarray(direction), *[zero] * (ORDER - 1)]

        def expand(x: Any, terms: Any) -> Any:
            return expand_in_jax(lambda x: program(jnp, x), (x,), (terms,))

        run: Any = jax.jit(expand) if form == "compiled" else expand
        self.ours: Any = lambda: taylor(lambda x: program(np, x), x, ORDER, direction)
        self.theirs: Any = lambda: jax.block_until_ready(run(x_there, terms))
        _, derivatives = self.theirs()
        own = [math.factorial(k) * c for k, c in enumerate(self.ours())]
        np.testing.assert_allclose(own[1:], np.asarray(derivatives), rtol=1e-8)

    @titled("Taylor series, order 6 / JAX jet", "ratio")
    def track_ratio(self, name: str, form: str) -> float:
        return ratio(self.ours, self.theirs)
