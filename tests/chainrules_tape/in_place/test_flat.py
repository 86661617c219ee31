"""``x.flat`` of traced arrays and of buffers: what is read and written is what NumPy reads and
writes.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad, jvp, seen_through, stop_gradient, vjp
from chainrules_tape.in_place.flat import Flat

X = np.arange(1.0, 7.0).reshape(2, 3)
WRITES = [
    lambda a, x: a.flat.__setitem__(4, x[0, 0] ** 2),
    lambda a, x: a.flat.__setitem__(-1, 7.0),
    lambda a, x: a.flat.__setitem__(slice(None, None, 2), x[0, :2]),  # three places for two values
    lambda a, x: a.flat.__setitem__([1, 5], x[1, 1:]),
    lambda a, x: a.flat.__setitem__(np.arange(6) > 2, x[0] * x[1]),
    lambda a, x: setattr(a, "flat", np.sin(x[0])),
    lambda a, x: a.T.flat.__setitem__(1, x[1, 2]),
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("make", [lambda x: x * 1.0, np.transpose, tnp.copy])
def test_writes(write, make):
    def f(x):
        a = make(x)
        write(a, x)
        return a * a.flat[2] + sum(a.flat) + np.sum(a.flat[1::2]) * len(a.flat)

    y, pullback = vjp(f, X)
    np.testing.assert_allclose(y, f(X.copy()))
    seed, h = np.cos(y), 1e-6
    steps = h * np.eye(6).reshape(6, 2, 3)
    slopes = [np.sum(seed * (f(X + step) - f(X - step))) / (2 * h) for step in steps]
    np.testing.assert_allclose(np.ravel(pullback(seed)[0]), slopes, rtol=1e-6, atol=1e-6)


def test_positions_beyond_the_end():
    with pytest.raises(IndexError):
        grad(lambda x: x.flat[6])(X)


INDICES = {
    "int": 4,
    "numpy's int": np.int64(2),
    "0-d array": np.array(5),
    "tuple": (-2,),
    "slice": slice(None, None, -2),
    "empty slice": slice(3, 3),
    "list": [5, 0, 0],
    "array of two axes": np.array([[0, 1], [4, 5]]),
    "booleans": np.arange(6) % 2 == 1,
    "ellipsis": ...,
    "beyond": 6,
    "beyond, negative": -7,
    "list beyond": [6],
    "too few booleans": np.array([True]),
    "two": (0, 1),
}
VALUES = {"number": 2.5, "some": [1.5, -1.0], "many": np.arange(9.0)}
MAKERS = {
    "C order": lambda x: x * 1.0,
    "F order": np.transpose,
    "buffer": tnp.copy,
    "part": lambda x: (2 * x)[:, ::-1],
}


def outcome(f, x):
    """What a function gives, or which error it raises."""
    try:
        return f(x)
    except (IndexError, ValueError) as error:
        return type(error)


def traced_outcome(f, x):
    """What a function gives of a traced value, in both modes."""
    return outcome(lambda x: vjp(f, x)[0], x), outcome(lambda x: jvp(f, (x,), (x,))[0], x)


def test_everything_that_numpy_has_is_there():
    assert not set(dir(np.flatiter)) - set(dir(Flat))
    assert grad(lambda x: x[0, 0] * isinstance(x.flat, np.flatiter))(X)[0, 0] == 1.0


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_any_index_reads_what_numpy_reads(index, make):
    read = lambda x: make(x).flat[index] * 1.0  # noqa: E731
    for found in traced_outcome(read, X):
        np.testing.assert_equal(found, outcome(read, X))


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_any_index_writes_what_numpy_writes(index, values):
    def write(x):
        y = x * 1.0
        y.flat[index] = values
        return y

    for found in traced_outcome(write, X):
        np.testing.assert_equal(found, outcome(write, X))


def test_no_values_write_nothing():
    assert grad(lambda x: x.flat.__setitem__(slice(0, 3), []) or np.sum(x * x))(X)[0, 1] == 4.0


def comparisons(a, module):
    flat = a.flat
    return [
        *(flat == 2.0, flat != 2.0, flat < 2.0, flat <= 2.0, flat > 2.0, flat >= 2.0),
        *(
            2.0 == flat,
            2.0 < flat,
            flat == a.T.flat,
            flat == module.ravel(a),
            module.ravel(a) > flat,
            flat == None,  # noqa: E711
        ),
        *(module.any(flat == 0.0), module.less(flat, 3.0), 6.0 in flat, 7.0 in flat),
    ]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_comparisons(make):
    expected = comparisons(make(X), np)

    def f(x):
        for module in (np, tnp):
            for found, plain in zip(comparisons(make(x), module), expected, strict=True):
                np.testing.assert_array_equal(found, plain)
        return np.sum(x)

    grad(f)(X)
    jvp(f, (X,), (X,))


def test_a_comparison_decides_in_the_scope_as_outside(monkeypatch):
    def f(a):
        return (
            2.1 * np.sum(a)
            if np.any(a.flat == 0) or not np.all(a.flat != 0.1)
            else 0.49 * np.sum(a)
        )

    monkeypatch.setitem(globals(), "__name__", "strangers.tests")
    with seen_through("strangers"):
        for point, slope in [
            (np.array([[0.0, 0.7]]), 2.1),
            (np.array([0.3, 0.1]), 2.1),
            (np.array([0.3, 0.7]), 0.49),
        ]:
            assert vjp(f, point)[0] == f(point)
            np.testing.assert_allclose(grad(f)(point), slope)


def walk(a):
    """Where an iterator stands after each step, up to its end."""
    flat, found = a.flat, []
    for _ in range(a.size + 2):
        found.append((flat.index, flat.coords))
        next(flat, None)
    flat[:1]
    return [*found, flat.index, flat is iter(flat), len(flat), flat.base is a]


@pytest.mark.parametrize("x", [X, X[:0], np.arange(24.0).reshape(2, 3, 4), np.array(3.0)])
def test_it_stands_where_numpys_stands(x):
    found = []
    vjp(lambda x: found.append(walk(x)) or x, x)
    jvp(lambda x: found.append(walk(x)) or x, (x,), (x,))
    assert found == [walk(x)] * 2


def test_next_goes_on_where_it_was():
    def f(x):
        flat = x.T.flat
        first = next(flat)
        return first * 10 + sum(k * y**2 for k, y in enumerate(flat, 1))

    expected = np.array([[10.0, 4 * 2, 8 * 3], [2 * 4, 6 * 5, 10 * 6]])
    np.testing.assert_allclose(grad(f)(X), expected)


ARRAYS = {
    "copy": lambda x: x.flat.copy(),
    "ufunc": lambda x: np.negative(x.flat),
    "operators": lambda x: np.ones(6) * x.flat + np.ravel(x) * x.flat,
    "function": lambda x: np.cumsum(x.flat),
    "in a list": lambda x: np.concatenate([x.flat, x.T.flat]),
    "array": lambda x: tnp.array(x.flat) + tnp.asarray(x.T.flat),
    "list": lambda x: np.stack(list(x.flat)),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_the_array_of_all_entries(array, make):
    f = lambda x: array(make(x)) ** 2  # noqa: E731
    y, pullback = vjp(f, X)
    np.testing.assert_allclose(y, f(X))
    seed, h = np.cos(y), 1e-6
    slopes = [
        np.sum(seed * (f(X + step) - f(X - step))) / (2 * h)
        for step in h * np.eye(6).reshape(6, 2, 3)
    ]
    np.testing.assert_allclose(np.ravel(pullback(seed)[0]), slopes, rtol=1e-6, atol=1e-6)


def test_a_copy_is_one():
    def f(x):
        y = x * 1.0
        copied = y.flat.copy()
        copied[0] = 5.0
        y.flat[1] = 7.0
        return np.sum(y.flat) + np.sum(copied)

    assert vjp(f, X)[0] == f(X)
    np.testing.assert_allclose(grad(f)(X), [[1.0, 1.0, 2.0], [2.0, 2.0, 2.0]])


def test_numbers_have_it():
    assert (
        grad(
            lambda x: (
                x.flat[0] * next(x.flat) + np.sum(x.flat) + x.flat.copy()[0] * (x.flat == 3.0)[0]
            )
        )(3.0)
        == 8.0
    )
    with pytest.raises(AttributeError):
        grad(lambda x: setattr(x, "flat", 1.0))(np.float64(3.0))


def test_what_would_lose_a_derivative_is_refused():
    for f in (lambda x: np.array(x.flat), lambda x: np.asarray(x.flat, float)):
        with pytest.raises(LostGradientError):
            grad(lambda x, f=f: np.sum(f(x)))(X)
    plain = grad(lambda x: x[0, 0] * np.array(stop_gradient(x).flat).sum())(X)
    assert plain[0, 0] == 21.0
    with pytest.raises(TypeError, match="delete"):
        grad(lambda x: x.flat.__delitem__(0))(X)
