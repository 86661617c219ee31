"""What a module of strangers holds (methods that were bound, converters, caches, functions with lists)
takes traced numbers, gives plain ones as ever, and is put back.
"""

import importlib
from types import FunctionType

import numpy as np
import pytest
from scipy import sparse

from chainrules_foreign_code.replacements import replacement
from chainrules_foreign_code.ufuncs_of_lists import of_lists
from chainrules_py import default_rules
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

    @seen_through
    def around(x):
        return numbers.cached(x)

    with seen_through("strangers"):
        grad(around)(0.5)
        assert numbers.cached.cache_info().currsize == 0
        assert numbers.cached(0.5) == numbers.cached(0.5)
        assert (numbers.cached.cache_info().hits, numbers.cached.cache_info().currsize) == (1, 1)
        grad(around)(0.5)
        assert numbers.cached.cache_info().hits == 1
        assert numbers.cached.__name__ == "cached"


def test_a_converter_given_as_a_default():
    with seen_through("strangers"):
        check_slopes(numbers.converted, 1.2345)
        assert numbers.converted.__defaults__[2] is float
