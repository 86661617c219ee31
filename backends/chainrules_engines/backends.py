"""The engines that are known by name: what differentiates, and how a NumPy program enters and leaves.

A distribution declares further ones by an entry point, a function without arguments that returns a
`Backend`:

    [project.entry-points."chainrules_py.engines"]
    mine = "my_engine.backends:backend"
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import SimpleNamespace
from typing import Any

import chainrules_tape as tape
from chainrules_engines.layouts import EngineError, Layout
from chainrules_py.annotations import Args, Function
from chainrules_py.testing import numerical_rule
from chainrules_py.testing.finite_differences import Curve, directional


def itself(program: Function) -> Function:
    """Leave a program as it is."""
    return program


@dataclass(frozen=True)
class Backend:
    """An engine, with the way into it and out of it.

    `engine` has ``vjp(f, *args)``, ``jvp(f, args, tangents)`` or both, and may have
    ``vmap(f, in_axes)``, as `check_engine` asks for them. `enter` makes a program of NumPy's arrays
    one of the engine's; `leave` makes one of the engine's, which may have derivatives in it, a
    function of NumPy's arrays, which other engines differentiate. `inner` is the engine of the
    gradients that this one differentiates, if it is another one.
    """

    name: str
    engine: Any
    enter: Function = itself
    leave: Function = itself
    inner: "Backend | None" = None


# Differences


def slope(f: Function, args: Args, tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value and its derivative by differences, to some ten digits."""
    found = directional(f, args[0], tangents[0]).require("differences", f)
    return found.output, found.layout.restore(found.value)


def complex_step(f: Function, args: Args, tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value, and its derivative as the imaginary part of a value beside it, to all digits.

    For functions that are no functions of a complex number, it is another one: differences tell.
    """
    layout = Layout(args[0])
    curve = Curve(f, layout, layout.vector(args[0]), layout.tangent_vector(tangents[0]))
    found = curve.complex_step()
    if found is None or not curve.has_slope(found):
        got = "a program that loses the imaginary part of complex numbers"
        raise EngineError("complex step", got, 'name another engine, "tape"', engine="complex step")
    return curve.output, curve.out_layout.restore(found)


# Engines by name


def compiled(**target: Any) -> Backend:
    """The tape, with each derivative as straight code."""
    leave = partial(tape.compiled, **target)
    return Backend(" to ".join(["compiled", *target.values()]), tape, leave=leave)


def adapted(name: str, engine: str) -> Backend:
    """The engine of another library, by its adapter."""
    own, adapter = import_module(engine), import_module(f"chainrules_{name}")
    return Backend(name, own, getattr(adapter, f"to_{name}"), getattr(adapter, f"from_{name}"))


def numerical(name: str, jvp: Function) -> Backend:
    """Numbers instead of rules; of what they compute, others take differences."""
    return Backend(name, SimpleNamespace(jvp=jvp), leave=numerical_rule)


KNOWN: dict[str, Callable[[], Backend]] = {
    "tape": partial(Backend, "tape", tape),
    "compiled": compiled,
    "compiled to jax": partial(compiled, to="jax"),
    "jax": partial(adapted, "jax", "jax"),
    "torch": partial(adapted, "torch", "torch.func"),
    "autograd": partial(adapted, "autograd", "chainrules_autograd.differentiation"),
    "differences": partial(numerical, "differences", slope),
    "complex step": partial(numerical, "complex step", complex_step),
}


def engines() -> dict[str, Callable[[], Backend]]:
    """The engines that have names, installed or not: each with a function that makes its backend."""
    declared = entry_points(group="chainrules_py.engines")
    return {**KNOWN, **{point.name: partial(declared_by, point) for point in declared}}


def declared_by(point: EntryPoint) -> Any:
    """The backend of another distribution."""
    return point.load()()


def backend_of(engine: Any) -> Backend:
    """The backend that a name, or an engine itself, stands for."""
    if isinstance(engine, Backend):
        return engine
    if hasattr(engine, "vjp") or hasattr(engine, "jvp"):
        return Backend(getattr(engine, "__name__", type(engine).__name__), engine)
    known = engines()
    if isinstance(engine, str) and engine in known:
        return known[engine]()
    instead = f"name one of {', '.join(known)}, or pass one with vjp or jvp"
    raise EngineError("derivatives", f"engine={engine!r}", instead, engine=engine)


def second_order(*, outer: Any, inner: Any) -> Backend:
    """Have one engine differentiate the gradients of another one, for `derivatives`."""
    return replace(backend_of(outer), inner=backend_of(inner))
