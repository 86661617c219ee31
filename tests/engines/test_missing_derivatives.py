"""A derivative that nobody wrote is an error in every engine and mode; what was written beside it
is right.
"""

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
from engines_by_name import close, ways_of

X, N = np.array([0.5, 1.5]), np.array([2.0, 3.0])


def with_rules(power, missing):
    """A primitive that has rules with respect to its first argument alone."""
    made = primitive(power)

    @rrule.register(made)
    def power_rrule(x: Array, n: Array):
        return made(x, n), lambda y_bar: (y_bar * n * made(x, n - 1), missing)

    @frule.register(made)
    def power_frule(dots, x: Array, n: Array):
        return made(x, n), dots[0] * n * made(x, n - 1) if is_zero(dots[1]) else missing

    return made


def everywhere(x, n):
    """Powers, of the values of any engine."""
    return x**n


@primitive
def declared(x, n):
    """Powers, of the values of any engine."""
    return x**n


def in_numpy(x, n):
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


@pytest.mark.usefixtures("double_precision")
@ways_of()
@pytest.mark.parametrize(("power", "error", "words"), POWERS.values(), ids=POWERS)
def test_what_nobody_wrote_is_an_error_and_the_rest_is_right(engine, way, power, error, words):
    x, n, xp = engine.array(X), engine.array(N), engine.xp
    close(engine.tower(way, lambda x: xp.sum(power(x, n)))(x), N * X ** (N - 1))
    with pytest.raises(Exception, match=words) as raised:
        engine.tower(way, lambda n: xp.sum(power(x, n)))(n)
    assert isinstance(raised.value, error) or way.startswith("compiled")


@pytest.mark.parametrize(("power", "error", "words"), POWERS.values(), ids=POWERS)
def test_with_a_graph_in_torch(power, error, words):
    torch = pytest.importorskip("torch")
    x, n = (torch.tensor(value, requires_grad=True) for value in (X, N))
    with pytest.raises(error, match=words):
        torch.autograd.grad(power(x, n).sum(), n, create_graph=True)
