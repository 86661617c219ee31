"""Plans of calls: arguments go where the rule wants them, and a new engine is quick by them alone."""

import numpy as np
import pytest

from chainrules_py import (
    ZERO,
    NoRuleError,
    OptionError,
    RuleContractError,
    accumulate,
    accumulated,
    default_rules,
)
from chainrules_py.engines import bound_in_reverse, call_plans, planned

X = np.arange(1.0, 7.0).reshape(2, 3)


def test_calls_of_one_kind_are_bound_once_until_a_rule_arrives(rules):
    def bound(axis, x=X):
        return planned(rules, bound_in_reverse, np.sum, (x,), {"axis": axis}, (0,))[0]

    first = bound(0)
    assert bound(1, 2 * X) is first
    assert bound((0, 1)) is not first
    rules.rrule.register(len)(lambda x: (len(x), lambda y_bar: (ZERO,)))
    assert bound(0) is not first


def test_calls_of_a_refused_kind_have_no_plan_until_a_rule_arrives(rules):
    def found(x):
        return planned(rules, bound_in_reverse, np.sin, (x,), {}, (0,))

    found(X)[0].refuse()
    assert found(2 * X) is None
    assert found(1.0) is not None
    rules.rrule.register(len)(lambda x: (len(x), lambda y_bar: (ZERO,)))
    assert found(X) is not None


def test_the_default_of_an_option_is_seen_call_by_call(rules):
    def half(x, power=1):
        return x**power / 2

    rules.rrule.register(half)(lambda x: (x / 2, lambda y_bar: (y_bar / 2,)))
    _, args, options = planned(rules, bound_in_reverse, half, (2.0,), {"power": 1}, (0,))
    assert (args, options) == ((2.0,), {})
    with pytest.raises(OptionError) as caught:
        planned(rules, bound_in_reverse, half, (2.0,), {"power": 2}, (0,))
    assert caught.value.option == "power"


@pytest.mark.parametrize(
    ("primal", "args", "options", "needed"),
    [
        (np.argmax, (X,), {}, (0,)),
        (np.sum, (X, 0), {}, (0, 1)),
        (np.ndarray.compress, (X, [True, False]), {}, (0,)),
        (np.sum, (), {"a": X}, ()),
    ],
    ids=["constant", "an option is needed", "exchanged", "by keyword"],
)
def test_what_has_to_be_looked_at_call_by_call_has_no_plan(primal, args, options, needed):
    assert planned(default_rules, bound_in_reverse, primal, args, options, needed) is None


def test_a_primal_that_cannot_be_hashed_has_no_plan():
    class Model:
        __hash__ = None

        def __call__(self, x):
            return x

    assert planned(default_rules, bound_in_reverse, Model(), (X,), {}, (0,)) is None


def test_a_missing_rule_is_said():
    with pytest.raises(NoRuleError) as caught:
        planned(default_rules, bound_in_reverse, np.sum, ("text",), {}, (0,))
    assert caught.value.__context__ is None  # nobody reads of a look-up that failed before it


def test_an_adapter_is_given_no_rule_that_it_cannot_run(rules):
    def asking(x):
        return x

    rules.rrule.register(asking)(lambda x, *, config: (x, lambda y_bar: (y_bar,)))
    found = []

    def bind(call):
        found.append(call.rule("reverse", call.types))

    for primal, args in [(np.sin, (X,)), (np.argmax, (X,)), (asking, (X,)), (np.sum, ("text",))]:
        assert planned(rules, bind, primal, args, {}, (0,)) is None
    assert found[0].primal is np.sin
    assert found[1:] == [None, None, None]
    with pytest.raises(OptionError):
        planned(rules, bind, np.sin, (X,), {"axis": 0}, (0,))


def test_a_pullback_with_too_few_cotangents_is_refused(rules):
    def both(x, y):
        return x * y

    rules.rrule.register(both)(lambda x, y: (x * y, lambda y_bar: (y_bar,)))
    bound, _, _ = planned(rules, bound_in_reverse, both, (2.0, 3.0), {}, (0, 1))
    _, pull, residuals = bound.stage(2.0, 3.0)
    with pytest.raises(RuleContractError):
        pull(residuals, 1.0)


class Traced:
    """A value on the list of a toy engine, whose calls are planned."""

    def __init__(self, value, tape):
        self.value, self.tape, self.slot = value, tape, len(tape)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return self.tape.call(ufunc, inputs, options)

    def __array_function__(self, function, types, args, options):
        return self.tape.call(function, args, options)


class Toy(list):
    """A toy engine: a list of pullbacks with their residuals and slots."""

    def __init__(self, rules):
        self.rules = rules

    def record(self, value, *entry):
        traced = Traced(value, self)
        self.append(entry)
        return traced

    def call(self, primal, args, options):
        needed = tuple([k for k, x in enumerate(args) if type(x) is Traced])
        slots = {k: args[k].slot for k in needed}
        values = [x.value if type(x) is Traced else x for x in args]
        bound, values, options = planned(
            self.rules, bound_in_reverse, primal, values, options, needed
        )
        y, pull, residuals = bound.stage(*values, **options)
        return self.record(y, pull, residuals, slots)

    def gradient(self, f, x):
        y = f(self.record(x, None, None, {}))
        bars = [ZERO] * y.slot + [1.0]
        for slot in range(y.slot, 0, -1):
            pull, residuals, slots = self[slot]
            bar = accumulated(bars[slot])
            if bar is not ZERO:
                found = pull(residuals, bar)
                for k, parent in slots.items():
                    bars[parent] = accumulate(bars[parent], found[k])
        return accumulated(bars[0])


def test_an_engine_of_its_own_looks_nothing_up_at_the_second_call(rules, monkeypatch):
    def f(x):
        return np.sum(np.multiply(np.sin(x), x), axis=None)

    expected = np.sin(X) + X * np.cos(X)
    np.testing.assert_allclose(Toy(rules).gradient(f, X), expected)
    for method in ("canonical", "resolve", "find", "rule_for"):
        monkeypatch.setattr(rules, method, None)
    monkeypatch.setattr(rules.names, "arrangement", None)
    monkeypatch.setattr(call_plans, "plan_of", None)
    np.testing.assert_allclose(Toy(rules).gradient(f, X), expected)
