"""Random programs that use their values again and again: gradients on a device against those on
NumPy.

What may go wrong on devices alone is the adding up of cotangents: in kernels, in place, in buffers
that are handed on, and in sums of products that were never stored. So shapes broadcast, values are
shared, and small arrays count as large in every second run.
"""

import numpy as np
import pytest

import chainrules_tape as tape
from chainrules_tape import device_sweep as device_sweeping

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.gpu

INPUTS = tuple(
    np.random.default_rng(0).uniform(0.3, 0.9, shape) for shape in ((4, 3), (3,), (4, 1), ())
)
LINEAR = (  # whose pullbacks hand cotangents on; results are used as they are
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: y - 0.5,
    lambda x, y: 0.5 - x,
    lambda x, y: 0.5 * (x + y),
    lambda x, y: x[..., ::2] if x.ndim else y,
    lambda x, y: np.sum(x, axis=0, keepdims=True) / 4 if x.ndim else y,
)
BENT = (  # results are brought near 1
    lambda x, y: np.sin(x),
    lambda x, y: np.exp(-x * x),
    lambda x, y: (x - y) ** 2,
    lambda x, y: x * y,
    lambda x, y: x * x,
    lambda x, y: x / (2.0 + np.cos(y)),
    lambda x, y: x * np.tanh(y) + x,
    lambda x, y: np.maximum(x, y + 0.37),  # not on a tie, which rounding would break
    lambda x, y: np.hypot(x, y + 3.0),
    lambda x, y: np.max(x, axis=-1, keepdims=True) * y if x.ndim else y,
    lambda x, y: np.mean(x) * y,
    lambda x, y: x[..., [0, 0]] if x.ndim else y,
    lambda x, y: np.where(x > 0.5, x, np.sin(x)),
)
STEPS, RECENT = 30, 8


def program(seed):
    """A function of the inputs: each step reads two of the latest values, and the last ones count."""

    def loss(*inputs):
        rng, values = np.random.default_rng(seed), list(inputs)
        for _ in range(STEPS):
            one, other = (
                values[rng.integers(max(0, len(values) - RECENT), len(values))] for _ in range(2)
            )
            if not compatible(one, other):
                other = np.mean(other)
            if rng.random() < 0.5:
                values.append(LINEAR[rng.integers(len(LINEAR))](one, other))
            else:
                values.append(np.tanh(BENT[rng.integers(len(BENT))](one, other)))
        return sum(np.sum(np.sin(value)) * (k + 1) for k, value in enumerate(values[-4:]))

    return loss


def compatible(x, y):
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("all_large", [False, True], ids=["as it is", "all large"])
@pytest.mark.parametrize("seed", range(150))
def test_gradients(seed, all_large, monkeypatch):
    if all_large:
        monkeypatch.setattr(device_sweeping, "LARGE", 0)
    every = tuple(range(len(INPUTS)))
    found = tape.grad(program(seed), argnums=every)(*map(cupy.asarray, INPUTS))
    for got, wanted in zip(found, tape.grad(program(seed), argnums=every)(*INPUTS), strict=True):
        assert isinstance(got, cupy.ndarray)
        np.testing.assert_allclose(got.get(), wanted, rtol=1e-9, atol=1e-10)
