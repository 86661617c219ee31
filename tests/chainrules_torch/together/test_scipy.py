"""SciPy's functions and objects on tensors: values are tensors, differentiated by PyTorch."""

import numpy as np
import pytest
import torch

from chainrules_tape import grad
from chainrules_tape.scipy import interpolate, stats

KNOTS = np.arange(5.0)
Y = np.array([0.3, 1.2, 0.7, 2.1, 0.4])
FUNCTIONS = {
    "CubicSpline": lambda y: interpolate.CubicSpline(KNOTS, y)(1.5),
    "interp1d": lambda y: interpolate.interp1d(KNOTS, y, kind="cubic")(2.25),
    "at points": lambda y: interpolate.CubicSpline(KNOTS, KNOTS**2)(y)[1],
    "a function without a rule of its own": lambda y: stats.pearsonr(y, KNOTS)[0],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tensors_come_out(name):
    f, y = FUNCTIONS[name], torch.tensor(Y, requires_grad=True)
    found = f(y)
    assert isinstance(found, torch.Tensor)
    assert found.item() == pytest.approx(float(f(Y)), rel=1e-12)
    found.backward()
    np.testing.assert_allclose(y.grad.numpy(), grad(f)(Y), rtol=1e-10, atol=1e-12)
