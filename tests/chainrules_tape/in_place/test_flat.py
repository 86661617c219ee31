"""``x.flat`` of traced arrays and of buffers: what is read and written is what NumPy reads and
writes.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad, jvp, seen_through, stop_gradient, vjp
from chainrules_tape.in_place.flat import Flat

X = np.arange(1.0, 7.0).reshape(2, 3)


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


def test_numbers_are_not_written_to_by_it():
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
