"""Functions with a cache are called through with traced arguments, and keep nothing of these calls."""

import pytest

from chainrules_tape import grad, seen_through
from slopes import check_slopes
from strangers import numbers


@pytest.mark.parametrize("f", numbers.CACHED.values(), ids=numbers.CACHED)
def test_a_function_with_a_cache_has_its_derivative(f):
    with seen_through("strangers"):
        check_slopes(f, 1.2345)


def test_nothing_is_kept_of_calls_with_traced_arguments():
    numbers.cached.cache_clear()
    original = numbers.cached
    with seen_through("strangers"):
        grad(numbers.cached)(0.5)
        assert numbers.cached.cache_info().currsize == 0
        assert numbers.cached(0.5) == numbers.cached(0.5)
        assert (numbers.cached.cache_info().hits, numbers.cached.cache_info().currsize) == (1, 1)
        grad(numbers.cached)(0.5)
        assert numbers.cached.cache_info().hits == 1
        assert numbers.cached.__name__ == "cached"
    assert numbers.cached is original
