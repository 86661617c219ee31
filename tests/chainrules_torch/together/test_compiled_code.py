"""A function of C++ that takes NumPy's arrays alone, in all transformations of PyTorch: its own TypeError
of a traced array is answered by one call for each example.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from chainrules_py import linear_rule, primitive
from chainrules_torch import to_torch

kernels = pytest.importorskip("scipy.fft._pocketfft.pypocketfft")
X = np.arange(6.0).reshape(2, 3) + 1.0


@pytest.fixture(scope="module")
def hartley() -> Any:
    """The Hartley transform, which is its own transpose."""
    kernel = kernels.genuine_hartley  # JAX's tests have rules for the other one
    with pytest.raises(TypeError, match="incompatible function arguments"):
        kernel(object())
    marked = primitive(kernel)
    linear_rule(kernel, lambda y, x: marked(y))
    return kernel


def matrix() -> Any:
    k = np.arange(3)
    angles = 2 * np.pi * np.outer(k, k) / 3
    return np.cos(angles) - np.sin(angles)


TRANSFORMED: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "vmap": (torch.func.vmap, X, X @ matrix()),
    "jacfwd": (torch.func.jacfwd, X[0], matrix()),
    "jacrev": (torch.func.jacrev, X[0], matrix()),
    "hessian": (
        lambda f: torch.func.hessian(lambda x: (f(x) ** 3).sum()),
        X[0],
        matrix() @ np.diag(6 * X[0] @ matrix()) @ matrix(),
    ),
    "vmap of jacfwd": (
        lambda f: torch.func.vmap(torch.func.jacfwd(f)),
        X,
        np.stack([matrix()] * 2),
    ),
}


@pytest.mark.parametrize(("transform", "x", "expected"), TRANSFORMED.values(), ids=TRANSFORMED)
def test_transformations(transform, x, expected, hartley):
    found = transform(to_torch(hartley))(torch.tensor(x))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10)
