"""`scalar_rule`: what it generates is right, minimal and refuses nonsense at definition."""

import fractions
import gc
import math
import warnings
import weakref

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    ExpressionError,
    NoRuleError,
    NotImplementedTangent,
    RegistrationError,
    RuleContractError,
    RuleTable,
    Tangent,
    default_rules,
    frule,
    not_implemented,
    partials,
    rrule,
    scalar_rule,
)

RNG = np.random.default_rng(7)


def slope(f, *args, index, direction):
    """The derivative of f along `direction` in one argument, by a central difference."""
    step = 1e-6

    def moved(sign):
        return f(*args[:index], args[index] + sign * step * direction, *args[index + 1 :])

    return (moved(1) - moved(-1)) / (2 * step)


UNARY = [np.sin, np.cos, np.exp, np.log, np.sqrt, np.tanh, np.negative, np.absolute]
BINARY = [np.add, np.subtract, np.multiply, np.divide, np.power, np.arctan2, np.maximum]
SHAPES = [((), ()), ((3,), (3,)), ((3,), (2, 3)), ((2, 1), (3,)), ((0,), (1,)), ((2, 3), ())]


@pytest.mark.parametrize("f", UNARY)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_unary_rules_against_differences(f, shape):
    x, x_dot, y_bar = (RNG.uniform(0.5, 2.0, shape) for _ in range(3))
    y, pullback = rrule(f, x)
    np.testing.assert_array_equal(y, f(x))
    (x_bar,) = pullback(y_bar)
    np.testing.assert_allclose(
        np.sum(x_bar * x_dot), np.sum(y_bar * slope(f, x, index=0, direction=x_dot)), rtol=1e-7
    )
    _, y_dot = frule((x_dot,), f, x)
    np.testing.assert_allclose(y_dot, slope(f, x, index=0, direction=x_dot), rtol=1e-7)


@pytest.mark.parametrize("f", BINARY)
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("index", [0, 1])
def test_binary_rules_against_differences_with_broadcasting(f, shapes, index):
    args = tuple(RNG.uniform(0.5, 2.0, shape) for shape in shapes)
    direction = RNG.uniform(0.5, 2.0, shapes[index])
    y, pullback = rrule(f, *args)
    y_bar = RNG.uniform(0.5, 2.0, np.shape(y))
    bars = pullback(y_bar)
    assert [np.shape(bar) for bar in bars] == [np.shape(arg) for arg in args]
    expected = slope(f, *args, index=index, direction=direction)
    np.testing.assert_allclose(
        np.sum(bars[index] * direction), np.sum(y_bar * expected), rtol=1e-6, atol=1e-8
    )
    dots = tuple(direction if i == index else ZERO for i in range(2))
    _, y_dot = frule(dots, f, *args)
    assert np.shape(y_dot) == np.shape(y)
    np.testing.assert_allclose(y_dot, expected, rtol=1e-7)


@pytest.mark.parametrize("f", [np.sin, np.exp, np.sqrt, np.negative, np.tanh])
def test_holomorphic_functions_multiply_by_the_conjugate(f):
    z, z_dot, y_bar = (RNG.normal(size=4) + 1j * RNG.normal(size=4) for _ in range(3))
    expected = slope(f, z, index=0, direction=z_dot)
    _, pullback = rrule(f, z)
    inner = np.vdot(pullback(y_bar)[0], z_dot).real
    np.testing.assert_allclose(inner, np.vdot(y_bar, expected).real, rtol=1e-6)
    np.testing.assert_allclose(frule((z_dot,), f, z)[1], expected, rtol=1e-6)


def test_a_real_loss_of_a_complex_argument_has_gradient_dx_plus_i_dy():
    z = np.array([3.0 + 4.0j])
    _, pullback = rrule(np.absolute, z)
    assert pullback(np.ones(1))[0] == pytest.approx(z / 5.0)
    _, y_dot = frule((np.array([1j]),), np.absolute, z)
    assert y_dot.dtype == np.float64
    assert y_dot == pytest.approx(np.array([0.8]))


def test_a_real_factor_of_a_complex_product_gets_a_real_cotangent():
    x, z = RNG.normal(size=3), RNG.normal(size=3) + 1j
    _, pullback = rrule(np.multiply, x, z)
    x_bar, z_bar = pullback(z)
    assert (x_bar.dtype, z_bar.dtype) == (np.float64, np.complex128)
    np.testing.assert_allclose(x_bar, np.abs(z) ** 2)


@pytest.mark.parametrize("other", [2.0, 3, np.float32(2.0), np.ones(3, np.float32), True])
def test_float32_stays_float32(other):
    x = np.ones(3, np.float32)
    for args in ((x, other), (other, x)):
        y, pullback = rrule(np.multiply, *args)
        assert y.dtype == np.float32
        bars = pullback(np.ones(3, np.float32))
        assert bars[args.index(x) if args[0] is x else 1].dtype == np.float32


def test_float32_next_to_float64_is_projected_back():
    narrow, wide = np.ones(3, np.float32), np.ones(3)
    _, pullback = rrule(np.multiply, narrow, wide)
    assert [bar.dtype for bar in pullback(np.ones(3))] == [np.float32, np.float64]
    _, y_dot = frule((narrow, ZERO), np.multiply, narrow, wide)
    assert y_dot.dtype == np.float64


@pytest.mark.parametrize("integer", [3, True, np.int64(3), np.array([1, 2, 3]), np.array(True)])
def test_integers_have_no_tangent(integer):
    _, pullback = rrule(np.multiply, np.ones(3), integer)
    assert pullback(np.ones(3))[1] is NO_TANGENT


def test_scalars_stay_scalars():
    _, pullback = rrule(np.multiply, 2.0, np.float32(3.0))
    first, second = pullback(1.0)
    assert (type(first), type(second)) == (float, np.float32)
    _, pullback = rrule(np.multiply, 2.0, np.ones((2, 3)))
    assert pullback(np.ones((2, 3)))[0] == 6.0
    _, pullback = rrule(np.multiply, 2j, 1.0)
    assert pullback(1 + 1j) == (1 + 1j, 2.0)


def kept_alive(primal, *args, needs=None):
    """Which of the arguments and the output a pullback keeps alive."""

    class Tracked(np.ndarray):
        pass

    tracked = [np.array(arg).view(Tracked) for arg in args]
    y, pullback = rrule(primal, *tracked, needs=needs)
    y = np.asarray(y)
    owner = y.base if y.base is not None else y
    references = [weakref.ref(item) for item in tracked]
    del tracked, y, owner
    gc.collect()
    return [i for i, reference in enumerate(references) if reference() is not None], pullback


A = RNG.normal(size=(2, 3))
RESIDUALS = {
    "exp keeps its output": (np.exp, (A,), None, []),
    "add keeps nothing": (np.add, (A, A), None, []),
    "sin keeps its argument": (np.sin, (A,), None, [0]),
    "multiply keeps both": (np.multiply, (A, A), None, [0, 1]),
    "multiply by a constant keeps the constant": (np.multiply, (A, A), (True, False), [1]),
    "a constant times x keeps the constant": (np.multiply, (A, A), (False, True), [0]),
    "nothing needed, nothing kept": (np.multiply, (A, A), (False, False), []),
}


@pytest.mark.parametrize(
    ("primal", "args", "needs", "kept"), RESIDUALS.values(), ids=RESIDUALS.keys()
)
def test_residuals_are_minimal(primal, args, needs, kept):
    assert kept_alive(primal, *args, needs=needs)[0] == kept


def test_unneeded_arguments_get_no_tangent():
    _, pullback = rrule(np.multiply, A, A, needs=(False, True))
    first, second = pullback(A)
    assert first is NO_TANGENT
    np.testing.assert_array_equal(second, A * A)


def test_several_outputs():
    def polar(x, y):
        return np.hypot(x, y), np.arctan2(y, x)

    table = RuleTable()
    scalar_rule(
        polar,
        "x, y",
        ("x / out[0]", "y / out[0]"),
        ("-y / out[0]**2", "x / out[0]**2"),
        table=table,
    )
    x, y = RNG.uniform(1, 2, 3), RNG.uniform(1, 2, 3)
    _, pullback = table.rrule(polar, x, y)
    seeds = (RNG.normal(size=3), RNG.normal(size=3))
    x_bar, y_bar = pullback(seeds)
    for index, bar in enumerate((x_bar, y_bar)):
        parts = [
            slope(lambda *a, k=k: polar(*a)[k], x, y, index=index, direction=np.ones(3))
            for k in range(2)
        ]
        np.testing.assert_allclose(bar, seeds[0] * parts[0] + seeds[1] * parts[1], rtol=1e-6)
    only_angle = pullback(Tangent[tuple](ZERO, seeds[1]))[0]
    np.testing.assert_allclose(only_angle, -seeds[1] * y / (x**2 + y**2))
    out, out_dot = table.frule((np.ones(3), ZERO), polar, x, y)
    np.testing.assert_allclose(out_dot[1], -y / (x**2 + y**2))
    assert table.partials(polar, out, x, y)[1][1] == pytest.approx(x / out[0] ** 2)


def test_partials_may_be_functions_zeros_and_not_implemented():
    def f(x, n, order):
        return x**n

    table = RuleTable()
    scalar_rule(
        f,
        "x, n, order",
        lambda x, n: n * x ** (n - 1),
        not_implemented("use power"),
        NO_TANGENT,
        table=table,
    )
    y, pullback = table.rrule(f, np.array([2.0]), 3.0, 5)
    x_bar, n_bar, order_bar = pullback(np.ones(1))
    assert x_bar == [12.0]
    assert isinstance(n_bar, NotImplementedTangent)
    assert order_bar is NO_TANGENT
    assert table.frule((np.ones(1), ZERO, ZERO), f, np.array([2.0]), 3.0, 5)[1] == [12.0]
    assert isinstance(
        table.frule((np.ones(1), 1.0, ZERO), f, np.array([2.0]), 3.0, 5)[1], NotImplementedTangent
    )
    assert table.partials(f, y, np.array([2.0]), 3.0, 5)[0] == [12.0]


def test_functions_ask_for_what_they_read():
    def f(x):
        return np.exp(x)

    table = RuleTable()
    scalar_rule(f, "x", lambda out, xp: xp.multiply(out, 1.0), table=table)
    assert table.rrule(f, np.zeros(1))[1](np.ones(1))[0] == [1.0]
    with pytest.raises(RegistrationError, match="wrong"):
        scalar_rule(f, "x", lambda wrong: wrong, table=table)


def test_extra_names():
    from scipy.special import erf

    table = RuleTable()

    def double_erf(x):
        return 2 * erf(x)

    scalar_rule(
        double_erf, "x", "4 / sqrt(pi) * exp(-x*x) + 0 * erf(x)", names={"erf": erf}, table=table
    )
    x = np.array([0.3])
    assert table.rrule(double_erf, x)[1](np.ones(1))[0] == pytest.approx(
        slope(double_erf, x, index=0, direction=1.0)
    )


def test_partials_of_a_scalar_rule_are_available():
    x, y = np.array([1.0]), np.array([2.0])
    first, second = partials(np.arctan2, np.arctan2(x, y), x, y)
    assert (first, second) == (pytest.approx(np.array([0.4])), pytest.approx(np.array([-0.2])))
    with pytest.raises(NoRuleError):
        partials(np.linalg.inv, np.eye(2), np.eye(2))


MISSPELT = {
    "an unknown name": ("coss(x)", "coss", 0),
    "later in the expression": ("1 + exq(x)", "exq", 4),
    "an argument that is not there": ("x * y", "y", 4),
}


@pytest.mark.parametrize(("expression", "name", "column"), MISSPELT.values(), ids=MISSPELT.keys())
def test_a_misspelt_name_fails_at_definition_with_a_caret(expression, name, column):
    with pytest.raises(ExpressionError) as caught:
        scalar_rule(np.tan, "x", expression, table=RuleTable())
    assert (caught.value.name, caught.value.column, caught.value.expression) == (
        name,
        column,
        expression,
    )
    lines = str(caught.value).splitlines()
    line = next(i for i, text in enumerate(lines) if text.strip() == expression)
    assert lines[line + 1].index("^") == lines[line].index(expression) + column
    assert lines[line + 1].count("^") == len(name)


def bessel_of_order_one(x):
    """Stands for a function of the user's, under a name that NumPy does not have."""
    return np.sin(x)


UNKNOWN = {
    "an unknown function": ("-bessel_of_order_one(x)", "lambda x: -bessel_of_order_one(x)"),
    "with the output": (
        "out * bessel_of_order_one(x)",
        "lambda x, out: out * bessel_of_order_one(x)",
    ),
    "in a module": ("special.j1(x)", "lambda x: special.j1(x)"),
    "near to a name of NumPy's": ("-sinn(x)", "lambda x: -sinn(x)"),
    "alone": ("factor", "lambda: factor"),
}


@pytest.mark.parametrize(("expression", "function"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_name_in_an_expression_says_how_to_use_ones_own(expression, function):
    with pytest.raises(ExpressionError) as caught:
        scalar_rule(np.tan, "x", expression, table=RuleTable())
    assert caught.value.instead.endswith(function)


def test_the_function_that_is_advised_for_an_unknown_name_works():
    table = RuleTable()

    def cosine(x):
        return np.cos(x)

    scalar_rule(cosine, "x", lambda x: -bessel_of_order_one(x), table=table)
    x = np.array([0.3, 0.7])
    assert table.rrule(cosine, x)[1](np.ones(2))[0] == pytest.approx(-np.sin(x))


BAD = {
    "a syntax error": ("x", ["1 +"]),
    "a statement": ("x", ["y = x"]),
    "an attribute": ("x", ["x.real"]),
    "a comprehension": ("x", ["[i for i in x]"]),
    "too few partials": ("x, y", ["1"]),
    "too many partials": ("x", ["1", "1"]),
    "a number for a partial": ("x", [1.0]),
    "bad argument names": ("x y", ["1"]),
    "an argument named out": ("out", ["1"]),
}


@pytest.mark.parametrize(("arguments", "expressions"), BAD.values(), ids=BAD.keys())
def test_definitions_that_cannot_be_are_refused(arguments, expressions):
    with pytest.raises(RegistrationError):
        scalar_rule(np.tan, arguments, *expressions, table=RuleTable())


@pytest.mark.parametrize("f", [np.sqrt, np.log])
def test_a_zero_cotangent_stays_zero_through_an_infinite_partial(f):
    x = np.array([0.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        _, pullback = rrule(f, x)
        (x_bar,) = pullback(np.array([0.0, 1.0]))
        assert x_bar[0] == 0.0
        assert np.isinf(pullback(np.ones(2))[0][0])
        _, y_dot = frule((np.array([0.0, 1.0]),), f, x)
    assert y_dot[0] == 0.0
    assert x_bar[1] == y_dot[1] == slope(f, np.array(4.0), index=0, direction=1.0).round(6)


def test_a_real_infinity_warns_as_numpy_does():
    _, pullback = rrule(np.sqrt, np.array([0.0]))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert pullback(np.ones(1))[0] == np.inf


@pytest.mark.parametrize(
    ("primal", "args"), [(np.divide, (np.ones(2), 0)), (np.divide, (1.0, 0.0)), (np.log, (0.0,))]
)
def test_python_zeros_divide_as_numpys_do(primal, args):
    with np.errstate(all="ignore"):
        y, pullback = rrule(primal, *args)
        x_bar = pullback(np.ones_like(y))[0]
        _, y_dot = frule((np.ones_like(args[0]), *[ZERO] * (len(args) - 1)), primal, *args)
    assert np.all(x_bar == np.inf)
    assert np.all(y_dot == np.inf)


def test_pullbacks_can_be_called_again_and_write_nothing():
    x, y_bar = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    x.flags.writeable = y_bar.flags.writeable = False
    _, pullback = rrule(np.multiply, x, x)
    first, second = pullback(y_bar), pullback(y_bar)
    np.testing.assert_array_equal(first, second)


def test_negative_strides_and_broadcast_views():
    x = np.arange(6.0).reshape(2, 3)[::-1, ::2]
    seed = np.broadcast_to(np.float64(2.0), (2, 2))
    np.testing.assert_array_equal(rrule(np.exp, x)[1](seed)[0], 2 * np.exp(x))


def test_a_rule_for_a_class_of_ones_own():
    class Logged(np.ndarray):
        pass

    table = RuleTable(parent=None)
    scalar_rule(np.sin, "x", "cos(x)", table=table)
    scalar_rule(np.sin, "x", "100 * cos(x)", types=(Logged,), table=table)
    assert table.rrule(np.sin, np.zeros(1))[1](np.ones(1))[0] == [1.0]
    assert table.rrule(np.sin, np.zeros(1).view(Logged))[1](np.ones(1).view(Logged))[0] == [100.0]


def in_python(x, y):
    return math.hypot(x, y), math.atan2(y, x)


def squared(x):
    return complex(x) ** 2


NUMBERS = RuleTable(parent=default_rules)
scalar_rule(
    in_python,
    "x, y",
    ("x / out[0]", "y / out[0]"),
    ("-y / out[0]**2", "x / out[0]**2"),
    table=NUMBERS,
)
scalar_rule(squared, "x", "2 * x", table=NUMBERS)
# at 2: 1 - Euler's constant
scalar_rule(math.lgamma, "x", lambda x: 0.42278433509846714, table=NUMBERS)


@pytest.mark.parametrize("x", [2.0, np.float64(2.0)], ids=["float", "float64"])
def test_functions_may_return_pythons_numbers(x):
    y, pullback = NUMBERS.rrule(math.lgamma, x)
    assert y == math.lgamma(2.0)
    assert pullback(2.0) == (pytest.approx(2 * slope(math.lgamma, x, index=0, direction=1.0)),)
    assert NUMBERS.frule((3.0,), math.lgamma, x)[1] == pytest.approx(
        3 * slope(math.lgamma, x, index=0, direction=1.0)
    )


def test_functions_may_return_several_of_pythons_numbers():
    (r, phi), pullback = NUMBERS.rrule(in_python, 3.0, 4.0)
    assert (r, phi) == (5.0, math.atan2(4.0, 3.0))
    assert pullback((1.0, ZERO)) == pytest.approx((0.6, 0.8))
    _, dots = NUMBERS.frule((1.0, 0.0), in_python, 3.0, 4.0)
    assert tuple(dots) == pytest.approx((0.6, -0.16))


def test_functions_may_return_pythons_complex_numbers():
    y, pullback = NUMBERS.rrule(squared, 1 + 2j)
    assert (y, pullback(1j)) == ((1 + 2j) ** 2, (1j * 2 * (1 - 2j),))
    assert NUMBERS.frule((1j,), squared, 1 + 2j)[1] == 1j * 2 * (1 + 2j)
    assert NUMBERS.rrule(squared, 1.5)[1](1 + 1j) == (3.0,)  # of a real number, the real part


def test_what_is_no_number_is_refused():
    scalar_rule(fractions.Fraction, "x", "1", table=NUMBERS)
    with pytest.raises(RuleContractError) as caught:
        NUMBERS.rrule(fractions.Fraction, 0.5)
    assert caught.value.value == fractions.Fraction(1, 2)


# What the forward rule does not compute twice


def test_arguments_with_one_tangent_are_multiplied_once():
    products = []

    class Counted(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            products.append(ufunc.__name__)
            plain = [np.asarray(x) for x in inputs]
            return getattr(ufunc, method)(*plain, **options)

    x, x_dot = np.array([2.0, -3.0]), np.array([1.0, 0.5]).view(Counted)
    y, y_dot = frule((x_dot, x_dot), np.multiply, x, x)
    np.testing.assert_array_equal(y, x * x)
    np.testing.assert_array_equal(np.asarray(y_dot), 2 * x * np.asarray(x_dot))
    assert products.count("multiply") == 1


def test_one_tangent_of_two_different_values():
    x, x_dot = np.array([2.0, -3.0]), np.array([1.0, 0.5])
    _, y_dot = frule((x_dot, x_dot), np.multiply, x, x + 1.0)
    np.testing.assert_allclose(y_dot, x_dot * (2 * x + 1))


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_difference_of_tangents(shape):
    x1, x2, x1_dot, x2_dot = RNG.normal(size=(4, *shape))
    _, y_dot = frule((x1_dot, x2_dot), np.subtract, x1, x2)
    np.testing.assert_array_equal(y_dot, x1_dot - x2_dot)


def test_one_tangent_at_zero_times_infinity():
    x, x_dot = np.array([np.inf, 2.0]), np.array([0.0, 1.0])
    _, y_dot = frule((x_dot, x_dot), np.multiply, x, x)
    np.testing.assert_array_equal(y_dot, [0.0, 4.0])


def upper(x, y):
    return np.maximum(x, y)


PARTIALS_OF_UPPER = ("where(x > y, 1.0, 0.0)", "where(x > y, 0.0, 1.0)")


@pytest.mark.parametrize(("selects", "expected"), [(True, 0.0), (False, np.nan)])
def test_what_is_not_selected_has_a_derivative_of_zero(selects, expected):
    """Its tangent, and the cotangent, may be nan."""
    table = RuleTable()
    scalar_rule(upper, "x, y", *PARTIALS_OF_UPPER, selects=selects, table=table)
    x, y, seed = np.array([1.0, 4.0]), np.array([2.0, 3.0]), np.array([np.nan, 5.0])
    x_bar, y_bar = table.rrule(upper, x, y)[1](seed)
    _, dot = table.frule((seed, np.ones(2)), upper, x, y)
    np.testing.assert_array_equal(x_bar, [expected, 5.0])
    np.testing.assert_array_equal(y_bar, [np.nan, 0.0])
    np.testing.assert_array_equal(dot, [1.0 + expected, 5.0])


def own_root(x):
    return np.sqrt(x)


def slope_of_root(x):
    return np.where(x == 0, np.nan, 0.5 / np.sqrt(np.where(x == 0, 1.0, x)))


@pytest.mark.parametrize(("singular", "expected"), [(True, 0.0), (False, np.nan)])
def test_a_function_may_be_used_where_it_is_singular(singular, expected):
    """A cotangent or tangent of zero stays zero where the partial has no value."""
    table = RuleTable()
    scalar_rule(own_root, "x", slope_of_root, singular=singular, table=table)
    x, seed = np.array([0.0, 4.0]), np.array([0.0, 1.0])
    found = table.rrule(own_root, x)[1](seed)[0], table.frule((seed,), own_root, x)[1]
    np.testing.assert_array_equal(found, [[expected, 0.25]] * 2)


UNBOUNDED = [
    *("9**9**9**9", "2**(10**8)", "(-9)**99999999", "a * 3**5000", "9**-(9**9**9)", "10**400"),
    *("(9**999)**9", "(2**512) * (2**600)", "~(9**9**9)", "a < 9**9**9", "(9**9) | (9**9999999)"),
    *(
        "where(a > 0, 1, 2**99999999999)",
        "*".join(map(str, range(10**9, 10**9 + 60))),
        "7 % (7**9**9)",
    ),
    *("'a' * 10**9", "1" + "0" * 5000, "a\0", "-" * 5000 + "a", "(" * 3000 + "a" + ")" * 3000),
    *("+".join(["a"] * 3000), "exp(" * 160 + "a" + ")" * 160),
]


@pytest.mark.parametrize(
    "text", UNBOUNDED, ids=[text[:12].replace("\0", "0") for text in UNBOUNDED]
)
def test_expressions_that_would_take_for_ever(text):
    """Whole numbers that no float holds are refused, and so is what is nested too deeply."""

    def own(a):
        return a

    with pytest.raises(ExpressionError) as caught:
        scalar_rule(own, "a", text)
    assert "^" in str(caught.value)
    assert caught.value.expression == text


@pytest.mark.parametrize("text", ["2**1023 * a", "2.0**9999", "a*" * 60 + "a", "9**-(9**9)"])
def test_expressions_with_large_numbers_that_floats_hold(text):
    scalar_rule(lambda a: a, "a", text)
