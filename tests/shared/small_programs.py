"""Programs of a few lines that tests of several packages differentiate."""

import numpy as np


def arrow(x):
    """Whose Jacobian has a full row and a full column."""
    return np.concatenate([[np.sum(np.sin(x) * x)], x[0] * x[1:] ** 2])


def rosenbrock(x):
    """Whose Hessian has three diagonals."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def logistic(w, x, y):
    """The loss of a logistic regression."""
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z) + 0.5 * np.sum(w**2)
