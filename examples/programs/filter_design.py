"""A filter with complex coefficients that lets one sideband pass and stops the other, by descent
along a complex gradient.

The gradient of a real loss in z = x + iy is dL/dx + i dL/dy here: minus it is the direction of
steepest descent, as it is.
"""

from typing import Any

import numpy as np

from chainrules_tape import grad


def response(taps: Any, frequencies: Any) -> Any:
    """The filter's transfer function on the unit circle."""
    return np.exp(-1j * np.outer(frequencies, np.arange(len(taps)))) @ taps


def loss(taps: Any, frequencies: Any, wanted: Any) -> Any:
    """The mean fourth power of the error, which minds the worst more than a square would; the phase
    is part of it.
    """
    return np.mean(np.abs(response(taps, frequencies) - wanted) ** 4)


def problem(seed: int = 0, taps: int = 9, points: int = 64) -> tuple[Any, ...]:
    """Random taps, frequencies outside of the transitions, and a delayed one-sided response."""
    rng = np.random.default_rng(seed)
    frequencies = np.linspace(-np.pi, np.pi, points, endpoint=False)
    frequencies = frequencies[(np.abs(frequencies) > 0.4) & (np.abs(frequencies) < np.pi - 0.4)]
    wanted = np.where(frequencies > 0, np.exp(-1j * frequencies * (taps - 1) / 2), 0.0)
    return 0.1 * (rng.normal(size=taps) + 1j * rng.normal(size=taps)), frequencies, wanted


def main() -> None:
    taps, frequencies, wanted = problem(taps=17)
    for _ in range(1500):
        taps = taps - 0.1 * grad(loss)(taps, frequencies, wanted)
    size = np.abs(response(taps, frequencies))
    print(
        f"upper sideband: at least {size[frequencies > 0].min():.3f}; lower: at most"
        f" {size[frequencies < 0].max():.3f}"
    )


if __name__ == "__main__":
    main()
