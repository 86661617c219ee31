"""Constants whose numbers are wanted themselves: by compiled code, by `float`, as text."""

import numpy as np
import pytest
from scipy.interpolate import splev, splrep

from chainrules_tape import compiled, grad, seen_through

K, X, SCALE = np.arange(4.0), np.array([0.3, 0.4]), 2.0


def spline(x, s, values):
    return np.sum(x) * splev(0.3, splrep(K, values, s=0))


def by_constants(x, s):
    return spline(x, s, np.array([1.0, SCALE, 0.5, 2.0]))


def by_argument(x, s):
    return spline(x, s, np.array([1.0, s, 0.5, 2.0]))


def written_to(x, s):
    values = np.array([1.0, SCALE, 0.5, 2.0])
    values[1] = s
    return spline(x, s, values)


def written_through_a_view(x, s):
    memory = np.zeros(6)
    values = memory[1:5]
    values += 1.0
    memory[2] = s
    return spline(x, s, values)


def written_later(x, s):
    values = np.array([1.0, SCALE, 0.5, 2.0])
    y = spline(x, s, values)
    values[1] = 7.0
    return y * values[1]


def numbers(x, s):
    v = np.array([SCALE, 3.0])
    return np.sum(x) * float(v[0]) + v[1].item() + float(f"{v[0]:.3f}") + v.tolist()[1]


def number_of_argument(x, s):
    v = np.zeros(3)
    v[1] = s
    return np.sum(x) * float(v[1])


def after_a_question(x, s):
    v = np.zeros(2)
    if s > 1:
        v[0] = 1.0
    return np.sum(x) * float(v[0] + 1.0)


def of_objects(x, s):
    return np.sum(x) * np.where(s is None, None, np.array(SCALE)).astype(float)


@pytest.mark.parametrize("is_seen", [False, True], ids=["plain", "seen through"])
@pytest.mark.parametrize(
    ("function", "compiles"),
    [
        (by_constants, True),
        (by_argument, False),
        (written_to, False),
        (written_through_a_view, False),
        (written_later, True),
        (numbers, True),
        (number_of_argument, False),
        (after_a_question, True),
        (of_objects, True),
    ],
)
@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
def test_constants(function, compiles, is_seen, monkeypatch):
    with seen_through(*[__name__] * is_seen):
        step = compiled(grad(function))
        for scale in (2.0, 5.0):
            monkeypatch.setitem(globals(), "SCALE", scale)
            for s in (2.0, 2.0, 2.5, 0.5, 1.5):
                np.testing.assert_allclose(step(X, s), grad(function)(X, s), rtol=1e-13)
        assert (step.count_of_programs() > 0) is compiles
