"""SciPy's solvers, called in programs of each engine with a parameter in `args` or in a closure."""

from importlib import import_module

import numpy as np
import pytest

from chainrules_tape.scipy import integrate

RATE = 0.5
EXACT = -np.exp(-RATE)  # of exp(-rate t) at t = 1


def by_args(rate):
    def slope(t, y, rate):
        return -rate * y

    return integrate.solve_ivp(slope, (0.0, 1.0), np.array([1.0, 2.0]), args=(rate,)).y[0, -1]


def by_closure(rate):
    return integrate.solve_ivp(lambda t, y: -rate * y, (0.0, 1.0), np.array([1.0, 2.0])).y[0, -1]


PROGRAMS = pytest.mark.parametrize("program", [by_args, by_closure])


@PROGRAMS
@pytest.mark.parametrize("differentiate", ["grad", "jacfwd", "jacrev"])
def test_in_jax(program, differentiate):
    jax = pytest.importorskip("jax")
    import_module("chainrules_jax")
    derivative = getattr(jax, differentiate)(program)
    for found in (derivative(RATE), jax.jit(derivative)(RATE)):
        assert np.isclose(found, EXACT, rtol=1e-3)


@PROGRAMS
def test_in_pytorch(program):
    torch = pytest.importorskip("torch")
    import_module("chainrules_torch")
    rate = torch.tensor(RATE, dtype=torch.float64, requires_grad=True)
    program(rate).backward()
    assert np.isclose(rate.grad.item(), EXACT, rtol=1e-3)


@PROGRAMS
def test_in_autograd(program):
    autograd = pytest.importorskip("autograd")
    import_module("chainrules_autograd")
    assert np.isclose(autograd.grad(program)(RATE), EXACT, rtol=1e-3)
