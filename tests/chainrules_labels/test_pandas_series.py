"""What a constant Series beside traced values would lose is refused; where nothing is lost, programs are
cells of `product.united`.
"""

import numpy as np
import pytest

from chainrules_tape import grad, jvp, seen_through, vmap
from chainrules_tape.refusals.errors import InputError

X = np.array([0.3, 0.7, 1.1])
VALUES = np.array([1.0, 2.0, 3.0])


class Series:
    """Stands for a Series of pandas: an array, its labels, and operators that leave the say to
    operands of a higher priority.
    """

    ndim = 1

    def __init__(self, values, index=None):
        self._values = np.asarray(values)
        self.dtype, self.shape = self._values.dtype, self._values.shape
        self.index = np.arange(len(self._values)) if index is None else index

    @property
    def values(self):
        return self._values

    def to_numpy(self, copy=False):
        return self._values.copy() if copy else self._values

    def __array__(self, dtype=None, copy=None):
        return self._values

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        priorities = [getattr(x, "__pandas_priority__", 0) for x in inputs]
        if max(priorities) > 3000:
            return NotImplemented
        return Series(ufunc(*[np.asarray(x) for x in inputs], **options), self.index)

    def __mul__(self, other):
        return self.__array_ufunc__(np.multiply, "__call__", self, other)

    def __sub__(self, other):
        return self.__array_ufunc__(np.subtract, "__call__", self, other)

    def __gt__(self, other):
        return self.__array_ufunc__(np.greater, "__call__", self, other)


def series_of_pandas(values, index=None):
    return pytest.importorskip("pandas").Series(values, index=index)


@pytest.fixture(params=[Series, series_of_pandas], ids=["stand-in", "pandas"])
def series(request):
    return request.param


REFUSED = {
    "labels": ([1.0, 2.0, 3.0], [5, 6, 7], "labels"),
    "permuted": ([1.0, 2.0, 3.0], [2, 1, 0], "labels"),
    "missing values": ([1.0, np.nan, 3.0], None, "missing"),
    "objects": (np.array([1.0, None, 2.0], dtype=object), None, "dtype"),
}


@pytest.mark.parametrize(("values", "index", "word"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("product", [lambda x, s: s * x, lambda x, s: x * s])
def test_what_an_array_would_lose_is_refused(series, product, values, index, word):
    s = series(values, index=index)
    require_refused(lambda x: np.sum(product(x, s)), word, ".to_numpy()")


def require_refused(f, word, instead):
    for call in (lambda f: grad(f)(X), lambda f: jvp(f, (X,), (X,)), lambda f: vmap(f)(X[None])):
        with pytest.raises(InputError, match=word) as caught:
            call(f)
        assert instead in caught.value.instead


def set_to_zero(y, s):
    y[s > 1.5] = 0.0
    return y.sum()


def read_after_a_write(y, s):
    y[0] = 0.0
    return y[s > 1.5].sum()


WHERE_PANDAS_ALIGNS = {
    "matmul": lambda y, s: y @ s,
    "a function": lambda y, s: np.matmul(y, s),
    "dot": lambda y, s: y.dot(s),
    "a mask": lambda y, s: y[s > 1.5].sum(),
    "a write by a mask": set_to_zero,
    "a read after a write": read_after_a_write,
    "within another derivative": lambda y, s: grad(lambda t: (t * y) @ s)(1.0),
}
ALL_KINDS = (
    lambda f: grad(f)(X),
    lambda f: jvp(f, (X,), (X,)),
    lambda f: vmap(f)(np.stack([X, X])),
    lambda f: grad(seen_through(f))(X),
)


@pytest.mark.parametrize("f", WHERE_PANDAS_ALIGNS.values(), ids=WHERE_PANDAS_ALIGNS)
def test_a_result_of_a_series_is_not_aligned_by_position(series, f):
    a, b = series(VALUES), series([1.0, 2.0, 4.0], index=[2, 1, 0])
    for call in ALL_KINDS:
        with pytest.raises(InputError, match="labels") as caught:
            call(lambda x: f(a * x, b))
        assert ".to_numpy()" in caught.value.instead
    same = series([1.0, 2.0, 4.0])
    expected = grad(lambda x: f(VALUES * x, same.to_numpy()))(X)
    np.testing.assert_allclose(grad(lambda x: f(a * x, same))(X), expected, rtol=1e-14)
    np.testing.assert_allclose(grad(lambda x: f(VALUES * x, b))(X), expected, rtol=1e-14)


def column_set(pandas, y):
    frame = pandas.DataFrame({"u": VALUES}, index=[2, 0, 1])
    frame["c"] = y
    return frame["c"]


def column_located(pandas, y):
    frame = pandas.DataFrame({"u": VALUES}, index=[2, 0, 1])
    frame.loc[:, "c"] = y
    return frame["c"]


BY_PANDAS = {
    "a column": column_set,
    "assign": lambda pandas, y: pandas.DataFrame({"u": VALUES}, index=[2, 0, 1]).assign(c=y)["c"],
    "loc": column_located,
    "a Series": lambda pandas, y: pandas.Series(y, index=[2, 0, 1]),
    "a product": lambda pandas, y: pandas.Series(VALUES, index=[2, 0, 1]).dot(y),
}


@pytest.mark.parametrize("f", BY_PANDAS.values(), ids=BY_PANDAS)
def test_pandas_takes_no_entries_of_a_result_of_a_series(f):
    pandas = pytest.importorskip("pandas")
    for call in ALL_KINDS:
        with pytest.raises(InputError, match="labels") as caught:
            call(lambda x: np.sum(f(pandas, pandas.Series(VALUES) * x)))
        assert ".to_numpy()" in caught.value.instead


def test_a_number_is_at_all_labels_of_a_column():
    pandas = pytest.importorskip("pandas")

    def f(x):
        y = pandas.Series(VALUES) * x
        return (column_set(pandas, y[1]).values * VALUES).sum()

    np.testing.assert_array_equal(grad(f)(X), [0.0, 12.0, 0.0])


def test_data_frames_and_the_integers_of_pandas_are_refused():
    pandas = pytest.importorskip("pandas")
    for other in (pandas.DataFrame(np.eye(3)), pandas.Series([1, None, 2], dtype="Int64")):
        for product in (lambda x, other: x * other, lambda x, other: other * x):
            with pytest.raises(InputError, match=r"\.to_numpy\(\)"):
                grad(lambda x, product=product, other=other: np.sum(product(x, other)))(X)


DIVIDED = {
    "std": lambda x, s, **ddof: (s - x).std(**ddof),
    "after more operations": lambda x, s, **ddof: np.exp(np.add(s, x) / 2).std(**ddof),
}


@pytest.mark.parametrize("f", DIVIDED.values(), ids=DIVIDED)
def test_methods_that_divide_by_another_number_ask_which(series, f):
    s = series(VALUES)
    require_refused(lambda x: f(x, s), "n - 1", "ddof=1")
    assert grad(lambda x: (VALUES - x).std())(X).shape == (3,)  # beside arrays nobody asks


def test_a_series_as_a_mask_of_a_reduction(series):
    mask = series(VALUES > 1.5)
    expected = grad(lambda x: np.sum(x**2, where=VALUES > 1.5))(X)
    np.testing.assert_array_equal(expected, [0.0, 1.4, 2.2])
    np.testing.assert_array_equal(grad(lambda x: np.sum(x**2, where=mask))(X), expected)
    np.testing.assert_array_equal(
        jvp(lambda x: np.mean(x, where=mask), (X,), (VALUES,))[1], VALUES[1:].mean()
    )
    with pytest.raises(InputError, match="labels"):
        grad(lambda x: np.sum(x, where=series(VALUES > 1.5, index=[5, 6, 7])))(X)


def test_arrays_have_no_methods_of_series_where_no_series_was():
    found = []

    def f(x):
        found.extend(hasattr(x * VALUES, name) for name in ("median", "quantile", "abs"))
        return (x * VALUES).median()

    with pytest.raises(AttributeError, match="'TapeArray' object has no attribute 'median'"):
        grad(f)(X)
    assert found == [False, False, False]


def test_a_write_into_a_series_says_what_to_write():
    pandas = pytest.importorskip("pandas")

    def f(x):
        series = pandas.Series(VALUES)
        series += x
        return series.sum()

    with pytest.raises(AttributeError) as caught:
        grad(f)(X)
    assert any("write s = s + x" in note for note in caught.value.__notes__)
