"""Sweeps over arrays of other libraries: pullbacks that are never called strictly are called by
their careful form.
"""

import numpy as np
import pytest

from chainrules_py import Array, primitive, rrule
from chainrules_tape import checkpoint, grad, hessian

X = np.array([0.3, 0.7])
LARGE = 2**18


def arrays_of(name):
    """The function that makes an array of a library of NumPy's one."""
    if name == "torch":
        return pytest.importorskip("torch", reason="torch is not installed (extra: torch)").tensor
    if name == "dask":
        return pytest.importorskip(
            "dask.array", reason="dask is not installed (extra: dask)"
        ).asarray
    if name == "array_api_strict":
        return pytest.importorskip(
            "array_api_strict", reason="array_api_strict is not installed"
        ).asarray
    return np.asarray


LIBRARIES = ["numpy", "torch", "dask", "array_api_strict"]


@primitive
def scaled(x, s):
    """A function with a rule that is not this library's: such a rule may run what users wrote."""
    return np.sum(np.sin(x) * s)


@rrule.register(scaled)
def scaled_rrule(x: Array, s: object, *, xp):
    total = xp.sum(xp.sin(x))

    def scaled_pullback(y_bar):
        return y_bar * s * xp.cos(x), y_bar * total

    return total * s, scaled_pullback


def through_checkpoint(x):
    return np.sum(checkpoint(np.sin)(x) * x)


def through_checkpointed_container(x):
    product = checkpoint(lambda pair: pair["left"] * pair["right"])
    return np.sum(product({"left": x, "right": np.sin(x)}))


def through_own_rule(x):
    return scaled(x, x[0]) + scaled(x, x[1])


def through_large_array(x):
    return np.sum(checkpoint(np.sin)(np.broadcast_to(x, (LARGE, 2)))) / LARGE


def slope_of_own_rule(x):
    return np.cos(x) * x.sum() + np.sin(x).sum()


PROGRAMS = {
    through_checkpoint: lambda x: np.cos(x) * x + np.sin(x),
    through_checkpointed_container: lambda x: np.cos(x) * x + np.sin(x),
    through_own_rule: slope_of_own_rule,
    through_large_array: np.cos,
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_gradients_through_pullbacks_that_are_never_strict(program, library):
    x = arrays_of(library)(X)
    slope = grad(program)(x)
    assert type(slope) is type(x)
    np.testing.assert_allclose(np.asarray(slope), PROGRAMS[program](X), rtol=1e-9)


@pytest.mark.parametrize("library", LIBRARIES)
def test_second_derivatives_through_pullbacks_that_are_never_strict(library):
    x = arrays_of(library)(X)
    curvature = np.asarray(hessian(through_checkpoint)(x))
    np.testing.assert_allclose(
        curvature, np.diag(2 * np.cos(X) - X * np.sin(X)), rtol=1e-12, atol=1e-15
    )
