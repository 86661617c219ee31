"""Deblurring by gradient descent through the Fourier transform."""

from typing import Any

import numpy as np

from chainrules_tape import grad


def blurred(signal: Any, kernel: Any) -> Any:
    """The circular convolution, by the convolution theorem."""
    return np.fft.irfft(np.fft.rfft(signal) * np.fft.rfft(kernel), n=len(signal))


def loss(signal: Any, kernel: Any, measured: Any, ridge: float) -> Any:
    """The misfit, and the energy of the signal's slope."""
    slope = signal - np.roll(signal, 1)
    return 0.5 * np.sum((blurred(signal, kernel) - measured) ** 2) + 0.5 * ridge * np.sum(slope**2)


def problem(seed: int = 0, size: int = 15) -> tuple[Any, ...]:
    """A guess of noise, a blur, and a blurred step with noise on it."""
    rng = np.random.default_rng(seed)
    kernel = np.exp(-0.5 * (np.minimum(np.arange(size), size - np.arange(size)) / 1.5) ** 2)
    kernel = kernel / kernel.sum()
    truth = np.where(np.arange(size) < size // 2, 1.0, 0.0)
    return (
        rng.normal(size=size),
        kernel,
        blurred(truth, kernel) + 1e-3 * rng.normal(size=size),
        1e-4,
    )


def main() -> None:
    signal, *data = problem(size=32)
    for _ in range(2000):
        signal = signal - grad(loss)(signal, *data)
    print(np.round(signal, 2))


if __name__ == "__main__":
    main()
