"""Functions that keep numbers, and other things, in arrays of Python's objects."""

import numpy as np


def pair(x):
    o = np.empty(2, object)
    o[0], o[1] = x, 3.0 * x
    return o


def mixed(x):
    o = np.array([x, None], dtype=object)
    return o[0] * 2.0 if o[1] is None else 0.0


def entries(x):
    o = np.empty((2, 2), dtype=object)
    o[0, 1], o[1, 0], o[0, 0] = np.array([x, 2 * x]), {"a": x}, [x, x]
    o[1, 1] = 1.0
    return o[0, 1].sum() * o[1, 0]["a"] + o[0, 0][1] * o[1, 1]


def augmented(x):
    o = np.zeros(2, object)
    o[1] += x
    o[0] = o[1] * x
    return o.sum() + np.sum(o) + sum(o)


def written(x):
    """Lists and arrays are written into an array of objects."""
    o = np.empty((3, 2), dtype=object)
    o[0], o[1:] = [x, 2.0], [[x * x, x], [1, np.sin(x)]]
    o[2] = np.array([x, 3.0 * x])
    o[:, 1] = np.reshape(x, ()) * 2.0
    return np.sum(o) * o[1, 0] + o[2, 0]


OBJECTS = {
    "lists that are written": written,
    "mean": lambda x: np.mean(pair(x)) * np.mean(pair(x), axis=0, keepdims=True)[0],
    "spread": lambda x: np.std(pair(x)) + np.var(pair(x), ddof=1) * np.median(pair(x)),
    "methods": lambda x: pair(x).mean() * pair(x).mean(axis=0, keepdims=True)[0],
    "spread by methods": lambda x: pair(x).std() + pair(x).var(ddof=1) * x,
    "others": lambda x: np.gradient(pair(x))[1] * np.average(pair(x), weights=[1, 2]),
    "list": lambda x: np.prod(np.array([x, 2.0 * x], dtype=object)),
    "nested": lambda x: np.array([[x, 2.0 * x], [1.0, x]], dtype="O")[1].sum() * x,
    "mixed": mixed,
    "entries": entries,
    "augmented": augmented,
    "operators": (
        lambda x: (
            (pair(x) * 2)[0] + pair(x).dot(pair(x)) + (pair(x) + pair(x))[1] - (pair(x) ** 2).sum()
        )
    ),
    "astype": lambda x: np.exp(pair(x).astype(float)).sum(),
    "array": lambda x: np.sin(np.array(pair(x), dtype=float)).sum() * np.array(pair(x).tolist())[0],
    "filled": lambda x: np.full(2, None).size * x + np.array([1, 2], dtype=object)[1] * x,
    "full": lambda x: np.full((2, 1), x, dtype=object)[1, 0] ** 2 * np.full(2, x, "O").sum(),
    "max": lambda x: np.max(pair(x)) * np.min(pair(x)) + np.full(2, 3.0 * x, object).max(),
}
