"""Blind deconvolution by least squares: a signal and a kernel, convolved by FFT, should give what
was measured.
"""

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, normal

LENGTH, SMOOTHNESS = 4096, 0.1


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """The squared misfit, and the squared differences of neighbours."""
    signal, kernel = parameters
    (measured,) = data
    misfit = xp.fft.irfft(xp.fft.rfft(signal) * xp.fft.rfft(kernel), n=LENGTH) - measured
    steps = signal[1:] - signal[:-1]
    return xp.sum(misfit * misfit) + SMOOTHNESS * xp.sum(steps * steps)


def by_hand(parameters: Arrays, data: Arrays) -> tuple[Any, Arrays]:
    """The adjoint of a convolution is a correlation."""
    signal, kernel = parameters
    (measured,) = data
    signal_hat, kernel_hat = np.fft.rfft(signal), np.fft.rfft(kernel)
    misfit = np.fft.irfft(signal_hat * kernel_hat, n=LENGTH) - measured
    steps = signal[1:] - signal[:-1]
    misfit_hat = np.fft.rfft(2 * misfit)
    signal_bar = np.fft.irfft(misfit_hat * np.conj(kernel_hat), n=LENGTH)
    kernel_bar = np.fft.irfft(misfit_hat * np.conj(signal_hat), n=LENGTH)
    signal_bar[1:] += 2 * SMOOTHNESS * steps
    signal_bar[:-1] -= 2 * SMOOTHNESS * steps
    return np.sum(misfit * misfit) + SMOOTHNESS * np.sum(steps * steps), (signal_bar, kernel_bar)


def inputs() -> tuple[Arrays, Arrays]:
    """A random signal and kernel."""
    return (normal(LENGTH), normal(LENGTH, seed=1, scale=0.1)), (normal(LENGTH, seed=2),)


def deconvolution() -> Program:
    """Blind deconvolution as a program to be differentiated."""
    return Program(
        "FFT deconvolution", objective, inputs, by_hand, left_out={"mygrad": "it has no FFT"}
    )
