"""Ufuncs called with lists of traced numbers in code that is seen through."""

import numpy as np
import pytest

from chainrules_foreign_code.ufuncs_of_lists import of_lists
from chainrules_tape import seen_through
from slopes import check_slopes
from strangers import numbers


@pytest.mark.parametrize("f", numbers.LISTS.values(), ids=numbers.LISTS)
def test_a_list_of_traced_numbers(f):
    with seen_through("strangers"):
        check_slopes(f, 1.2345)


@pytest.mark.parametrize("f", numbers.LISTS.values(), ids=numbers.LISTS)
def test_plain_numbers_give_what_they_gave(f):
    expected = f(0.7)
    with seen_through("strangers"):
        inside = f(0.7)
    assert type(inside) is type(expected)
    assert inside == expected


def test_a_ufunc_that_is_not_called_stays():
    with seen_through("strangers"):
        assert numbers.absolute is np.absolute
    assert of_lists(np.add)([1.0], [2.0], dtype=np.float32).dtype == np.float32
