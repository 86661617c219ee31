"""Draws of numpy.random, differentiated at the state that the generator is in: against differences
of draws from the same state.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, NotDifferentiableError, frule, rrule
from chainrules_py.rulesets.draws import CONSTANTS, DRAWS, OF_CONSTANTS, draws_of

SOURCES = [lambda: np.random.default_rng(5), lambda: np.random.RandomState(5)]
X = np.random.default_rng(1).normal(size=(4, 3))
OF_DATA = {
    "permutation": ("permutation", X, {}),
    "permutation of a vector": ("permutation", X[:, 0], {}),
    "permutation along an axis": ("permutation", X, {"axis": 1}),
    "permuted": ("permuted", X, {}),
    "permuted along an axis": ("permuted", X, {"axis": 0}),
    "choice": ("choice", X[:, 0], {"size": 6}),
    "choice of one": ("choice", X[:, 0], {}),
    "choice of a matrix": ("choice", X[:, 0], {"size": (2, 3)}),
    "choice without replacement": ("choice", X[:, 0], {"size": 3, "replace": False}),
    "choice by weights": ("choice", X[:, 0], {"size": 5, "p": [0.1, 0.2, 0.3, 0.4]}),
    "choice of rows": ("choice", X, {"size": 5}),
    "choice of columns": ("choice", X, {"size": 2, "axis": 1, "shuffle": False}),
}
OF_PARAMETERS = {
    f"{name}, {shapes}": (name, parameters, options)
    for name in ("normal", "laplace", "logistic", "gumbel", "uniform", "lognormal")
    for shapes, parameters, options in (
        ("numbers", (0.3, 1.4), {}),
        ("numbers, many", (0.3, 1.4), {"size": (2, 3)}),
        ("arrays", (X[0], np.abs(X[:2]) + 1.0), {}),
        ("array and number", (X[0], 1.4), {"size": (2, 3)}),
        ("the first alone", (0.3,), {"size": 4}),
    )
}
OF_PARAMETERS |= {
    f"{name}, {shapes}": (name, parameters, options)
    for name in ("exponential", "rayleigh")
    for shapes, parameters, options in (
        ("number", (1.4,), {}),
        ("array", (np.abs(X[0]) + 0.5,), {"size": (2, 3)}),
    )
}
CALLS = {name: (draw, (x,), options) for name, (draw, x, options) in OF_DATA.items()}
CALLS |= OF_PARAMETERS


def bound(new, name):
    source = new()
    if not hasattr(source, name):
        pytest.skip("the legacy state has no such method")
    return getattr(source, name)


def skip_what_is_not_there(new, args, options):
    is_legacy = isinstance(new(), np.random.RandomState)
    if is_legacy and (
        {"axis", "shuffle"} & options.keys() or ("size" in options and np.ndim(args[0]) == 2)
    ):
        pytest.skip("the legacy state has no such call")


@pytest.mark.parametrize("new", SOURCES, ids=["Generator", "RandomState"])
@pytest.mark.parametrize(("name", "args", "options"), CALLS.values(), ids=CALLS)
def test_as_differences_of_draws_from_the_same_state(new, name, args, options):
    skip_what_is_not_there(new, args, options)
    rng = np.random.default_rng(0)
    directions = tuple(rng.normal(size=np.shape(x))[()] for x in args)
    h = 1e-6

    def moved(step):
        moved_args = [x + step * dot for x, dot in zip(args, directions, strict=True)]
        return bound(new, name)(*moved_args, **options)

    expected = (moved(h) - moved(-h)) / (2 * h)
    y, y_dot = frule(directions, bound(new, name), *args, **options)
    np.testing.assert_allclose(y, moved(0.0), rtol=1e-13)
    np.testing.assert_allclose(y_dot, expected, rtol=1e-6, atol=1e-8)

    y, pullback = rrule(bound(new, name), *args, **options)
    np.testing.assert_allclose(y, moved(0.0), rtol=1e-13)
    y_bar = rng.normal(size=np.shape(y))[()]
    of_source, *bars = pullback(y_bar)
    assert of_source is NO_TANGENT
    paired = sum(np.vdot(bar, dot) for bar, dot in zip(bars, directions, strict=True))
    np.testing.assert_allclose(paired, np.vdot(y_bar, expected), rtol=1e-6)
    for bar, x in zip(bars, args, strict=True):
        assert np.shape(bar) == np.shape(x)


@pytest.mark.parametrize("new", SOURCES, ids=["Generator", "RandomState"])
@pytest.mark.parametrize(("name", "args", "options"), CALLS.values(), ids=CALLS)
def test_the_state_goes_on_as_it_does_without_a_rule(new, name, args, options):
    skip_what_is_not_there(new, args, options)
    plain, ruled = bound(new, name), bound(new, name)
    plain(*args, **options)
    rrule(ruled, *args, **options)
    assert plain.__self__.standard_normal() == ruled.__self__.standard_normal()


REFUSED = {
    "gamma": (2.5,),
    "standard_gamma": (np.ones(2),),
    "beta": (1.5, 2.0),
    "standard_t": (3.0,),
    "triangular": (0.0, 1.0, 2.0),
    "weibull": (1.5,),
    "shuffle": (X[0],),
    "permutation": ([1.0, 2.0],),
    "choice": ([1.0, 2.0],),
    "dirichlet": (np.ones(3),),
}


@pytest.mark.parametrize("new", SOURCES, ids=["Generator", "RandomState"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_yet_is_refused(new, name):
    with pytest.raises(NotDifferentiableError, match="no derivative by it yet"):
        rrule(bound(new, name), *REFUSED[name])
    dots = (1.0,) + (ZERO,) * (len(REFUSED[name]) - 1)
    if np.shape(REFUSED[name][0]) == ():
        with pytest.raises(NotDifferentiableError, match="no derivative by it yet"):
            frule(dots, bound(new, name), *REFUSED[name])


@pytest.mark.parametrize("new", SOURCES, ids=["Generator", "RandomState"])
def test_of_constants_all_draw(new):
    y, pullback = rrule(bound(new, "gamma"), 2.5, needs=(True, False))
    assert y == bound(new, "gamma")(2.5)
    assert pullback(1.0)[1] is NO_TANGENT
    assert rrule(bound(new, "permutation"), 4)[0].tolist() == bound(new, "permutation")(4).tolist()
    assert rrule(bound(new, "poisson"), 2.5)[1](1)[1] is NO_TANGENT
    assert rrule(bound(new, "standard_normal"), 3)[0].shape == (3,)


def test_each_method_that_draws_is_in_one_list():
    others = {"bit_generator", "spawn", "seed", "get_state", "set_state", "tomaxint"}
    others |= {"random_integers", "ranf", "sample"}
    for source in (np.random.Generator, np.random.RandomState):
        methods = {name for name in vars(source) if not name.startswith("_")}
        assert methods - others <= set(DRAWS)
    assert len(DRAWS) == len(set(DRAWS))
    assert len(draws_of((*CONSTANTS, *OF_CONSTANTS))) > 60
