"""The table of ways to differentiate a program: each returns derivatives along the line, by order.

A line is a function of one number (`Case.line`), so that ways compose: a transformation makes
another function of it with the same values (`TRANSFORMATIONS`), and a derivative takes its slopes
(`DERIVATIVES`), in towers for higher orders. `WHOLE` are ways that look at arguments and results as
they are, with their structure, classes, dtypes and memory.

A way refuses programs with some marks, by an error (`REFUSED`): such a cell has to raise it.
"""

import functools
import itertools
import random
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

import chainrules_tape.numpy as tnp
from chainrules_py import debug_mode
from chainrules_py.errors import BatchingError, ChainRulesError
from chainrules_tape import (
    InPlaceError,
    as_primitive,
    checkpoint,
    compiled,
    grad,
    hessian,
    higher_derivatives,
    hvp,
    jacobian,
    jvp,
    linearize,
    seen_through,
    value_and_grad,
    vjp,
    vmap,
)
from product.judge import Case
from product.programs import Program
from stand_ins.array_makers import host, of_jax, of_the_standard, of_torch

if find_spec("jax"):
    import jax

Line = Callable[[Any], Any]


# --- Derivatives of a function of one number ---


def forward(f: Line) -> Line:
    return lambda t: jvp(f, (t,), (1.0,))[1]


def reverse(f: Line) -> Line:
    return lambda t: vjp(f, t)[1](1.0)[0]


def linear(f: Line) -> Line:
    return lambda t: linearize(f, t)[1](1.0)


FIRST = {
    "grad": grad,
    "reverse": reverse,
    "forward": forward,
    "linearize": linear,
    "jacobian": jacobian,
}
TOWERS = {
    "-".join(names): names
    for order in (2, 3)
    for names in itertools.product(("reverse", "forward"), repeat=order)
}


def tower(names: tuple[str, ...], f: Line) -> Line:
    """Differentiate once for each name, the last one first."""
    return functools.reduce(lambda inner, name: FIRST[name](inner), reversed(names), f)


DERIVATIVES: dict[str, Callable[[Line], dict[int, Any]]] = {
    "value": lambda f: {0: f(0.0)},
    **{name: lambda f, way=way: {1: way(f)(0.0)} for name, way in FIRST.items()},
    **{name: lambda f, n=names: {len(n): tower(n, f)(0.0)} for name, names in TOWERS.items()},
    "hessian": lambda f: {2: hessian(f)(0.0)},
    "hvp": lambda f: {2: hvp(f, 0.0, 1.0)},
    "series": lambda f: dict(enumerate(higher_derivatives(f, 0.0, 3))),
    "series of grad": lambda f: dict(enumerate(higher_derivatives(grad(f), 0.0, 2), 1)),
    "grad of series": lambda f: {
        order + 1: grad(lambda t, k=order: higher_derivatives(f, t, k)[k])(0.0) for order in (0, 1)
    },
}


# --- Transformations that keep the values of a function of one number ---


def in_lanes(f: Line) -> Line:
    """Run it in the middle of three lanes."""
    return lambda t: vmap(f)(tnp.array([t - 0.01, t, t + 0.01]))[1]


def in_lanes_of_lanes(f: Line) -> Line:
    return lambda t: vmap(vmap(f))(tnp.array([[t, t + 0.01], [t - 0.01, t]]))[1, 1]


def recorded(f: Line, **options: Any) -> Line:
    """Run its program, which was recorded at two other places."""
    program = compiled(f, **options)
    for place in (0.002, -0.002, 0.001):
        program(place)
    return program


TRANSFORMATIONS: dict[str, Callable[[Line], Line]] = {
    "as it is": lambda f: f,
    "checkpoint": checkpoint,
    "checkpoint that saves": lambda f: checkpoint(f, save={np.multiply, np.matmul, np.sin}),
    "lanes": in_lanes,
    "lanes of lanes": in_lanes_of_lanes,
    "primitive": as_primitive,
    "compiled": recorded,
}
if find_spec("jax"):
    TRANSFORMATIONS["compiled to XLA"] = lambda f: recorded(f, to="jax")


# --- In other engines ---


def in_jax(derive: str, f: Line) -> dict[int, Any]:
    import jax.numpy as jnp

    from chainrules_jax import to_jax

    with jax.enable_x64(True):
        there, t = to_jax(f), jnp.asarray(0.0)
        if derive == "grad":
            return {1: jax.grad(there)(t)}
        if derive == "jit":
            value, slope = jax.jit(jax.value_and_grad(there))(t)
            return {0: value, 1: slope}
        if derive == "jvp":
            value, slope = jax.jvp(there, (t,), (jnp.ones(()),))
            return {0: value, 1: slope}
        return {1: jax.vmap(jax.grad(there))(jnp.asarray([0.01, 0.0]))[1]}


def in_torch(f: Line) -> dict[int, Any]:
    import torch

    from chainrules_torch import to_torch

    t = torch.zeros((), dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(to_torch(f)(t), t, create_graph=True)
    found = {1: slope.detach()}
    if slope.requires_grad:
        found[2] = torch.autograd.grad(slope, t)[0]
    return found


def in_autograd(f: Line) -> dict[int, Any]:
    import autograd

    from chainrules_autograd import to_autograd

    return {1: autograd.grad(to_autograd(f))(0.0)}


ENGINES: dict[str, Callable[[Line], dict[int, Any]]] = {}
if find_spec("jax"):
    ENGINES |= {
        f"JAX, {derive}": functools.partial(in_jax, derive)
        for derive in ("grad", "jvp", "jit", "vmap")
    }
if find_spec("torch"):
    ENGINES["PyTorch"] = in_torch
if find_spec("autograd"):
    ENGINES["autograd"] = in_autograd


# --- On the arrays of other libraries ---


def on_arrays_of(make: Callable[[Any], Any], lanes: bool, f: Line) -> dict[int, Any]:
    """Derivatives where the number is an array of a library, and so is all that comes of it."""
    with jax.enable_x64(True) if make is of_jax else nullcontext():
        t = make(np.zeros(()))
        if lanes:
            return {1: host(vmap(grad(f))(make(np.array([-0.01, 0.0, 0.01])))[1])}
        found = [*value_and_grad(f)(t), jvp(grad(f), (t,), (make(np.ones(())),))[1]]
        assert all(type(y) is type(t) for y in found)
        return dict(enumerate(map(host, found)))


LIBRARIES = {"JAX": of_jax, "PyTorch": of_torch, "the standard": of_the_standard}
PACKAGES = {"JAX": "jax", "PyTorch": "torch", "the standard": "array_api_strict"}
# What a library lacks, and refuses by name: other tests hold the words.
LACKING = {
    "JAX": "constant",
    "PyTorch": "sorting|quantiles|convolution|lists beside arrays|constant",
    "the standard": "fft|sorting|quantiles|convolution|lists beside arrays|python floats|ufunc methods|constant",
}

# --- Arguments and results as they are ---


def pulled(case: Case, function: Callable[..., Any]) -> None:
    """A pullback, called twice, on arguments that stay as they are."""
    args = case.program.args()
    value, pullback = vjp(function, *args)
    case.require_value(value)
    case.require_gradient(pullback(case.seed))
    case.require_gradient(pullback(case.seed))
    case.require_arguments(args)


def pushed(case: Case) -> None:
    args = case.program.args()
    value, dot = jvp(case.program.function, args, case.tangents)
    case.require_value(value)
    case.require({1: case.results.tangent_vector(dot) @ case.weights})
    case.require_arguments(args)


def in_debug_mode(case: Case) -> None:
    with debug_mode():
        pulled(case, case.program.function)


def by_value_and_grad(case: Case) -> None:
    args = case.program.args()
    names = tuple(range(len(args)))
    value, bars = value_and_grad(case.loss(case.program.function), names)(*args)
    case.require({0: value})
    case.require_gradient(bars)


def restored(case: Case, x: Any) -> tuple[Any, ...]:
    """Arguments of real coordinates, which may be traced."""
    values = {}
    for leaf in case.layout.leaves:
        entries = x[leaf.start : leaf.stop]
        if leaf.is_complex:
            entries = entries[: leaf.entries] + 1j * entries[leaf.entries :]
        entries = entries.astype(leaf.dtype)
        values[leaf.path] = entries.reshape(leaf.shape) if leaf.shape else entries[0]
    return case.layout.with_leaves(values)


def on_a_vector(case: Case) -> tuple[Callable[[Any], Any], Any]:
    """The weighted sum as a function of all coordinates of the arguments, and these."""
    loss = case.loss(case.program.function)
    return lambda x: loss(*restored(case, x)), case.layout.vector(case.program.args())


def matrix(case: Case, **options: Any) -> None:
    """A Jacobian of the weighted sum and of its half, by all coordinates."""
    loss, x = on_a_vector(case)
    found = jacobian(lambda x: tnp.array([loss(x), 0.5 * loss(x)]), **options)(x)
    found = found.toarray() if options.get("sparse") else found
    case.require({1: found[0] @ case.direction})
    case.require({1: 2.0 * found[1] @ case.direction})


def curvature(case: Case, **options: Any) -> None:
    loss, x = on_a_vector(case)
    found = hessian(loss, **options)(x)
    found = found.toarray() if options.get("sparse") else found
    case.require({2: case.direction @ found @ case.direction})


WHOLE: dict[str, Callable[[Case], None]] = {
    "pullback": lambda case: pulled(case, case.program.function),
    "pushforward": pushed,
    "value_and_grad": by_value_and_grad,
    "debug mode": in_debug_mode,
    "pullback of a scope": lambda case: pulled(case, seen_through(case.program.plain)),
    "pullback of a checkpoint": lambda case: pulled(case, checkpoint(case.program.function)),
    "jacobian, reverse": lambda case: matrix(case, mode="reverse"),
    "jacobian, forward": lambda case: matrix(case, mode="forward"),
    "jacobian, sparse": lambda case: matrix(case, sparse=True),
    "hessian, whole": curvature,
    "hessian, sparse": lambda case: curvature(case, sparse=True),
}


# --- Cells ---


@dataclass(frozen=True)
class Way:
    """A row: how the derivatives of a case are taken and checked."""

    name: str
    check: Callable[[Case], None]


def along(derive: Callable[[Line], dict[int, Any]]) -> Callable[[Case], None]:
    return lambda case: case.require(derive(case.line(case.program.function)))


def chain(outer: str, name: str, inner: str) -> Way:
    """A transformation of a derivative of a transformation."""

    def check(case: Case) -> None:
        f = TRANSFORMATIONS[inner](case.line(case.program.function))
        slopes = TRANSFORMATIONS[outer](CHAINED[name](f))
        case.require({len(name.split("-")): slopes(0.0)})

    return Way(f"{outer} of {name} of {inner}", check)


CHAINED = {
    **{name: FIRST[name] for name in ("grad", "forward")},
    "forward-reverse": lambda f: tower(("forward", "reverse"), f),
    "taylor-series": lambda f: lambda t: higher_derivatives(f, t, 2)[2],
}
SINGLE = [
    *(Way(name, along(derive)) for name, derive in DERIVATIVES.items()),
    *(Way(name, along(derive)) for name, derive in ENGINES.items()),
    *(Way(name, check) for name, check in WHOLE.items()),
]
ON_ARRAYS = [
    (library, Way(f"{words} of {library}", along(functools.partial(on_arrays_of, make, lanes))))
    for library, make in LIBRARIES.items()
    if find_spec(PACKAGES[library])
    for words, lanes in (("arrays", False), ("lanes", True))
]
CHAINS = [chain(*names) for names in itertools.product(TRANSFORMATIONS, CHAINED, TRANSFORMATIONS)]
# What a way refuses, by a mark of the program and words of its name.
REFUSED = {
    ("decides", "lanes"): BatchingError,
    ("alone", "lanes"): ChainRulesError,
    ("argument", "pullback of a checkpoint"): InPlaceError,
}
# What a way is not asked, since it may refuse or not, by the numbers.
UNASKED = {
    *(("counts", "lanes"), ("inner", "checkpoint"), ("inner", "primitive")),
    *(("direct", "scope"), ("unserial", "series")),
    *(("once", word) for word in ("-", "hessian", "hvp", "linearize", "series", "PyTorch")),
    *(("solver", f"lanes of {way}") for way in ("forward-reverse", "taylor-series")),
    *(("unserial", "lanes of lanes"), ("foreign", "that saves")),
    *(("held", f"lanes of {library}") for library in LIBRARIES),
}


def ways_of(program: Program, chains: int) -> list[Way]:
    """All single ways, and some chains, which each program draws for itself."""
    drawn = random.Random(program.name).sample(CHAINS, chains)
    if program.table == "plain" or "held" in program.marks:
        drawn += [w for name, w in ON_ARRAYS if program.name not in LACKING[name].split("|")]
    return [
        way
        for way in (*SINGLE, *drawn)
        if not any(m in program.marks and word in way.name for m, word in UNASKED)
    ]


def refusal(program: Program, way: Way) -> type[Exception] | None:
    """The error that a cell has to raise, if any."""
    found = [
        error for (m, word), error in REFUSED.items() if m in program.marks and word in way.name
    ]
    return found[0] if found else None
