"""What has no rule, because it converts first, is computed by what has one."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, jacobian

X = np.array([0.5, 2.0])
CASES = {
    "require": lambda np, x: np.require(x, float, ["C"]),
    "asarray_chkfinite": lambda np, x: np.asarray_chkfinite(x),
    "arange": lambda np, x: np.arange(x[0], 7 * x[1], x[1]),
    "arange of a stop": lambda np, x: np.arange(x[1] + 1.5) * x[0],
    "arange by name": lambda np, x: np.arange(x[0], stop=2.1 * x[1]),
    "ndenumerate": lambda np, x: sum((1 + i) * v * v for (i,), v in np.ndenumerate(x)),
    "fromiter": lambda np, x: np.fromiter((v * v for v in x), float),
    "broadcast": lambda np, x: x * np.ones(np.broadcast(x, [[1.0], [2.0]]).shape),
}


@pytest.mark.parametrize("f", CASES.values(), ids=CASES)
def test_values_are_numpys_and_derivatives_are_differences(f):
    expected = np.stack([(f(np, X + h) - f(np, X - h)) / 2e-6 for h in 1e-6 * np.eye(2)], axis=-1)
    assert np.allclose(jacobian(lambda x: f(tnp, x))(X), expected, atol=1e-8)
    assert np.array_equal(f(tnp, X), f(np, X))


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="infs or NaNs"), np.errstate(divide="ignore"):
        grad(lambda x: tnp.asarray_chkfinite(x / 0.0).sum())(X)
