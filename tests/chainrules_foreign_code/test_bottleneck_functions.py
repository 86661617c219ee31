"""`bottleneck` of traced arrays in code that is seen through: values are its own, derivatives as
differences have them.
"""

import numpy as np
import pytest

import strangers
from chainrules_tape import grad, jvp, seen_through, vjp

bottleneck = pytest.importorskip("bottleneck")

X = np.array([[0.3, np.nan, 1.7, 2.2, 0.9], [1.1, 0.2, np.nan, np.nan, 3.0]])
FULL = np.array([[0.3, 1.9, 1.7, 2.2, 0.9], [1.1, 0.2, 0.5, 0.7, 3.0]])
REDUCTIONS = ["nansum", "nanmean", "nanstd", "nanvar", "nanmin", "nanmax", "nanmedian"]
MOVING = ["move_sum", "move_mean", "move_std", "move_var", "move_min", "move_max", "move_median"]
CALLS = {
    **{name: lambda bn, x, name=name: getattr(bn, name)(x) for name in REDUCTIONS},
    **{
        f"{name} along an axis": lambda bn, x, name=name: getattr(bn, name)(x, axis=1)
        for name in REDUCTIONS
    },
    **{name: lambda bn, x, name=name: getattr(bn, name)(x, 3, min_count=2) for name in MOVING},
    **{
        f"{name} along an axis": lambda bn, x, name=name: getattr(bn, name)(x, window=2, axis=0)
        for name in MOVING
    },
    "ddof": lambda bn, x: bn.nanvar(x, ddof=1) + bn.move_std(x, 3, 2, -1, 1),
    "ddof by position": lambda bn, x: bn.nanvar(x, None, 1) + bn.nanstd(x, 1, 1).sum(),
    "ddof of windows with few numbers": lambda bn, x: (
        bn.move_var(x, 3, 1, ddof=1) + bn.move_std(x, 2, 1, ddof=1)
    ),
    "push": lambda bn, x: bn.push(x) + bn.push(x, 1) + bn.push(x, axis=0),
    "list": lambda bn, x: bn.nansum([x[0, 0], x[1, 1]]),
    "questions": lambda bn, x: x * bn.anynan(x) + bn.nanargmax(x) * x,
}
OF_NUMBERS = {
    "median": lambda bn, x: bn.median(x, axis=0) + bn.median(x),
    "ss": lambda bn, x: bn.ss(x) * bn.ss(x, axis=1),
    "partition": lambda bn, x: bn.partition(x, 1),
    "partition along an axis": lambda bn, x: bn.partition(x, 1, axis=0),
    "partition of all": lambda bn, x: bn.partition(x, 4, axis=None),
    "ranks": lambda bn, x: x * bn.rankdata(x, axis=1) + bn.move_rank(x, 2)[:, 1:].sum(),
}
CASES = [(f, X) for f in CALLS.values()] + [(f, FULL) for f in (CALLS | OF_NUMBERS).values()]
IDS = [*CALLS, *(f"{name}, no nan" for name in CALLS | OF_NUMBERS)]


@pytest.fixture(autouse=True)
def theirs(monkeypatch):
    """The module of strangers has imported it."""
    monkeypatch.setattr(strangers, "bn", bottleneck, raising=False)
    monkeypatch.setattr(strangers, "nansum", bottleneck.nansum, raising=False)


@pytest.mark.parametrize(("f", "x"), CASES, ids=IDS)
def test_a_function_in_the_scope(f, x):
    weighted = lambda y: np.nansum(y * np.cos(np.arange(np.size(y))).reshape(np.shape(y)))  # noqa: E731
    g = lambda x: weighted(f(strangers.bn, x))  # noqa: E731
    expected, h = f(bottleneck, x), 1e-6
    slopes = np.reshape(
        [(g(x + h * step) - g(x - h * step)) / (2 * h) for step in np.eye(10).reshape(10, 2, 5)],
        (2, 5),
    )
    slopes[np.isnan(x)] = 0.0
    with seen_through("strangers"):
        np.testing.assert_array_equal(f(strangers.bn, x), expected)
        np.testing.assert_allclose(vjp(lambda x: f(strangers.bn, x), x)[0], expected, rtol=1e-15)
        found = grad(g)(x)
        direction = np.where(np.isnan(x), 0.0, np.sin(np.arange(10.0)).reshape(2, 5))
        np.testing.assert_allclose(np.where(np.isnan(x), 0.0, found), slopes, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(
            jvp(g, (x,), (direction,))[1], np.sum(slopes * direction), rtol=1e-6, atol=1e-8
        )


@pytest.mark.parametrize("name", ["move_var", "move_std"])
def test_windows_of_as_few_numbers_as_ddof_have_bottlenecks_values(name):
    with seen_through("strangers"):
        found = vjp(lambda x: getattr(strangers.bn, name)(x, 4, 1, ddof=2), X)[0]
    np.testing.assert_array_equal(found, getattr(bottleneck, name)(X, 4, 1, ddof=2))


@pytest.mark.parametrize("name", [*REDUCTIONS, *MOVING, "push", "partition"])
def test_single_precision_stays(name):
    x, *rest = (FULL.astype(np.float32), *([2] if name not in ("push", *REDUCTIONS) else []))
    axis = {"axis": 1}

    def traced(x):
        dtypes.append(getattr(strangers.bn, name)(x, *rest, **axis).dtype)
        return np.nansum(x)

    dtypes = [getattr(bottleneck, name)(x, *rest, **axis).dtype]
    with seen_through("strangers"):
        grad(traced)(x)
    assert dtypes == [np.float32, np.float32]


def test_a_name_of_its_own():
    with seen_through("strangers"):
        assert grad(lambda x: strangers.nansum(x))(FULL).sum() == 10.0
    assert strangers.nansum is bottleneck.nansum
    assert strangers.bn is bottleneck
