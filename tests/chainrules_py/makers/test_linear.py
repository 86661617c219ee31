"""`linear_rule` makes both rules from an adjoint, or from one adjoint per argument."""

import gc
import weakref

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    OptionError,
    ProjectionError,
    RuleContractError,
    RuleTable,
    Tangent,
    linear_rule,
    rrule,
)

RNG = np.random.default_rng(3)


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


def test_options_are_those_of_the_adjoint(rules):
    linear_rule(doubled, lambda y_bar, x, *, times=2: times * y_bar, table=rules)
    assert rules.rrule(doubled, np.ones(1), times=5)[1](np.ones(1))[0] == [5.0]
    with pytest.raises(OptionError) as caught:
        rules.rrule(doubled, np.ones(1), speed=1)
    assert caught.value.option == "speed"


def test_an_adjoint_of_the_wrong_shape_is_an_error_and_never_a_broadcast(rules):
    linear_rule(doubled, lambda y_bar, x: y_bar.sum(), table=rules)
    _, pullback = rules.rrule(doubled, np.ones(2))
    with pytest.raises(RuleContractError) as caught:
        pullback(np.ones(2))
    assert caught.value.rule.primal is doubled
    assert "test_linear.py" in caught.value.location
    assert isinstance(caught.value.__cause__, ProjectionError)


def test_what_cannot_be_differentiated_is_refused_before_anything_is_computed(rules):
    computed = []

    def counted(x, *, times=2):
        computed.append(times)
        return times * x

    def refuse_nothing(*, times=2):
        if times == 0:
            raise OptionError("counted", "got times=0", "leave it out", primal=counted)

    def counted_adjoint(y_bar, x, *, times=2):
        return times * y_bar

    linear_rule(counted, counted_adjoint, refuse=refuse_nothing, table=rules)
    x = np.ones(2)
    for differentiate in (
        lambda **options: rules.rrule(counted, x, **options),
        lambda **options: rules.frule((x,), counted, x, **options),
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


def test_functions_of_lists_may_return_pythons_numbers(rules):
    def total(arrays):
        return float(sum(np.sum(x) for x in arrays))

    @linear_rule(total, table=rules)
    def total_adjoint(y_bar, arrays: list | tuple, *, xp):
        return [xp.broadcast_to(y_bar, x.shape) for x in arrays]

    arrays = [np.ones(2), np.ones((1, 3))]
    y, pullback = rules.rrule(total, arrays)
    assert (y, [bar.tolist() for bar in pullback(2.0)[0]]) == (5.0, [[2.0, 2.0], [[2.0] * 3]])
    assert rules.frule((Tangent[list](*arrays),), total, arrays)[1] == 5.0
