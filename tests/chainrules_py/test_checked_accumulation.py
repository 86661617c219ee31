"""Debug mode finds rules that write into cotangents of others, and thunks that do not add what they promise."""

import numpy as np
import pytest

from chainrules_py.checked_accumulation import checked_accumulate, checked_accumulated
from chainrules_py.errors import RuleContractError
from chainrules_py.tangents import NO_TANGENT, ZERO, InplaceableThunk, Tangent, Thunk


def ones():
    return np.ones(3)


def scatter(add_into=None, zeros=None, value=(0.0, 2.0, 0.0)):
    def add_two(buffer):
        buffer[1] += 2.0

    return InplaceableThunk(lambda: np.array(value), add_into or add_two, zeros or (lambda: np.zeros(3)))


def half_precision():
    """Repeated entries, which the two ways round differently."""
    values = np.full(7, 3.0 / 7, "float16")

    def add_into(buffer):
        for value in values:
            buffer[0] += value

    return InplaceableThunk(lambda: np.array([3.0], "float16"), add_into, lambda: np.zeros(1, "float16"))


CORRECT = {
    "nothing": ([], ZERO),
    "zeros": ([ZERO, NO_TANGENT], NO_TANGENT),
    "one": ([ones()], [1, 1, 1]),
    "many": ([ones(), ones(), ones()], [3, 3, 3]),
    "nan": ([np.full(3, np.nan)] * 3, [np.nan] * 3),
    "numbers": ([1.0, np.float64(2.0), 3.0], 6.0),
    "thunks": ([Thunk(ones), ones(), Thunk(ones)], [3, 3, 3]),
    "scatters": ([scatter(), ones(), scatter()], [1, 5, 1]),
    "half precision": ([half_precision(), half_precision()], [2 * 3.0]),
    "structures": (
        [Tangent[tuple](ones(), 1.0), Tangent[tuple](ones(), ZERO), Tangent[tuple](ones(), 1.0)],
        Tangent[tuple](3 * ones(), 2.0),
    ),
}


@pytest.mark.parametrize("case", CORRECT)
def test_what_keeps_its_promises_passes(case):
    arrivals, expected = CORRECT[case]
    acc = ZERO
    for t in arrivals:
        acc = checked_accumulate(acc, t)
    result = checked_accumulated(acc)
    assert (
        result == expected
        if isinstance(expected, Tangent) or expected in (ZERO, NO_TANGENT)
        else np.allclose(result, expected, rtol=1e-2, equal_nan=True)
    )


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: Tangent[tuple](t, ZERO), lambda t: Tangent[dict](a=Tangent[list](t))])
@pytest.mark.parametrize("finish", [checked_accumulated, lambda acc: checked_accumulate(acc, ZERO)])
def test_a_write_into_a_borrowed_cotangent(wrap, finish):
    t = ones()
    acc = checked_accumulate(ZERO, wrap(t))
    t[1] = 7.0
    with pytest.raises(RuleContractError) as caught:
        finish(acc)
    assert caught.value.value is t
    np.testing.assert_array_equal(caught.value.expected, [1, 1, 1])


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: Tangent[tuple](t, ZERO)])
def test_a_write_into_an_owned_buffer(wrap):
    acc = checked_accumulate(checked_accumulate(ZERO, wrap(ones())), wrap(ones()))
    ((buffer, _),) = acc.held
    buffer[0] = 7.0
    with pytest.raises(RuleContractError) as caught:
        checked_accumulate(acc, wrap(ones()))
    assert caught.value.value is buffer
    np.testing.assert_array_equal(caught.value.expected, [2, 2, 2])


def test_a_write_after_the_sum_was_made_is_no_concern():
    t = ones()
    acc = checked_accumulate(checked_accumulate(ZERO, t), ones())
    t[:] = 7.0
    np.testing.assert_array_equal(checked_accumulated(acc), [2, 2, 2])


def test_a_thunk_that_writes_into_a_borrowed_cotangent():
    t = ones()

    def bad_pullback():
        t[0] = 7.0
        return ones()

    acc = checked_accumulate(ZERO, t)
    with pytest.raises(RuleContractError) as caught:
        checked_accumulate(acc, Thunk(bad_pullback))
    assert caught.value.value is t


def overwrite(buffer):
    buffer[1] = 2.0


def nothing(buffer):
    pass


WRONG_SCATTERS = {
    "assigns": lambda: scatter(overwrite),
    "assigns another": lambda: scatter(overwrite, value=(0.0, 4.0, 0.0)),
    "forgets": lambda: scatter(nothing),
    "shape": lambda: scatter(zeros=lambda: np.zeros(4)),
    "dtype": lambda: scatter(zeros=lambda: np.zeros(3, "float32")),
}


@pytest.mark.parametrize("case", WRONG_SCATTERS)
@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_scatter_that_does_not_add_its_value(before, case):
    acc = ZERO
    for _ in range(before):
        acc = checked_accumulate(acc, ones())
    with pytest.raises(RuleContractError):
        checked_accumulate(acc, WRONG_SCATTERS[case]())
