"""`piecewise` and `apply_along_axis` of plain arrays: classes and errors; derivatives are cells of
`product`.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad

P = np.array([1.7, 0.4, -0.3])


def first(row):
    return row[0] if row[0] < 1 else row[0] + 0.5


def made(np):
    counts, steps = tnp.arange(4), [lambda t: t * 2.5, 1]
    return (
        np.piecewise(counts, [counts > 1], steps),
        np.apply_along_axis(first, 0, counts.reshape(2, 2)),
    )


def test_what_is_constant_is_numpys():
    found = []
    grad(lambda x: found.extend(made(tnp)) or x * x)(1.0)
    for ours, theirs in zip(found, made(np), strict=True):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    "function",
    [
        lambda p: np.piecewise(P, [p[0] > P], [lambda t: p[1] * t, p[2]]),
        lambda p: np.apply_along_axis(lambda row: row * p[1], 0, P[:, None]),
    ],
    ids=["piecewise", "apply_along_axis"],
)
def test_numpys_own_is_refused_with_ours(function):
    with pytest.raises(LostGradientError, match=r"write chainrules_tape\.numpy\..*scipy likewise"):
        grad(lambda p: np.sum(function(p)))(P)
