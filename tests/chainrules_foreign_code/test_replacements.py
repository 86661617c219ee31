"""Methods of distributions that a module of strangers bound when it was imported, and names of our
own functions.
"""

import importlib
from types import FunctionType

import numpy as np
import pytest
from scipy import sparse, stats

from chainrules_foreign_code.replacements import replacement
from chainrules_py import default_rules
from chainrules_tape import grad, scipy as ours, seen_through
from chainrules_tape.scipy.sparse.linalg import spsolve
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
