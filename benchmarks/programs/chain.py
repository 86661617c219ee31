"""A chain of 100 × (sin, multiply): what an engine costs per operation, and nothing else."""

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program

LENGTH, FACTOR = 100, 1.01
# Seconds each; what matters at this size are NumPy's own operations.
LEFT_OUT_IF_LARGE = (
    *("autograd", "mygrad", "jax-jit", "ours under jax.jit", "ours on array_api_strict's"),
)


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """The sum of x after `LENGTH` times x = sin(x) * FACTOR."""
    (x,) = parameters
    for _ in range(LENGTH):
        x = xp.sin(x) * FACTOR
    return xp.sum(x)


def by_hand(parameters: Arrays, data: Arrays) -> tuple[Any, Arrays]:
    """Stores what sin needs, and releases it in the reverse pass."""
    (x,) = parameters
    kept = []
    for _ in range(LENGTH):
        kept.append(x)
        x = np.sin(x) * FACTOR
    y, x_bar = np.sum(x), np.ones_like(x)
    del x
    while kept:
        x_bar = x_bar * FACTOR * np.cos(kept.pop())
    return y, (x_bar,)


def chain(size: int) -> Program:
    """The chain on `size` numbers."""
    return Program(
        name=f"chain, size {size}",
        objective=objective,
        inputs=lambda: ((np.linspace(0.5, 1.5, size),), ()),
        by_hand=by_hand,
        left_out=(
            dict.fromkeys(LEFT_OUT_IF_LARGE, "the hand-written gradient is the measure here")
            if size >= 1_000_000
            else {}
        ),
    )
