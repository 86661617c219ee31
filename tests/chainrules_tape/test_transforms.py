"""The public functions: structure, dtypes, ownership and refusals of what goes in and comes out."""

import dataclasses
import functools
import inspect
import pickle
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


@pytest.mark.parametrize(
    "x",
    [2.0, np.float32(2), np.float64(2), np.array(2.0), np.array([2.0], "float32"), 2 + 1j],
    ids=repr,
)
def test_a_gradient_is_of_the_type_of_its_argument(x):
    y, pullback = vjp(lambda x: x * x, x)
    (x_bar,) = pullback(np.ones_like(y) if hasattr(y, "shape") else 1.0)
    assert type(x_bar) is type(x)
    assert getattr(x_bar, "dtype", None) == getattr(x, "dtype", None)
    np.testing.assert_allclose(x_bar, 2 * np.conj(x))


def test_arguments_that_do_not_matter_get_dense_zeros():
    a_bar, b_bar = grad(lambda a, b: np.sum(a), (0, 1))(np.ones(2), np.ones((2, 2), "float32"))
    np.testing.assert_array_equal(b_bar, np.zeros((2, 2)))
    assert b_bar.dtype == np.float32
    np.testing.assert_array_equal(grad(lambda x: 3.0)(np.ones(2)), np.zeros(2))


def test_argnums_name_arguments_and_keywords_are_constants():
    def f(a, b, *, scale):
        return a * b**2 * scale

    assert grad(f, 1)(3.0, 2.0, scale=10.0) == pytest.approx(120.0)
    assert grad(f, -1)(3.0, 2.0, scale=10.0) == pytest.approx(120.0)
    assert grad(f, (1, 0))(3.0, 2.0, scale=10.0) == pytest.approx((120.0, 40.0))


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


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: x, np.ones(2)),
        (lambda x: x * 1j, 1.0),
        (lambda x: (x, x), 1.0),
        (lambda x: "text", 1.0),
        (lambda x: None, 1.0),
        (lambda x: 3, 1.0),
    ],
)
def test_grad_wants_a_real_number(f, x):
    with pytest.raises(OutputError) as caught:
        grad(f)(x)
    assert caught.value.function is f
    assert "jacobian" in caught.value.instead
    assert "vjp" in caught.value.instead


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_grad_of_an_array_with_one_entry_says_how_to_return_that(shape):
    with pytest.raises(OutputError) as caught:
        grad(lambda x: np.reshape(np.sum(x), shape))(np.ones(3))
    assert "numpy.reshape(y, ())" in caught.value.instead
    assert grad(lambda x: np.reshape(np.reshape(np.sum(x), shape), ()))(np.ones(3)).tolist() == [
        1.0,
        1.0,
        1.0,
    ]


def test_grad_wants_something_to_differentiate():
    with pytest.raises(InputError) as caught:
        grad(lambda x: x * 2)(3)
    assert "float" in caught.value.instead
    with pytest.raises(InputError) as caught:
        grad(lambda x: x, 1)(3.0)
    assert caught.value.argument == 1


def test_a_pullback_is_callable_many_times_with_trees_of_seeds():
    y, pullback = vjp(lambda x, w: {"sum": x + w, "parts": (x * w, 3)}, 2.0, 5.0)
    assert y == {"sum": 7.0, "parts": (10.0, 3)}
    assert pullback({"sum": 1.0, "parts": (0.0, NO_TANGENT)}) == (1.0, 1.0)
    assert pullback({"sum": 0.0, "parts": (1.0, NO_TANGENT)}) == (5.0, 2.0)
    assert pullback({"sum": ZERO, "parts": ZERO}) == (0.0, 0.0)
    assert pullback(ZERO) == (0.0, 0.0)


BAD_SEEDS = [None, np.ones(3), np.ones((2, 2)), 1j * np.ones(2), (np.ones(2),), "text"]


@pytest.mark.parametrize("seed", BAD_SEEDS, ids=repr)
def test_wrong_seeds_are_refused(seed):
    _, pullback = vjp(np.sin, np.ones(2))
    with pytest.raises(SeedError):
        pullback(seed)


@pytest.mark.parametrize("tangents", [(), 1.0, (1.0, 1.0), (np.ones(3),), (None,)], ids=repr)
def test_wrong_tangents_are_refused(tangents):
    with pytest.raises(SeedError):
        jvp(np.sin, (np.ones(2),), tangents)


WITHOUT_TUPLES = {
    "neither": (np.ones(2), np.ones(2)),
    "numbers": (1.0, 1.0),
    "the arguments": (np.ones(2), (np.ones(2),)),
    "the tangents": ((np.ones(2),), np.ones(2)),
    "a dict": ({"x": 1.0}, {"x": 1.0}),
    "no tangents": ((1.0,), None),
}


@pytest.mark.parametrize(("args", "tangents"), WITHOUT_TUPLES.values(), ids=WITHOUT_TUPLES)
def test_jvp_without_tuples_says_so(args, tangents):
    with pytest.raises((InputError, SeedError), match="not a tuple of them") as caught:
        jvp(np.sin, args, tangents)
    assert "jvp(f, (x,), (x_dot,))" in caught.value.instead


def test_jvp_takes_lists_of_arguments():
    assert jvp(lambda x, c: c * x, [2.0, 3.0], [1.0, ZERO])[1] == 3.0


def test_jvp_of_trees_and_zero_tangents():
    y, y_dot = jvp(
        lambda p, c: {"out": p["a"] * p["b"] * c},
        ({"a": 2.0, "b": 3.0}, 10.0),
        ({"a": 1.0, "b": ZERO}, ZERO),
    )
    assert y == {"out": 60.0}
    assert y_dot == {"out": 30.0}
    assert jvp(lambda x: (x > 0, 2, x), (1.0,), (1.0,))[1] == (NO_TANGENT, NO_TANGENT, 1.0)


def product(p):
    (x, rest), scale = p
    return np.sum(np.sin(x) * rest[0]) * scale


AT = ((np.array([0.3, 0.7]), [np.array([2.0, 3.0])]), np.float64(1.5))
ALONG = ((np.array([1.0, -1.0]), [np.array([0.5, 0.25])]), np.float64(2.0))


def moved(p, step):
    """A point of `product`, moved along its direction."""
    pairs = zip(flatten(p)[0], flatten(ALONG)[0], strict=True)
    return flatten(p)[1]([x + step * x_dot for x, x_dot in pairs])


def test_jvp_at_nested_lists_and_tuples_is_a_difference():
    difference = (product(moved(AT, 1e-6)) - product(moved(AT, -1e-6))) / 2e-6
    assert np.isclose(jvp(product, (AT,), (ALONG,))[1], difference, rtol=1e-8)


def test_a_jvp_within_a_jvp_at_tuples_is_a_difference():
    def along(step):
        return jvp(product, (moved(AT, step),), (ALONG,))[1]

    second = jvp(along, (np.float64(0.0),), (np.float64(1.0),))[1]
    assert np.isclose(second, (along(1e-5) - along(-1e-5)) / 2e-5, rtol=1e-8)


@pytest.mark.parametrize(
    "wrong", [np.ones(3), np.ones((2, 1)), np.ones(2) * 1j, np.ones(2, int), None], ids=repr
)
def test_a_wrong_tangent_within_a_tuple_is_refused(wrong):
    with pytest.raises(SeedError):
        jvp(product, (AT,), (((wrong, ALONG[0][1]), ALONG[1]),))


def test_linearize_reuses_one_trace():
    calls = []

    def f(x, w):
        calls.append(1)
        return np.tanh(w @ x)

    rng = np.random.default_rng(0)
    x, w = rng.normal(size=3), rng.normal(size=(2, 3))
    y, pushforward = linearize(f, x, w)
    np.testing.assert_array_equal(y, np.tanh(w @ x))
    for _ in range(3):
        x_dot, w_dot = rng.normal(size=3), rng.normal(size=(2, 3))
        np.testing.assert_allclose(
            pushforward(x_dot, w_dot), (1 - y**2) * (w_dot @ x + w @ x_dot), rtol=1e-12
        )
    np.testing.assert_allclose(pushforward(ZERO, w), (1 - y**2) * (w @ x), rtol=1e-12)
    assert len(calls) == 1


# What is returned is the caller's own


KEPT = np.array([3.0, 4.0])
ALIASES = {
    "identity": lambda x: x,
    "exp keeps its output": np.exp,
    "view": lambda x: x[::-1],
    "a constant": lambda x: KEPT,
    "broadcast cotangent": lambda x: np.sum(x) * np.ones(2),
}


@pytest.mark.parametrize("f", list(ALIASES.values()), ids=list(ALIASES))
def test_results_and_cotangents_may_be_overwritten(f):
    x, seed = np.array([1.0, 2.0]), np.array([5.0, 7.0])
    y, pullback = vjp(f, x)
    (first,) = pullback(seed)
    expected, y_expected = first.copy(), y.copy()
    y[...] = -1.0
    first[...] = -1.0
    x[...] = -1.0
    (again,) = pullback(seed)
    np.testing.assert_array_equal(again, expected)
    np.testing.assert_array_equal(f(np.array([1.0, 2.0])), y_expected)
    np.testing.assert_array_equal(seed, [5.0, 7.0])


@pytest.mark.parametrize("f", list(ALIASES.values()), ids=list(ALIASES))
def test_results_of_jvp_may_be_overwritten(f):
    x, x_dot = np.array([1.0, 2.0]), np.array([5.0, 7.0])
    y, y_dot = jvp(f, (x,), (x_dot,))
    y[...], y_dot[...] = -1.0, -1.0
    np.testing.assert_array_equal(x, [1.0, 2.0])
    np.testing.assert_array_equal(x_dot, [5.0, 7.0])


def test_linearized_points_may_be_overwritten():
    x = np.array([1.0, 2.0])
    _, pushforward = linearize(np.sin, x)
    x[...] = 9.0
    np.testing.assert_allclose(pushforward(np.ones(2)), np.cos([1.0, 2.0]))


def test_one_array_as_two_arguments():
    x = np.array([1.0, 2.0])
    a_bar, b_bar = grad(lambda a, b: np.sum(a * b * b), (0, 1))(x, x)
    np.testing.assert_allclose(a_bar, x**2)
    np.testing.assert_allclose(b_bar, 2 * x**2)
    one, two = grad(lambda a, b: np.sum(a + b), (0, 1))(x, x)
    one[...] = 7.0
    np.testing.assert_array_equal(two, np.ones(2))


def test_rules_chooses_the_table():
    mine = RuleTable(parent=default_rules)

    @mine.rrule.register(np.sign)
    def straight_through_rrule(x):
        return np.sign(x), lambda y_bar: (y_bar,)

    x = np.array([-2.0, 3.0])
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(np.sign(x) * x), rules=mine)(x), np.sign(x) + x
    )
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.sign(x) * x))(x), np.sign(x))


def test_stop_gradient_is_a_constant_at_every_level():
    assert grad(lambda x: x * stop_gradient(x))(3.0) == 3.0
    assert grad(grad(lambda x: x * stop_gradient(x * x)))(3.0) == 0.0
    assert jvp(lambda x: stop_gradient((x, [x])), (1.0,), (1.0,)) == ((1.0, [1.0]), (0.0, [0.0]))


# --- Integers ---

PRODUCT = {
    "of a list": lambda p: p[0] * p[1] ** 2,
    "of a dict": lambda p: p["a"][0] * p["a"][1] ** 2,
}
TRANSFORMS = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "jacobian": lambda f, x: jacobian(f)(x),
    "jacobian, forward": lambda f, x: jacobian(f, mode="forward")(x),
    "hessian": lambda f, x: hessian(f)(x),
    "hvp": lambda f, x: hvp(f, x, x),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("one", [1, np.int64(1)], ids=["int", "int64"])
def test_an_integer_among_the_floats_of_a_list_is_refused(transform, one):
    with pytest.raises(InputError, match=r"x\[0\].*write 1\.0") as caught:
        transform(PRODUCT["of a list"], [one, 2.5])
    assert (caught.value.value, caught.value.argument) == (1, 0)


def test_the_place_of_an_integer_is_said():
    with pytest.raises(InputError, match=r"x\[1\]"):
        grad(lambda p: p[0] * p[1])([2.5, np.array(1)])
    with pytest.raises(InputError, match=r"integer 3 .* at x\['a'\]\[1\], where x is argument 1"):
        grad(lambda c, p: c * PRODUCT["of a dict"](p), argnums=1)(2.0, {"a": [2.5, 3]})
    with pytest.raises(InputError, match=r"x\[0\], where x is argument 'p'"):
        jacobian(lambda p: p[0], "p")(p=[1, 2.5])


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


ONES, FLAT = np.ones(2), np.ones(2, np.float32)
NO_TANGENTS = {
    "of another shape": ((ONES,), (np.ones((1, 2)),)),
    "one too many": ((ONES,), (ONES, ONES)),
    "one for two": ((ONES, ONES), (ONES,)),
    "without the tuple of its argument": (((ONES,),), (ONES,)),
    "a complex one": ((ONES,), (1j * ONES,)),
    "of integers": ((np.arange(2),), (np.arange(2),)),
    "of another number's shape": ((np.float64(1.0),), (ONES,)),
}


@pytest.mark.parametrize("case", NO_TANGENTS)
def test_what_is_no_tangent_of_the_arguments_is_refused_by_jvp(case):
    args, tangents = NO_TANGENTS[case]
    with pytest.raises(SeedError):
        jvp(lambda *xs: xs[0], args, tangents)


def test_jvp_takes_tangents_as_they_come():
    double = lambda x: 2.0 * x  # noqa: E731
    for x, dot in [(ONES, 3 * ONES), (np.float64(1), np.float64(3)), (1.0, 3.0), (1.0, 3)]:
        assert np.array_equal(jvp(double, (x,), (dot,))[1], 6.0 * np.ones(np.shape(x)))
    assert jvp(lambda x: 2 * x, (FLAT,), (FLAT,))[1].dtype == np.float32
    assert jvp(double, (ONES,), (ZERO,))[1].tolist() == [0.0, 0.0]

    dot = np.array([1.0, 2.0])
    found = jvp(lambda x: x, (ONES,), (dot,))[1]
    found += 1.0
    assert dot.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
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
    found, expected = again(np.ones(2)), derivative(np.ones(2))
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
