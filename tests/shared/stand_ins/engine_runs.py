"""How each engine takes each primal, in its own operations or by NumPy, and to which order with the
tape's derivatives.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import default_rules, primitive
from chainrules_py.testing import load_shipped, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_tape import grad, hvp
from late import Late, made

autograd, jax, torch = map(Late, ("autograd", "jax", "torch"))
Loss = Callable[..., Any]
NATIVE, AROUND_NUMPY, BY_NUMPY, NONE = "native", "value by NumPy", "NumPy", "-"


def primals() -> dict[str, Any]:
    """The functions that people call and that have derivatives, by name; those that write into an
    array are left out.
    """
    load_shipped()
    # not what other tests register
    rules = [rule for rule in default_rules.load_all().rules() if "rulesets" in rule.where]
    found = {
        rule.primal
        for rule in rules
        if rule.differentiable and rule.function is not None and rule.overwrites is None
    }
    names = {qualified_name(primal): primal for primal in found}
    return {name: names[name] for name in sorted(names) if not name.startswith("chainrules_")}


class OfAutograd:
    """HIPS autograd, which computes all values by NumPy; rules may be traced by it."""

    array, called = staticmethod(made), Late("chainrules_autograd:to_autograd")

    def way(self, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> str:
        return (
            BY_NUMPY if "opaque" in function.explain(*args, **options).splitlines()[-1] else NATIVE
        )

    def slopes(self, loss: Loss, x: Any) -> Any:
        return autograd.grad(loss)(x)

    def product(self, loss: Loss, x: Any) -> Any:
        return autograd.make_jvp(autograd.grad(loss))(x)(x)[1]


class OfJax:
    """JAX, operation by operation; its Hessian-vector products are forward over reverse."""

    array, called = Late("jax.numpy:asarray"), Late("chainrules_jax:to_jax")

    def way(self, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> str:
        lines = [line.strip() for line in function.explain(*args, **options).splitlines()]
        value, *modes = (
            line for line in lines if line.startswith(("value:", "forward:", "reverse:"))
        )
        return way_of("opaque" not in value, "opaque" not in "".join(modes))

    def slopes(self, loss: Loss, x: Any) -> Any:
        return jax.grad(loss)(x)

    def product(self, loss: Loss, x: Any) -> Any:
        return jax.jvp(jax.grad(loss), (x,), (x,))[1]


class OfTorch:
    """PyTorch, on the CPU, by backward passes."""

    array, called = Late("torch:tensor"), Late("chainrules_torch:to_torch")

    def way(self, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> str:
        value, derivatives = function.explain(*args, **options).splitlines()[1:3]
        return way_of("on tensors" in value, "on tensors" in derivatives)

    def slopes(self, loss: Loss, x: Any, create_graph: bool = False) -> Any:
        x = x if x.requires_grad else x.requires_grad_()
        return torch.autograd.grad(loss(x), x, create_graph=create_graph)[0]

    def product(self, loss: Loss, x: Any) -> Any:
        slope = self.slopes(loss, x, create_graph=True)
        along = (slope * x.detach()).sum()
        return torch.autograd.grad(along, x)[0] if along.requires_grad else torch.zeros_like(x)


ENGINES: dict[str, Callable[[], Any]] = {"autograd": OfAutograd, "JAX": OfJax, "PyTorch": OfTorch}


def way_of(value: bool, derivatives: bool) -> str:
    """The word for a call whose value and derivatives are or are not in the engine's own
    operations.
    """
    return NATIVE if value and derivatives else AROUND_NUMPY if derivatives else BY_NUMPY


def outcome(engine: Any, primal: Any) -> str:
    """The way that an engine takes, and the highest order, of two, in which its derivatives of a
    sample are the tape's.
    """
    with np.errstate(all="ignore"):
        for sample in samples_of(primal, "float64"):
            places = [k for k, x in enumerate(sample.args) if is_real_array(x)]
            # not all arguments have derivatives: the first one that has them counts
            if sample.error is None and places:
                return next(
                    (
                        way
                        for place in places
                        if (way := of_sample(engine, primal, sample, place)) != NONE
                    ),
                    NONE,
                )
    return ""


def is_real_array(x: Any) -> bool:
    """Whether an argument is an array of real numbers, or one."""
    return isinstance(x, float) or (
        isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size > 0
    )


def of_sample(engine: Any, primal: Any, sample: Any, place: int) -> str:
    """The way and the order of one call, in its argument at `place`."""
    args, function = sample.args, engine.called(primal)
    x = engine.array(args[place])
    by_tape, by_engine = (
        loss_of(called, primal, sample, place) for called in (primitive, engine.called)
    )
    try:
        way = engine.way(function, (*args[:place], x, *args[place + 1 :]), sample.options)
        agree(engine.slopes(by_engine, x), grad(by_tape)(args[place]))
    except Exception:  # whatever an engine says of a call that it does not take
        return NONE
    try:
        agree(
            engine.product(by_engine, engine.array(args[place])),
            hvp(by_tape, args[place], args[place]),
        )
    except Exception:
        return f"{way}, 1"
    return f"{way}, 2"


def loss_of(called: Callable[[Any], Any], primal: Any, sample: Any, place: int) -> Loss:
    """The sum of squares of all results, as a function of one argument; `called` makes what an
    engine calls of a primal.
    """
    args, function = sample.args, called(primal)
    return lambda x: total(function(*args[:place], x, *args[place + 1 :], **sample.options), called)


def total(y: Any, called: Callable[[Any], Any]) -> Any:
    """The sum of squares of all numbers in a value, by the operators of its arrays."""
    if isinstance(y, tuple | list):
        return sum(total(part, called) for part in y)
    if "complex" in str(getattr(y, "dtype", "")):
        return total(called(np.real)(y), called) + total(called(np.imag)(y), called)
    if isinstance(y, float) or "float" in str(getattr(y, "dtype", "")):
        return (y * y).sum() if getattr(y, "shape", ()) else y * y
    return 0.0


def agree(found: Any, expected: Any) -> None:
    """Raise where two arrays differ."""
    found = found.detach().numpy() if hasattr(found, "detach") else np.asarray(found)
    np.testing.assert_allclose(
        found, expected, rtol=1e-5, atol=1e-7 * (1 + np.max(np.abs(expected), initial=0))
    )
