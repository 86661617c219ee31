"""Arrays that a program fills before a derivative meets them, and those that a rule may keep."""

import numpy as np
import pytest

from chainrules_tape import compiled, grad, hessian

X = np.array([0.3, 0.9, 0.5])
W = np.array([1.0, 2.0, 4.0])


def filled_before(x):
    t = W * 2.0
    t -= t[-1] / 2
    t[0] = 7.0
    return np.sum(np.sin(x * t))


def filled_in_part(x):
    t = np.stack([W, W])
    for k in range(2):
        t[k, 1] += k
        t[k][2:] = np.cos(t[k, 0])
    return np.sum(np.exp(x * t[0]) + x**2 * t[1])


def filled_beside_one_that_is_kept(x):
    kept, t = W * 2.0, W + 1.0
    y = np.sum(x * kept)
    t[1] = 5.0
    return y * np.sum(x * t)


def overwritten(x):
    t = W * 2.0
    y = np.sum(np.sin(x * t))
    t[:] = 3.0
    return y * np.sum(x * t)


def overwritten_by_a_view(x):
    t = W * 2.0
    part = t[1:]
    y = np.sum(np.sin(x[1:] * part))
    t += 1.0
    return y * np.sum(x * t)


def overwritten_index(x):
    rows = np.argsort(W) * 1
    y = np.sum(x[rows] ** 2 * W)
    rows[:] = 0
    return y + np.sum(x[rows])


def filled_positions(x):
    order = np.argsort(x * W)
    order[0] = 1
    return np.sum(x[order] ** 2 * W)


def filled_positions_that_were_read(x):
    order = np.argsort(x * W)
    y = np.sum(x[order] ** 2 * W)
    order[:] = 0
    return y + np.sum(x[order])


def overwritten_in_a_container(x):
    t = W * 2.0
    y = np.sum(np.concatenate([x, t]) ** 3) * np.sum(np.where(t > 3.0, x * t, t))
    t *= 2.0
    return y * np.sum(x * t)


COMPILE = [filled_before, filled_in_part, filled_beside_one_that_is_kept, filled_positions]
MAY_COMPILE = [overwritten, overwritten_by_a_view, overwritten_index, overwritten_in_a_container]


@pytest.mark.parametrize("transform", [grad, hessian])
@pytest.mark.parametrize("f", [*COMPILE, *MAY_COMPILE, filled_positions_that_were_read])
@pytest.mark.filterwarnings("ignore::chainrules_programs.compiling.compile.NotCompiledWarning")
def test_gradients_are_those_of_the_tape(transform, f, monkeypatch):
    made = transform(f)
    step = compiled(made)
    for k in range(5):
        if k == 3:
            monkeypatch.setitem(globals(), "W", W * 1.5)
        np.testing.assert_allclose(step(X * (1 + k)), made(X * (1 + k)), rtol=1e-12)
        if k == 2 and transform is grad and f not in MAY_COMPILE:
            assert bool(step.count_of_programs()) is (f in COMPILE)
    assert step.faults == {}
