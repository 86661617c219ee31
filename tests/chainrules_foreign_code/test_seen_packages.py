"""Functions of a package that is seen wait for their first call, and are what they were meanwhile."""

import asyncio
import importlib
import inspect
import math
import warnings
from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest
from scipy import integrate, interpolate, linalg, optimize, special, stats

import strangers
from chainrules_py.introspection.waiting_code import waited_for, waiting_code
from chainrules_tape import grad, only_marked, seen_through
from chainrules_tape.refusals.instrumented_packages import is_exchanged
from interruptions import steps
from slopes import check_slopes

X = np.array([1.0, 2.0, 3.0, 4.0])


def enclosing(z):
    def taking_all(a, b=2, /, c=3, *args, d, e=5, **options):
        return a, b, c, args, d, e, options, z

    return taking_all


def generated(x):
    yield x


async def awaited(x):
    return x


class Owner:
    def named(self, *, __key=3):
        return __key, __class__

    def inherited(self):
        return super().__eq__(self)


CALLS = [
    (enclosing(9), lambda f: f(1, 2, 3, 4, d=4, q=8)),
    (enclosing(8), lambda f: f(1, d=4)),
    (generated, lambda f: list(f(3))),
    (awaited, lambda f: asyncio.run(f(3))),
    (Owner.named, lambda f: f(Owner())),
    (Owner.inherited, lambda f: f(Owner())),
    (lambda: 7, lambda f: f()),
]


@pytest.mark.parametrize(("function", "call"), CALLS)
def test_a_function_that_waits_is_what_it_was(function, call):
    def chosen(found, args, options):
        assert {*inspect.currentframe().f_back.f_back.f_locals}.issuperset(code.co_freevars)
        found.__code__ = waited_for(found.__code__)
        return found

    def about(found):
        kinds = inspect.isgeneratorfunction(found), inspect.iscoroutinefunction(found)
        return inspect.signature(found), inspect.getsource(found), kinds, found.__code__.co_freevars

    code, expected, before = function.__code__, call(function), about(function)
    function.__code__ = waiting_code(function, chosen)
    assert about(function) == before
    assert call(function) == expected
    assert function.__code__ is code


def test_only_what_is_called_is_exchanged():
    functions = [
        found
        for found in vars(strangers).values()
        if inspect.isfunction(found) and found.__module__ == "strangers"
    ]
    before = [each.__code__ for each in functions]
    exchanged = []

    def halved(x):
        y = strangers.halves(x)
        exchanged[:] = [is_exchanged(each.__code__) for each in functions]
        return y

    with seen_through("strangers"):
        assert grad(halved)(0.7) == pytest.approx(-math.sin(0.7))
    assert exchanged[functions.index(strangers.halves)]
    assert not all(exchanged)
    assert all(each.__code__ is code for each, code in zip(functions, before, strict=True))


def test_a_module_that_is_imported_later():
    with seen_through("strangers"):
        later = importlib.import_module("strangers.later")
        assert grad(later.grown)(0.7) == pytest.approx(1 + math.exp(0.7))
        assert later.name_of_caller() == inspect.currentframe().f_code.co_name


@pytest.mark.parametrize("part", np.linspace(0.02, 0.99, 12))
def test_an_interrupted_naming_is_ended_by_the_next_one(part):
    def name_it(package="strangers"):
        with seen_through(package):
            pass

    count, _ = steps(lambda: name_it("colorsys"))
    steps(name_it, int(part * count))
    assert strangers.converted(0.7) == float(strangers.converted(0.7))
    name_it()
    check_slopes(strangers.converted, 0.7)


IN_SCIPY = {
    "a solver": lambda p: optimize.newton(lambda z: z**2 - p, 1.0),
    "a root": lambda p: optimize.brentq(lambda z: z**2 - p, 0.0, 5.0),
    "an integral": lambda p: integrate.quad(lambda t: p * t, 0, 1)[0],
    "a distribution": lambda p: stats.norm.cdf(p),
    "a special function": lambda p: special.logsumexp(X * p),
    "a matrix": lambda p: np.sum(linalg.expm(p * np.eye(2))),
    "a logarithm": lambda p: np.sum(linalg.logm(np.array([[2.0, 0.3], [0.1, 1.0]]) * p)),
    "its own code": lambda p: stats.gzscore(X * p + 1.0)[0],
}


OBJECTS = {
    "a spline": lambda p: interpolate.CubicSpline(X, X * p)(2.5),
    "a histogram": lambda p: stats.rv_histogram(np.histogram(np.sin(X * 5.0) * p)).pdf(0.9),
}


@pytest.mark.parametrize("name", IN_SCIPY)
def test_plain_code_calls_our_rules_where_scipy_is_seen(name):
    f = IN_SCIPY[name]
    expected = f(2.0)
    with seen_through("scipy"), only_marked():
        assert f(2.0) == expected
        check_slopes(f, 2.0)
        assert f(2.0) == expected


@pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")
@pytest.mark.parametrize("name", OBJECTS)
def test_plain_code_that_makes_an_object_of_scipys_is_followed(name):
    with seen_through("scipy"), only_marked(enabled=False):
        check_slopes(OBJECTS[name], 2.0)


class Records(Mapping):
    """A mapping whose methods are asked for by whoever reads it."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        return self.x * math.sin(self.x)

    def __iter__(self):
        return iter(["x"])

    def __len__(self):
        return 1


def test_a_mapping_is_not_read_when_it_is_taken():
    f = seen_through(lambda x: Records(x)["x"])
    assert grad(f)(0.7) == pytest.approx(math.sin(0.7) + 0.7 * math.cos(0.7))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(partial(f))(0.7) == grad(f)(0.7)
