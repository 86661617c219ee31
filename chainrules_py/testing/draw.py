"""Random arrays for samples, away from points where nothing can be differentiated."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Draw:
    """Draws arrays of one dtype; no shape gives a 0-d array.

    >>> draw = Draw(np.random.default_rng(0), np.dtype("float32"))
    >>> draw.real(2, 3).shape, draw.real(2).dtype, bool((draw.positive(9) > 0).all())
    ((2, 3), dtype('float32'), True)
    """

    rng: np.random.Generator
    dtype: np.dtype[Any]

    @property
    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self.dtype.kind == "c"

    def any(self, *shape: int) -> Array:
        """Draw numbers of magnitude 0.25 to 2, with random signs or phases."""
        size = self.rng.uniform(0.25, 2.0, shape)
        if self.is_complex:
            return self._as(size * np.exp(2j * np.pi * self.rng.uniform(size=shape)))
        return self._as(size * self.rng.choice([-1.0, 1.0], shape))

    def real(self, *shape: int) -> Array:
        """Real numbers of magnitude 0.25 to 2, in the real dtype that belongs to the dtype."""
        signed = self.rng.uniform(0.25, 2.0, shape) * self.rng.choice([-1.0, 1.0], shape)
        return np.asarray(signed, self.dtype.type(0).real.dtype)

    def between(self, low: float, high: float, *shape: int) -> Array:
        """Numbers uniform in an interval; complex ones have both parts there."""
        numbers = self.rng.uniform(low, high, shape)
        return self._as(
            numbers + 1j * self.rng.uniform(low, high, shape) if self.is_complex else numbers
        )

    def positive(self, *shape: int) -> Array:
        """Numbers between 0.25 and 2, well inside the domain of logarithms and roots."""
        return self.between(0.25, 2.0, *shape)

    def distinct(self, *shape: int) -> Array:
        """Numbers at least 0.1 apart, in random order: no ties for sorting, maxima and medians."""
        count = int(np.prod(shape, dtype=int))
        steps = np.arange(count) * 0.25 + self.rng.uniform(0.0, 0.1, count) - 0.125 * count + 0.3
        return self._as(self.rng.permutation(steps).reshape(shape))

    def well_conditioned(self, *shape: int) -> Array:
        """Square matrices in the last two axes, dominated by their diagonal."""
        n = shape[-1]
        return self._as(self.any(*shape) / max(n, 1) + 2.5 * np.eye(n))

    def hermitian(self, *shape: int) -> Array:
        """Hermitian (symmetric) matrices in the last two axes."""
        a = self.any(*shape)
        return self._as((a + np.conj(np.swapaxes(a, -1, -2))) / 2)

    def positive_definite(self, *shape: int) -> Array:
        """Hermitian positive definite matrices in the last two axes."""
        a = self.any(*shape)
        return self._as(a @ np.conj(np.swapaxes(a, -1, -2)) / max(shape[-1], 1) + np.eye(shape[-1]))

    def integers(self, low: int, high: int, *shape: int) -> NDArray[np.int64]:
        """Integers in [low, high)."""
        return self.rng.integers(low, high, shape)

    def mask(self, *shape: int) -> NDArray[np.bool_]:
        """Booleans, about half of them true."""
        return self.rng.uniform(size=shape) < 0.5

    def _as(self, numbers: Any) -> Array:
        return np.asarray(numbers, self.dtype)
