"""The rules of `einsum` hold in each notation, with repeated letters and with the same operand
twice.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, OptionError, rrule
from chainrules_py.rulesets.products.einsum import read_subscripts, subscripts_of_lists


@pytest.mark.parametrize(
    ("subscripts", "ndims"),
    [
        ("ba", [2]),
        ("ij,jk", [2, 2]),
        ("i...,...", [3, 2]),
        ("...ij->...ji", [4]),
        ("ii", [2]),
        ("Ab,bC", [2, 2]),
        ("...,i", [0, 1]),
    ],
)
def test_subscripts_written_out_say_the_same(subscripts, ndims):
    operands = [np.random.default_rng(n).normal(size=(3,) * n) for n in ndims]
    inputs, output = read_subscripts(subscripts, ndims)
    explicit = np.einsum(f"{','.join(inputs)}->{output}", *operands)
    np.testing.assert_array_equal(explicit, np.einsum(subscripts, *operands))


def test_lists_say_the_same_as_letters():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(1.0, 7.0).reshape(3, 2)
    for args in (
        (a, [0, 1], b, [1, 2]),
        (a, [0, 1], b, [1, 2], [2, 0]),
        (a, [5, 3], b, [3, 5]),
        (a, [26, 1], b, [1, 0]),
        (a, [51, 25], b, [25, 30]),
    ):
        np.testing.assert_array_equal(np.einsum(subscripts_of_lists(args), a, b), np.einsum(*args))


def test_other_options_are_refused_by_name():
    with pytest.raises(OptionError) as raised:
        rrule(np.einsum, "i->", np.ones(2), dtype="float32")
    assert (raised.value.primal, raised.value.option) == (np.einsum, "dtype")


@pytest.mark.parametrize(
    ("subscripts", "shape"),
    [
        *(("iii->i", (2, 2, 2)), ("iij->j", (2, 2, 3))),
        *(("jij->ij", (3, 2, 3)), ("ijij->j", (2, 3, 2, 3))),
        *(("ii", (1, 1)), ("iij->j", (0, 0, 2))),
    ],
)
def test_repeated_letters(subscripts, shape):
    a = np.zeros(shape)
    y, pullback = rrule(np.einsum, subscripts, a)
    y_bar = 1 + np.arange(np.size(y)).reshape(np.shape(y)) * 1.0
    units = np.eye(a.size).reshape(a.size, *shape)
    expected = np.array([np.sum(np.einsum(subscripts, unit) * y_bar) for unit in units]).reshape(
        shape
    )
    np.testing.assert_array_equal(pullback(y_bar)[1], expected)


def test_operands_that_nobody_differentiates_cost_nothing():
    y, pullback = rrule(np.einsum, "ij,j", np.ones((2, 2)), np.ones(2), needs=(False, False, True))
    assert pullback(np.ones(2))[1] is NO_TANGENT
