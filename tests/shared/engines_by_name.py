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
from late import Late

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


anp, torch, jit = Late("autograd.numpy"), Late("torch"), Late("jax:jit")


def forward_in_autograd(f: Function) -> Function:
    def columns(x):
        units = np.eye(x.size).reshape(-1, *x.shape)
        found = anp.stack([Late("autograd:make_jvp")(f)(x)(unit)[1] for unit in units], -1)
        return anp.reshape(found, (*found.shape[:-1], *x.shape))

    return columns


def backward_in_torch(f: Function) -> Function:
    def slope(x):
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
    ENGINES["autograd"] = Engine(
        "autograd",
        Late("chainrules_autograd:to_autograd"),
        Late("chainrules_autograd:from_autograd"),
        anp,
        np.asarray,
        {"reverse": Late("autograd:jacobian"), "forward": forward_in_autograd},
    )
if find_spec("jax"):
    ENGINES["jax"] = Engine(
        "jax",
        Late("chainrules_jax:to_jax"),
        Late("chainrules_jax:from_jax"),
        Late("jax.numpy"),
        Late("jax.numpy:asarray"),
        {"reverse": Late("jax:jacrev"), "forward": Late("jax:jacfwd")},
        {
            "compiled": lambda f: jit(Late("jax:grad")(f)),
            "compiled forward": lambda f: jit(Late("jax:jacfwd")(f)),
        },
        Late("jax:vmap"),
        jit,
    )
if find_spec("torch"):
    ENGINES["torch"] = Engine(
        "torch",
        Late("chainrules_torch:to_torch"),
        Late("chainrules_torch:from_torch"),
        torch,
        Late("torch:tensor"),
        {"reverse": Late("torch.func:jacrev"), "forward": Late("torch.func:jacfwd")},
        {"backward": backward_in_torch},
        Late("torch.func:vmap"),
    )

ADAPTERS = [n for n in ENGINES if n != "tape"]
each_adapter = pytest.mark.parametrize(
    "engine",
    [e for e in ENGINES.values() if e.xp is not np],
    ids=ADAPTERS,
)
SECOND = ("reverse reverse", "forward reverse", "reverse forward", "forward forward")


def ways_of(names=ENGINES, more: tuple[str, ...] = ()):
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


def close(found, expected, rtol: float = 1e-9) -> None:
    """Check numbers of an engine."""
    found = found.detach() if hasattr(found, "detach") else found
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=1e-11)
