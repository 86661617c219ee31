"""Our rules in compiled JAX programs: next to JAX's own derivatives, and to a callback by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measure import Run, ratio
from benchmarks.titles import titled
from chainrules_py import Array, RuleTable, default_rules

SIZE = 20_000
RULES = RuleTable(parent=default_rules, name="benchmarks")


def normal_energy(x: Any) -> Any:
    """A function that JAX cannot trace: NumPy computes it."""
    return np.log(np.sum(np.exp(np.asarray(x))))


def gradient_of_energy(x: Any) -> Any:
    """Its gradient, as the rule and the person have it."""
    weights = np.exp(np.asarray(x))
    return weights / np.sum(weights)


@RULES.rrule.register(normal_energy)
def normal_energy_rrule(x: Array) -> tuple[Any, Callable[[Any], tuple[Any]]]:
    return normal_energy(x), lambda y_bar: (y_bar * gradient_of_energy(x),)


def gradient_of(program: Callable[[Any, Any], Any], functions: Any, transformation: str) -> Run:
    """The compiled gradient of a program, waited for, on one vector."""
    import jax

    x = jax.numpy.linspace(0.5, 1.5, SIZE)

    def scalar(x: Any) -> Any:
        return program(functions, x)

    if transformation == "reverse":
        compiled = jax.jit(jax.value_and_grad(scalar))
        return lambda: jax.block_until_ready(compiled(x))
    compiled = jax.jit(lambda x, dot: jax.jvp(scalar, (x,), (dot,)))
    return lambda: jax.block_until_ready(compiled(x, x))


class Ours:
    """Functions of `jax.numpy` that are differentiated by our rules."""

    def __getattr__(self, name: str) -> Any:
        from chainrules_jax import to_jax

        return to_jax(getattr(np, name))


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "tanh, exp and sum": lambda xp, x: xp.sum(xp.tanh(x) * xp.exp(-x)),
    "sqrt, log and power": lambda xp, x: xp.sum(
        xp.multiply(xp.sqrt(x), xp.log(x)) + xp.power(x, 1.5)
    ),
    "matmul and softmax": lambda xp, x: xp.sum(
        xp.exp(xp.matmul(x.reshape(100, -1).T, x.reshape(100, -1)) / 200.0)
    ),
}


class Traced:
    """Programs in our rules' functions next to the programs in JAX's own."""

    params = (tuple(PROGRAMS), ("reverse", "forward"))
    param_names = ("program", "mode")

    def setup(self, program: str, mode: str) -> None:
        import_jax()

    @titled("traced rules / derivatives of JAX", "ratio")
    def track_ratio(self, program: str, mode: str) -> float:
        import jax.numpy as jnp

        return ratio(
            gradient_of(PROGRAMS[program], Ours(), mode), gradient_of(PROGRAMS[program], jnp, mode)
        )


class Opaque:
    """A rule that NumPy runs next to a `custom_vjp` that calls the same functions of NumPy's."""

    params = ((10, 1000, 100_000),)
    param_names = ("size",)

    def setup(self, size: int) -> None:
        import_jax()

    @titled("opaque rules / custom vjp by hand", "ratio")
    def track_ratio(self, size: int) -> float:
        import jax

        from chainrules_jax import to_jax

        ours, by_hand = (
            jax.jit(jax.grad(to_jax(normal_energy, rules=RULES))),
            jax.jit(jax.grad(energy_by_hand())),
        )
        x = jax.numpy.linspace(-1.0, 1.0, size)
        return ratio(lambda: ours(x).block_until_ready(), lambda: by_hand(x).block_until_ready())


def energy_by_hand() -> Callable[[Any], Any]:
    """The opaque function as a person gives it to JAX: a callback for each pass, of which the
    second runs the same rule.
    """
    import jax

    @jax.custom_vjp
    def energy(x: Any) -> Any:
        return jax.pure_callback(
            normal_energy, jax.ShapeDtypeStruct((), x.dtype), x, vmap_method="sequential"
        )

    def pulled_back(x: Any, y_bar: Any) -> Any:
        return normal_energy_rrule(np.asarray(x))[1](np.asarray(y_bar))[0]

    def backward(x: Any, y_bar: Any) -> tuple[Any]:
        return (
            jax.pure_callback(
                pulled_back,
                jax.ShapeDtypeStruct(x.shape, x.dtype),
                x,
                y_bar,
                vmap_method="sequential",
            ),
        )

    energy.defvjp(lambda x: (energy(x), x), backward)
    return energy  # type: ignore[no-any-return]


def import_jax() -> None:
    """Leave the benchmark out where JAX is not installed."""
    try:
        import jax  # noqa: F401
    except ImportError as error:
        raise NotImplementedError from error
