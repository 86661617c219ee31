"""The engines that adapters serve, by the name of the library: how each takes a function, and every
way in which it differentiates one.

`modes` are the Jacobian in reverse and forward; they may stand in each other, for derivatives of
any order (`tower`). `more` are further ways to the gradient of a number. All of them take and
return arrays of the engine.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from chainrules_tape import grad, jacobian, vmap

Function = Callable[..., Any]


@dataclass(frozen=True)
class Engine:
    """A row: the two conversions of an adapter, the engine's NumPy, and its derivatives."""

    name: str
    to: Function
    of: Function
    xp: Any
    array: Function
    modes: dict[str, Function]
    more: dict[str, Function] = field(default_factory=dict)
    vmap: Function | None = None
    jit: Function = lambda f: f

    def tower(self, words: str, f: Function) -> Function:
        """Differentiate once for each word, the last one first; a way of `more` is one word."""
        ways = self.modes | self.more
        names = [words] if words in ways else words.split()
        return reduce(lambda inner, name: ways[name](inner), reversed(names), f)


def forward_in_autograd(f: Function) -> Function:
    def columns(x: Any) -> Any:
        units = np.eye(x.size).reshape(-1, *x.shape)
        found = anp.stack([autograd.make_jvp(f)(x)(unit)[1] for unit in units], -1)
        return anp.reshape(found, (*found.shape[:-1], *x.shape))

    return columns


def backward_in_torch(f: Function) -> Function:
    def slope(x: Any) -> Any:
        x = x.detach().requires_grad_()
        return torch.autograd.grad(f(x), x)[0]

    return slope


ENGINES = {
    "tape": Engine(
        "tape",
        lambda f, **options: f,
        lambda f, **options: f,
        np,
        np.asarray,
        {"reverse": jacobian, "forward": lambda f: jacobian(f, mode="forward")},
        {"gradient": grad},
        vmap,
    )
}
if find_spec("autograd"):
    import autograd
    import autograd.numpy as anp

    from chainrules_autograd import from_autograd, to_autograd

    ENGINES["autograd"] = Engine(
        "autograd",
        to_autograd,
        from_autograd,
        anp,
        np.asarray,
        {"reverse": autograd.jacobian, "forward": forward_in_autograd},
    )
if find_spec("jax"):
    import jax
    import jax.numpy as jnp

    from chainrules_jax import from_jax, to_jax

    ENGINES["jax"] = Engine(
        "jax",
        to_jax,
        from_jax,
        jnp,
        jnp.asarray,
        {"reverse": jax.jacrev, "forward": jax.jacfwd},
        {
            "compiled": lambda f: jax.jit(jax.grad(f)),
            "compiled forward": lambda f: jax.jit(jax.jacfwd(f)),
        },
        jax.vmap,
        jax.jit,
    )
if find_spec("torch"):
    import torch

    from chainrules_torch import from_torch, to_torch

    ENGINES["torch"] = Engine(
        "torch",
        to_torch,
        from_torch,
        torch,
        torch.tensor,
        {"reverse": torch.func.jacrev, "forward": torch.func.jacfwd},
        {"backward": backward_in_torch},
        torch.func.vmap,
    )

each_adapter = pytest.mark.parametrize(
    "engine",
    [e for e in ENGINES.values() if e.xp is not np],
    ids=[n for n in ENGINES if n != "tape"],
)
SECOND = ("reverse reverse", "forward reverse", "reverse forward", "forward forward")


def ways_of(names: Any = ENGINES, more: tuple[str, ...] = ()) -> Any:
    """Parametrize a test by each engine with each way of the first order, and further towers."""
    rows = [
        (n, way)
        for n in names
        if n in ENGINES
        for way in (*ENGINES[n].modes, *ENGINES[n].more, *more)
    ]
    return pytest.mark.parametrize(
        ("engine", "way"), [(ENGINES[n], way) for n, way in rows], ids=[f"{n}-{w}" for n, w in rows]
    )


def close(found: Any, expected: Any, rtol: float = 1e-9) -> None:
    """Check numbers of an engine."""
    found = found.detach() if hasattr(found, "detach") else found
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=1e-11)
