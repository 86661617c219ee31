"""Calls that are rewritten: each tangent goes where its argument goes, and each cotangent comes from
there.
"""

from functools import partial

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    NotImplementedTangent,
    OptionError,
    RuleTable,
    default_rules,
    frule,
    materialize,
    rrule,
)
from chainrules_py.testing.inner_products import inner

RNG = np.random.default_rng(0)
X, Y = RNG.uniform(0.5, 1.5, (2, 3)), RNG.uniform(0.5, 1.5, (2, 3))
SQUARE, A, B = X[:, :2], X[0], Y[0]
STEP = 1e-6

REWRITTEN = {
    "swapped": (np.ndarray.__rsub__, (X, Y)),
    "a mask first": (np.extract, (X > 1, X)),
    "a list": (np.stack, ([A, B],)),
    "packed": (np.ndarray.reshape, (X, 3, 2)),
    "bounds": (np.ndarray.clip, (X, 0.8, Y)),
    "with padding": (np.cross, (X, B)),
    "an option": (np.ndarray.sum, (X, 0)),
    "an entry": (np.ndarray.item, (X, 1, 2)),
    "products": (np.ndarray.__rmatmul__, (SQUARE, Y[:, :2])),
    "powers": (np.ndarray.__rpow__, (X, Y)),
    "a shape": (np.reshape, (X, (3, 2))),
    "a number of times": (np.diff, (X, 1)),
    "axes": (np.swapaxes, (X, 0, 0)),
    "bound": (partial(np.subtract, X), (X,)),
    "of a ufunc": (np.subtract.outer, (A, A)),
    "a method": (X.dot, (B,)),
}


def direction(x):
    """A tangent of a float, of an array of floats, or of a list of them."""
    if isinstance(x, list):
        return NO_TANGENT if isinstance(x[0], bool) else [direction(part) for part in x]
    real = isinstance(x, float) or getattr(getattr(x, "dtype", None), "kind", "") == "f"
    return np.ones(np.shape(x))[()] * RNG.normal(size=np.shape(x)) if real else NO_TANGENT


def moved(x, dot, step):
    """An argument, moved along its tangent."""
    if isinstance(dot, list):
        return [moved(part, part_dot, step) for part, part_dot in zip(x, dot, strict=True)]
    return x if dot is NO_TANGENT else x + step * dot


@pytest.mark.parametrize(("function", "args"), REWRITTEN.values(), ids=REWRITTEN)
def test_tangents_go_where_their_arguments_go(function, args):
    dots = tuple(map(direction, args))
    ahead, behind = (
        function(*(moved(arg, dot, step) for arg, dot in zip(args, dots, strict=True)))
        for step in (STEP, -STEP)
    )
    y, y_dot = frule(dots, function, *args)
    np.testing.assert_array_equal(y, function(*args))
    np.testing.assert_allclose(
        materialize(y_dot, like=y), (ahead - behind) / (2 * STEP), rtol=1e-6, atol=1e-8
    )

    # one cotangent for each argument as written, adjoint to its tangent
    y_bar = direction(y)
    bars = rrule(function, *args)[1](y_bar)
    assert len(bars) == len(args)
    pairs = [(bar, dot) for bar, dot in zip(bars, dots, strict=True) if dot is not NO_TANGENT]
    assert all(bar is NO_TANGENT for bar, dot in zip(bars, dots, strict=True) if dot is NO_TANGENT)
    assert np.isclose(sum(inner(bar, dot) for bar, dot in pairs), np.sum(y_bar * y_dot))


def test_what_is_given_by_keyword_has_no_cotangent():
    for function, options in ((np.diff, {"n": 1}), (np.clip, {"a_min": 0.5, "a_max": 1.0})):
        assert len(rrule(function, X, **options)[1](function(X, **options))) == 1
    assert rrule(np.sum, a=X)[1](1.0) == ()
    initial = rrule(np.sum, X, None, None, None, False, 2.0)[1](1.0)[5]
    assert isinstance(initial, NotImplementedTangent)  # as `frule` takes no tangent of it
    _, pullback = rrule(np.ndarray.__rsub__, X, Y, needs=(True, False))
    assert [type(bar) for bar in pullback(X)] == [np.ndarray, type(NO_TANGENT)]


@pytest.mark.parametrize("cls", [np.ndarray, np.float64, float, list])
def test_one_object_given_twice_has_two_tangents(cls):
    """A subtraction, called with its arguments in the other order."""
    rules, x = (
        RuleTable(parent=default_rules),
        {np.ndarray: A, np.float64: A[0], float: 0.5, list: [1.0, 2.0]}[cls],
    )

    def difference(a, b):
        return a[0] - b[0] if cls is list else a - b

    def reversed_difference(b, a):
        return difference(a, b)

    rules.alias(reversed_difference, difference, lambda b, a: ((a, b), {}))
    rules.frule.register(difference)(lambda dots, a, b: (difference(a, b), difference(*dots)))
    one, two = ([3.0, 0.0], [5.0, 0.0]) if cls is list else (x * 0 + 3.0, x * 0 + 5.0)
    np.testing.assert_array_equal(
        rules.frule((one, two), reversed_difference, x, x)[1], difference(two, one)
    )
    first = (lambda y_bar: [y_bar, 0.0]) if cls is list else (lambda y_bar: y_bar)

    def pullback(y_bar):
        return first(y_bar), first(-y_bar)

    rules.rrule.register(difference)(lambda a, b: (difference(a, b), pullback))
    one = x * 0 + 3.0 if cls is not list else 3.0
    bars = rules.rrule(reversed_difference, x, x)[1](one)
    np.testing.assert_array_equal(bars, (first(-one), first(one)))


def test_no_adapter_sees_anything_but_the_arguments():
    rules, seen = RuleTable(parent=default_rules), []

    def adapt(*args):
        seen.extend(map(type, args))
        return args, {}

    def sine(x):
        raise AssertionError("its canonical primal is called")

    rules.alias(sine, np.sin, adapt)
    rules.frule((A,), sine, A)
    assert set(seen) == {np.ndarray}


def test_the_tangent_of_what_an_adapter_replaces_is_refused(rules):

    def sine_of_half(x):
        return np.sin(x / 2)

    rules.alias(sine_of_half, np.sin, lambda x: ((x / 2,), {}))
    with pytest.raises(OptionError, match="rewrites") as caught:
        rules.frule((A,), sine_of_half, A)
    assert (caught.value.primal, caught.value.value) == (np.sin, A)
    assert rules.frule((NO_TANGENT,), sine_of_half, A)[1] is ZERO
