"""Whole programs as one operation: how often they are called, with what, and what they refuse."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from chainrules_programs.whole_programs import run_program
from chainrules_py import ZERO, RuleTable, batched, default_rules, frule, rrule
from chainrules_py.errors import BatchingError
from chainrules_tape import (
    InputError,
    as_primitive,
    compiled,
    grad,
    hessian,
    jvp,
    only_marked,
    seen_through,
    value_and_grad,
    vjp,
    vmap,
)

X = np.array([2.0, 1.0, 3.4, 2.5])
COLUMNS = np.array([[2.0, 1.0, 3.4, 2.5], [0.3, 0.7, 0.1, 0.2], [1.0, 4.0, 0.5, 1.5]])


def raised(x, factor):
    """Write into a copy, where a branch says so."""
    y = x.copy()
    for i in range(1, len(y)):
        if y[i] < y[i - 1]:
            y[i] = y[i - 1] * factor
    return y


@pytest.mark.parametrize("is_lent", [(True, True), (False, True), (True, False)])
def test_a_program_that_writes_into_read_only_arrays_runs_on_copies_of_these(is_lent):
    def written(a, b):
        a[0] += 1.0
        b[0] *= 5.0
        return a + b

    a, b = np.ones(2), np.ones(2)
    a.flags.writeable, b.flags.writeable = (not lent for lent in is_lent)
    np.testing.assert_array_equal(as_primitive(written)(a, b), [7.0, 2.0])
    assert [a[0], b[0]] == [1.0 if is_lent[0] else 2.0, 1.0 if is_lent[1] else 5.0]


def test_a_copy_of_a_read_only_array_has_its_order():
    def written(a):
        a.T.reshape(-1)[0] = 5.0  # a view of what is in Fortran order, and else a copy
        return a

    a = np.zeros((2, 3), order="F")
    a.flags.writeable = False
    assert as_primitive(written)(a)[0, 0] == 5.0


def cubed(x, c):
    return np.sum(np.sin(c * x) * x**3)


def test_gradients_of_many_examples_are_one_call():
    calls = []

    def program(x):
        calls.append(1)
        return cubed(x, 2.0)

    found = vmap(grad(as_primitive(program)))(COLUMNS)
    np.testing.assert_allclose(found, [grad(cubed)(x, 2.0) for x in COLUMNS])
    assert len(calls) == 1


def test_examples_that_branch_run_one_by_one():
    found = batched(as_primitive(raised), (True, False), COLUMNS, 1.5)
    np.testing.assert_array_equal(found, [raised(x, 1.5) for x in COLUMNS])
    with pytest.raises(BatchingError, match="where"):
        vmap(raised, (0, None))(COLUMNS, 1.5)


def decay(t, y, rate):
    return -rate * y


def decayed(rate, start):
    return solve_ivp(decay, (0.0, 1.0), start, args=(rate,), rtol=1e-9, atol=1e-10).y[:, -1]


def test_the_scope_is_open_again_in_the_pullback():
    program = as_primitive(decayed, seen_through=[__name__])
    start = np.array([1.0, 2.0])
    value, slope = value_and_grad(lambda rate: np.sum(program(rate, start)))(0.7)
    assert value == pytest.approx(3 * np.exp(-0.7), rel=1e-7)
    assert slope == pytest.approx(-3 * np.exp(-0.7), rel=1e-6)
    with seen_through(__name__):
        assert slope == grad(lambda rate: np.sum(decayed(rate, start)))(0.7)
    with only_marked():
        pulled = rrule(program, 0.7, start)[1](np.ones(2))
    assert pulled[0] == pytest.approx(slope, rel=1e-7)


def test_rules_of_its_own_table():
    mine = RuleTable(parent=default_rules, name="mine")

    @mine.rrule.register(np.sin)
    def straight(x):
        return np.sin(x), lambda y_bar: (y_bar,)

    y, pullback = rrule(as_primitive(lambda x: np.sin(x), rules=mine), X)
    np.testing.assert_array_equal(pullback(np.ones(4))[0], np.ones(4))


def test_two_of_one_function_are_equal():
    assert as_primitive(raised) == as_primitive(raised)
    assert hash(as_primitive(raised)) == hash(as_primitive(raised))
    assert as_primitive(raised) != as_primitive(chained)
    assert as_primitive(raised) != as_primitive(raised, seen_through=["math"])
    assert as_primitive(raised) != raised


def test_it_prints_as_the_call_that_made_it():
    assert repr(as_primitive(raised)).startswith("as_primitive(")
    assert "raised" in repr(as_primitive(raised))


def test_arrays_of_other_engines_are_refused():
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from chainrules_jax import jax_library  # noqa: F401

    program = as_primitive(raised)
    with pytest.raises(TypeError, match="NumPy's arrays"):
        rrule(run_program, program, (jax.numpy.ones(2), 1.0), {})


def by_kind(x, options):
    """What numbers alone can do, as other people's functions ask for it."""
    assert isinstance(x, float)
    assert isinstance(options["scale"], float)
    return {"y": options["scale"] * x * round(x)}


def test_arrays_without_axes_are_numbers_to_a_program():
    program = as_primitive(by_kind)
    x, options = np.array(2.0), {"scale": np.array(3.0)}
    assert program(x, options)["y"] == 12.0
    y, pullback = rrule(program, x, options)
    assert y["y"] == 12.0
    assert pullback({"y": 1.0})[0] == 6.0
    assert frule((1.0, ZERO), program, x, options)[1]["y"] == 6.0


# Compiled


def chained(x, factor):
    y = x.copy()
    y[0] = 0.5
    for _ in range(3):
        y = np.sin(y) * factor + x
    return y


def test_compiled_is_the_program_in_all_modes():
    program, bar = as_primitive(chained, compiled=True), np.array([1.0, -1.0, 0.5, 2.0])
    expected, pullback = vjp(chained, X, 1.5)
    pushed = jvp(chained, (X, 1.5), (bar, 2.0))
    for _ in range(4):  # two of these record the program
        y, own_pullback = rrule(program, X, 1.5)
        np.testing.assert_array_equal(y, expected)
        for found, wanted in zip(own_pullback(bar), pullback(bar), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14)
        for found, wanted in zip(frule((bar, 2.0), program, X, 1.5), pushed, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14)
        np.testing.assert_array_equal(program(X, 1.5), expected)
    calls = program.compiled_calls
    for recorded in (calls.traced, calls.pulled, calls.pushed):
        assert recorded.reasons == []  # to leave calls to the tape
        assert recorded.guards()


def test_compiled_to_second_order_and_for_many_examples():
    program = as_primitive(chained, compiled=True)

    def loss(f):
        return lambda x: np.sum(f(x, 1.5) ** 2)

    for _ in range(3):
        expected = hessian(loss(chained))(X)
        np.testing.assert_allclose(hessian(loss(program))(X), expected, rtol=1e-12)
        found = vmap(grad(loss(program)))(COLUMNS)
        np.testing.assert_allclose(found, [grad(loss(chained))(x) for x in COLUMNS], rtol=1e-12)


def test_a_compiled_program_sees_through_nothing():
    with pytest.raises(InputError, match="leave one of them out"):
        as_primitive(chained, compiled=True, seen_through=["math"])
    assert as_primitive(chained, compiled=True) != as_primitive(chained)
    assert as_primitive(chained, compiled=True) == as_primitive(chained, compiled=True)


def test_a_function_with_attributes_of_our_names():
    def squared(x):
        return x * x

    squared.function = squared.rules = squared.packages = squared.scope = squared.to = None
    assert grad(as_primitive(squared))(3.0) == 6.0
    assert compiled(grad(squared))(3.0) == compiled(squared)(3.0) - 3.0 == 6.0
