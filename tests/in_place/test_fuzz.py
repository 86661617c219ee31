"""Random programs that write into arrays: NumPy's values, and gradients by a functional rewriting
and finite differences.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, jvp, vjp
from in_place_programs import Functional, InPlace, program
from seeds_of_programs import check_each, groups

COUNT, PER_TEST, ORDINARILY = 3000, 100, 100
X, Y = np.random.default_rng(0).normal(size=(2, 3, 3))
Y = Y[:2]


def in_numpy(run):
    return lambda x, y: run(InPlace(np), x, y)


def in_engine(run):
    return lambda x, y: run(InPlace(tnp), x, y)


def rewritten(run):
    return lambda x, y: run(Functional(), x, y)


def check(seed):
    run = program(seed)
    plain, engine = in_numpy(run), in_engine(run)
    draw = np.random.default_rng(seed)
    dots = draw.normal(size=X.shape), draw.normal(size=Y.shape)
    x, y = X.copy(), Y.copy()
    value, pullback = vjp(engine, x, y)
    assert np.array_equal(x, X)
    assert np.array_equal(y, Y)
    np.testing.assert_allclose(value, plain(X, Y), rtol=1e-13)
    bars = pullback(1.0)
    for one, again in zip(bars, pullback(1.0), strict=True):
        np.testing.assert_array_equal(one, again)
    for one, other in zip(bars, grad(rewritten(run), (0, 1))(X, Y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    slope = sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))
    value, pushed = jvp(engine, (X, Y), dots)
    np.testing.assert_allclose(value, plain(X, Y), rtol=1e-13)
    np.testing.assert_allclose(pushed, slope, rtol=1e-10, atol=1e-11)
    h = 1e-6
    ahead, behind = (plain(X + s * dots[0], Y + s * dots[1]) for s in (h, -h))
    np.testing.assert_allclose((ahead - behind) / (2 * h), slope, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("first", groups(COUNT, ORDINARILY, PER_TEST))
def test_random_programs(first):
    check_each(check, first, PER_TEST)
