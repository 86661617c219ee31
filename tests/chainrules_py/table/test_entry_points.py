"""Calling `rrule` and `frule`: canonical form, what they accept, what they refuse."""

import contextvars
import operator
import pickle
import threading
from dataclasses import dataclass

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    Array,
    ChainRulesError,
    HasForwardMode,
    HasReverseMode,
    NoRuleError,
    OptionError,
    RegistrationError,
    RuleConfig,
    RuleContractError,
    RuleTable,
    Scalar,
    SeedError,
    Tangent,
    Thunk,
    batched,
    default_rules,
    explain,
    frule,
    frule_via_ad,
    partials,
    resolve,
    rrule,
    rrule_via_ad,
    rules_of,
    scalar_rule,
)
from chainrules_tape import grad, jvp

X = np.arange(6.0).reshape(2, 3)


def test_the_first_example_of_the_project():
    y, pullback = rrule(np.multiply, np.arange(3.0), np.ones((2, 3)))
    a_bar, b_bar = pullback(np.ones((2, 3)))
    assert (a_bar.shape, b_bar.shape) == ((3,), (2, 3))
    np.testing.assert_array_equal(y, np.arange(3.0) * np.ones((2, 3)))
    np.testing.assert_array_equal(a_bar, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(b_bar, [[0, 1, 2], [0, 1, 2]])


SAME_CALL = {
    "positional option": ((np.sum, X, 0), {}),
    "keyword option": ((np.sum, X), {"axis": 0}),
    "all keywords": ((np.sum,), {"a": X, "axis": 0}),
    "a default spelled out": ((np.sum, X, 0), {"out": None, "dtype": None}),
    "a method": ((X.sum, 0), {}),
    "a method descriptor": ((np.ndarray.sum, X), {"axis": 0}),
    "a ufunc's method": ((np.add.reduce, X), {}),
}


@pytest.mark.parametrize(("args", "options"), SAME_CALL.values(), ids=SAME_CALL.keys())
def test_every_way_to_write_a_call_is_the_same_call(args, options):
    y, pullback = rrule(*args, **options)
    assert y.tolist() == [3.0, 5.0, 7.0]
    assert pullback(np.array([1.0, 2.0, 3.0]))[0].tolist() == [[1.0, 2.0, 3.0]] * 2


@pytest.mark.parametrize(("args", "options"), [((np.sum, X, 0), {}), ((np.sum, X), {"axis": 0})])
def test_forward_takes_a_tangent_for_each_argument_as_written(args, options):
    dots = (X, NO_TANGENT)[: len(args) - 1]
    y, y_dot = frule(dots, *args, **options)
    np.testing.assert_array_equal(y, y_dot)


def test_forward_refuses_a_tangent_for_an_option():
    with pytest.raises(ChainRulesError):
        frule((X, 1.0), np.sum, X, 0)
    with pytest.raises(OptionError) as caught:
        frule((X, 1.0), np.mean, X, 0.5)
    assert caught.value.option == "axis"


def test_options_that_the_rule_does_not_take_are_refused_by_name():
    with pytest.raises(OptionError) as caught:
        rrule(np.sin, X, where=X > 1)
    assert (caught.value.primal, caught.value.option) == (np.sin, "where")
    assert isinstance(caught.value, TypeError)


def test_too_many_arguments_are_refused():
    with pytest.raises(OptionError, match="a, axis"):
        rrule(np.sum, X, 0, axis=1)


class Active(RuleConfig):
    """An engine to which a certain value is active."""

    def __init__(self, value):
        self.value = value

    def is_active(self, value):
        return value is self.value


def test_an_active_value_in_an_undifferentiated_keyword_is_refused():
    rules = RuleTable()

    def scaled(x, factor):
        return x * factor

    @rules.rrule.register(scaled)
    def scaled_rrule(x: Array, *, factor):
        return x * factor, lambda y_bar: (y_bar * factor,)

    factor = np.float64(3.0)
    assert rules.rrule(scaled, X, factor=factor, config=Active(None))[1](X)[0][1, 2] == 15.0
    with pytest.raises(OptionError) as caught:
        rules.rrule(scaled, X, factor=factor, config=Active(factor))
    assert (caught.value.option, caught.value.value) == ("factor", factor)


SEEDS = {
    "None": (np.sin, (X,), None),
    "a wrong shape": (np.sin, (X,), np.ones(3)),
    "a number for an array": (np.sin, (X,), 1.0),
    "a complex seed of a real output": (np.sin, (X,), X + 1j),
    "an object array": (np.sin, (X,), X.astype(object)),
    "an integer array": (np.sin, (X,), np.ones((2, 3), int)),
    "a string": (np.sin, (X,), "seed"),
    "None for a rule written by hand": (np.linalg.inv, (np.eye(2),), None),
    "a wrong shape for a rule written by hand": (np.linalg.inv, (np.eye(2),), np.ones(2)),
    "too few outputs": (np.divmod, (X, 2.0), (X,)),
    "None for an output": (np.divmod, (X, 2.0), (X, None)),
}


@pytest.mark.parametrize(("primal", "args", "seed"), SEEDS.values(), ids=SEEDS.keys())
def test_a_seed_that_is_no_cotangent_is_refused(primal, args, seed):
    _, pullback = rrule(primal, *args)
    with pytest.raises(SeedError) as caught:
        pullback(seed)
    assert primal.__name__ in caught.value.rule
    assert caught.value.value is seed or any(caught.value.value is part for part in seed)
    assert hasattr(caught.value, "expected")


@pytest.mark.parametrize("primal", [np.sin, np.linalg.inv])
def test_seeds_may_be_zero_or_postponed_or_of_another_precision(primal):
    x = np.array([[1.0, 2.0], [0.5, 3.0]])
    _, pullback = rrule(primal, x)
    expected = pullback(x)[0]
    assert pullback(ZERO) == (ZERO,)
    np.testing.assert_array_equal(pullback(Thunk(lambda: x))[0], expected)
    narrow = pullback(x.astype(np.float32))[0]
    assert narrow.dtype == np.float64
    np.testing.assert_allclose(narrow, expected, rtol=1e-6)


def test_python_numbers_are_weak_seeds():
    _, pullback = rrule(np.sum, np.ones(3, np.float32))
    (x_bar,) = pullback(2.0)
    assert x_bar.dtype == np.float32
    assert x_bar.tolist() == [2.0, 2.0, 2.0]


TANGENTS = {
    "None": (None,),
    "a wrong shape": (np.ones(3),),
    "too many": (X, X),
    "no tuple": X,
    "complex for a real argument": (X + 1j,),
}


@pytest.mark.parametrize("dots", TANGENTS.values(), ids=TANGENTS.keys())
def test_a_tangent_that_is_none_is_refused(dots):
    with pytest.raises(SeedError):
        frule(dots, np.sin, X)


def returning(result, entry_point=rrule):
    """A table with a rule that returns this."""
    rules = RuleTable()

    def primal(x):
        return x

    rules.rrule.register(primal)(lambda x: result)
    rules.frule.register(primal)(lambda dots, x: result)
    return rules, primal


BROKEN = {
    "too few cotangents": lambda y_bar: (),
    "too many cotangents": lambda y_bar: (y_bar, y_bar),
    "no tuple": lambda y_bar: y_bar,
    "None": lambda y_bar: (None,),
}


@pytest.mark.parametrize("pullback", BROKEN.values(), ids=BROKEN.keys())
def test_a_pullback_that_breaks_its_promise_is_named(pullback):
    rules, primal = returning((X, pullback))
    _, checked = rules.rrule(primal, X)
    with pytest.raises(RuleContractError) as caught:
        checked(X)
    assert caught.value.rule.primal is primal
    assert "test_entry_points.py" in caught.value.location
    assert "test_entry_points.py" in str(caught.value)


def test_a_reverse_rule_that_returns_no_pullback_is_named():
    rules, primal = returning(X)
    with pytest.raises(RuleContractError):
        rules.rrule(primal, X)


def test_an_exception_inside_a_rule_keeps_its_own_traceback():
    rules = RuleTable()

    def primal(x):
        return x

    @rules.rrule.register(primal)
    def failing_rrule(x: Array):
        def failing_pullback(y_bar):
            raise ZeroDivisionError("from inside")

        return x, failing_pullback

    _, pullback = rules.rrule(primal, X)
    with pytest.raises(ZeroDivisionError, match="from inside") as caught:
        pullback(X)
    assert caught.traceback[-1].name == "failing_pullback"


def test_an_exception_inside_a_generated_rule_shows_its_source():
    with pytest.raises(ValueError, match="broadcast") as caught:
        rrule(np.multiply, np.ones(2), np.ones(3))
    assert caught.traceback[-1].name == "multiply_stage"
    assert "out = primal(x1, x2)" in str(caught.getrepr())


class Engine(HasReverseMode, HasForwardMode):
    """An engine that differentiates a function by the rule it has."""

    def rrule_via_ad(self, function, *args, **options):
        return rrule(function, *args, **options)

    def frule_via_ad(self, dots, function, *args, **options):
        return frule(dots, function, *args, **options)


def twice(f, x):
    return f(f(x))


HIGHER = RuleTable(parent=default_rules)


@HIGHER.rrule.register(twice)
def twice_rrule(f: object, x: Array | Scalar, *, config: HasReverseMode):
    inner, inner_pullback = rrule_via_ad(config, f, x)
    outer, outer_pullback = rrule_via_ad(config, f, inner)

    def twice_pullback(y_bar):
        return NO_TANGENT, inner_pullback(outer_pullback(y_bar)[0])[0]

    return outer, twice_pullback


@HIGHER.frule.register(twice)
def twice_frule(dots, f: object, x: Array | Scalar, *, config: HasForwardMode):
    inner, inner_dot = frule_via_ad(config, (dots[1],), f, x)
    return frule_via_ad(config, (inner_dot,), f, inner)


def test_a_higher_order_function_uses_the_engine_that_calls():
    y, pullback = HIGHER.rrule(twice, np.sin, X, config=Engine())
    slope = np.cos(np.sin(X)) * np.cos(X)
    np.testing.assert_allclose(y, np.sin(np.sin(X)))
    np.testing.assert_allclose(pullback(np.ones((2, 3)))[1], slope)
    y, y_dot = HIGHER.frule((NO_TANGENT, np.ones((2, 3))), twice, np.sin, X, config=Engine())
    np.testing.assert_allclose(y_dot, slope)


def test_without_such_an_engine_there_is_no_rule():
    with pytest.raises(NoRuleError):
        HIGHER.rrule(twice, np.sin, X)
    with pytest.raises(NoRuleError) as caught:
        rrule_via_ad(RuleConfig(), np.sin, X)
    assert caught.value.primal is np.sin
    with pytest.raises(NoRuleError):
        frule_via_ad(RuleConfig(), (X,), np.sin, X)


def test_several_outputs_take_a_tuple_or_a_tangent():
    _, pullback = rrule(np.divmod, X, 2.0)
    plain = pullback((X, X))
    np.testing.assert_array_equal(plain[0], X)
    np.testing.assert_array_equal(pullback(Tangent[tuple](ZERO, X))[0], plain[0])
    assert pullback((ZERO, ZERO)) == (ZERO, ZERO)


def test_getitem_reads_with_any_index():
    y, pullback = rrule(operator.getitem, X, (slice(None), [0, 0, 2]))
    assert y.shape == (2, 3)
    thunk, index_bar = pullback(np.ones((2, 3)))
    assert index_bar is NO_TANGENT
    assert (thunk + ZERO) is thunk
    np.testing.assert_array_equal(thunk.force(), [[2, 0, 1], [2, 0, 1]])


def test_errors_survive_pickling():
    with pytest.raises(OptionError) as caught:
        rrule(np.sin, X, where=False)
    again = pickle.loads(
        pickle.dumps(caught.value.__class__("where", "got", "instead", option="axis"))
    )
    assert (again.option, str(again)) == ("axis", "where: got; instead")


@pytest.mark.parametrize("tangent", [1j, np.complex128(1j)], ids=["complex", "complex128"])
def test_a_complex_tangent_of_a_real_number(tangent):
    with pytest.raises(SeedError) as caught:
        frule((tangent,), np.sin, 0.3)
    assert caught.value.value == tangent
    assert frule((tangent,), np.sin, 0.3 + 0j)[1] == pytest.approx(1j * np.cos(0.3))


@pytest.mark.parametrize("args", [(np.sum, "ndarray"), ("argmax", np.ndarray)])
def test_an_opt_out_is_of_a_function_and_of_classes(args):
    with pytest.raises(RegistrationError) as caught:
        RuleTable().rrule.opt_out(*args)
    assert caught.value.primal is args[0]
    assert "test_entry_points.py:" in caught.value.where


def test_an_opt_out_is_of_one_mode():
    table = RuleTable(parent=default_rules)
    table.rrule.opt_out(np.sin, np.ndarray)
    assert table.rrule.find(np.sin, np.ndarray) is None
    assert table.frule.find(np.sin, np.ndarray) is not None


def in_thread(run):
    found = []
    thread = threading.Thread(target=lambda: found.append(run()))
    thread.start()
    thread.join()
    return found[0]


def doubled_slopes():
    rules = RuleTable(parent=default_rules)
    scalar_rule(np.sin, "x", "2 * cos(x)", table=rules)
    return rules


QUESTIONS = {
    "rrule": lambda: rrule(np.sin, 0.0)[1](1.0)[0],
    "frule": lambda: frule((1.0,), np.sin, 0.0)[1],
    "find": lambda: rrule.find(np.sin, float)(0.0)[1](1.0)[0],
    "resolve": lambda: resolve("forward", np.sin, (float,))((1.0,), 0.0)[1],
    "partials": lambda: partials(np.sin, 0.0, 0.0)[0],
    "explain": lambda: 2.0 if "passed over" in str(explain(np.sin, 0.0)) else 1.0,
    "grad": lambda: grad(np.sin)(0.0),
    "jvp": lambda: jvp(np.sin, (0.0,), (1.0,))[1],
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_a_table_is_in_force_in_its_block_alone(ask):
    rules = doubled_slopes()
    with rules_of(rules):
        assert ask() == 2.0
        assert in_thread(ask) == 1.0
        assert contextvars.Context().run(ask) == 1.0
        with rules_of(default_rules):
            assert ask() == 1.0
        assert ask() == 2.0
    assert ask() == 1.0


def test_a_table_that_is_named_goes_before_the_one_in_force():
    rules = doubled_slopes()
    with rules_of(rules):
        assert rrule(np.sin, 0.0, rules=default_rules)[1](1.0)[0] == 1.0
        assert RuleTable(parent=default_rules).rrule(np.sin, 0.0)[1](1.0)[0] == 1.0
        assert batched(np.sin, (True,), np.zeros(2)).tolist() == [0.0, 0.0]
    with pytest.raises(OptionError), rules_of("mine"):
        pass


@dataclass
class ComparedConfig(HasReverseMode):
    """An engine's config whose objects cannot be hashed."""

    depth: int = 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda config: rrule(np.sin, 0.0, config=config),
        lambda config: default_rules.resolve("forward", np.sin, (float,), (True,), config),
        lambda config: rrule.find(np.sin, float, config=config),
    ],
)
def test_a_config_that_cannot_be_hashed_is_told_how_to(ask):
    with pytest.raises(OptionError, match=r"@dataclass\(frozen=True\)") as caught:
        ask(ComparedConfig())
    assert caught.value.option == "config"


def test_objects_have_no_tangents():
    rules = RuleTable(parent=default_rules)
    doubled = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    scalar_rule(doubled, "x", "2.0", table=rules)
    _, pullback = rules.rrule(doubled, np.ones(2))
    with pytest.raises(SeedError, match=r"\.astype\(float\).*frompyfunc"):
        pullback(np.ones(2))
