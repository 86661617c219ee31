"""A cotangent or tangent that is exactly zero stays zero through an infinite partial: in both
modes, and in both orders.

Each function is masked where its partial is not finite, as a careful person would, and the expected
derivatives are those of what the mask leaves: zero where it masks.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from chainrules_py import frule, primitive, rrule
from chainrules_tape import (
    checkpoint,
    compiled,
    grad,
    hessian,
    higher_derivatives,
    hvp,
    jvp,
    linearize,
    numpy as tnp,
    vjp,
    vmap,
)
from chainrules_tape.scipy.spatial import distance
from product.ways import DERIVATIVES

INF = np.inf
REAL = {
    np.exp: (1000.0, INF),
    np.exp2: (5000.0, INF),
    np.expm1: (1000.0, INF),
    np.sinh: (1000.0, -1000.0, INF, -INF),
    np.cosh: (1000.0, -1000.0, INF, -INF),
    np.square: (1e308, -1e308, INF, -INF),
    np.sin: (INF,),
}
COMPLEX = {
    np.exp: (1000.0 + 0j,),
    np.sinh: (1000.0 + 1j,),
    np.cosh: (-1000.0 + 1j,),
    np.square: (complex(INF, 0),),
}
POINTS = [(f, x) for table in (REAL, COMPLEX) for f, xs in table.items() for x in xs]
PAIRS = [
    (np.multiply, 2.0, INF),
    (np.multiply, INF, -INF),
    (np.divide, INF, 2.0),
    (np.hypot, INF, 1.0),
    (np.hypot, 1.0, -INF),
    (np.arctan2, INF, 1.0),
    (np.arctan2, 1.0, -INF),
    (np.arctan2, INF, INF),
]


def name_of(case) -> str:
    return "-".join(getattr(part, "__name__", str(part)) for part in case)


@pytest.fixture(autouse=True)
def _quiet():
    """What overflows warns; what is asked here is what comes out."""
    with np.errstate(all="ignore"):
        yield


def masked(f, *limits):
    """The sum of the real part of f, and 1 where the first argument is at the given point."""

    def function(*args):
        at = np.equal(args[0], limits[0])
        return np.sum(np.real(np.where(at, 1.0, f(*args))))

    return function


def zeros(found, shape: tuple[int, ...] = ()):
    np.testing.assert_array_equal(found, np.zeros(shape))


def logistic(x):
    """In two branches, so that neither overflows where it is taken."""
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


def forward(f):
    return lambda x: jvp(f, (x,), (1.0,))[1]


@pytest.mark.parametrize("at", [[1000.0, -1000.0, 0.3], [1000.0, 1000.0], [0.3]])
def test_each_entry_is_what_it_is_alone(at: list[float]):
    x = np.array(at)
    along = np.ones_like(x)

    def slopes(y):
        return np.sum(jvp(logistic, (y,), (along,))[1])

    alone = [grad(forward(logistic))(each) for each in at]
    np.testing.assert_allclose(grad(slopes)(x), alone, rtol=1e-14, atol=0.0)
    np.testing.assert_allclose(vmap(grad(forward(logistic)))(x), alone, rtol=1e-14, atol=0.0)
    third = [grad(grad(forward(logistic)))(each) for each in at]
    np.testing.assert_allclose(grad(lambda y: np.sum(grad(slopes)(y)))(x), third, rtol=1e-14)


@pytest.mark.parametrize("case", [*POINTS, *PAIRS], ids=name_of)
def test_zeros_of_a_rule_and_of_what_a_mask_leaves(case):
    f, *point = case
    for args in (tuple(point), tuple(np.array([x, x]) for x in point)):
        shape, function = np.shape(args[0]), masked(f, point[0])
        y, pullback = rrule(f, *args)
        for x_bar in pullback(np.zeros_like(y)):
            zeros(x_bar, shape)
        zeros(frule(tuple(map(np.zeros_like, args)), f, *args)[1], shape)
        for x_bar in grad(function, tuple(range(len(args))))(*args):
            zeros(x_bar, shape)
        zeros(jvp(function, args, tuple(map(np.ones_like, args)))[1])


# program, point, gradient as the convention says: what is multiplied by an exact zero does not
# count
SINGULAR = {
    "logistic far right": (logistic, 1000.0, 0.0),
    "logistic far left": (logistic, -1000.0, 0.0),
    "one branch of it": (lambda x: 1 / (1 + np.exp(-x)), -1000.0, 0.0),
    "clip of log": (lambda x: np.clip(np.log(x), -5.0, 5.0), 0.0, 0.0),
    "maximum of log": (lambda x: np.maximum(np.log(x), -5.0), 0.0, 0.0),
    "minimum of exp": (lambda x: np.minimum(np.exp(x), 10.0), 1000.0, 0.0),
    "fmax of a root": (lambda x: np.fmax(np.sqrt(x), 0.0), -1.0, 0.0),
    "fmin of an arcsin": (lambda x: np.fmin(np.arcsin(x), 1.0), 2.0, 0.0),
    "nan_to_num of log": (lambda x: np.nan_to_num(np.log(x), neginf=-3.0), 0.0, 0.0),
    "root of a square": (lambda x: np.sqrt(x**2), 0.0, 0.0),
    "root of a sum of squares": (lambda x: np.sqrt(x**2 + np.square(x)), 0.0, 0.0),
    "square of a root": (lambda x: np.sqrt(x) ** 2, 0.0, 0.0),
    "x log x at 0 from xlogy's definition": (
        lambda x: np.where(x > 0, x * np.log(x), 0.0),
        0.0,
        0.0,
    ),
    "zero times a root": (lambda x: 0.0 * np.sqrt(x), 0.0, 0.0),
    "a root divided by infinity": (lambda x: np.sqrt(x) / np.inf, 0.0, 0.0),
    "a root in a dot product": (
        lambda x: np.dot(np.array([0.0, 1.0]), np.sqrt(np.stack([x, x + 1]))),
        0.0,
        0.5,
    ),
    "a root in a matrix product": (
        lambda x: (np.eye(2) @ np.sqrt(np.stack([x, x + 1])))[1],
        0.0,
        0.5,
    ),
    "a root in einsum": (
        lambda x: np.einsum("i,i->", np.array([0.0, 1.0]), np.sqrt(np.stack([x, x + 1]))),
        0.0,
        0.5,
    ),
    "norm": (lambda x: np.linalg.norm(np.stack([x, x])), 0.0, 0.0),
    "hypot": (lambda x: np.hypot(x, 2 * x), 0.0, 0.0),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_both_modes_agree_where_a_zero_meets_infinity(name: str):
    f, x, expected = SINGULAR[name]
    for way in ("grad", "forward", "jacobian"):
        assert DERIVATIVES[way](lambda t: f(x + t))[1] == pytest.approx(expected), way


@pytest.mark.parametrize("name", [*SINGULAR][:6])
def test_second_derivatives_agree_in_all_ways(name: str):
    f, x, _ = SINGULAR[name]
    ways = ["hvp", "reverse-reverse", "forward-forward", "hessian", "reverse-forward"]
    if name == "logistic far right":
        ways.pop()  # an intermediate value is nan, inf / inf, and nan stays nan in a product
    for way in ways:
        assert DERIVATIVES[way](lambda t: f(x + t))[2] == 0.0, way


# Products: (contraction, arguments, a cotangent with zeros that meet infinities of the arguments)
A = np.array([[1.0, INF], [2.0, 3.0]])
B = np.array([[5.0, 7.0], [-1.0, 4.0]])


CONTRACTIONS = {
    "matmul": np.matmul,
    "dot": np.dot,
    "inner": np.inner,
    "tensordot": lambda a, b: np.tensordot(a, b, 1),
    "einsum": lambda a, b: np.einsum("ij,jk->ik", a, b),
    "einsum-optimized": lambda a, b: np.einsum("ij,jk->ik", a, b, optimize=True),
    "outer": np.outer,
    "kron": np.kron,
    "vecdot": np.vecdot,
    "matvec": lambda a, b: np.matvec(a, b[0]),
    "vecmat": lambda a, b: np.vecmat(a[0], b),
    "vdot": lambda a, b: np.vdot(a[0], b[0]) * np.ones(2),
    "convolve": lambda a, b: np.convolve(a[0], b[0]),
    "correlate": lambda a, b: np.correlate(a[0], b[0], "full"),
    "cross": lambda a, b: np.cross(np.append(a[0], a[1, 0]), np.append(b[0], b[1, 0])),
    "matmul-vector": lambda a, b: a @ b[0],
    "multiply-outer": np.multiply.outer,
}


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", CONTRACTIONS)
def test_each_product_of_a_sum_is_strong(name: str, side: int, dtype):
    """An infinite entry of a factor is of no account where zero multiplies it: as if it were any
    finite number.

    The results with an infinity, a 4 and a 9 in that place are compared, entry by entry. Where the
    last two agree it does not matter what is there, and so neither does the infinity.
    """
    f, rng = CONTRACTIONS[name], np.random.default_rng(3)
    others = [rng.integers(1, 5, (2, 2)).astype(dtype) for _ in range(2)]
    sparse = np.array([[0.0, 1.0], [2.0, 0.0]], dtype)

    def results(entry) -> list[Any]:
        args = [np.array(x) for x in others]
        args[1 - side][0, 1] = entry
        dots = [np.zeros((2, 2), dtype)] * 2
        dots[side] = sparse
        y_dot = jvp(
            lambda x: f(*(x, args[1]) if side == 0 else (args[0], x)), (args[side],), (sparse,)
        )[1]
        y = f(*args)
        weights = np.arange(np.size(y)).reshape(np.shape(y)) % 2.0

        def weighted(x):
            y = f(*(x, args[1]) if side == 0 else (args[0], x))
            return np.sum(np.real(np.where(weights == 0, 0.0, y)))

        return [y_dot, grad(weighted)(args[side])]

    for infinite, four, nine in zip(*map(results, (INF, 4.0, 9.0)), strict=True):
        same = np.asarray(four == nine)
        np.testing.assert_allclose(np.asarray(infinite)[same], np.asarray(four)[same], rtol=1e-12)
        assert not np.isfinite(np.asarray(infinite)[~same]).any()


def test_large_products_whose_flags_no_thread_reports():
    n = 400
    a, b = np.ones((n, n)), np.ones((n, n))
    b[n - 1, n - 1] = INF
    mask = np.ones((n, n))
    mask[:, n - 1] = 0.0
    found = grad(lambda a: np.sum(np.where(mask == 0, 0.0, a @ b)))(a)
    np.testing.assert_allclose(found, np.full((n, n), n - 1.0), rtol=1e-12)
    spread = grad(lambda row: np.sum(np.where(mask == 0, 0.0, (a + row) @ b)))(np.ones(n))
    np.testing.assert_allclose(spread, np.full(n, n * (n - 1.0)), rtol=1e-12)


def test_what_is_not_zero_comes_out_as_before():
    assert grad(np.exp)(1000.0) == INF
    assert grad(lambda x: np.sum(x @ A))(np.ones((2, 2))).tolist() == [[INF, 5.0], [INF, 5.0]]
    # and that is computed with nan
    assert np.isnan(grad(lambda x: np.where(x > 0, 1.0, np.exp(x)))(np.nan))


def test_warnings_and_error_states_are_the_callers():
    with np.errstate(invalid="raise"):
        assert grad(lambda t: np.where(t > 700, 1.0, np.exp(t)))(1000.0) == 0.0
        with pytest.raises(FloatingPointError):
            grad(lambda x: np.sum(x * np.array([INF, -INF])[:, None]))(np.ones(1))
    with np.errstate(invalid="warn"), pytest.warns(RuntimeWarning, match="invalid value"):
        grad(lambda x: np.sum(x * np.array([INF, -INF])[:, None]))(np.ones(1))
    assert np.geterr()["invalid"] == "ignore"


def test_an_error_state_inside_of_the_function_takes_away_no_strong_zero():
    def capped(t, **state):
        with np.errstate(**state):
            return np.where(t > 700, 1.0, np.exp(t) * 2.0)

    def product(a, **state):
        with np.errstate(**state):
            return a @ A

    for state in ({"all": "ignore"}, {"invalid": "raise", "over": "ignore"}, {"over": "ignore"}):
        zeros(jvp(lambda t, state=state: capped(t, **state), (1000.0,), (1.0,))[1])
        zeros(grad(lambda t, state=state: capped(t, **state))(1000.0))
        y_dot = jvp(
            lambda a, state=state: product(a, **state), (B,), (np.array([[0.0, 2.0], [0.0, 0.0]]),)
        )[1]
        np.testing.assert_array_equal(y_dot, [[4.0, 6.0], [0.0, 0.0]])


def test_wherever_a_sweep_starts_it_is_strict():
    """By a pullback that is called later, in functions that a rule calls, and in those that are run
    again.
    """

    def capped(t):
        return np.where(t > 700, 1.0, np.exp(t))

    zeros(vjp(capped, 1000.0)[1](1.0)[0])
    zeros(linearize(capped, 1000.0)[1](1.0))
    zeros(grad(checkpoint(capped))(1000.0))
    zeros(jvp(checkpoint(capped), (1000.0,), (1.0,))[1])
    zeros(grad(lambda a: np.sum(np.apply_along_axis(capped, 0, a)))(np.full(3, 1000.0)), (3,))
    with ThreadPoolExecutor(1) as pool:
        zeros(pool.submit(vjp(capped, 1000.0)[1], 1.0).result()[0])


def test_rules_of_users_run_once_and_under_the_callers_error_state():
    seen: list[str] = []

    @primitive
    def half(x):
        return x / 2

    @rrule.register(half)
    def half_rrule(x: float | np.ndarray):
        def half_pullback(y_bar) -> tuple[Any]:
            seen.append("run")
            return (y_bar / 2 + 0 * np.float64(INF),)

        return x / 2, half_pullback

    assert np.isnan(grad(half)(3.0))
    assert seen == ["run"]
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        grad(half)(3.0)
    with np.errstate(invalid="warn"), pytest.warns(RuntimeWarning, match="invalid value"):
        grad(half)(3.0)


# Second derivatives of functions of a length at zero, of which the first two are smooth there
LENGTHS = {
    "norm": np.linalg.norm,
    "norms": lambda x: np.linalg.norm(np.stack([x, x + 2.0]), axis=1)[0],
    "vector_norm": lambda x: np.linalg.vector_norm(x, keepdims=True)[0],
    "root": lambda x: np.sqrt(np.sum(x**2)),
    "power": lambda x: (x @ x) ** 0.5,
    "hypot": lambda x: np.hypot(x[0], x[1]),
    "complex": lambda x: np.abs(x[0] + 1j * x[1]),
    "cdist": lambda x: distance.cdist(x[None], np.zeros((1, 2)))[0, 0],
    "written": lambda x: written(np.linalg.norm(x))[1],
}
OF_LENGTHS = {  # and their second derivatives
    "square": (lambda y: y**2, 2.0),
    "product": (lambda y: y * y, 2.0),
    "Gaussian": (lambda y: np.exp(-(y**2) / 2), -1.0),
    "Matern 3/2": (lambda y: (1 + y) * np.exp(-y), -1.0),
    "Matern 5/2": (lambda y: (1 + y + y**2 / 3) * np.exp(-y), -1 / 3),
    "cube": (lambda y: y**3, 0.0),
    "left out": (lambda y: np.where(y > 1.0, np.exp(y), 3.0), 0.0),
}
FURTHER = {
    "hessian": lambda f, x, v: hessian(f)(x) @ v,
    "hvp": hvp,
    "grad of grad": lambda f, x, v: grad(lambda x: grad(f)(x) @ v)(x),
    "compiled": lambda f, x, v: compiled_hessian(f, x) @ v,
    "lanes": lambda f, x, v: vmap(hessian(f))(np.stack([x + 1.0, x]))[1] @ v,
    "sum of lanes": lambda f, x, v: hessian(lambda x: np.sum(vmap(f)(np.stack([x, x]))))(x) @ v / 2,
    "checkpoint": lambda f, x, v: hvp(checkpoint(f), x, v),
    "sparse": lambda f, x, v: hessian(f, sparse=True)(x) @ v,
}


def compiled_hessian(f, x):
    """At a point that its program was not recorded for."""
    run = compiled(hessian(f))
    for k in (1.0, 2.0, 3.0):
        run(x + k)
    return run(x)


def written(y):
    z = tnp.zeros(2)
    z[1] = y
    return z


@pytest.mark.one_in(4)
@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("way", FURTHER)
@pytest.mark.parametrize("function", OF_LENGTHS)
@pytest.mark.parametrize("length", LENGTHS)
def test_second_derivatives_of_a_length_at_zero(length, function, way, dtype):
    of, slope = OF_LENGTHS[function]
    x, v = np.zeros(2, dtype), np.array([1.0, -0.5], dtype)
    found = FURTHER[way](lambda x: of(LENGTHS[length](x)), x, v)
    np.testing.assert_allclose(found, slope * v, rtol=1e-6, atol=1e-12)
    assert found.dtype == dtype


UNKNOWN = {
    "the norm itself": lambda x: np.linalg.norm(x) + np.sum(x),
    "a root of squares itself": lambda x: np.sqrt(np.sum(x**2)) + np.sum(x),
    "norms that are zero together": lambda x: np.sum(np.linalg.norm(x[:, None], axis=1)) ** 2,
    "a root whose argument moves": lambda x: np.sum(np.cos(np.sqrt(x))),
}


@pytest.mark.parametrize("function", UNKNOWN.values(), ids=UNKNOWN)
def test_a_second_derivative_that_nobody_knows_is_nan(function):
    x, v = np.zeros(2), np.array([1.0, -0.5])
    for way in ("hessian", "hvp", "grad of grad", "compiled"):
        assert np.isnan(FURTHER[way](function, x, v)).any(), way


@pytest.mark.parametrize("way", ["hessian", "hvp", "compiled", "lanes", "sparse"])
@pytest.mark.parametrize("length", LENGTHS)
def test_a_length_that_is_computed_twice(length, way):
    def matern(x):
        return (1 + LENGTHS[length](x + 0.0)) * np.exp(-LENGTHS[length](x + 0.0))

    v = np.array([1.0, -0.5])
    np.testing.assert_allclose(FURTHER[way](matern, np.zeros(2), v), -v, atol=1e-12)
    assert np.isnan(FURTHER["grad of grad"](matern, np.zeros(2), v)).any()


@pytest.mark.parametrize("length", LENGTHS)
def test_in_forward_mode_that_is_differentiated_it_is_nan(length):
    def along(x):
        return jvp(lambda x: LENGTHS[length](x) ** 2, (x,), (np.ones(2),))[1]

    assert np.isnan(grad(along)(np.zeros(2))).all()
    assert np.isnan(jvp(along, (np.zeros(2),), (np.ones(2),))[1])


@pytest.mark.parametrize("way", ["jvp", "series", "series of lanes"])
@pytest.mark.parametrize("length", ["abs", "hypot", "complex"])
def test_in_forward_mode_a_length_that_stays_zero_is_zero(length, way):
    lengths = {
        "abs": np.abs,
        "hypot": lambda x: np.hypot(x, 0 * x),
        "complex": lambda x: np.abs(1j * x),
    }

    def f(t):
        return lengths[length](np.stack([0 * t, t, t + 2.0])) ** 2

    if way == "jvp":
        found = jvp(lambda t: jvp(f, (t,), (1.0,))[1], (0.0,), (1.0,))[1]
    elif way == "series":
        found = higher_derivatives(f, 0.0, 2)[2]
    else:
        found = vmap(lambda t: higher_derivatives(f, t, 2)[2])(np.zeros(2))[1]
    np.testing.assert_allclose(found, [0.0, np.nan, 2.0])  # of what is zero and moves


def test_lengths_of_what_stands_still_have_no_part_in_a_hessian():
    points = np.array([[0.0, 0.0], [3.0, 4.0], [1.0, -1.0]])
    apart = ~np.eye(3, dtype=bool)

    def energy(points, length):
        y = length(points[:, None] - points[None])
        return np.sum(np.where(apart, np.exp(-y) / np.where(apart, y, 1.0), 0.0)) + np.sum(y)

    def of_pairs(points):
        y = np.linalg.norm((points[:, None] - points[None])[apart], axis=-1)
        return np.sum(np.exp(-y) / y) + np.sum(y)

    expected = hessian(of_pairs)(points)
    for length in (
        lambda d: np.linalg.norm(d, axis=-1),
        lambda d: np.sqrt(np.sum(d**2, axis=-1)),
    ):
        found = hessian(lambda points, length=length: energy(points, length))(points)
        np.testing.assert_allclose(found, expected, atol=1e-12)
