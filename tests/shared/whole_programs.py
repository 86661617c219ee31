"""NumPy programs without rules, as other engines are given them, and the same in an engine's words.

The programs write into arrays and branch by what they find. An engine's own versions, of
`InWordsOf`, take its namespace, `xp`, and have `where` and `concatenate` in those places.
"""

import numpy as np

X = np.array([0.8, 0.4, 1.7, 0.9])
V = np.array([0.3, -1.0, 0.5, 2.0])
ROWS = np.stack([X, X[::-1], 0.5 * X, X**2, V])


def program(x):
    """Damp each entry that is less than the one before; it writes into a copy and branches."""
    y = x.copy()
    for i in range(1, len(y)):
        if y[i] < y[i - 1]:
            y[i] = y[i - 1] * np.cos(y[i])
    return y * x[0]


def smooth(x):
    """Replace the first entry; it does not branch, so all examples are one call."""
    y = x.copy()
    y[0] = np.sin(x[1]) * x[0]
    return y**2 * x


def rotated(z):
    """A real function of complex numbers."""
    y = z.copy()
    y[0] = z[1] * np.conj(z[2]) + np.abs(z[0])
    return np.abs(np.sum(y * z)) ** 2


def parts(x, weights, scale=1.0):
    """A function of containers that returns some; `weights["w"]` is a pair, of which one counts."""
    y = np.zeros(len(x)) + 0 * weights["b"]
    y[0] = weights["b"]
    y[1:] = x[1:] * weights["w"][0]
    return {"total": np.sum(y) * scale, "pair": (y, y[0] * scale)}


def number_of_matrix(x):
    """A number of a matrix, by products, branches of entries, a sort, a norm and reads."""
    y = np.tanh(x @ x.T) + np.sum(x**2, axis=1)
    rectified = np.sum(np.where(y > 0, y, 0.1 * y))
    return rectified + np.linalg.norm(np.sort(x, axis=0)) + x[0, 0] * x[1:, 2].max()


def without_rule(x):
    """A program whose only operation has no rule: it has a value, and no derivative."""
    return np.sum(np.frompyfunc(lambda v: v * v, 1, 1)(x).astype(float))


def converted(x):
    """A program that makes a plain number of an entry: it has a value, and no derivative."""
    return np.sin(float(x[0]))


class InWordsOf:
    """The programs in the words of an engine, and numbers to make of what they return."""

    def __init__(self, xp):
        self.xp = xp

    def program(self, x):
        y = [x[0]]
        for i in range(1, len(x)):
            y.append(self.xp.where(x[i] < y[-1], y[-1] * self.xp.cos(x[i]), x[i]))
        return self.xp.stack(y) * x[0]

    def rotated(self, z):
        first = z[1] * self.xp.conj(z[2]) + self.xp.abs(z[0])
        y = self.xp.concatenate([self.xp.reshape(first, (1,)), z[1:]])
        return self.xp.abs(self.xp.sum(y * z)) ** 2

    def parts(self, x, weights, scale=1.0):
        first = self.xp.reshape(weights["b"], (1,))
        y = self.xp.concatenate([first, x[1:] * weights["w"][0]])
        return {"total": self.xp.sum(y) * scale, "pair": (y, y[0] * scale)}

    def loss(self, f):
        """A number of all that `parts` returns."""

        def loss(x, weights, scale):
            y = f(x, weights, scale=scale)
            return y["total"] ** 2 + self.xp.sum(y["pair"][0] ** 3) + y["pair"][1]

        return loss
