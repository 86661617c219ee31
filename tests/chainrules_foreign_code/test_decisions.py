"""Searches by comparisons, and branches for one number that lose a derivative, raise in code that
is seen; other decisions do not.
"""

import inspect
import math

import numpy as np
import pytest
from scipy import optimize

import chainrules_tape.numpy as tnp
from chainrules_foreign_code.callees import see_file_of
from chainrules_foreign_code.noting_levels import NotedByLevel
from chainrules_py import implicit_function
from chainrules_tape import (
    LostGradientError,
    compiled,
    grad,
    jacobian,
    jvp,
    only_marked,
    seen_through,
    stop_gradient,
)
from chainrules_tape.core.dispatch import Derivative
from slopes import quotients

A = 2.0


def by_comparison(a):
    low, high = 0.0, 2.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle < a else (low, middle)
    return low


def by_product(a):
    f = lambda x: x * x - a  # noqa: E731
    low, high = 0.0, 3.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if f(low) * f(middle) <= 0 else (middle, high)
    return low


def by_sign(a):
    f = lambda x: x * x - a  # noqa: E731
    low, high = 0.0, 3.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(f(low)) == np.sign(f(middle)) else (low, middle)
    return low


def by_steps(a):
    """Roger Sinnott's way, which adds half of the last step each time, up or down."""
    x, step = 1.0, 0.5
    while step > 1e-10:
        x, step = x + np.copysign(step, a - x * x), step / 2
    return x


def by_golden_section(a):
    f = lambda x: (x * x - a) ** 2  # noqa: E731
    low, high, ratio = 0.0, 3.0, (math.sqrt(5) - 1) / 2
    for _ in range(40):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if f(left) < f(right) else (left, high)
    return low


def by_traced_bounds(a):
    low, high = 0.1 * a, a + 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle < a else (low, middle)
    return low


def by_thirds(a):
    f = lambda x: (x * x - a) ** 2  # noqa: E731
    low, high = 0.0, 3.0
    while high - low > 1e-9:
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if f(left) < f(right):
            high = right
        else:
            low = left
    return low


def by_shorter_steps(a):
    x, step = 0.0, 1.0
    while step > 1e-9:
        if (x + step) ** 2 < a:
            x += step
        else:
            step *= 0.1
    return x


def by_recursion(a, low=0.0, width=3.0):
    if width < 1e-9:
        return low
    low = low + 0.4 * width if (low + 0.4 * width) ** 2 < a else low
    return by_recursion(a, low, 0.6 * width)


def by_array(a):
    a = np.array([1.0, 0.5]) * a
    low, high = np.zeros(2), np.full(2, 2.0)
    for _ in range(50):
        middle = (low + high) / 2
        above = middle * middle > a
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low[0]


def by_masks(a):
    """Bounds in buffers, which come back from below and from above only where a mask says so."""
    low, high, squares = tnp.zeros(2), tnp.zeros(2), tnp.zeros(2)
    low[:], high[:] = 0.05 * a, a + 1.0
    for _ in range(50):
        middle = (low + high) / 2
        squares[:] = middle * middle
        np.copyto(low, middle, where=squares < a)
        np.copyto(high, middle, where=squares > a)
        assert (low <= high).all()
    return low[0]


def compounded(rate):
    """The value of a yearly payment, whose formula divides by the rate."""
    if rate == 0.0:
        return 20.0
    return ((1.0 + rate) ** 20 - 1.0) / rate


def without_zeros(x):
    return sum(c * c if c == 1.5 else 3.0 * c for c in x) + sum(c for c in x[:2] if 0.0 != c)


def without_zeros_of_a_polynomial(x):
    total = 0.0
    for power, c in enumerate(x):
        if c == 0.0:
            continue
        total = total + c * 1.5**power
    return total


def until_nothing_is_left(a):
    """Newton's method, which ends where a step is zero."""
    x, step = a, 1.0
    while True:
        step = (x * x - a) / (2.0 * x)
        if step == 0.0 or abs(step) < 1e-9:
            return x
        x = x - step


SEARCHES = {
    f.__name__: f
    for f in (
        by_comparison,
        by_product,
        by_sign,
        by_steps,
        by_golden_section,
        by_traced_bounds,
        by_thirds,
        by_shorter_steps,
        by_recursion,
        by_array,
        by_masks,
    )
}


@pytest.fixture(autouse=True)
def seen():
    """This file is one of the user's own."""
    see_file_of(by_comparison)


@pytest.mark.parametrize("f", SEARCHES.values(), ids=SEARCHES)
def test_a_search_raises(f):
    assert f(A) == pytest.approx(math.sqrt(A), abs=1e-4)
    for derivative in (
        grad(f),
        lambda a: jvp(f, (a,), (1.0,)),
        lambda a: grad(lambda b: grad(lambda c: f(c) * b)(b))(a),
    ):
        with pytest.raises(
            LostGradientError, match=f"{f.__name__}.*test_decisions.py:.*implicit_function"
        ):
            derivative(A)


@pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")
def test_a_search_of_scipy_in_a_plain_file_goes_by_its_rule():
    space = {"golden": optimize.golden}
    exec("def f(p): return golden(lambda x: (x - p * p) ** 2)", space)
    with only_marked(enabled=False):
        assert grad(space["f"])(1.3) == pytest.approx(2.6)


@pytest.mark.filterwarnings("ignore::chainrules_tape.SeenThroughWarning")
@pytest.mark.parametrize(
    "f",
    [
        *(by_comparison, by_product, by_golden_section, by_traced_bounds),
        *(by_thirds, by_shorter_steps, by_recursion),
    ],
)
def test_a_search_without_a_source_raises(f):
    space = {"np": np, "math": math}
    exec(inspect.getsource(f), space)
    with only_marked(False):
        for _ in range(2):
            for derivative in (grad, lambda g: lambda a: jvp(g, (a,), (1.0,))):
                with pytest.raises(LostGradientError, match=f"{f.__name__}.*implicit_function"):
                    derivative(space[f.__name__])(A)


@pytest.mark.parametrize("f", SEARCHES.values(), ids=SEARCHES)
def test_a_search_raises_whose_result_is_one_factor(f):
    """The derivative is not zero, and is not that of the square root."""
    for derivative in (grad, lambda g: lambda a: jvp(g, (a,), (1.0,))):
        with pytest.raises(LostGradientError, match=f"{f.__name__}.*implicit_function"):
            derivative(lambda a: f(a) * a * a)(A)


@pytest.mark.parametrize(
    ("f", "x"), [(compounded, 0.0), (without_zeros_of_a_polynomial, np.array([1.0, 0.0, 2.0]))]
)
def test_a_branch_for_one_number_raises_that_loses_a_derivative(f, x):
    sentence = rf"{f.__name__} .*test_decisions.py:\d+\): a branch for 0 alone.*stop_gradient"
    for derivative in (grad(f), lambda x: grad(lambda y: np.sum(x * grad(f)(y)))(x)):
        with pytest.raises(LostGradientError, match=sentence):
            derivative(x)
    with pytest.raises(LostGradientError, match=sentence):
        jvp(f, (x,), (np.array([0.0, 1.0, 0.0]) if np.ndim(x) else 1.0,))


@pytest.mark.parametrize("argnums", [1, (0, 1)])
def test_a_branch_for_one_number_that_both_of_its_arguments_move(argnums):
    def half_full(diameter, height):
        if height == 0.5 * diameter:
            return diameter**3
        return diameter**3 + (height - 0.5 * diameter) * diameter

    for transform in (grad, lambda f, argnums: compiled(grad(f, argnums))):
        with pytest.raises(LostGradientError, match=r"a branch for 0\.9 alone"):
            transform(half_full, argnums)(1.8, 0.9)
        assert np.ravel(transform(half_full, argnums)(1.8, 0.8))[-1] == pytest.approx(1.8)


def test_a_branch_for_one_number_that_loses_nothing_has_its_derivative():
    x = np.array([1.5, -1.0, 0.0])
    np.testing.assert_allclose(grad(without_zeros)(x), [4.0, 4.0, 3.0])
    assert grad(compounded)(0.05) == pytest.approx(quotients(compounded, 0.05))
    assert grad(until_nothing_is_left)(4.0) == pytest.approx(0.25)
    assert grad(lambda a, b: b if a == 0.0 else a * b, 1)(0.0, 3.0) == 1.0
    assert grad(lambda a, b: b if 2.0 * a == a + a else a * b, (0, 1))(1.5, 3.0) == (0.0, 1.0)
    assert grad(lambda a: a * compounded(stop_gradient(a * 0.0)))(2.0) == 20.0


def test_what_rules_ask_is_no_branch_of_the_program():
    assert grad(grad(grad(lambda x: np.sqrt(x * x + 1.0))))(0.0) == 0.0
    assert grad(grad(lambda x: x**3))(0.0) == 0.0


def test_which_argument_steers_it():
    """What the search does not read may have a derivative of zero."""
    assert grad(lambda a, b: by_comparison(stop_gradient(a)) * b, 1)(A, 3.0) == pytest.approx(
        math.sqrt(A)
    )
    assert grad(lambda a, b: by_comparison(a) * b, 1)(A, 3.0) == pytest.approx(math.sqrt(A))
    assert grad(lambda a, b: 0.0 * a + by_comparison(b), 0)(3.0, A) == 0.0
    with pytest.raises(LostGradientError):
        grad(lambda a, b: by_comparison(a) * b, (0, 1))(A, 3.0)
    with pytest.raises(LostGradientError):
        jacobian(lambda a: np.stack([by_comparison(a[0]), a[1]]))(np.array([A, 3.0]))


def test_the_ways_out():
    root = implicit_function(by_comparison, lambda x, a: x * x - a)
    assert grad(root)(A) == pytest.approx(0.5 / math.sqrt(A))
    assert grad(lambda a: by_comparison(stop_gradient(a)) * a)(A) == pytest.approx(math.sqrt(A))


def on_lines_of_their_own():
    """A function of 39 comparisons, each on its line, which come ever closer to a tie at 1."""
    lines = ["def f(x):", "    y = 0.0 * x"]
    for k in range(1, 40):
        lines.append(f"    if x {'<' if k % 2 else '>'} {1.0 - (-0.5) ** k!r}:")
        lines.append("        y = y + x * x")
    variables = {"__name__": "lines"}
    exec("\n".join([*lines, "    return y"]), variables)
    return variables["f"]


def test_comparisons_on_different_lines_are_no_search_at_second_order_either():
    """There a rule compares on behalf of each of them."""
    f = seen_through(on_lines_of_their_own())
    assert grad(f)(1.0) == 78.0
    assert grad(grad(f))(1.0) == 78.0
    assert jvp(grad(f), (1.0,), (1.0,))[1] == 78.0


def branches(x):
    y = x
    for k in range(20):
        y = y * 0.9 if y > 0.5 + 0.01 * k else x + y * 1.1 if y < x else y + 0.1
    return y


@pytest.mark.parametrize("number", [float, np.float64])
def test_branches_by_numbers_are_noted_on_the_quick_path(number, monkeypatch):
    noted, slow = [], []
    answer, call = NotedByLevel.answer, Derivative.call
    monkeypatch.setattr(NotedByLevel, "answer", lambda *args: noted.append(1) or answer(*args))
    monkeypatch.setattr(Derivative, "call", lambda *args: slow.append(args) or call(*args))
    x = number(0.7)
    assert grad(seen_through(branches))(x) == grad(branches)(x)
    assert len(noted) > 20
    assert not slow
