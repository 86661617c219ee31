"""The public functions: structure, dtypes, ownership and refusals of what goes in and comes out."""

import dataclasses
import functools
import inspect
import pickle
import re
from collections import namedtuple

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    NotImplementedTangentError,
    RuleTable,
    SeedError,
    Tangent,
    default_rules,
)
from chainrules_tape import (
    InputError,
    OutputError,
    checkpoint,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linearize,
    stop_gradient,
    value_and_grad,
    vjp,
)
from chainrules_tape.core.trees import flatten

Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float
    name: str = "layer"


def loss(tree):
    return (
        np.sum(tree["pair"].a * 2) + tree["pair"].b * 3 + np.sum(tree["layer"].w) * tree["layer"].b
    )


def test_gradients_have_the_structure_of_the_arguments():
    tree = {
        "pair": Pair(np.ones((2, 3), "float32"), 1.0),
        "layer": Layer(np.array([1.0, 2.0]), 5.0),
        "n": 3,
        "none": None,
    }
    g = grad(loss)(tree)
    assert list(g) == list(tree)
    assert type(g["pair"]) is Pair
    assert g["pair"].a.dtype == np.float32
    np.testing.assert_array_equal(g["pair"].a, np.full((2, 3), 2.0))
    assert (g["pair"].b, type(g["pair"].b)) == (3.0, float)
    assert type(g["layer"]) is Layer
    np.testing.assert_array_equal(g["layer"].w, [5.0, 5.0])
    assert g["layer"].b == 3.0
    assert (g["layer"].name, g["n"], g["none"]) == (NO_TANGENT,) * 3


def test_aux_comes_beside_the_value():
    def f(x):
        y = np.sin(x)
        return np.sum(y), {"y": y, "n": 2}

    x = np.array([0.1, 0.2])
    (value, aux), g = value_and_grad(f, has_aux=True)(x)
    np.testing.assert_array_equal(aux["y"], np.sin(x))
    assert value == np.sum(np.sin(x))
    np.testing.assert_allclose(g, np.cos(x))
    g, aux = grad(f, has_aux=True)(x)
    assert aux["n"] == 2


ONES, FLAT = np.ones(2), np.ones(2, np.float32)
NESTED = ((ONES, [ONES]), 1.0)
PRODUCT = {
    "of a list": lambda p: p[0] * p[1] ** 2,
    "of a dict": lambda p: p["a"][0] * p["a"][1] ** 2,
}


def of_first(*args):
    """The first leaf of the first argument."""
    return flatten(args[0])[0][0]


WITHOUT_TUPLES = r"not a tuple of them.*jvp\(f, \(x,\), \(x_dot,\)\)"
REFUSED = {
    "an array to grad": (lambda: grad(of_first)(ONES), OutputError, "jacobian"),
    "a complex number to grad": (lambda: grad(lambda x: x * 1j)(1.0), OutputError, "vjp"),
    "a pair to grad": (lambda: grad(lambda x: (x, x))(1.0), OutputError, "jacobian"),
    "a text to grad": (lambda: grad(lambda x: "text")(1.0), OutputError, "vjp"),
    "nothing to grad": (lambda: grad(lambda x: None)(1.0), OutputError, "vjp"),
    "an integer to grad": (lambda: grad(lambda x: 3)(1.0), OutputError, "vjp"),
    "one entry to grad": (
        lambda: grad(lambda x: np.reshape(np.sum(x), (1, 1)))(ONES),
        OutputError,
        r"numpy\.reshape\(y, \(\)\)",
    ),
    "grad of an integer": (lambda: grad(of_first)(3), InputError, "float"),
    "grad by what is not given": (lambda: grad(of_first, 1)(3.0), InputError, ""),
    **{
        f"seed {seed!r}": (lambda seed=seed: vjp(np.sin, ONES)[1](seed), SeedError, "")
        for seed in (None, np.ones(3), np.ones((2, 2)), 1j * ONES, (ONES,), "text")
    },
    **{
        f"tangents {dots!r} of {args!r}": (
            lambda args=args, dots=dots: jvp(of_first, args, dots),
            SeedError,
            "",
        )
        for args, dots in [
            *(((ONES,), dots) for dots in ((), (1.0, 1.0), (np.ones(3),), (None,), (1j * ONES,))),
            *(((ONES,), (np.ones((1, 2)),)), ((ONES,), (ONES, ONES)), ((ONES, ONES), (ONES,))),
            *((((ONES,),), (ONES,)), ((np.arange(2),), (np.arange(2),)), ((1.0,), (ONES,))),
            *(
                ((NESTED,), (((wrong, [ONES]), 1.0),))
                for wrong in (np.ones(3), np.ones((2, 1)), 1j * ONES, np.ones(2, int), None)
            ),
        ]
    },
    **{
        f"{dots!r} for a tuple of tangents of {args!r}": (
            lambda args=args, dots=dots: jvp(np.sin, args, dots),
            (InputError, SeedError),
            WITHOUT_TUPLES,
        )
        for args, dots in [
            *((ONES, ONES), (1.0, 1.0), (ONES, (ONES,)), ((ONES,), ONES)),
            *(({"x": 1.0}, {"x": 1.0}), ((1.0,), None)),
        ]
    },
    **{
        f"{transform.__name__} of an integer in a list": (
            lambda transform=transform: transform(PRODUCT["of a list"])([np.int64(1), 2.5]),
            InputError,
            r"x\[0\].*write 1\.0",
        )
        for transform in (grad, value_and_grad, jacobian, hessian)
    },
    "hvp of an integer in a list": (
        lambda: hvp(PRODUCT["of a list"], [1, 2.5], [1, 2.5]),
        InputError,
        r"x\[0\].*write 1\.0",
    ),
    "an integer in an array": (
        lambda: grad(PRODUCT["of a list"])([2.5, np.array(1)]),
        InputError,
        r"x\[1\]",
    ),
    "an integer in a list in a dict": (
        lambda: grad(lambda c, p: c * PRODUCT["of a dict"](p), 1)(2.0, {"a": [2.5, 3]}),
        InputError,
        r"integer 3 .* at x\['a'\]\[1\], where x is argument 1",
    ),
    "an integer by its name": (
        lambda: jacobian(lambda p: p[0], "p")(p=[1, 2.5]),
        InputError,
        r"x\[0\], where x is argument 'p'",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert re.search(words, f"{caught.value} {caught.value.instead}")


def test_refusals_carry_what_they_are_about():
    with pytest.raises(OutputError) as caught:
        grad(of_first)(ONES)
    assert caught.value.function is of_first
    with pytest.raises(InputError) as caught:
        grad(PRODUCT["of a list"])([1, 2.5])
    assert (caught.value.value, caught.value.argument) == (1, 0)


def test_jvp_of_trees_and_zero_tangents():
    y, y_dot = jvp(
        lambda p, c: {"out": p["a"] * p["b"] * c},
        ({"a": 2.0, "b": 3.0}, 10.0),
        ({"a": 1.0, "b": ZERO}, ZERO),
    )
    assert y == {"out": 60.0}
    assert y_dot == {"out": 30.0}
    assert jvp(lambda x: (x > 0, 2, x), (1.0,), (1.0,))[1] == (NO_TANGENT, NO_TANGENT, 1.0)
    assert jvp(lambda x, c: c * x, [2.0, 3.0], [1.0, ZERO])[1] == 3.0


def test_a_function_may_be_given_by_its_name():
    assert jvp(function=np.sin, args=(0.0,), tangents=(2.0,)) == (0.0, 2.0)
    with pytest.raises(TypeError, match="'tangents'"):
        jvp()


def test_linearize_reuses_one_trace():
    calls = []
    y, pushforward = linearize(lambda x: (calls.append(1), x * x)[1], ONES)
    assert [pushforward(k * y).tolist() for k in (1, 2)] == [[2.0, 2.0], [4.0, 4.0]]
    assert (pushforward(ZERO).tolist(), len(calls)) == ([0.0, 0.0], 1)


# What is returned is the caller's own


KEPT = np.array([3.0, 4.0])


@pytest.mark.parametrize(
    "f",
    [lambda x: x, np.exp, lambda x: x[::-1], lambda x: KEPT, lambda x: np.sum(x) * np.ones(2)],
    ids=["identity", "output kept", "view", "constant", "broadcast cotangent"],
)
def test_what_is_given_and_returned_may_be_overwritten(f):
    x, seed = np.array([1.0, 2.0]), np.array([5.0, 7.0])
    value, slope = f(x.copy()).copy(), vjp(f, x)[1](seed)[0].copy()
    y, pullback = vjp(f, x)
    pushed, x_dot = jvp(f, (x,), (seed,))
    pushforward = linearize(f, x)[1]
    (first,) = pullback(seed)
    for written in (y, first, pushed, x_dot, x):
        written[...] = -1.0
    np.testing.assert_array_equal(pullback(seed)[0], slope)
    np.testing.assert_allclose(seed @ pushforward(seed), seed @ slope, rtol=1e-14)
    np.testing.assert_array_equal(f(np.array([1.0, 2.0])), value)
    np.testing.assert_array_equal(seed, [5.0, 7.0])


def test_stop_gradient_is_a_constant_at_every_level():
    assert grad(lambda x: x * stop_gradient(x))(3.0) == 3.0
    assert grad(grad(lambda x: x * stop_gradient(x * x)))(3.0) == 0.0
    assert jvp(lambda x: stop_gradient((x, [x])), (1.0,), (1.0,)) == ((1.0, [1.0]), (0.0, [0.0]))


# --- Integers ---


def test_pullbacks_say_that_an_integer_in_a_list_has_no_tangent():
    """They are asked by programs, which take a list as it comes: coefficients, say."""
    assert vjp(PRODUCT["of a list"], [1, 2.5])[1](1.0) == ([NO_TANGENT, 5.0],)


def test_integers_elsewhere_are_constants():
    assert grad(lambda p: p[0] ** p[1])((2.0, 3)) == (12.0, NO_TANGENT)
    assert grad(lambda p: p["x"] ** p["n"])({"x": 2.0, "n": 3}) == {"x": 12.0, "n": NO_TANGENT}
    assert grad(lambda p: p["x"] * p["shape"][0])({"x": 2.0, "shape": [3, 4]})["x"] == 3.0
    assert grad(lambda p: np.sum(p[0]) * p[1])([np.array([2.0]), 3])[1] is NO_TANGENT


# --- What derivatives are as functions ---


def energy(x, scale=1.0):
    """Half of the square."""
    return scale * np.sum(x * x) / 2


MINE = RuleTable(parent=default_rules, name="mine")
PRINTED = {
    "grad(tests.chainrules_tape.test_transforms.energy)": grad(energy),
    "grad(tests.chainrules_tape.test_transforms.energy, argnums=(0, 1))": grad(energy, (0, 1)),
    "grad(tests.chainrules_tape.test_transforms.energy, argnums='scale', has_aux=True)": grad(
        energy, "scale", has_aux=True
    ),
    "value_and_grad(tests.chainrules_tape.test_transforms.energy)": value_and_grad(energy),
    "jacobian(tests.chainrules_tape.test_transforms.energy, mode='forward')": jacobian(
        energy, mode="forward"
    ),
    "hessian(tests.chainrules_tape.test_transforms.energy, argnums=1, rules=mine)": hessian(
        energy, 1, rules=MINE
    ),
    "grad(grad(numpy.sin))": grad(grad(np.sin)),
    "checkpoint(numpy.sin)": checkpoint(np.sin),
}


@pytest.mark.parametrize("text", PRINTED)
def test_a_derivative_prints_as_the_call_that_made_it(text):
    assert repr(PRINTED[text]) == text


def test_jvp_takes_tangents_as_they_come():
    double = lambda x: 2.0 * x  # noqa: E731
    for x, dot in [(ONES, 3 * ONES), (np.float64(1), np.float64(3)), (1.0, 3.0), (1.0, 3)]:
        assert np.array_equal(jvp(double, (x,), (dot,))[1], 6.0 * np.ones(np.shape(x)))
    assert jvp(double, (FLAT,), (FLAT,))[1].dtype == np.float32


OF_TWO = functools.partial(hessian, argnums=("x", "scale"))


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian, OF_TWO])
def test_a_derivative_has_the_attributes_of_its_function(transform):
    derivative = transform(energy)
    assert (derivative.__name__, derivative.__qualname__, derivative.__doc__) == (
        "energy",
        "energy",
        energy.__doc__,
    )
    assert (derivative.__module__, derivative.__wrapped__) == (__name__, energy)
    assert str(inspect.signature(derivative)) == "(x, scale=1.0)"
    again = pickle.loads(pickle.dumps(derivative))
    assert repr(again) == repr(derivative)
    assert again.__name__ == "energy"
    found, expected = (f(np.ones(2), 2.0) for f in (again, derivative))
    np.testing.assert_equal(found, expected)


class Held:
    """An object of a class that nobody declared to be a container."""

    def __init__(self, w, label=None):
        self.w, self.label = w, label

    def __call__(self, x):
        return np.sum(self.w * x)


@pytest.mark.parametrize(
    ("f", "advice"),
    [
        (Held(ONES), "mark the class Held"),
        (functools.partial(np.vdot, ONES), "pass what the partial holds"),
    ],
    ids=["object", "partial"],
)
def test_numbers_in_an_object_that_is_no_container_are_no_constants_in_silence(f, advice):
    def called(f, x):
        return f(x)

    x = np.array([3.0, 5.0])
    for f_bar, x_bar in (vjp(called, f, x)[1](1.0), grad(called, argnums=(0, 1))(f, x)):
        assert x_bar.tolist() == [1.0, 1.0]
        with pytest.raises(NotImplementedTangentError, match=advice):
            np.asarray(f_bar)
    with pytest.raises(SeedError, match=advice):
        jvp(called, (f, x), (f, x))
    with pytest.raises(InputError, match=advice):
        grad(called)(f, x)
    assert jvp(called, (f, x), (ZERO, x))[1] == 8.0


def test_an_object_without_numbers_has_no_tangent():
    _, pullback = vjp(lambda held, x: held.label and x, Held(None, "label"), 2.0)
    held_bar, x_bar = pullback(1.0)
    assert (held_bar, x_bar) == (Tangent[Held](w=NO_TANGENT, label=NO_TANGENT), 1.0)
