"""Subclasses of `float` that are made of traced numbers in code that is seen through."""

import pytest

from chainrules_tape import LostGradientError, grad, seen_through, vjp
from slopes import check_slopes
from strangers import numbers


@pytest.mark.parametrize("f", numbers.FLOATS.values(), ids=numbers.FLOATS)
def test_an_object_computes_as_the_number_does(f):
    with seen_through("strangers"):
        check_slopes(f, 1.2345)


def test_it_has_what_the_class_defines():
    found = []
    with seen_through("strangers"):
        vjp(
            lambda x: found.append(numbers.FLOATS["own operator"].__globals__["Length"].of(x)) or x,
            1.5,
        )
        (length,) = found
        assert isinstance(length, numbers.Length)
        assert length.unit == "m"
        assert length.labelled() == "mm"
        assert length.__class__ is numbers.Length
        length.unit = "km"
        assert vars(length)["unit"] == "km"
        with pytest.raises(AttributeError):
            length.no_such_name


def test_plain_numbers_make_plain_objects():
    with seen_through("strangers"):
        length = numbers.FLOATS["made"].__globals__["Length"](1.5, "km")
        assert type(length) is numbers.Length
        assert type(length + 1.0) is numbers.Length
        assert type(numbers.FLOATS["without new"].__globals__["Angle"](2.0)) is numbers.Angle
    assert vars(numbers.Length)["default"] == "m"


def test_a_conversion_in_c_is_refused():
    import math

    with seen_through("strangers"), pytest.raises(LostGradientError, match=r"float\(x\)"):
        grad(lambda x: math.sin(numbers.Length(x)))(1.5)
