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
import runpy
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import debug_mode
from chainrules_py.errors import BatchingError, ChainRulesError
from chainrules_tape import (
    InPlaceError,
    InputError,
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
from late import Late
from product.judge import Case
from product.programs import Program
from stand_ins.array_makers import (
    ARRAYS_BESIDE,
    host,
    of_cupy,
    of_jax,
    of_the_standard,
    of_torch,
)

Line = Callable[[Any], Any]
Derive = Callable[[Line, Any], dict[int, Any]]


TESTS = Path(__file__).parents[2]
jax, jnp, torch, autograd = map(Late, ("jax", "jax.numpy", "torch", "autograd"))


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
    "recording": lambda f: {1: compiled(grad(f))(0.0), 2: compiled(grad(forward(f)))(0.0)},
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


def recorded(f: Line, make: Callable[[float], Any] = float, **options: Any) -> Line:
    """Run its program, which was recorded at two other places, on numbers of a class."""
    program = compiled(f, **options)
    for place in (0.002, -0.002, 0.001):
        program(make(place))
    return lambda t: program(t * make(1.0))


TRANSFORMATIONS: dict[str, Callable[[Line], Line]] = {
    "as it is": lambda f: f,
    "checkpoint": checkpoint,
    "checkpoint that saves": lambda f: checkpoint(f, save={np.multiply, np.matmul, np.sin}),
    "lanes": in_lanes,
    "lanes of lanes": in_lanes_of_lanes,
    "primitive": as_primitive,
    "compiled": recorded,
    # which leaves floats to NumPy
    "compiled to XLA": lambda f: recorded(f, np.float64, to="jax"),
}


# --- In other engines ---


def in_jax(derive: Derive, f: Line) -> dict[int, Any]:
    from chainrules_jax import to_jax

    with jax.enable_x64(True):
        return derive(to_jax(f), jnp.asarray(0.0))


def of_jax_itself() -> dict[str, Derive]:
    """What JAX makes of a function: its own derivatives of each order, batches, loops, checkpoints."""

    def g(f: Line) -> Line:
        return jax.grad(f)

    def push(f: Line) -> Line:
        return lambda t: jax.jvp(f, (t,), (jnp.ones_like(t),))[1]

    def beside(t: Any) -> Any:
        return jnp.stack([t + 0.01, t])

    def scanned(f: Line) -> Line:
        return lambda t: jax.lax.scan(lambda c, _: (c, f(c)), t, length=2)[1][1]

    def chosen(f: Line) -> Line:
        return lambda t: jax.lax.cond(t < 1, f, lambda t: 2 * t, t)

    def looped(f: Line) -> Line:
        return lambda t: jax.lax.fori_loop(0, 2, lambda _, y: f(t) + 0 * y, t)

    return {
        "grad": lambda f, t: {1: g(f)(t)},
        "jvp": lambda f, t: dict(enumerate(jax.jvp(f, (t,), (jnp.ones_like(t),)))),
        "jit": lambda f, t: dict(enumerate(jax.jit(jax.value_and_grad(f))(t))),
        "linearize": lambda f, t: {1: jax.linearize(f, t)[1](jnp.ones_like(t))},
        "checkpoint": lambda f, t: {1: g(jax.checkpoint(f))(t)},
        "scan": lambda f, t: {1: g(scanned(f))(t)},
        "cond": lambda f, t: {1: jax.jit(g(chosen(f)))(t)},
        "loop": lambda f, t: {1: push(looped(f))(t)},
        "vmap": lambda f, t: {1: jax.vmap(g(f))(beside(t))[1]},
        "grad of vmap": lambda f, t: {1: g(lambda t: jax.vmap(f)(beside(t))[1])(t)},
        "vmap of vmap": lambda f, t: {1: jax.vmap(jax.vmap(g(f)))(beside(t)[None])[0, 1]},
        "cotangents": lambda f, t: {1: jax.vmap(jax.vjp(f, t)[1])(jnp.stack([t + 2, t + 1]))[0][1]},
        "grad-grad": lambda f, t: {2: g(g(f))(t)},
        "jvp-grad": lambda f, t: {2: jax.jit(push(g(f)))(t)},
        "grad-jvp": lambda f, t: {2: g(push(f))(t)},
        "jvp-jvp": lambda f, t: {2: push(push(f))(t)},
        "vmap of jvp-grad": lambda f, t: {2: jax.vmap(jax.hessian(f))(beside(t))[1]},
        "jvp-grad of scan": lambda f, t: {2: push(g(scanned(jax.checkpoint(f))))(t)},
        "jvp-jvp-grad": lambda f, t: {3: push(push(g(f)))(t)},
    }


def in_torch(derive: Derive, f: Line) -> dict[int, Any]:
    from chainrules_torch import to_torch

    found = derive(to_torch(f), torch.zeros((), dtype=torch.float64, requires_grad=True))
    return {order: number.detach() for order, number in found.items()}


def of_torch_itself() -> dict[str, Derive]:
    """What PyTorch makes of a function: backward passes, dual numbers, batches, checkpoints."""

    def slope(f: Line, t: Any, *seeds: Any, **options: Any) -> Any:
        return torch.autograd.grad(f(t), t, *seeds, **options)[0]

    def slope_of_slope(f: Line, t: Any) -> Any:
        first = slope(f, t, create_graph=True)
        return torch.autograd.grad(first, t)[0] if first.requires_grad else torch.zeros(())

    def kept(f: Line) -> Line:
        from torch.utils.checkpoint import checkpoint

        return lambda t: checkpoint(f, t, use_reentrant=False)

    def twice(f: Line, t: Any) -> Any:
        y = f(t)
        y.backward(retain_graph=True)
        y.backward(torch.full_like(y, 2.0))
        return t.grad / 3

    def pushed(f: Line, t: Any) -> Any:
        forward_ad = torch.autograd.forward_ad
        with forward_ad.dual_level():
            found = forward_ad.unpack_dual(f(forward_ad.make_dual(t, torch.ones_like(t))))
            return torch.zeros(()) if found.tangent is None else found.tangent

    def beside(t: Any) -> Any:
        return torch.stack([t + 0.01, t])

    def two() -> Any:
        return torch.tensor([1.0, 2.0], dtype=torch.float64)

    return {
        "backward": lambda f, t: {1: slope(f, t)},
        "backward twice": lambda f, t: {1: twice(f, t)},
        "checkpoint": lambda f, t: {1: slope(kept(f), t)},
        "forward": lambda f, t: {1: pushed(f, t)},
        "vmap": lambda f, t: {1: torch.func.vmap(torch.func.grad(f))(beside(t).detach())[1]},
        "grad of vmap": lambda f, t: {
            1: slope(lambda t: torch.func.vmap(f, chunk_size=1)(beside(t))[1], t)
        },
        "cotangents": lambda f, t: {1: slope(f, t, two(), is_grads_batched=True)[1] / 2},
        "tangents": lambda f, t: {
            1: torch.autograd.functional.jacobian(f, t, vectorize=True, strategy="forward-mode")
        },
        "backward-backward": lambda f, t: {2: slope_of_slope(f, t)},
        "backward-backward of checkpoint": lambda f, t: {2: slope_of_slope(kept(f), t)},
        "forward-backward": lambda f, t: {2: pushed(lambda t: slope(f, t, create_graph=True), t)},
        "hessian": lambda f, t: {2: torch.func.hessian(f)(t.detach())},
        "hessian, older": lambda f, t: {2: torch.autograd.functional.hessian(f, t)},
    }


def in_autograd(derive: Derive, f: Line) -> dict[int, Any]:
    from chainrules_autograd import to_autograd

    return derive(to_autograd(f), 0.0)


def of_autograd_itself() -> dict[str, Derive]:
    """What autograd makes of a function."""

    def g(f: Line) -> Line:
        return autograd.grad(f)

    def push(f: Line) -> Line:
        return lambda t: autograd.make_jvp(f)(t)(1.0)[1]

    return {
        "grad": lambda f, t: dict(enumerate(autograd.value_and_grad(f)(t))),
        "jvp": lambda f, t: {1: push(f)(t)},
        "checkpoint": lambda f, t: {1: g(autograd.checkpoint(f))(t)},
        "grad-grad": lambda f, t: {2: g(g(f))(t)},
        "jvp-grad": lambda f, t: {2: push(g(f))(t)},
        "grad-jvp": lambda f, t: {2: g(push(f))(t)},
        "hessian": lambda f, t: {2: autograd.jacobian(autograd.jacobian(f))(t)},
        "grad-grad-grad": lambda f, t: {3: g(g(g(f)))(t)},
        "grad-grad of checkpoint": lambda f, t: {2: g(g(autograd.checkpoint(f)))(t)},
    }


# Of engines with few ways, each of which stands beside the tests of its adapter.
BESIDE = [runpy.run_path(str(path)) for path in sorted(TESTS.glob("chainrules_*/ways.py"))]
ENGINES: dict[str, Callable[[Line], dict[int, Any]]] = {
    f"{engine}, {name}": functools.partial(within, derive)
    for engine, within, ways in (
        ("JAX", in_jax, of_jax_itself),
        ("PyTorch", in_torch, of_torch_itself),
        ("autograd", in_autograd, of_autograd_itself),
        *((each["NAME"], each["within"], each["of_itself"]) for each in BESIDE),
    )
    for name, derive in ways().items()
}


# --- By one call for all engines ---

NAMES_OF_ENGINES = {
    "tape": "tape",
    "compiled": "compiled",
    "JAX": "jax",
    "PyTorch": "torch",
    "autograd": "autograd",
}


def by_derivatives(outer: str, inner: str, f: Line) -> dict[int, Any]:
    """Two orders by an engine, or the second one by two of them."""
    from chainrules_engines import derivatives, second_order

    if "torch" in (outer, inner):
        import quiet_torch as quiet_torch
    if outer != inner:
        return {2: derivatives(f, second_order(outer=outer, inner=inner)).hessian(0.0)}
    d = derivatives(f, outer)
    return {**dict(enumerate(d.value_and_gradient(0.0))), 2: d.hvp(0.0, 1.0)}


# --- In the engines of the guide ---


def by_the_guide(name: str, case: Case) -> None:
    """Two orders by an engine that the guide builds, of the program as NumPy's users write it."""
    f, engine = case.line(case.program.plain), runpy.run_path(str(GUIDE / f"{name}.py"))

    def slope(f: Line) -> Line:
        if name == "forward":
            return lambda t: engine["jvp"](f, (t,), (1.0,))[1]
        return lambda t: engine["vjp"](f, t)[1](1.0)[0]

    case.require({1: slope(f)(0.0), 2: slope(slope(f))(0.0)})


GUIDE = TESTS.parent / "examples" / "engines"


# --- On the arrays of other libraries ---


def on_arrays_of(make: Callable[[Any], Any], lanes: bool, case: Case) -> None:
    """Derivatives where the number is an array of a library, and so is all that comes of it."""
    own = make if make is of_cupy else lambda x: x  # CuPy takes no arrays of NumPy's
    f = case.line(case.program.function, own)
    with jax.enable_x64(True) if make is of_jax else nullcontext():
        t = make(np.zeros(()))
        if lanes:
            case.require({1: host(vmap(grad(f))(make(np.array([-0.01, 0.0, 0.01])))[1])})
            return
        found = [*value_and_grad(f)(t), jvp(grad(f), (t,), (make(np.ones(())),))[1]]
        assert all(type(y) is type(t) for y in found)
        case.require(dict(enumerate(map(host, found))))


def under_jax(f: Line) -> dict[int, Any]:
    """Our derivatives of JAX's arrays, which JAX compiles, makes batches of and differentiates."""
    with jax.enable_x64(True):
        each = jax.vmap(lambda t: (*value_and_grad(f)(t), jax.grad(grad(f))(t)))
        return {order: found[1] for order, found in enumerate(jax.jit(each)(jnp.array([0.01, 0])))}


def under_torch(f: Line) -> dict[int, Any]:
    """Our derivatives of tensors, of which PyTorch takes derivatives."""
    t = torch.zeros((), dtype=torch.float64)
    slope, curvature = torch.func.jvp(grad(f), (t,), (torch.ones_like(t),))
    return {1: slope, 2: curvature}


# And the programs of which that is not asked: JAX has to know masks.
AROUND = {"JAX": (under_jax, "masks|unique"), "PyTorch": (under_torch, "operators")}
LIBRARIES = {
    "JAX": of_jax,
    "PyTorch": of_torch,
    "the standard": of_the_standard,
    **{each.NAME: each.make for each in ARRAYS_BESIDE},
    "CuPy": of_cupy,
}
# What a library lacks, and refuses by name: other tests hold the words.
UNLISTED = "required order|sorting|quantiles|convolution|lists beside arrays|constant"
# Which compute with arrays of NumPy's, or by what CuPy has not.
BESIDE_NUMPYS = (
    "averages|broadcast arrays|captured|captured by a pullback|chained_out|cholesky factor|complex solve"
    "|cross|dataclass|determinant|eigenvectors|heat|inverse|least squares|lists beside arrays"
    "|matrix power|mixture|nan functions|piecewise by neighbours|pinv|qr|reduce of matrices"
    "|required order|ring_buffer|solve|trapezoids|ufunc methods"
    "|vectorize, a loop|vectorize, a signature|vectorize, broadcasting"
)
LACKING = {
    "JAX": "constant",
    "PyTorch": UNLISTED,
    "the standard": f"{UNLISTED}|windows of matrices|windows along an axis|fft|python floats|ufunc methods",
    **{each.NAME: each.LACKING for each in ARRAYS_BESIDE},
    "CuPy": "constant|" + BESIDE_NUMPYS,
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
        if leaf.shape and np.isfortran(leaf.example):
            values[leaf.path] = values[leaf.path].copy("F")
        if type(leaf.example) not in (np.ndarray, np.float64):
            values[leaf.path] = 0 * leaf.example + values[leaf.path]
    return case.layout.with_leaves(values)


def on_a_vector(case: Case, weighted: Callable[..., Any]) -> tuple[Callable[[Any], Any], Any]:
    """A function of the arguments as one of all their coordinates, and these."""
    return lambda x: weighted(*restored(case, x)), case.layout.vector(case.program.args())


def at_last(case: Case, derivative: Callable[[Any], Any], x: Any) -> Any:
    """A derivative at the arguments, after others near by."""
    for step in (0.002, -0.002, 0.001):
        derivative(x + step * case.direction)
    return derivative(x)


def matrix(case: Case, run: Callable[[Any], Any] = lambda f: f, **options: Any) -> None:
    """A Jacobian of the weighted entries of the results, by all coordinates."""
    entries, x = on_a_vector(case, case.entries(case.program.function))
    find = run(jacobian(lambda x: np.concatenate([*map(np.ravel, entries(x))]), **options))
    found = at_last(case, find, x) if run is compiled else find(x)
    case.require({1: np.sum(found @ case.direction)})


def rows(case: Case) -> None:
    """A Jacobian by a pullback for each entry of the results."""
    entries, x = on_a_vector(case, case.entries(case.program.function))
    value, pullback = vjp(lambda x: np.concatenate([*map(np.ravel, entries(x))]), x)
    found = [pullback(row)[0] for row in np.eye(len(value))]
    case.require({1: np.sum(np.array(found) @ case.direction)})


def saved(case: Case) -> None:
    """A gradient as the text of a module, which was recorded near by, if it has one."""
    line = case.line(case.program.function)

    def slope(t: Any) -> Any:
        return grad(line)(t)

    program = compiled(slope)
    for place in (0.002, -0.002, 0.001):
        program(place)
    with TemporaryDirectory() as folder:
        path = f"{folder}/module.py"
        if "textless" in case.program.marks or not program.count_of_programs():
            with pytest.raises(InputError, match="call the function: it"):
                program.save(path, 0.001)
        else:
            refused = ""
            try:
                program.save(path, 0.001)
            except InputError as error:
                refused = str(error)
            if refused:  # a rule that runs on numbers is run as it is
                assert "has no text; call the function" in refused
            else:
                with warnings.catch_warnings():  # those of NumPy, which programs may silence
                    warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                    case.require({1: runpy.run_path(path)["slope"](0.0)})


def curvature(case: Case, run: Callable[[Any], Any] = lambda f: f, **options: Any) -> None:
    loss, x = on_a_vector(case, case.loss(case.program.function))
    find = run(hessian(loss, **options))
    found = at_last(case, find, x) if run is compiled else find(x)
    case.require({2: case.direction @ (found @ case.direction)})


WHOLE: dict[str, Callable[[Case], None]] = {
    "pullback": lambda case: pulled(case, case.program.function),
    "pushforward": pushed,
    "value_and_grad": by_value_and_grad,
    "debug mode": in_debug_mode,
    "pullback of a scope": lambda case: pulled(case, seen_through(case.program.plain)),
    "pullback of a checkpoint": lambda case: pulled(case, checkpoint(case.program.function)),
    "jacobian, reverse": lambda case: matrix(case, mode="reverse"),
    "jacobian, forward": lambda case: matrix(case, mode="forward"),
    "jacobian, rows": rows,
    "saved": saved,
    "jacobian, sparse": lambda case: matrix(case, sparse=True),
    "jacobian, sparse, compiled": lambda case: matrix(case, run=compiled, sparse=True),
    "hessian, whole": curvature,
    "hessian, sparse": lambda case: curvature(case, sparse=True),
    "hessian, sparse, compiled": lambda case: curvature(case, run=compiled, sparse=True),
}


# --- Cells ---


@dataclass(frozen=True)
class Way:
    """A row: how the derivatives of a case are taken and checked."""

    name: str
    check: Callable[[Case], None]

    @functools.cached_property
    def is_there(self) -> bool:
        """Whether what its name says is installed: which ways are drawn does not depend on that."""
        return not any(word in self.name for word in ABSENT)


MODULES = {
    "compiled to XLA": "jax",
    "JAX": "jax",
    "PyTorch": "torch",
    "autograd": "autograd",
    **{each["NAME"]: each["MODULE"] for each in BESIDE},
    "the standard": "array_api_strict",
    **{each.NAME: each.MODULE for each in ARRAYS_BESIDE},
    "CuPy": "cupy",
}
ABSENT = [word for word, module in MODULES.items() if not find_spec(module)]


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
    *(Way(name, check) for name, check in WHOLE.items()),
]
IN_ENGINES = [Way(name, along(derive)) for name, derive in ENGINES.items()]
OF_BESIDE = [[way for way in IN_ENGINES if each["NAME"] in way.name] for each in BESIDE]
OF_OTHERS = [way for way in IN_ENGINES if way not in itertools.chain(*OF_BESIDE)]
ON_ARRAYS = [
    (library, Way(f"{words} of {library}", functools.partial(on_arrays_of, make, lanes)))
    for library, make in LIBRARIES.items()
    for words, lanes in (("arrays", False), ("lanes", True))
]
ON_ARRAYS += [
    (library, Way(f"{library} around arrays", along(derive)))
    for library, (derive, _) in AROUND.items()
]
BY_DERIVATIVES = [
    Way(
        f"derivatives, {outer}-{inner}",
        along(functools.partial(by_derivatives, NAMES_OF_ENGINES[outer], NAMES_OF_ENGINES[inner])),
    )
    for outer, inner in itertools.product(NAMES_OF_ENGINES, repeat=2)
]
BY_THE_GUIDE = [
    Way(f"{name} of the guide", functools.partial(by_the_guide, name))
    for name in ("reverse", "forward", "program")
]
CHAINS = [chain(*names) for names in itertools.product(TRANSFORMATIONS, CHAINED, TRANSFORMATIONS)]
# Programs, or families, that make plain arrays of traced values, or ask these for their namespace.
UNGUIDED = {"vectorize", "standard", "array of a list", "required order"}
# What a way refuses, by a mark of the program and words of its name.
REFUSED = {
    ("decides", "lanes"): BatchingError,
    ("alone", "lanes"): ChainRulesError,
    ("argument", "pullback of a checkpoint"): InPlaceError,
}
# What a way is not asked, since it may refuse or not, by the numbers.
UNASKED = {
    *(("counts", "lanes"), ("counts", "vmap"), ("inner", "checkpoint"), ("inner", "primitive")),
    *(("direct", "scope"), ("unserial", "series")),
    *(
        ("once", word)
        for word in ("-", "hessian", "hvp", "linearize", "recording", "series", "PyTorch")
    ),
    *(("twice", word) for word in ("-forward-", "-reverse-", "jvp-jvp-grad", "series")),
    *(("solver", f"lanes of {way}") for way in ("forward-reverse", "taylor-series")),
    ("solver", "taylor-series of lanes of lanes"),
    *(("unserial", "lanes of lanes"), ("foreign", "that saves")),
    ("unserial", "lanes of forward of compiled to XLA"),  # refused: plain numbers alone
    *(("of_jax", "JAX, "), ("decides", "JAX around"), ("guarded", "saved"), ("float32", "saved")),
    ("decides", "JAX, jvp-grad of scan"),  # which warns where all of a tangent is zero
    *(("solver", "sparse, compiled"), ("solver", "grad-grad-grad")),
    *(("held", f"lanes of {library}") for library in LIBRARIES),
}


def lacking(library: str, way: Way) -> str:
    """The programs that are not asked of a way on arrays of a library."""
    return LACKING[library] + ("|" + AROUND[library][1] if "around" in way.name else "")


def ways_of(program: Program, chains: int, engines: int) -> list[Way]:
    """All single ways, and some chains and ways of engines, which each program draws for itself:
    one of each engine with few, and `engines` of the others.
    """
    draw = random.Random(program.name)
    drawn = draw.sample(CHAINS, chains) + draw.sample(OF_OTHERS, engines)
    drawn += [*map(draw.choice, OF_BESIDE), draw.choice(BY_DERIVATIVES)]
    if program.table == "plain" and program.name.partition(",")[0] not in UNGUIDED:
        drawn += BY_THE_GUIDE
    if program.table == "plain" or "held" in program.marks:
        drawn += [w for name, w in ON_ARRAYS if program.name not in lacking(name, w).split("|")]
    unasked = [word for mark, word in UNASKED if mark in program.marks]
    return [
        way
        for way in (*SINGLE, *drawn)
        if way.is_there and not any(word in way.name for word in unasked)
    ]


def refusal(program: Program, way: Way) -> type[Exception] | None:
    """The error that a cell has to raise, if any."""
    if "decides" in program.marks and way.name.endswith(" of primitive"):
        return None  # whose examples run one by one
    found = [
        error for (m, word), error in REFUSED.items() if m in program.marks and word in way.name
    ]
    return found[0] if found else None
