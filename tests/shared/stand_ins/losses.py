"""Losses that use one part of NumPy each, and the derivatives that the tape takes of them on a
device.
"""

import numpy as np

import chainrules_tape as tape

X = np.linspace(0.1, 0.9, 6).reshape(2, 3)

LOSSES = {
    "elementwise": lambda x: np.sum(np.sin(x) * x * 2.0),
    "broadcast": lambda x: np.sum((x - np.max(x, axis=1, keepdims=True)) ** 2 / x[0]),
    "logsumexp": lambda x: np.sum(np.log(np.sum(np.exp(x), axis=1))),
    "entries": lambda x: np.sum(x[:, 1] * x[0, 2]),
    "inverse": lambda x: np.sum(np.linalg.inv(x @ x.T + 2.0 * (x @ x.T))),
    "methods": lambda x: (x.T @ x).sum() + x.mean(),
    "joining": lambda x: np.sum(np.concatenate([x, x * 2.0]) ** 2),
    "fft": lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2),
    "irfft": lambda x: np.sum(np.fft.irfft(np.fft.rfft(x) ** 2, 3) ** 3),
    "diagonal": (
        lambda x: np.sum(np.diagonal(x, 1) ** 2) * np.trace(x) + np.sum(np.diag(x[0] * x[1]) ** 2)
    ),
    "einsum": lambda x: np.sum(np.einsum("iij->j", x[:, None, :] * x[:, :2, None]) ** 3),
    "pad": (
        lambda x: (
            np.sum(np.pad(x, 1, "reflect") ** 3) + np.sum(np.pad(x, (0, 2), "linear_ramp") ** 3)
        )
    ),
    "pad widely": lambda x: np.sum(np.pad(x, ((0, 0), (20, 0)), "wrap") ** 3),
    "delete": lambda x: np.sum(np.delete(x, 1, axis=1) ** 3),
    "repeat": lambda x: np.sum(np.repeat(x, 2, axis=1) ** 3) + np.sum(np.tile(x, 2) ** 3),
    "where": lambda x: np.sum(np.where(x > 0.5, x**3, np.sqrt(x))),
    "polynomial": lambda x: np.sum(np.polyval(x[0], x[1] ** 2)) + np.sum(np.vander(x[0]) ** 2),
    "sorting": lambda x: np.sum(np.sort(x, axis=1) ** 3) + np.max(x * x) + np.median(x**3),
    "quantile": lambda x: np.sum(np.quantile(x**3, 0.3, axis=1)),
    "statistics": (
        lambda x: np.std(x * x) + np.linalg.norm(x) + np.sum(np.cumsum(x**2, axis=1) * np.prod(x))
    ),
    "differences": lambda x: np.sum(np.diff(x, axis=1) ** 3) + np.sum(np.gradient(x**3, axis=1)),
    "determinant": lambda x: np.linalg.slogdet(x @ x.T)[1],
    "solve": lambda x: np.sum(np.linalg.solve(x @ x.T + 0.1 * x[0, 0], x) ** 2),
    "cholesky": lambda x: np.sum(np.linalg.cholesky(x @ x.T) ** 3),
    "qr": lambda x: np.sum(np.linalg.qr(x.T)[1] ** 4),  # whatever signs its rows have
    "svd": lambda x: np.sum(np.linalg.svd(x, full_matrices=False)[1] ** 3),
    "eigh": lambda x: np.sum(np.linalg.eigh(x @ x.T)[0] ** 2),
    "inner": lambda x: np.inner(x[0], x[1]) ** 2 + np.sum(np.outer(x[0], x[1]) ** 2),
    "convolution": lambda x: np.sum(np.convolve(x[0], x[1]) ** 2),
}


def twice(loss):
    """The gradient of the squared length of the gradient."""
    return tape.grad(lambda x: np.sum(tape.grad(loss)(x) ** 2))


TRANSFORMS = {
    "grad": tape.grad,
    "grad of grad": twice,
    "hvp": lambda loss: lambda x: tape.hvp(loss, x, x),
    "jvp": lambda loss: lambda x: tape.jvp(loss, (x,), (x,))[1],
}
