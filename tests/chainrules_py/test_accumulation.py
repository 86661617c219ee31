"""Cotangents add up to their sum in one buffer, and nothing that belongs to somebody else is
written to.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from chainrules_py.accumulation import Owned, accumulate, accumulated
from chainrules_py.errors import (
    ChainRulesError,
    NotImplementedTangentError,
    ProjectionError,
    TangentTypeError,
)
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    InplaceableThunk,
    Tangent,
    Thunk,
    not_implemented,
    unthunk,
)
from chainrules_py.values import arrays

DTYPES = ["float16", "float32", "float64", "longdouble", "complex64"]


def total(*arrivals):
    acc = ZERO
    for t in arrivals:
        acc = accumulate(acc, t)
    return accumulated(acc)


def whole(shape, dtype, seed):
    """Small whole numbers, read-only: any write into one raises."""
    t = np.random.default_rng(seed).integers(-9, 9, shape).astype(dtype)
    t = np.asarray(t)
    t.flags.writeable = False
    return t


LAYOUTS = {
    "plain": lambda: np.arange(12.0).reshape(4, 3),
    "transposed": lambda: np.arange(12.0).reshape(3, 4).T,
    "backwards": lambda: np.arange(12.0).reshape(4, 3)[::-1, ::-1],
    "strided": lambda: np.arange(24.0).reshape(4, 6)[:, ::2],
    "repeated": lambda: np.broadcast_to(np.arange(3.0), (4, 3)),
    "one number": lambda: np.broadcast_to(2.0, (4, 3)),
    "byte-swapped": (
        lambda: np.arange(12.0).reshape(4, 3).astype(np.dtype("float64").newbyteorder())
    ),
    "single": lambda: np.arange(12.0, dtype="float32").reshape(4, 3),
}


@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize("first", LAYOUTS)
def test_any_layouts_and_nothing_borrowed_is_written(first, second):
    for third in LAYOUTS:
        arrivals = [LAYOUTS[name]() for name in (first, second, third)]
        copies = [t.copy() for t in arrivals]
        result = total(*arrivals)
        np.testing.assert_array_equal(result, copies[0] + copies[1] + copies[2], err_msg=third)
        for t, copy in zip(arrivals, copies, strict=True):
            np.testing.assert_array_equal(t, copy, err_msg=third)
            assert not np.shares_memory(t, result), third


def test_the_first_arrival_is_borrowed():
    t = np.ones(3)
    assert total(t) is t


def test_what_the_caller_does_later_to_an_array_that_was_added():
    first, second = np.ones(3), np.ones(3)
    acc = accumulate(accumulate(ZERO, first), second)
    first[:] = second[:] = np.nan
    np.testing.assert_array_equal(accumulated(acc), [2, 2, 2])


def test_one_buffer_for_all_arrivals():
    acc = accumulate(accumulate(ZERO, np.ones(3)), np.ones(3))
    buffer = acc.buffer
    for _ in range(5):
        acc = accumulate(acc, np.ones(3))
    acc = accumulate(acc, scatter(3, 0, 1.0))
    assert accumulated(acc) is buffer


@pytest.mark.parametrize("one", DTYPES)
@pytest.mark.parametrize("other", DTYPES)
@pytest.mark.parametrize("order", [(0, 1), (0, 0, 1), (0, 1, 1), (1, 0, 0, 1)])
def test_never_narrows(one, other, order):
    arrivals = [np.full(3, 2, one), np.full(3, 1, other)]
    assert total(*(arrivals[i] for i in order)).dtype == np.result_type(one, other)


# Thunks


@pytest.mark.parametrize("held", [(), (np.ones(2),), (np.ones(2), np.ones(2))])
def test_a_sum_that_is_made_beside_the_buffer_is_told_of(held):
    t = InplaceableThunk(lambda buffer: buffer + 1.0, lambda: np.ones(2), lambda: np.zeros(2))
    with pytest.raises(TangentTypeError, match="wrote nothing into its buffer"):
        total(*held, t, t)


def scatter(n, index, value, dtype="float64", log=None):
    """The cotangent of ``x[index]`` for x of length n."""
    log = [] if log is None else log

    def getitem_pullback():
        log.append("compute")
        buffer = np.zeros(n, dtype)
        buffer[index] += value
        return buffer

    def add_into(buffer):
        log.append("add")
        buffer[index] += value

    def zeros():
        log.append("zeros")
        return np.zeros(n, dtype)

    return InplaceableThunk(add_into, getitem_pullback, zeros)


def test_a_single_thunk_stays_lazy():
    for thunk in (Thunk(lambda: pytest.fail("forced")), scatter(3, 0, 1.0)):
        assert total(thunk) is thunk
        assert total(ZERO, thunk, ZERO, NO_TANGENT) is thunk
        assert not thunk.forced


@pytest.mark.parametrize(
    ("space", "makes_zeros"), [(((2,), np.dtype(float)), 0), (((2,), np.dtype("f4")), 1), (None, 1)]
)
def test_a_thunk_that_knows_its_space_is_added_to_a_copy(space, makes_zeros):
    made = []

    def zeros():
        made.append(np.zeros(2))
        return made[-1]

    def add_into(buffer):
        buffer[1] += 4.0

    borrowed = whole((2,), "float64", 0)
    thunk = InplaceableThunk(
        add_into, lambda: pytest.fail("its value was not wanted"), zeros, "thunk", space
    )
    np.testing.assert_array_equal(total(borrowed, thunk), borrowed + [0.0, 4.0])
    assert len(made) == makes_zeros


def test_a_scatter_on_a_wider_array():
    result = total(np.ones(3, "complex128"), scatter(3, 0, 1.0, "float32"))
    assert result.dtype == np.dtype("complex128")
    np.testing.assert_array_equal(result, [2, 1, 1])


def test_a_scatter_whose_value_is_there_already():
    thunk = scatter(3, 0, 1.0)
    value = unthunk(thunk)
    np.testing.assert_array_equal(total(thunk, np.ones(3), thunk), [3, 1, 1])
    np.testing.assert_array_equal(value, [1, 0, 0])


# Structural tangents


def test_entries_are_owned_one_by_one():
    acc = accumulate(
        accumulate(ZERO, Tangent[tuple](np.ones(3), ZERO)), Tangent[tuple](np.ones(3), np.ones(3))
    )
    assert isinstance(acc.accumulators[0], Owned)
    buffer, borrowed = acc.accumulators[0].buffer, acc.accumulators[1]
    result = accumulated(accumulate(acc, Tangent[tuple](np.ones(3), scatter(3, 1, 1.0))))
    assert result[0] is buffer
    np.testing.assert_array_equal(borrowed, np.ones(3))
    np.testing.assert_array_equal(result[1], [1, 2, 1])


def test_keys_that_arrive_later():
    result = total(Tangent[dict](a=1.0), Tangent[dict](b=1.0), Tangent[dict](a=1.0, c=2.0))
    assert result == Tangent[dict](a=2.0, b=1.0, c=2.0)


# Zeros, and what is no number


@pytest.mark.parametrize("t", [1.0, np.ones(3), Tangent[tuple](1.0)], ids=repr)
@pytest.mark.parametrize("zero", [ZERO, NO_TANGENT])
def test_zeros_change_nothing(zero, t):
    assert total(ZERO, t, zero) is t
    assert total(zero, t) is t


def test_the_zeros_themselves():
    assert total() is ZERO
    assert total(NO_TANGENT, ZERO) is NO_TANGENT
    assert total(ZERO, NO_TANGENT) is NO_TANGENT
    np.testing.assert_array_equal(total(np.ones(3), np.ones(3), ZERO), [2, 2, 2])


MISSING = not_implemented("nobody wrote it")


@pytest.mark.parametrize(
    "t",
    [1.0, np.ones(3), Tangent[tuple](1.0), Thunk(lambda: pytest.fail("forced")), NO_TANGENT],
    ids=repr,
)
def test_a_missing_derivative_is_missing_in_the_sum(t):
    assert total(t, MISSING) is MISSING
    assert total(MISSING, t) is MISSING
    assert total(t, MISSING, t) is MISSING
    with pytest.raises(NotImplementedTangentError):
        np.asarray(total(t, MISSING))


@pytest.mark.parametrize("before", [1, 2, 3])
@pytest.mark.parametrize(
    ("first", "wrong", "error"),
    [
        *((np.ones(3), np.ones(shape), ProjectionError) for shape in [(), (1,), (2, 3), (4,)]),
        *((np.ones(3), number, ProjectionError) for number in (1.0, np.float64(1.0))),
        *(
            (Tangent[tuple](1.0, 2.0), Tangent[cls](*parts), ChainRulesError)
            for cls, parts in [(list, (1.0, 2.0)), (tuple, (1.0,)), (tuple, (1.0, 2.0, 3.0))]
        ),
    ],
)
def test_another_shape_or_structure_is_refused(before, first, wrong, error):
    with pytest.raises(error) as caught:
        total(*[first] * before, wrong)
    if error is ProjectionError:
        assert (caught.value.space, caught.value.value is wrong) == ((3,), True)


def test_a_spent_accumulator_is_refused():
    acc = accumulate(accumulate(ZERO, np.ones(3)), np.ones(3))
    result = accumulated(acc)
    for again in (lambda: accumulate(acc, np.ones(3)), lambda: accumulated(acc)):
        with pytest.raises(TangentTypeError):
            again()
    np.testing.assert_array_equal(result, [2, 2, 2])


# Other classes


class Fixed:
    """An array of a library that never writes in place."""

    def __init__(self, value):
        self.value = np.asarray(value)
        self.shape, self.dtype = self.value.shape, self.value.dtype

    def __add__(self, other):
        return Fixed(self.value + getattr(other, "value", other))

    __radd__ = __add__
    __array_ufunc__ = None

    def __iadd__(self, other):
        raise AssertionError("written in place")


@pytest.fixture
def _fixed_library():
    arrays.register_library(
        arrays.ArrayLibrary(
            name="fixed", namespace=SimpleNamespace(), array_types=(Fixed,), mutable=False
        )
    )
    yield
    arrays._libraries.pop("fixed")
    arrays._library_of_type.clear()


@pytest.mark.usefixtures("_fixed_library")
def test_immutable_arrays_are_added_functionally():
    result = total(Fixed(np.ones(3)), Fixed(np.ones(3)), Fixed(np.ones(3)))
    np.testing.assert_array_equal(result.value, [3, 3, 3])
    thunk = InplaceableThunk(
        lambda buffer: pytest.fail("scattered"),
        lambda: Fixed([1.0, 0.0]),
        lambda: Fixed(np.zeros(2)),
    )
    for arrivals in [(thunk, Fixed(np.ones(2))), (Fixed(np.ones(2)), thunk)]:
        np.testing.assert_array_equal(total(*arrivals).value, [2, 1])


@pytest.mark.usefixtures("_fixed_library")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_traced_value_among_plain_ones_stays_traced(place):
    arrivals = [np.ones(3), np.ones(3)]
    arrivals.insert(place, Fixed(np.ones(3)))
    result = total(*arrivals, np.ones(3))
    assert type(result) is Fixed
    np.testing.assert_array_equal(result.value, [4, 4, 4])


class Masked(np.ndarray):
    """A user's array class, whose sums may mean anything."""

    def __iadd__(self, other):
        raise AssertionError("written in place")


def test_subclasses_are_added_functionally():
    t = np.ones(3).view(Masked)
    result = total(t, t, np.ones(3), t)
    assert type(result) is Masked
    np.testing.assert_array_equal(np.asarray(result), [4, 4, 4])
    np.testing.assert_array_equal(np.asarray(t), [1, 1, 1])
