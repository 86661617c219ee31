"""Seeded random tangents for any value, and the inner product that compares them.

Entries have a random sign and a magnitude between 1/2 and 3/2: never zero, never one, so that a
rule that is right only for unit seeds is wrong, and no larger entry hides a smaller one.
"""

import zlib
from typing import Any

import numpy as np

from chainrules_py.testing.coordinates import Layout, Vector


def seeded(*names, seed: int = 0) -> np.random.Generator:
    """Make a random generator from names and a seed, equal on every machine."""
    return np.random.default_rng([seed, zlib.crc32("/".join(map(str, names)).encode())])


def random_direction(rng: np.random.Generator, size: int) -> Vector:
    """A vector of random signs times magnitudes in (1/2, 3/2)."""
    return np.asarray(rng.uniform(0.5, 1.5, size) * rng.choice([-1.0, 1.0], size))


def adding_to_nothing(t, xp) -> Any:
    """The part of a tangent that leaves sums along the last axis as they are, of weights that have
    to sum to one: ``Settings(structures={0: adding_to_nothing})``.

    >>> adding_to_nothing(np.array([1.0, 2.0, 6.0]), np)
    array([-2., -1.,  3.])
    """
    return t - xp.mean(t, axis=-1, keepdims=True)


def rand_tangent(rng: np.random.Generator, primal: Any) -> Any:
    """Draw a random tangent of a value: its dtypes and structure, or `NO_TANGENT`.

    >>> rand_tangent(np.random.default_rng(0), np.ones(3, np.float32)).dtype
    dtype('float32')
    >>> rand_tangent(np.random.default_rng(0), "axis")
    NO_TANGENT
    """
    layout = Layout(primal)
    return layout.tangent(random_direction(rng, layout.size))
