"""A derivative that nobody wrote is an error in every engine and mode; what was written beside it
is right.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    Array,
    NotImplementedTangentError,
    RuleContractError,
    frule,
    is_zero,
    not_implemented,
    primitive,
    rrule,
    scalar_rule,
)

X, N = np.array([0.5, 1.5]), np.array([2.0, 3.0])


def with_rules(power: Callable[..., Any], missing: Any) -> Callable[..., Any]:
    """A primitive that has rules with respect to its first argument alone."""
    made: Callable[..., Any] = primitive(power)

    @rrule.register(made)
    def power_rrule(x: Array, n: Array) -> Any:
        return made(x, n), lambda y_bar: (y_bar * n * made(x, n - 1), missing)

    @frule.register(made)
    def power_frule(dots: tuple[Any, Any], x: Array, n: Array) -> Any:
        return made(x, n), dots[0] * n * made(x, n - 1) if is_zero(dots[1]) else missing

    return made


def everywhere(x: Any, n: Any) -> Any:
    """Powers, of the values of any engine."""
    return x**n


@primitive
def declared(x: Any, n: Any) -> Any:
    """Powers, of the values of any engine."""
    return x**n


def in_numpy(x: Any, n: Any) -> Any:
    """Powers, of NumPy's arrays alone."""
    return np.power(np.array(x, dtype=float), np.array(n, dtype=float))


scalar_rule(declared, "x, n", "n * x ** (n - 1)", NO_TANGENT)
MISSING = not_implemented("the exponent")
NOT_WRITTEN = NotImplementedTangentError, r"not implemented \(the exponent\).*do not differentiate"
DENIED = RuleContractError, "NO_TANGENT for (argument 1|its output).*return ZERO if"
POWERS = {
    "on any values": (with_rules(everywhere, MISSING), *NOT_WRITTEN),
    "on NumPy's arrays": (with_rules(in_numpy, MISSING), *NOT_WRITTEN),
    "said to have no tangents": (with_rules(everywhere, NO_TANGENT), *DENIED),
    "declared to have no tangents": (declared, *DENIED),
}


def by_tape() -> dict[str, Callable[..., Any]]:
    from chainrules_py import ZERO
    from chainrules_tape import grad, jvp

    return {
        "reverse": lambda f, k: grad(lambda x, n: np.sum(f(x, n)), k)(X, N),
        "forward": lambda f, k: jvp(
            f, (X, N), (np.ones(2), ZERO) if k == 0 else (ZERO, np.ones(2))
        )[1],
    }


def by_autograd() -> dict[str, Callable[..., Any]]:
    from autograd import grad, make_jvp

    return {
        "reverse": lambda f, k: grad(lambda x, n: f(x, n).sum(), k)(X, N),
        "forward": lambda f, k: make_jvp(lambda x: f(*((x, N) if k == 0 else (X, x))))((X, N)[k])(
            np.ones(2)
        )[1],
    }


def by_jax() -> dict[str, Callable[..., Any]]:
    import jax
    import jax.numpy as jnp

    def jvp(f: Any, k: int) -> Any:
        return jax.jvp(
            lambda x: f(*((x, N) if k == 0 else (X, x))), (jnp.asarray((X, N)[k]),), (jnp.ones(2),)
        )[1]

    def gradient(f: Any, k: int) -> Any:
        return jax.grad(lambda x, n: f(x, n).sum(), k)(jnp.asarray(X), jnp.asarray(N))

    return {
        "reverse": gradient,
        "forward": jvp,
        "reverse, compiled": lambda f, k: jax.jit(lambda: gradient(f, k))(),
        "forward, compiled": lambda f, k: jax.jit(lambda: jvp(f, k))(),
    }


def by_torch() -> dict[str, Callable[..., Any]]:
    import torch

    def backward(f: Any, k: int, create_graph: bool = False) -> Any:
        x, n = (torch.tensor(value, requires_grad=n == k) for n, value in enumerate((X, N)))
        return torch.autograd.grad(f(x, n).sum(), (x, n)[k], create_graph=create_graph)[0].detach()

    def pushed(f: Any, k: int) -> Any:
        x, n = torch.tensor(X), torch.tensor(N)
        return torch.func.jvp(
            lambda z: f(*((z, n) if k == 0 else (x, z))), ((x, n)[k],), (torch.ones(2).double(),)
        )[1]

    return {
        "reverse": backward,
        "reverse, with a graph": lambda f, k: backward(f, k, True),
        "reverse, by torch.func": lambda f, k: torch.func.grad(lambda x, n: f(x, n).sum(), k)(
            torch.tensor(X), torch.tensor(N)
        ),
        "forward": pushed,
    }


WAYS = {
    "chainrules_tape": (by_tape, ("reverse", "forward")),
    "autograd": (by_autograd, ("reverse", "forward")),
    "jax": (by_jax, ("reverse", "forward", "reverse, compiled", "forward, compiled")),
    "torch": (by_torch, ("reverse", "reverse, with a graph", "reverse, by torch.func", "forward")),
}
CASES = [(library, way) for library, (_, ways) in WAYS.items() for way in ways]


@pytest.mark.parametrize(("power", "error", "words"), POWERS.values(), ids=POWERS)
@pytest.mark.parametrize(("library", "way"), CASES)
def test_what_nobody_wrote_is_an_error_and_the_rest_is_right(
    library: str, way: str, power: Callable[..., Any], error: type[Exception], words: str
) -> None:
    pytest.importorskip(library)
    differentiated = WAYS[library][0]()[way]
    step = 1e-4
    expected = ((X + step) ** N - (X - step) ** N) / (2 * step)
    np.testing.assert_allclose(differentiated(power, 0), expected, rtol=1e-4)
    with pytest.raises(Exception, match=words) as raised:
        differentiated(power, 1)
    assert isinstance(raised.value, error) or way.endswith("compiled")
