"""Programs that write to plain arrays after using them get right derivatives, or an error.

Small arrays have the right gradient: programs that write to them are cells of `product.writing`. For large
ones a sample of the entries is kept, and a write to one of these raises an `OverwrittenError`.
"""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from chainrules_py import OverwrittenError
from chainrules_tape import grad, value_and_grad, vjp

X = np.array([0.3, 0.7])


def test_what_a_caller_overwrites_before_the_pullback():
    captured = np.array([2.0, 3.0])
    _, pullback = vjp(lambda x: captured * x, X)
    captured[:] = 0.0
    assert pullback(np.ones(2))[0].tolist() == [2.0, 3.0]


def test_each_operation_has_what_was_in_the_array_then():
    for size in (1, 64, 65, 8192):  # the last two share their copies as long as nothing changes
        x, work = np.full(size, 0.5), np.zeros(size)

        def f(x, work=work, size=size):
            s = 0.0
            for k in (1.0, 1.0, 2.0, 1.0):
                work[size - 1] = k
                s = s + np.sum(work * x**2)
            return s

        expected = np.zeros(size)
        expected[-1] = 2 * 0.5 * 5.0
        assert grad(f)(x).tolist() == expected.tolist()


def test_a_large_array_that_is_overwritten_is_an_error():
    work = np.ones((100, 100))

    def f(x):
        y = x[0] * work
        work[:] = 2.0
        return np.sum(y)

    with pytest.raises(OverwrittenError, match="copy") as caught:
        grad(f)(X)
    error = caught.value
    assert (error.rule.primal, error.argument, error.value is work) == (np.multiply, 1, True)


LARGE = {
    "a factor": lambda x, c: np.sum(x[0] * c),
    "a product": lambda x, c: np.sum(c @ (x[0] * np.ones(120))),
    "a mask": lambda x, c: np.sum(np.where(c > 0, x[0], c)),
    "an index": lambda x, c: np.sum((x[0] * np.ones(9))[c.astype(int)]),
    "einsum": lambda x, c: np.einsum("ij,j->", c, x[0] * np.ones(120)),
    "multi_dot": lambda x, c: np.sum(np.linalg.multi_dot([c, x[0] * np.ones((120, 120)), c])),
}


@pytest.mark.parametrize("order", ["C", "F", "gaps", "reversed"])
@pytest.mark.parametrize("part", [np.s_[:], np.s_[:, 7], np.s_[3:9], np.s_[::2]])
def test_what_is_written_to_a_large_array_is_seen(order, part):
    array = (
        np.ones((240, 240))[::2, ::2]
        if order == "gaps"
        else np.asarray(np.ones((120, 120)), order=order[0].replace("r", "C"))
    )
    array = array[::-1, ::-1] if order == "reversed" else array

    def f(x):
        y = x[0] * array
        array[part] = 2.0
        return np.sum(y)

    with pytest.raises(OverwrittenError):
        grad(f)(X)


def test_large_arrays_that_nobody_overwrites():
    constant = np.random.default_rng(0).standard_normal((120, 120))
    for use in (*list(LARGE.values())[:3], *list(LARGE.values())[4:]):
        value, x_bar = value_and_grad(use)(X, constant)
        moved = use(X + np.array([1e-6, 0.0]), constant)
        assert x_bar[0] == pytest.approx((moved - value) / 1e-6, rel=1e-3)


def test_a_large_array_may_be_overwritten_where_nothing_of_it_is_needed():
    work = np.ones(10_000)

    def f(x):
        y = np.sum(x[0] + work) + np.sum(np.concatenate([x, work]))
        unused = np.sum(x[0] * work)
        work[:] = 7.0
        return y + 0 * len([unused])

    assert grad(f)(X).tolist() == [10_001.0, 1.0]


@pytest.mark.parametrize("size", [3, 10_000])
def test_the_argument_that_is_overwritten_by_another_name(size):
    point = np.full(size, 3.0)

    def f(x):
        y = np.sum(x**2)
        point[:] = 0.0
        return y

    if size == 3:
        assert grad(f)(point).tolist() == [6.0] * 3
        return
    with pytest.raises(OverwrittenError, match="overwrote its argument"):
        grad(f)(point)


def test_what_a_loop_keeps_does_not_grow_with_a_constant_that_stays():
    constant = np.ones(1000)

    def held(n):
        def f(x):
            for _ in range(n):
                x = x * np.sum(constant * x)
            return np.sum(x)

        tracemalloc.start()
        try:
            _, pullback = vjp(f, np.zeros(1))
            pullback(1.0)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert (held(110) - held(10)) / 100 < 0.5 * constant.nbytes


@pytest.mark.parametrize(
    "make", [scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array]
)
def test_the_entries_of_a_sparse_matrix_that_is_overwritten(make):
    dense = np.array([[2.0, 1.0], [0.0, 3.0]])

    def f(x, matrix, overwrites):
        y = matrix @ x
        if overwrites:
            matrix.data[-1:] = 7.0
        return np.sum(y**2)

    assert grad(f)(X, make(dense), False) == pytest.approx(2 * dense.T @ dense @ X)
    with pytest.raises(OverwrittenError) as caught:
        grad(f)(X, make(dense), True)
    assert caught.value.argument == 0
