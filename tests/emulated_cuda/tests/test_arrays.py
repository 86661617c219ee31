"""Reductions, scans and indexing: kernels whose threads wait for each other, or write where others
write.
"""

import numpy as np
import pytest

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.gpu

REDUCTIONS = ("sum", "prod", "max", "argmin", "any", "mean")
AXES = {(7,): (None, 0), (2, 3, 5): (None, 0, 1, -1, (0, 2)), (3, 700): (None, 0, 1)}
DTYPES = ("bool", "int32", "float16", "float64", "complex64")
X = np.arange(24.0).reshape(4, 6)
MASK = X % 5 < 2
REPEATED = np.array([0, 2, 2, 1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, dtype):
    for shape, axes in AXES.items():
        for axis in axes:
            x = (np.arange(np.prod(shape)).reshape(shape) % 7 / 2 + 0.5).astype(dtype)
            if isinstance(axis, tuple) and name.startswith("arg"):
                continue
            if name == "prod":
                x = x % 2 + 1 if dtype == "int32" else np.ones_like(x)
            found, expected = getattr(cupy.asarray(x), name)(axis=axis), getattr(x, name)(axis=axis)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(
                found.get(), expected, rtol=2e-3 if dtype == "float16" else 1e-6
            )


def scattered(xp, x):
    xp.add.at(x, xp.asarray(REPEATED), xp.asarray([1.0, 2.0, 3.0, 4.0])[:, None])
    return x


def put(xp, x):
    x[xp.asarray(MASK)] = -1.0
    return x


OPERATIONS = {
    "mask": lambda xp, x: x[xp.asarray(MASK)],
    "put at a mask": put,
    "add at repeated": scattered,
    "long cumsum": lambda xp, x: xp.cumsum(xp.arange(5000.0)),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    operation = OPERATIONS[name]
    np.testing.assert_allclose(
        operation(cupy, cupy.asarray(X)).get(), operation(np, X.copy()), rtol=1e-13
    )
