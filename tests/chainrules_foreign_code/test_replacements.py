"""Methods of distributions that a module of strangers bound when it was imported."""

import pytest
from scipy import stats

from chainrules_tape import seen_through
from slopes import check_slopes
from strangers import numbers


@pytest.mark.parametrize("f", numbers.HELD.values(), ids=numbers.HELD)
def test_a_held_method_has_its_derivative(f):
    with seen_through("strangers"):
        check_slopes(f, 1.2345)


@pytest.mark.parametrize("f", numbers.HELD.values(), ids=numbers.HELD)
def test_plain_numbers_give_what_they_gave(f):
    expected = f(0.7)
    with seen_through("strangers"):
        assert f(0.7) == expected
        assert type(f(0.7)) is type(expected)


def test_they_are_put_back():
    before = numbers.N, numbers.frozen_pdf, numbers.TABLE["logpdf"][0]
    with seen_through("strangers"):
        assert numbers.N is not before[0]
    assert (numbers.N, numbers.frozen_pdf, numbers.TABLE["logpdf"][0]) == before
    assert numbers.N == stats.norm.cdf
