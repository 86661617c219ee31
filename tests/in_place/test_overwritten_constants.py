"""Programs that write to plain arrays after using them get right derivatives, or an error.

Small arrays have the right gradient, which is that of the same program with a new array in the
place of each write. For large ones a sample of the entries is kept, and a write to one of these
raises an `OverwrittenError`.
"""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from chainrules_py import NO_TANGENT, OverwrittenError, primitive, rrule
from chainrules_tape import checkpoint, grad, hvp, linearize, value_and_grad, vjp

X = np.array([0.3, 0.7])
ROWS = np.array([[0.3, 0.7, 0.2], [0.5, 0.1, 0.9]])


@primitive
def scaled(x, by):
    """A function of a user's, whose rule keeps what it is given, in a container."""
    return x * by["factor"]


@rrule.register(scaled)
def scaled_rrule(x: np.ndarray, by: object):
    def scaled_pullback(y_bar):
        return y_bar * by["factor"], NO_TANGENT

    return scaled(x, by), scaled_pullback


def program(use, array, x, fresh, other=0):
    """Use an array, overwrite it (or make a new one), and use it again."""
    first = array.copy()
    y = use(x, first)
    if fresh:
        second = np.full_like(first, other)
    else:
        second = first
        second[...] = other
    return np.sum(y**2) + np.sum(use(x, second) ** 2)


USES = {
    "the second factor": (lambda x, c: x * c, np.array([2.0, 3.0, 4.0])),
    "the first factor": (lambda x, c: c * x, np.array([2.0, 3.0, 4.0])),
    "the divisor": (lambda x, c: x / (1 + c), np.array([2.0, 3.0, 4.0])),
    "the exponent": (lambda x, c: x**c, np.array([2.0, 3.0, 4.0])),
    "a single number": (lambda x, c: x * c, np.array(2.0)),
    "integers": (lambda x, c: x * c, np.array([2, 3, 4])),
    "a matrix product": (lambda x, c: x @ c, np.arange(6.0).reshape(3, 2)),
    "from the left": (lambda x, c: c @ x, np.arange(4.0).reshape(2, 2)),
    "einsum": (lambda x, c: np.einsum("ij,jk->ik", x, c), np.arange(6.0).reshape(3, 2)),
    "a solve": (lambda x, c: np.linalg.solve(c + np.eye(2), x), np.array([[2.0, 0.0], [1.0, 3.0]])),
    "a convolution": (lambda x, c: np.convolve(x[0], c), np.array([2.0, 3.0])),
    "multi_dot": (lambda x, c: np.linalg.multi_dot([x, c, x]), np.arange(6.0).reshape(3, 2)),
    "rows by an array": (lambda x, c: x[c], np.array([1, 1, 0])),
    "entries by a tuple": (lambda x, c: x[c, np.array([1, 2])], np.array([1, 0])),
    "a mask": (lambda x, c: np.where(c, x, x**2), np.array([True, False, True])),
    "a mask as an index": (lambda x, c: x[:, c], np.array([True, False, True])),
    "take": (lambda x, c: np.take(x, c), np.array([1, 5, 3])),
    "take by a keyword": (lambda x, c: np.take(x, indices=c, axis=1), np.array([1, 2, 2])),
    "along an axis": (lambda x, c: np.take_along_axis(x, c, 1), np.array([[1, 2], [2, 0]])),
    "a method": (lambda x, c: x.take(c), np.array([1, 5, 3])),
    "where of a sum": (lambda x, c: np.sum(x**2, axis=1, where=c), np.array([True, False, True])),
    "bounds": (lambda x, c: np.clip(x, c, None), np.array([0.4, 0.4, 0.4])),
    "bounds by keyword": (lambda x, c: np.clip(x, a_min=c, a_max=None), np.array([0.4, 0.4, 0.4])),
    "weights": (lambda x, c: np.average(x, axis=1, weights=c + 1), np.array([2.0, 3.0, 4.0])),
    "a view": (lambda x, c: x * c.T[::-1], np.arange(6.0).reshape(3, 2)),
    "a user's container": (lambda x, c: scaled(x, {"factor": c}), np.array([2.0, 3.0, 4.0])),
    "a checkpoint": (
        lambda x, c: checkpoint(lambda x, c: np.sin(x * c))(x, c),
        np.array([2.0, 3.0, 4.0]),
    ),
    "interp": (lambda x, c: np.interp(x, np.arange(3.0), c), np.array([2.0, 3.0, 5.0])),
    "polyval": (lambda x, c: np.polyval(c, x), np.array([2.0, 3.0, 5.0])),
}


@pytest.mark.parametrize("name", USES)
def test_a_small_array_may_be_overwritten(name):
    use, array = USES[name]
    right = grad(lambda x: program(use, array, x, fresh=True))(ROWS)
    assert np.array_equal(grad(lambda x: program(use, array, x, fresh=False))(ROWS), right)


SECOND = ["the second factor", "a matrix product", "rows by an array", "a mask", "einsum", "take"]


@pytest.mark.parametrize("name", SECOND)
def test_a_small_array_may_be_overwritten_at_second_order(name):
    use, array = USES[name]

    def f(x, fresh):
        return program(use, array, x, fresh) ** 2

    ways = [
        lambda f: hvp(f, ROWS, np.ones_like(ROWS)),
        lambda f: grad(lambda x: np.sum(grad(f)(x) ** 2))(ROWS),
        lambda f: linearize(grad(f), ROWS)[1](np.ones_like(ROWS)),
    ]
    for way in ways:
        assert np.array_equal(way(lambda x: f(x, False)), way(lambda x: f(x, True)))


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
