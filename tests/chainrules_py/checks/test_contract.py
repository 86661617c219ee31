"""Debug mode: every promise of a rule, broken once, is reported with the rule, its place and the
argument.
"""

import operator
import threading

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    Array,
    RuleContractError,
    RuleTable,
    Tangent,
    composed,
    debug_mode,
    default_rules,
    rrule,
)
from chainrules_py.checks.contract import debugging
from chainrules_py.engines import bound_in_reverse, planned
from chainrules_py.errors import OverwrittenError
from chainrules_tape import grad, jvp, primitive, vjp

X = np.array([1.0, 2.0, 3.0])


def primal(x):
    return np.asarray(x) * 1.0


def honest(x: Array):
    return 1.0 * x, lambda y_bar: (2.0 * y_bar,)


def writes_its_argument(x: Array):
    x += 1.0
    return x * 1.0, lambda y_bar: (y_bar,)


def writes_its_argument_later(x: Array):
    def pullback(y_bar):
        x[:] = 0.0
        return (y_bar,)

    return x * 1.0, pullback


def writes_its_cotangent(x: Array):
    def pullback(y_bar):
        y_bar *= 2.0
        return (y_bar,)

    return x * 1.0, pullback


def writes_its_output(x: Array):
    y = x * 1.0

    def pullback(y_bar):
        y[:] = 0.0
        return (y_bar,)

    return y, pullback


def keeps_a_stale_buffer(x: Array):
    buffer = np.zeros_like(x)

    def pullback(y_bar):
        buffer[:] += y_bar
        return (buffer,)

    return x * 1.0, pullback


def changes_its_mind(x: Array):
    calls = []

    def pullback(y_bar):
        calls.append(1)
        return (len(calls) * y_bar,)

    return x * 1.0, pullback


def wrong_shape(x: Array):
    return x * 1.0, lambda y_bar: (y_bar[:2],)


def wrong_dtype(x: Array):
    return x * 1.0, lambda y_bar: (y_bar.astype(np.float32),)


def complex_for_real(x: Array):
    return x * 1.0, lambda y_bar: (y_bar * 1j,)


def another_value(x: Array):
    return x * 1.5, lambda y_bar: (1.5 * y_bar,)


def another_dtype(x: Array):
    return x.astype(np.float32), lambda y_bar: (y_bar.astype(x.dtype),)


def another_shape(x: Array):
    return x[:2], lambda y_bar: (np.append(y_bar, 0.0),)


BROKEN = [
    (another_value, "result"),
    (another_dtype, "result"),
    (another_shape, "result"),
    (writes_its_argument, "its arguments"),
    (writes_its_argument_later, "its arguments"),
    (writes_its_cotangent, "the cotangent it was given"),
    (writes_its_output, "its output"),
    (keeps_a_stale_buffer, "the cotangents of an earlier call"),
    (changes_its_mind, 0),
    (wrong_shape, 0),
    (wrong_dtype, 0),
    (complex_for_real, 0),
]


def table_with(function):
    table = RuleTable()
    table.rrule.register(primal)(function)
    return table


@pytest.mark.parametrize(("rule", "argument"), BROKEN, ids=lambda v: getattr(v, "__name__", None))
def test_a_broken_promise_is_reported(rule, argument):
    table = table_with(rule)

    def differentiate():
        _, pullback = table.rrule(primal, X.copy(), debug=True)
        pullback(np.ones(3))

    with pytest.raises(RuleContractError) as caught:
        differentiate()
    assert type(caught.value) is RuleContractError
    assert caught.value.argument == argument
    assert caught.value.rule.primal is primal
    assert "test_contract.py:" in caught.value.location
    assert rule.__name__ in str(caught.value)


FOUND_IN_DEBUG_MODE_ONLY = [
    rule
    for rule, _ in BROKEN
    if rule not in (writes_its_argument, writes_its_cotangent, wrong_shape, another_shape)
]


@pytest.mark.parametrize("rule", FOUND_IN_DEBUG_MODE_ONLY)
def test_without_debug_mode_nobody_pays_for_these_checks(rule):
    _, pullback = table_with(rule).rrule(primal, X.copy())
    pullback(np.ones(3))


def test_an_integer_argument_must_get_no_tangent():
    table = table_with(honest)
    with pytest.raises(RuleContractError) as caught:
        table.rrule(primal, np.arange(3), debug=True)[1](np.ones(3))
    assert caught.value.argument == 0


def test_forward_tangents_are_checked_against_the_output(rules):
    rules.frule.register(primal)(lambda dots, x: (x * 1.0, dots[0].astype(np.float32)))
    with pytest.raises(RuleContractError) as caught:
        rules.frule((X,), primal, X, debug=True)
    assert caught.value.argument == "y_dot"


def drifting_body(x):
    return np.sum(x) * 1.5


@pytest.mark.parametrize(
    "differentiated", [grad, lambda f: lambda x: jvp(f, (x,), (x,))], ids=["grad", "jvp"]
)
def test_a_body_is_held_to_the_value_of_its_function(differentiated):
    @primitive
    def total(x):
        return np.sum(x)

    composed(total)(drifting_body)
    with debug_mode(), pytest.raises(RuleContractError) as caught:
        differentiated(lambda x: total(x))(X)
    assert (caught.value.argument, caught.value.expected) == ("result", 6.0)


@pytest.mark.parametrize(
    "draw",
    [lambda x, rng: x * rng.normal(), lambda x, rng: x * np.random.normal()],
    ids=["given", "global"],
)
def test_what_draws_is_not_held_to_its_value(draw):
    @primitive
    def noisy(x, rng):
        return draw(x, rng)

    @rrule.register(noisy)
    def noisy_rrule(x: Array, rng: object):
        return noisy(x, rng), lambda y_bar: (y_bar, NO_TANGENT)

    rng, same = np.random.default_rng(0), np.random.default_rng(0)
    with debug_mode():
        rrule(noisy, X, rng)
    noisy(X, same)
    assert rng.bit_generator.state == same.bit_generator.state


def test_the_context_manager_is_on_inside_only():
    table = table_with(wrong_dtype)
    assert not debugging()
    with debug_mode():
        assert debugging()
        with pytest.raises(RuleContractError):
            table.rrule(primal, X)[1](X)
        with debug_mode(False):
            table.rrule(primal, X)[1](X)
    assert not debugging()
    table.rrule(primal, X)[1](X)


def test_debug_mode_is_of_one_thread():
    seen = []
    with debug_mode():
        thread = threading.Thread(target=lambda: seen.append(debugging()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_structured_cotangents_are_checked_field_by_field(rules):

    def total(pair):
        return pair[0] + pair[1]

    @rules.rrule.register(total)
    def total_rrule(pair: tuple):
        return total(pair), lambda y_bar: (Tangent[tuple](y_bar, y_bar[:1]),)

    with pytest.raises(RuleContractError):
        rules.rrule(total, (X, X), debug=True)[1](X)


# --- What is overwritten between a rule and its pullback ---


def overwrite(x, value=0.0):
    x[...] = value


def missed_by_the_mark(x):
    """A single entry of a large array is overwritten, which only a comparison of all entries sees."""
    buffer = np.full(20_000, 2.0)
    y = np.sum(x[0] * buffer)
    buffer[1] = 5.0
    return y


def test_debug_mode_compares_all_entries_of_a_large_array():
    grad(missed_by_the_mark)(X)
    with debug_mode(), pytest.raises(OverwrittenError) as caught:
        grad(missed_by_the_mark)(X)
    assert (caught.value.rule.primal, caught.value.argument) == (np.multiply, 1)
    assert (caught.value.expected[1], caught.value.value[1]) == (2.0, 5.0)
    assert "copy" in caught.value.instead


# a function, its arguments, who writes, a cotangent, and what is said to have been written to
WRITTEN = {
    "first": (np.multiply, lambda: (X.copy(), X + 1), lambda args, y: overwrite(args[0]), X, 0),
    "second": (np.multiply, lambda: (X, X + 1), lambda args, y: overwrite(args[1]), X, 1),
    "result": (np.exp, lambda: (X,), lambda args, y: overwrite(y), X, "its output"),
    "what a view is of": (
        *(np.multiply, lambda: (X, np.ones((2, 3))[0])),
        *(lambda args, y: overwrite(args[1].base), X, 1),
    ),
    "a list": (
        *(operator.getitem, lambda: (np.ones((2, 3)), (slice(None), [0, 2]))),
        *(lambda args, y: args[1][1].append(1), np.ones((2, 2)), 1),
    ),
    "a shape": (
        *(np.sum, lambda: (np.ones(4),)),
        *(lambda args, y: args[0].resize(3, refcheck=False), 1.0, 0),
    ),
}


@pytest.mark.parametrize(
    ("primal", "make", "write", "seed", "argument"), WRITTEN.values(), ids=WRITTEN
)
def test_what_is_overwritten_before_the_pullback_is_reported(primal, make, write, seed, argument):
    args = make()
    y, pullback = rrule(primal, *args, debug=True)
    pullback(seed)  # as long as nobody has
    write(args, y)
    with pytest.raises(OverwrittenError) as caught:
        pullback(seed)
    assert caught.value.argument == argument


@pytest.mark.parametrize("values", [[1.0, np.nan, np.inf], [0.0, -0.0, 2.0]])
def test_writing_the_same_values_is_no_harm(values):
    buffer = np.array(values)
    _, pullback = rrule(np.add, X, buffer, debug=True)
    overwrite(buffer, values)
    pullback(X)


def test_pullbacks_outlive_debug_mode():
    buffer = np.ones(20_000)
    with debug_mode():
        _, pullback = vjp(lambda x: np.sum(x[0] * buffer), X)
    assert pullback(1.0)[0].tolist() == [20_000.0, 0.0, 0.0]
    buffer[1] = 0.0
    with pytest.raises(OverwrittenError):
        pullback(1.0)


def table_of_a_rule_that_writes():
    """A table with a rule that writes into its argument."""
    rules = RuleTable(parent=default_rules)

    @rules.rrule.register(np.tan)
    def writing_rrule(x: Array):
        x[0] = 7.0
        return np.tan(x), lambda y_bar: (y_bar,)

    @rules.frule.register(np.tan)
    def writing_frule(dots, x: Array):
        x[0] = 7.0
        return np.tan(x), dots[0]

    return rules


def by_planned(rules, x):
    bound, values, options = planned(rules, bound_in_reverse, np.tan, (x,), {}, (0,))
    return bound.stage(*values, **options)


RESOLVED = {
    "reverse": lambda rules, x: rules.resolve("reverse", np.tan, (np.ndarray,), (True,))(x),
    "forward": lambda rules, x: rules.resolve("forward", np.tan, (np.ndarray,), (True,))((x,), x),
    "find": lambda rules, x: rules.rrule.find(np.tan, np.ndarray)(x),
    "planned": by_planned,
}


@pytest.mark.parametrize("run", RESOLVED.values(), ids=RESOLVED)
def test_debug_mode_reaches_rules_that_are_resolved(run):
    rules = table_of_a_rule_that_writes()
    run(rules, np.ones(2))
    with debug_mode(), pytest.raises(RuleContractError, match="argument"):
        run(rules, np.ones(2))
    run(rules, np.ones(2))
