"""Programs in which functions write into arrays, each called until it runs as written source."""

import numpy as np
import pytest

from chainrules_tape import compiled

XS = [np.array([0.3, 0.7, 0.2]), np.array([0.5, 0.25, 0.9])]


def squares(x):
    return np.outer(x, x + 1.0)


# functions that write what they compute of an array into another one
OUT = {
    "cumsum": lambda x, y: np.cumsum(x**2, out=y),
    "its method": lambda x, y: (x**2).cumsum(out=y),
    "accumulate": lambda x, y: np.multiply.accumulate(x, out=y),
    "reduceat": lambda x, y: np.add.reduceat(x**2, [0, 1, 2], out=y),
    "sum": lambda x, y: np.sum(squares(x), axis=0, out=y),
    "mean": lambda x, y: squares(x).mean(axis=0, out=y),
    "einsum": lambda x, y: np.einsum("i->i", x**2, out=y),
    "dot": lambda x, y: np.dot(squares(x), x, out=y),
    "take": lambda x, y: np.take(x**2, [0, 0, 1], out=y),
    "clip": lambda x, y: np.clip(x**2, 0.1, 0.4, out=y),
    "concatenate": lambda x, y: np.concatenate([x[:1], x[:2] ** 2], out=y),
    "ufunc": lambda x, y: np.add(x, x**2, out=y),
    "ufunc by position": lambda x, y: np.add(x, x**2, y),
}
BY_POSITION = {
    "cumsum": lambda x, y: np.cumsum(x**2, 0, None, y),
    "dot": lambda x, y: np.dot(squares(x), x, y),
    "sum": lambda x, y: np.sum(squares(x), 0, None, y),
    "windows": lambda x, y: np.copyto(
        np.lib.stride_tricks.sliding_window_view(y, 2, writeable=True)[0], x[:2]
    ),
}


def program(f):
    def run(x):
        y = x * 1.0
        f(x, y)
        y *= 2.0
        return np.sum(y**2 * np.arange(1, 4)) + np.sum(x)

    return run


@pytest.mark.parametrize("f", [*OUT.values(), *BY_POSITION.values()], ids=[*OUT, *BY_POSITION])
def test_what_is_written_into_an_array_is_written_by_the_source(f):
    run = program(f)
    again = compiled(run)
    for x in XS * 3:
        assert again(x) == pytest.approx(run(x), rel=1e-13)
    assert again.reasons == []
