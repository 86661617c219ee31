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
    "methods": lambda x: (x.T @ x).sum() + x.mean(),
    "joining": lambda x: np.sum(np.concatenate([x, x * 2.0]) ** 2),
    "where": lambda x: np.sum(np.where(x > 0.5, x**3, np.sqrt(x))),
    "sorting": lambda x: np.sum(np.sort(x, axis=1) ** 3) + np.max(x * x) + np.median(x**3),
    "statistics": (
        lambda x: np.std(x * x) + np.linalg.norm(x) + np.sum(np.cumsum(x**2, axis=1) * np.prod(x))
    ),
    "solve": lambda x: np.sum(np.linalg.solve(x @ x.T + 0.1 * x[0, 0], x) ** 2),
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
