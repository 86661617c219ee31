"""`linear_rule` makes both rules from an adjoint, or from one adjoint per argument."""

import gc
import weakref

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    OptionError,
    ProjectionError,
    RegistrationError,
    RuleContractError,
    RuleTable,
    Space,
    frule,
    linear_rule,
    rrule,
)

RNG = np.random.default_rng(3)

LINEAR = {
    "sum": (np.sum, (2, 3), {}),
    "sum over an axis": (np.sum, (2, 3), {"axis": 0}),
    "sum over a negative axis": (np.sum, (2, 3, 4), {"axis": -2}),
    "sum over axes": (np.sum, (2, 3, 4), {"axis": (0, 2)}),
    "sum keeping dimensions": (np.sum, (2, 3), {"axis": 1, "keepdims": True}),
    "sum of nothing": (np.sum, (0, 3), {"axis": 0}),
    "sum of a number": (np.sum, (), {}),
    "mean": (np.mean, (2, 3), {}),
    "mean over an axis": (np.mean, (2, 3), {"axis": (1,), "keepdims": True}),
    "reshape": (np.reshape, (2, 3), {"shape": (3, 2)}),
    "reshape in Fortran order": (np.reshape, (2, 3), {"shape": (6,), "order": "F"}),
    "transpose": (np.transpose, (2, 3, 4), {}),
    "transpose with axes": (np.transpose, (2, 3, 4), {"axes": (2, 0, 1)}),
}


@pytest.mark.parametrize(("f", "shape", "options"), LINEAR.values(), ids=LINEAR.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_forward_is_the_function_and_reverse_its_adjoint(f, shape, options, dtype):
    x, x_dot = (
        (
            np.asarray(RNG.normal(size=shape) + 1j, dtype=dtype)
            if np.dtype(dtype).kind == "c"
            else np.asarray(RNG.normal(size=shape), dtype=dtype)
        )
        for _ in range(2)
    )
    y, y_dot = frule((x_dot,), f, x, **options)
    np.testing.assert_array_equal(y, f(x, **options))
    np.testing.assert_allclose(y_dot, f(x_dot, **options), rtol=1e-6)
    y_bar = np.asarray(RNG.normal(size=np.shape(y)), dtype=dtype)
    (x_bar,) = rrule(f, x, **options)[1](y_bar)
    assert (x_bar.shape, x_bar.dtype) == (shape, dtype)
    np.testing.assert_allclose(np.vdot(x_bar, x_dot).real, np.vdot(y_bar, y_dot).real, rtol=1e-4)


MATMUL = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)), ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((0, 3), (3, 4)), ((2, 0), (0, 4)),
]  # fmt: skip


@pytest.mark.parametrize(("a_shape", "b_shape"), MATMUL)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_matmul_in_every_dimension_case(a_shape, b_shape, dtype):
    def draw(shape):
        return np.asarray(
            RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if dtype is np.complex128 else 0),
            dtype,
        )

    a, b, a_dot, b_dot = draw(a_shape), draw(b_shape), draw(a_shape), draw(b_shape)
    y, pullback = rrule(np.matmul, a, b)
    y_bar = draw(np.shape(y))
    a_bar, b_bar = pullback(y_bar)
    y_dot = frule((a_dot, b_dot), np.matmul, a, b)[1]
    np.testing.assert_allclose(y_dot, a_dot @ b + a @ b_dot)
    np.testing.assert_allclose(np.vdot(a_bar, a_dot), np.vdot(y_bar, a_dot @ b), atol=1e-12)
    np.testing.assert_allclose(np.vdot(b_bar, b_dot), np.vdot(y_bar, a @ b_dot), atol=1e-12)


def test_real_next_to_complex():
    a, b = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 2)) + 1j
    y, pullback = rrule(np.matmul, a, b)
    a_bar, b_bar = pullback(y)
    assert (a_bar.dtype, b_bar.dtype) == (np.float64, np.complex128)
    np.testing.assert_allclose(a_bar, (y @ b.conj().T).real)
    assert frule((a, ZERO), np.matmul, a, b)[1].dtype == np.complex128


def tracked(shape):
    class Tracked(np.ndarray):
        pass

    return RNG.normal(size=shape).view(Tracked)


@pytest.mark.parametrize(
    ("needs", "kept"), [((True, True), [0, 1]), ((True, False), [1]), ((False, True), [0])]
)
def test_a_factor_is_kept_only_for_the_other_ones_adjoint(needs, kept):
    factors = [tracked((2, 3)), tracked((3, 2))]
    references = [weakref.ref(factor) for factor in factors]
    _, pullback = rrule(np.matmul, *factors, needs=needs)
    del factors
    gc.collect()
    assert [i for i, reference in enumerate(references) if reference() is not None] == kept
    assert [bar is NO_TANGENT for bar in pullback(np.ones((2, 2)))] == [not need for need in needs]


def test_a_linear_function_keeps_shapes_only():
    x = tracked((2, 3))
    reference = weakref.ref(x)
    _, pullback = rrule(np.sum, x)
    del x
    gc.collect()
    assert reference() is None
    assert pullback(1.0)[0].shape == (2, 3)


def doubled(x, *, times=2):
    return times * x


def test_options_are_those_of_the_adjoint():
    table = RuleTable()
    linear_rule(doubled, lambda y_bar, x, *, times=2: times * y_bar, table=table)
    assert table.rrule(doubled, np.ones(1), times=5)[1](np.ones(1))[0] == [5.0]
    with pytest.raises(OptionError) as caught:
        table.rrule(doubled, np.ones(1), speed=1)
    assert caught.value.option == "speed"


def test_the_decorator_returns_the_adjoint_and_lists_its_place():
    table = RuleTable()

    @linear_rule(doubled, table=table)
    def doubled_adjoint(y_bar, x: Space, *, times=2, xp):
        assert xp is np
        assert isinstance(x, Space)
        return times * y_bar

    rule = next(table.rules(doubled))
    assert "test_linear.py" in rule.where
    assert table.rrule(doubled, np.ones(2))[1](np.ones(2))[0].tolist() == [2.0, 2.0]


def test_an_adjoint_of_the_wrong_shape_is_an_error_and_never_a_broadcast():
    table = RuleTable()
    linear_rule(doubled, lambda y_bar, x: y_bar.sum(), table=table)
    _, pullback = table.rrule(doubled, np.ones(2))
    with pytest.raises(RuleContractError) as caught:
        pullback(np.ones(2))
    assert caught.value.rule.primal is doubled
    assert "test_linear.py" in caught.value.location
    assert isinstance(caught.value.__cause__, ProjectionError)


def test_an_adjoint_must_take_the_arguments():
    with pytest.raises(RegistrationError, match="takes 0 arguments"):
        linear_rule(doubled, lambda y_bar: y_bar, table=RuleTable())


def test_arguments_without_adjoint_have_no_tangent():
    def gather(x, index):
        return x[index]

    def gather_adjoint(y_bar, x, index, *, xp):
        x_bar = xp.zeros(x.shape)
        x_bar[index] = y_bar
        return x_bar

    table = RuleTable()
    linear_rule(gather, gather_adjoint, None, table=table)
    y, pullback = table.rrule(gather, np.arange(3.0), 1)
    assert y == 1.0
    x_bar, index_bar = pullback(2.0)
    assert x_bar.tolist() == [0.0, 2.0, 0.0]
    assert index_bar is NO_TANGENT
    assert table.frule((np.arange(3.0), NO_TANGENT), gather, np.arange(3.0), 2)[1] == 2.0


def test_what_cannot_be_differentiated_is_refused_before_anything_is_computed():
    computed = []

    def counted(x, *, times=2):
        computed.append(times)
        return times * x

    def refuse_nothing(*, times=2):
        if times == 0:
            raise OptionError("counted", "got times=0", "leave it out", primal=counted)

    def counted_adjoint(y_bar, x, *, times=2):
        return times * y_bar

    table = RuleTable()
    linear_rule(counted, counted_adjoint, refuse=refuse_nothing, table=table)
    x = np.ones(2)
    for differentiate in (
        lambda **options: table.rrule(counted, x, **options),
        lambda **options: table.frule((x,), counted, x, **options),
    ):
        with pytest.raises(OptionError, match="leave it out"):
            differentiate(times=0)
        assert computed == []
        differentiate(times=3)
        assert set(computed) == {3}
        computed.clear()


def test_a_function_that_refuses_may_see_the_arguments():
    def scaled(x, *, times=2):
        return times * x

    def refuse_matrices(x, /, times=2):
        if x.ndim > 1 and times == 0:
            raise OptionError("scaled", "got a matrix", "pass a vector", primal=scaled)

    table, x = RuleTable(), np.ones((2, 2))
    linear_rule(
        scaled, lambda y_bar, x, *, times=2: times * y_bar, refuse=refuse_matrices, table=table
    )
    for differentiate in (
        table.rrule,
        lambda *call, **options: table.frule((call[1],), *call, **options),
    ):
        with pytest.raises(OptionError, match="pass a vector"):
            differentiate(scaled, x, times=0)
        assert np.all(differentiate(scaled, x[0], times=0)[0] == 0)
