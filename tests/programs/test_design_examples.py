"""The examples of the design, sections 2, 3, 4 and 7, as tests."""

import math
import operator

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    Array,
    NoRuleError,
    RuleTable,
    Tangent,
    default_rules,
    frule,
    linear_rule,
    materialize,
    non_differentiable,
    rrule,
    scalar_rule,
    zero_tangent,
)

A, B = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])


# Section 2: the two functions


def test_the_two_functions():
    y, pullback = rrule(np.multiply, A, B)
    a_bar, b_bar = pullback(np.ones(3))
    np.testing.assert_array_equal((y, a_bar, b_bar), (A * B, B, A))
    y, y_dot = frule((A, B), np.multiply, A, B)
    np.testing.assert_array_equal(y_dot, 2 * A * B)


def test_options_reach_the_primal_unchanged_in_any_spelling():
    x = np.arange(6.0).reshape(2, 3)
    for y, _ in (rrule(np.sum, x, 0), rrule(np.sum, a=x, axis=0), rrule(np.sum, x, axis=0)):
        np.testing.assert_array_equal(y, x.sum(axis=0))


def test_no_rule():
    def unheard_of(x):
        return x

    with pytest.raises(NoRuleError) as caught:
        rrule(unheard_of, A)
    assert caught.value.primal is unheard_of
    assert caught.value.types == (np.ndarray,)
    assert "register" in caught.value.instead
    assert rrule.find(unheard_of, np.ndarray) is None
    assert callable(rrule.find(np.multiply, np.ndarray, np.ndarray))


# Section 3: dispatch


def test_a_users_own_array_class_overrides():
    class MyArray(np.ndarray):
        pass

    table = RuleTable(parent=default_rules)

    @table.rrule.register(np.sin)
    def sin_of_mine_rrule(x: MyArray):
        return np.sin(x), lambda y_bar: (y_bar * 0,)

    assert table.rrule(np.sin, A.view(MyArray))[1](np.ones(3))[0].tolist() == [0, 0, 0]
    assert table.rrule(np.sin, A)[1](np.ones(3))[0].tolist() == np.cos(A).tolist()


@pytest.mark.parametrize("alias", [operator.mul, np.ndarray.__mul__])
def test_aliases_of_one_canonical_primal(alias):
    assert default_rules.canonical(alias, (A, B), {})[0] is np.multiply
    assert default_rules.canonical(math.exp, (np.float64(1.0),), {})[0] is np.exp


def test_subscribe_and_explain():
    table = RuleTable()
    heard = []
    table.subscribe(heard.append, replay=True)
    scalar_rule(np.sin, "x", "cos(x)", table=table)
    assert [rule.mode for rule in heard] == ["reverse", "forward"]
    assert "sin_rrule" in str(table.explain(np.sin, A))


# Section 4: tangents


def test_zeros_are_closed_under_linear_functions():
    assert np.multiply(ZERO, A) is ZERO
    assert A + ZERO is A
    assert np.add(A, ZERO) is A
    x = A.copy()
    before = x
    x += ZERO
    assert x is before
    np.testing.assert_array_equal(x, A)
    assert np.sum(ZERO) is ZERO
    chosen = np.where(A > 1, A, ZERO)
    assert chosen.dtype == np.float64
    np.testing.assert_array_equal(chosen, [0, 2, 3])


def test_dense_forms():
    np.testing.assert_array_equal(zero_tangent(A), np.zeros(3))
    np.testing.assert_array_equal(materialize(ZERO, like=A), np.zeros(3))
    assert zero_tangent(3) is NO_TANGENT


def test_a_rule_with_several_outputs_without_one_if():
    """The aggregate of Simple Autograd: r = t * b with the intermediate t = a + b also an output."""
    operations = []

    def simple(a, b):
        return (a + b) * b, a + b

    table = RuleTable()

    class Counted(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            if not any(x is ZERO for x in inputs):
                operations.append(ufunc.__name__)
            plain = [np.asarray(x) if isinstance(x, Counted) else x for x in inputs]
            return getattr(ufunc, method)(*plain, **options)

    @table.rrule.register(simple)
    def simple_rrule(a: Array, b: Array):
        t = a + b

        def simple_pullback(y_bar):
            r_bar, t_bar = y_bar
            t_bar = t_bar + r_bar * b
            return t_bar, t_bar + r_bar * t

        return (t * b, t), simple_pullback

    _, pullback = table.rrule(simple, A, B)
    seed = np.array([1.0, 10.0, 100.0])
    a_bar, b_bar = pullback((seed, ZERO))
    np.testing.assert_array_equal(a_bar, seed * B)
    np.testing.assert_array_equal(b_bar, seed * (A + 2 * B))
    a_bar, b_bar = pullback(Tangent[tuple](ZERO, seed))
    assert a_bar is seed
    assert b_bar is seed
    pullback((ZERO, seed.view(Counted)))
    assert operations == []
    pullback((seed.view(Counted), ZERO))
    assert sorted(operations) == ["multiply", "multiply"]


# Section 7: rule makers


def test_the_short_forms():
    table = RuleTable()
    scalar_rule(np.sin, "x", "cos(x)", table=table)
    scalar_rule(np.tanh, "x", "1 - out*out", table=table)
    scalar_rule(np.arctan2, "y, x", "x / (x*x + y*y)", "-y / (x*x + y*y)", table=table)
    linear_rule(np.transpose, lambda y_bar, x, *, xp: xp.transpose(y_bar), table=table)
    linear_rule(
        np.multiply, lambda y_bar, a, b: y_bar * b, lambda y_bar, a, b: y_bar * a, table=table
    )
    non_differentiable(np.argmax, np.isnan, np.floor_divide, table=table)

    class MyArray(np.ndarray):
        pass

    table.rrule.opt_out(np.sin, MyArray)
    step = 1e-6
    for f, args in [
        (np.sin, (A,)),
        (np.tanh, (A,)),
        (np.arctan2, (A, B)),
        (np.multiply, (A, B)),
        (np.transpose, (A,)),
    ]:
        _, pullback = table.rrule(f, *args)
        for index, bar in enumerate(pullback(np.ones(3))):
            moved = [
                [arg + sign * step * (i == index) for i, arg in enumerate(args)] for sign in (1, -1)
            ]
            np.testing.assert_allclose(bar, (f(*moved[0]) - f(*moved[1])) / (2 * step), rtol=1e-6)
    assert table.rrule(np.argmax, A)[1](0) == (NO_TANGENT,)
    assert table.rrule.find(np.sin, MyArray) is None
