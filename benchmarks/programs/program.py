"""A program that is timed: its objective, its inputs, and its gradient by hand if there is one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = tuple[NDArray[Any], ...]
Gradient = Callable[[], tuple[Any, tuple[Any, ...]]]
Objective = Callable[[Any, tuple[Any, ...], tuple[Any, ...]], Any]


@dataclass(frozen=True)
class Program:
    """A real function of arrays, ``objective(xp, parameters, data)``, to be differentiated by its
    parameters.

    `by_hand(parameters, data)` is the value and the gradients as a person writes them in NumPy.
    `left_out` says, by the name of an engine, why that engine is not measured.
    """

    name: str
    objective: Objective
    inputs: Callable[[], tuple[Arrays, Arrays]]
    by_hand: Callable[[Arrays, Arrays], tuple[Any, Arrays]] | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)


# Of loops, by engine: what JAX's own loops take is measured in `contenders` and `loops`.
UNROLLED = dict.fromkeys(
    ("jax-jit", "ours under jax.jit"),
    "Python's loop unrolls into thousands of operations, which XLA compiles for long",
)


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> NDArray[np.float64]:
    """Normally distributed numbers that are the same in every run."""
    return scale * np.random.default_rng([seed, *shape]).standard_normal(shape)
