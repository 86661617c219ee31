"""What a module of strangers holds (methods that were bound, converters, caches, functions with lists)
takes traced numbers, gives plain ones as ever, and is put back.
"""

import importlib
from types import FunctionType

import numpy as np
import pytest
from scipy import sparse, stats

from chainrules_foreign_code.replaced_calls import called_defaults
from chainrules_foreign_code.replacements import replacement
from chainrules_foreign_code.ufuncs_of_lists import of_lists
from chainrules_py import default_rules
from chainrules_py.introspection import is_only_called
from chainrules_tape import grad, scipy as ours, seen_through
from chainrules_tape.scipy.sparse.linalg import spsolve
from slopes import check_slopes
from strangers import numbers

HELD = {
    f"{table}: {name}": f
    for table in ("LISTS", "HOLDING", "CONVERSIONS", "HELD", "CACHED")
    for name, f in getattr(numbers, table).items()
}


@pytest.mark.parametrize("f", HELD.values(), ids=HELD)
def test_it_takes_traced_numbers_and_plain_ones_as_ever(f):
    expected = f(1.2345)
    with seen_through("strangers"):
        inside = f(1.2345)
        check_slopes(f, 1.2345)
    assert type(inside) is type(expected)
    assert inside == expected


def test_a_ufunc_that_is_not_called_stays():
    with seen_through("strangers"):
        assert numbers.absolute is np.absolute
    assert of_lists(np.add)([1.0], [2.0], dtype=np.float32).dtype == np.float32


def test_they_are_put_back():
    before = numbers.N, numbers.frozen_pdf, numbers.TABLE["logpdf"][0]
    with seen_through("strangers"):
        assert numbers.N is not before[0]
    assert (numbers.N, numbers.frozen_pdf, numbers.TABLE["logpdf"][0]) == before
    assert numbers.N == stats.norm.cdf


@pytest.mark.parametrize("name", [*sorted(ours.modules()), "sparse.linalg", "spatial.distance"])
def test_functions_in_the_place_of_scipys_stay(name):
    module = importlib.import_module(f"chainrules_tape.scipy.{name}")
    found = [getattr(module, name) for name in dir(module)]
    functions = [x for x in found if type(x) is FunctionType and x in default_rules]
    assert [x for x in functions if replacement(x) is not x] == []


def test_a_solver_by_its_own_name():
    def solved(x):
        return np.sum(spsolve(sparse.diags_array([x + 2.0], offsets=[0]).tocsc(), x))

    x = np.array([1.0, 2.0])
    assert np.allclose(grad(seen_through(solved))(x), 2.0 / (x + 2.0) ** 2)


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


def test_a_converter_given_as_a_default():
    before = numbers.converted.__defaults__
    with seen_through("strangers"):
        check_slopes(numbers.converted, 1.2345)
        assert numbers.converted.__defaults__[2] is float
    assert numbers.converted.__defaults__ is before


def test_what_is_only_called():
    def f(a, b=float, c=float, d=float, e=float):
        def inner(v):
            return e(v)

        b = b(a)
        return c(a) + c(c(a)) + isinstance(a, d) + inner(a) + b

    code = f.__code__
    assert [is_only_called(code, name) for name in "abcde"] == [False, False, True, False, False]


def test_defaults_of_a_function_without_the_arguments():
    """As `networkx` makes them: the code takes any arguments, and the defaults are those of the
    function that it calls.
    """

    def around(*args, **options):
        return args, options

    around.__defaults__ = (1.0, float)
    assert called_defaults(around, around.__defaults__) is around.__defaults__
