"""The table: dispatch, caches, overlays, opt-outs, subscriptions, listings, threads."""

import abc
import pickle
import re
import threading
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special, stats

from chainrules_py import (
    ZERO,
    AmbiguousRuleError,
    Array,
    ArrayLibrary,
    HasReverseMode,
    NoRuleError,
    RegistrationError,
    RuleConfig,
    RuleRedefinitionWarning,
    RuleTable,
    Scalar,
    batched,
    default_rules,
    explain,
    frule,
    linear_rule,
    primitive,
    register_library,
    rrule,
    scalar_rule,
)
from chainrules_py.rules.rule import rule_from_function
from chainrules_py.testing import Settings, check_frule
from chainrules_py.values import discovery
from chainrules_tape import grad


class MyArray(np.ndarray):
    """A user's own array class."""


class Line:
    """A line through the origin, which is called."""

    def __init__(self, slope):
        self.slope = slope

    def __call__(self, x):
        return self.slope * x


class Reverse(HasReverseMode):
    """An engine with a reverse mode."""


def mine(x):
    return np.asarray(x) * 2.0


@pytest.fixture
def rules():
    """A table that nobody else has rules in."""
    return RuleTable(name="test")


def rule_named(name, **annotations):
    def rule(x):
        return name, lambda y_bar: (y_bar,)

    rule.__annotations__ = annotations
    rule.__name__ = name
    return rule


def fires(rules, *types, config=None):
    """The name of the rule that is chosen."""
    found = rules.find("reverse", mine, types, None, config or RuleConfig())
    return None if found is None else found(*[None] * len(types))[0]


def test_the_more_specific_method_wins(rules):
    rules.rrule.register(mine)(rule_named("general", x=Array))
    assert fires(rules, MyArray) == "general"
    rules.rrule.register(mine)(rule_named("own", x=MyArray))
    assert fires(rules, MyArray) == "own"
    assert fires(rules, np.ndarray) == "general"


def with_config(name, x, config):
    def rule(x, *, config=None):
        return name, lambda y_bar: (y_bar,)

    rule.__annotations__ = {"x": x, "config": config}
    return rule


def test_a_more_specific_rule_without_config_beats_a_config_rule(rules):
    rules.rrule.register(mine)(with_config("reverse", Array, HasReverseMode))
    rules.rrule.register(mine)(rule_named("own", x=MyArray))
    assert fires(rules, MyArray, config=Reverse()) == "own"
    assert fires(rules, np.ndarray, config=Reverse()) == "reverse"


def two(name, x, y):
    def rule(x, y):
        return name, lambda y_bar: (y_bar, y_bar)

    rule.__annotations__ = {"x": x, "y": y}
    return rule


def test_an_ambiguity_in_one_mode_is_none_of_the_other(rules):
    rules.rrule.register(np.hypot)(two("left", MyArray, Array))
    rules.rrule.register(np.hypot)(two("right", Array, MyArray))
    rules.frule.register(np.hypot)(lambda dots, x, y: ("forward", dots[0]))
    types = MyArray, MyArray
    assert rules.find("forward", np.hypot, types, config=Reverse()) is not None
    with pytest.raises(AmbiguousRuleError):
        rules.find("reverse", np.hypot, types, config=Reverse())


@pytest.mark.parametrize("function", [rrule, frule, batched, default_rules])
def test_what_looks_rules_up_is_pickled_by_name(function):
    """So that a function that calls it can be sent to another process."""
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_table_has_the_same_parent_for_good():
    parent = RuleTable(name="test")
    overlay = RuleTable(parent=parent)
    with pytest.raises(AttributeError):
        parent.parent = overlay
    assert overlay.parent is parent


def test_redefinition_warns_and_replaces(rules):
    rules.rrule.register(mine)(rule_named("first", x=Array))
    with pytest.warns(RuleRedefinitionWarning, match=r"second at .* replaces first at") as caught:
        rules.rrule.register(mine)(rule_named("second", x=Array))
    assert caught[0].filename == __file__
    assert fires(rules, np.ndarray) == "second"
    assert len(list(rules.rules(mine))) == 1


def test_opting_out_hides_the_general_rule_only(rules):
    rules.rrule.register(mine)(rule_named("general", x=Array))
    rules.rrule.opt_out(mine, MyArray)
    assert fires(rules, MyArray) is None
    assert fires(rules, np.ndarray) == "general"
    with pytest.raises(NoRuleError, match=r"opted out at .*test_registry"):
        rules.rrule(mine, np.ones(1).view(MyArray))

    class Nearer(MyArray):
        pass

    rules.rrule.register(mine)(rule_named("nearer", x=Nearer))
    assert fires(rules, Nearer) == "nearer"


def test_an_overlay_sees_what_its_parent_learns_later():
    parent = RuleTable(name="test")
    overlay = RuleTable(parent=parent)
    assert fires(overlay, np.ndarray) is None
    parent.rrule.register(mine)(rule_named("later", x=Array))
    assert fires(overlay, np.ndarray) == "later"


def test_calls_of_a_primitive_made_of_an_alias_are_rewritten(rules):

    def other(x, y):
        return np.hypot(y, x)

    rules.rrule.register(np.hypot)(two("hypot", Array, Array))
    rules.alias(other, np.hypot, lambda x, y: ((y, x), {}))
    made = primitive(other)
    assert rules.canonical(made, (1, 2), {}) == (np.hypot, (2, 1), {})
    rules.rrule.register(made)(two("own", Array, Array))
    assert rules.canonical(made, (1, 2), {}) == (made, (1, 2), {})


def test_an_alias_may_come_to_stand_for_another_function():
    parent = RuleTable(parent=default_rules, name="parent")
    overlay = RuleTable(parent=parent, name="overlay")
    named = primitive(lambda x: np.sin(x))
    for primal, slope in ((np.sin, 1.0), (np.cos, 0.0), (np.exp, 1.0)):
        parent.alias(named, primal)
        for rules in (parent, overlay):
            assert rules.rrule(named, 0.0)[1](1.0) == (slope,)
            assert rules.frule((1.0,), named, 0.0)[1] == slope
            assert grad(named, rules=rules)(0.0) == slope


def test_rules_registered_under_an_alias_belong_to_its_primal(rules):

    def other(x, y):
        return np.hypot(x, y)

    rules.alias(other, np.hypot)
    rules.rrule.register(other)(two("hypot", Array, Array))
    assert np.hypot in rules
    assert fires(rules, np.ndarray) is None


def test_subscribers_hear_each_rule_once(rules):
    rules.rrule.register(mine)(rule_named("before", x=Array))
    heard, future = [], []
    stop = rules.on_new_rule(lambda rule: heard.append(rule.name))
    rules.on_new_rule(lambda rule: future.append(rule.name), replay=False)
    rules.rrule.register(mine)(rule_named("after", x=MyArray))
    assert (heard, future) == (["before", "after"], ["after"])
    stop()
    rules.frule.register(mine)(lambda dots, x: (x, dots[0]))
    assert heard == ["before", "after"]


def test_listing(rules):
    rules.rrule.register(mine, np.exp)(rule_named("listed", x=Array))
    assert [(rule.primal, rule.mode, rule.signature) for rule in rules.rules()] == [
        (mine, "reverse", "(Array)"),
        (np.exp, "reverse", "(Array)"),
    ]
    assert "mine)(Array) by listed at " in str(next(rules.rules(mine)))
    assert np.exp in rules
    assert np.sin not in rules


def test_explain_says_which_rule_fires_and_where_it_is(rules):
    rules.rrule.register(mine)(rule_named("general", x=Array))
    rules.rrule.register(mine)(rule_named("own", x=MyArray))
    explanation = rules.explain(mine, np.ones(1).view(MyArray))
    assert explanation.reverse.name == "own"
    assert explanation.forward is None
    text = str(explanation)
    assert "rrule: own(MyArray) at" in text
    assert "passed over: general(Array)" in text
    assert "frule: no rule" in text
    assert "test_registry.py" in text


def test_explain_names_the_row_of_a_table_and_the_reason_of_none():
    text = str(explain(stats.weibull_min.entropy, 1.7))
    assert re.search(r"they read the row at .*positive\.py:\d+", text)
    assert "is not in SciPy" in str(explain(special.zetac, 1.7))


def test_partial_objects_bound_methods_and_callable_objects(rules):

    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, x):
            return self.factor * x

        def method(self, x):
            return self.factor * x

    @rules.rrule.register(Scale.__call__, Scale.method)
    def scale_rrule(scale: Scale, x: Array):
        return scale.factor * x, lambda y_bar: (scale.factor, scale.factor * y_bar)

    scale, x = Scale(3.0), np.ones(2)
    for primal, args in (
        (scale, (x,)),
        (scale.method, (x,)),
        (partial(Scale.method, scale), (x,)),
        (Scale.method, (scale, x)),
    ):
        y, pullback = rules.rrule(primal, *args)
        assert y.tolist() == [3.0, 3.0]
        assert len(pullback(x)) == len(args)
        assert pullback(x)[-1].tolist() == [3.0, 3.0]


def test_the_zero_of_a_record_has_its_fields(rules):
    """`ZERO` has none: a forward rule of an object gets the tangent without entries."""
    given = []

    @rules.frule.register(Line.__call__)
    def line_frule(dots, line: Line, x: float):
        slope_dot = dots[0].slope
        given.append(slope_dot)
        return line.slope * x, slope_dot * x + line.slope * dots[1]

    assert rules.frule((2.0,), Line(3.0), 1.0) == (3.0, 6.0)
    assert rules.frule((ZERO, 2.0), Line.__call__, Line(3.0), 1.0) == (3.0, 6.0)
    assert [x is ZERO for x in given] == [True, True]
    check_frule(Line.__call__, Line(3.0), 1.0, settings=Settings(rules=rules, second_order="off"))


def test_a_constructor_has_the_rule_of_its_class(rules):

    class Point:
        def __init__(self, x):
            self.x = x

    @rules.rrule.register(Point)
    def point_rrule(x: float):
        return Point(x), lambda y_bar: (y_bar.x,)

    assert rules.rrule(Point, 2.0)[0].x == 2.0


def test_whoever_asks_while_a_rule_arrives_leaves_no_old_answer(rules, monkeypatch):
    """As another thread might, before and after the memory is replaced."""
    asked = []
    rules.rrule.register(mine)(rule_named("number", x=Scalar))
    assert rules.find("reverse", mine, (np.ndarray,)) is None
    forget = rules._forget

    def interrupted():
        asked.append(rules.find("reverse", mine, (np.ndarray,)))
        forget()
        asked.append(rules.find("reverse", mine, (np.ndarray,)))

    monkeypatch.setattr(rules, "_forget", interrupted)
    rules.rrule.register(mine)(rule_named("array", x=Array))
    assert len(asked) == 2
    assert rules.find("reverse", mine, (np.ndarray,))(None)[0] == "array"


def test_an_answer_from_before_a_rule_arrived_is_not_remembered(rules, monkeypatch):
    """As if another thread registered a rule between the look-up and the storing of what it found."""
    most_specific = rules._most_specific

    def overtaken(*asked):
        found = most_specific(*asked)
        monkeypatch.undo()
        rules.rrule.register(mine)(rule_named("array", x=Array))
        return found

    monkeypatch.setattr(rules, "_most_specific", overtaken)
    assert rules.find("reverse", mine, (np.ndarray,)) is None
    assert rules.rule_for("reverse", mine, (np.ndarray,)).name == "array"
    assert rules.find("reverse", mine, (np.ndarray,))(None)[0] == "array"


def theirs(x):
    return x


def remembering(rules):
    """The memory of a table after one of its rules was called, by people and by an engine."""
    rules.rrule(mine, np.ones(1))
    assert rules.find("reverse", theirs, (np.ndarray,)) is None
    rules.memory.of_engines["an engine"]["plan"] = 1
    return rules.memory


def test_another_name_that_nobody_has_asked_for_lets_it_stand(rules):
    rules.rrule.register(mine)(rule_named("first", x=Array))
    memory, revision = remembering(rules), rules.revision
    another = lambda x: x  # noqa: E731
    rules.alias(another, mine)
    assert rules.memory is memory
    assert rules.revision == revision
    assert rules.rule_for("reverse", another, (np.ndarray,)).name == "first"


def test_a_rule_of_a_new_primitive_lets_it_stand_but_not_one_of_a_primitive_that_was_called():
    parent = RuleTable(name="test")
    rules = RuleTable(parent=parent)
    rules.rrule.register(mine)(rule_named("first", x=Array))
    memory = remembering(rules)
    new = primitive(lambda x: x)
    parent.frule.register(new)(lambda dots, x: (x, dots[0]))
    parent.rrule.register(new)(rule_named("its", x=Array))
    assert rules.memory is memory
    assert rules.rrule(new, np.ones(1))[0] == "its"
    parent.rrule.register(new)(rule_named("ours", x=np.ndarray))
    assert rules.memory is not memory
    assert rules.rrule(new, np.ones(1))[0] == "ours"

    other = primitive(theirs)
    assert rules.find("reverse", other, (np.ndarray,)) is None
    parent.rrule.register(other)(rule_named("later", x=Array))
    assert rules.rrule(other, np.ones(1))[0] == "later"


def note(monkeypatch, rules, *declared):
    """Register rules as a pack of this distribution does while it is imported: by primal and
    `make`.
    """
    with monkeypatch.context() as patch:
        patch.setattr(discovery.importing, "shipped", True)
        for primal, make in declared:
            rules.declare(primal, make, ("reverse",))


def making(primal, made, name="noted"):
    """What makes a rule of the primal, and says so in the list `made`."""

    def make():
        made.append(primal)
        return [rule_from_function("reverse", primal, rule_named(name, x=Array))]

    return make


ASKING = {
    "find": lambda rules: rules.find("reverse", mine, (np.ndarray,)),
    "rrule": lambda rules: rules.rrule(mine, np.ones(1)),
    "rules of a primal": lambda rules: list(rules.rules(mine)),
    "all rules": lambda rules: list(rules.rules()),
    "explain": lambda rules: rules.explain(mine, np.ones(1)),
    "remove": lambda rules: rules.rrule.remove(mine, Array),
    "subscribe": lambda rules: rules.on_new_rule(lambda rule: None),
    "register": lambda rules: rules.rrule.register(mine)(rule_named("other", x=Scalar)),
    "repr": repr,
    "an overlay's rules": lambda rules: list(RuleTable(parent=rules).rules(mine)),
    "an overlay": lambda rules: RuleTable(parent=rules).find("reverse", mine, (np.ndarray,)),
    "a primitive of it": lambda rules: rules.find("reverse", primitive(mine), (np.ndarray,)),
}


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_a_rule_of_a_shipped_pack_is_made_once_by_who_asks_for_it(rules, ask, monkeypatch):
    made = []
    note(monkeypatch, rules, (mine, making(mine, made)))
    assert rules.find("reverse", np.sign, (np.ndarray,)) is None
    assert not made
    ask(rules)
    assert made == [mine]
    list(rules.rules())
    assert made == [mine]


def test_whether_there_are_rules_is_known_without_making_any(rules, monkeypatch):
    made = []
    note(monkeypatch, rules, (mine, making(mine, made)))
    assert mine in rules
    assert mine in RuleTable(parent=rules)
    assert np.sign not in rules
    assert not made
    rules.rrule.remove(mine, Array)
    assert mine not in rules


def test_rules_that_are_made_late_are_listed_as_declared_and_do_not_disturb_the_memory(
    rules, monkeypatch
):
    note(monkeypatch, rules, (mine, making(mine, [])), (np.sign, making(np.sign, [])))
    memory = rules.memory
    assert rules.find("reverse", np.sign, (np.ndarray,)) is not None
    assert [rule.primal for rule in rules.rules()] == [mine, np.sign]
    assert rules.memory is memory


def test_no_rule_is_not_remembered_past_the_note_of_one(rules, monkeypatch):
    assert rules.find("reverse", mine, (np.ndarray,)) is None
    note(monkeypatch, rules, (mine, making(mine, [])))
    assert fires(rules, np.ndarray) == "noted"


def test_what_is_wrong_with_a_shipped_rule_is_said_at_each_use(rules, monkeypatch):
    wrong = partial(rules.rrule._read, mine, rule_named("wrong", x=list[int]))
    note(monkeypatch, rules, (mine, wrong), (np.sign, making(np.sign, [])))
    for _ in range(2):
        with pytest.raises(RegistrationError, match="not a class"):
            rules.find("reverse", mine, (np.ndarray,))
    assert rules.find("reverse", np.sign, (np.ndarray,)) is not None


def test_rules_registered_before_and_after_a_note_keep_their_order(rules, monkeypatch):
    rules.rrule.register(mine)(rule_named("before", x=Array))
    note(monkeypatch, rules, (mine, making(mine, [])))
    with pytest.warns(RuleRedefinitionWarning, match="noted at .* replaces before"):
        assert fires(rules, np.ndarray) == "noted"
    with pytest.warns(RuleRedefinitionWarning, match="after at .* replaces noted"):
        rules.rrule.register(mine)(rule_named("after", x=Array))
    assert fires(rules, np.ndarray) == "after"


@pytest.mark.parametrize("of_overlay", [False, True])
def test_a_subscriber_hears_of_a_shipped_rule_when_it_is_registered(rules, of_overlay, monkeypatch):
    heard = []
    overlay = RuleTable(parent=rules)
    note(monkeypatch, rules, (np.sign, making(np.sign, [])))
    (overlay if of_overlay else rules).on_new_rule(
        lambda rule: heard.append(rule.primal), replay=of_overlay
    )
    assert heard == [np.sign] * of_overlay
    note(monkeypatch, rules, (mine, making(mine, [])))
    assert heard == [np.sign] * of_overlay + [mine]


def test_who_asks_while_a_rule_is_made_waits_for_it(rules, monkeypatch):
    found, begun = [], threading.Event()

    def make_slowly():
        begun.set()
        other.join(0.05)
        return making(mine, [])()

    def ask():
        begun.wait()
        found.append(rules.find("reverse", mine, (np.ndarray,)))

    other = threading.Thread(target=ask)
    note(monkeypatch, rules, (mine, make_slowly))
    other.start()
    assert fires(rules, np.ndarray) == "noted"
    other.join()
    assert found[0] is not None


def test_replacing_a_rule_while_others_call_it_never_leaves_the_old_one(rules):
    rules.rrule.register(mine)(rule_named("rule0", x=Array))
    done = threading.Event()

    def call():
        while not done.is_set():
            rules.rrule(mine, np.ones(1))

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuleRedefinitionWarning)
            for i in range(1, 200):
                rules.rrule.register(mine)(rule_named(f"rule{i}", x=Array))
                assert rules.rrule(mine, np.ones(1))[0] == f"rule{i}"
    finally:
        done.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize(
    ("primal", "count", "options"),
    [
        (lambda x: x, 1, ()),  # no rule: perhaps a callable object, or a bound method
        (np.dot, 1, ("b",)),  # an argument by keyword
        (np.sum, 2, ("axis",)),  # twice
        (np.sum, 99, ()),  # too many
    ],
    ids=["unknown", "by keyword", "twice", "too many"],
)
def test_what_depends_on_more_has_no_arrangement(primal, count, options):
    assert default_rules.names.arrangement(primal, count, options) is None


def test_the_library_of_the_tangents_counts():
    """A forward rule computes in the library of the tangents, where the value is NumPy's."""

    class Tangents:
        pass

    namespace = SimpleNamespace(name="that of the tangents")
    register_library(ArrayLibrary("tangents", namespace, (Tangents,), priority=9))
    rules = RuleTable(name="test")
    seen = []
    rules.frule.register(mine)(lambda dots, x, *, xp: (x, seen.append(xp) or ZERO))
    rules.resolve("forward", mine, (np.ndarray,))((), 1.0)
    rules.resolve("forward", mine, (np.ndarray,), tangents=(Tangents,))((), 1.0)
    assert seen == [np, namespace]


# --- What authors of engines met ---


def test_a_class_that_joins_an_abstract_one_late_has_its_rules():
    class Abstract(abc.ABC):
        pass

    class Late:
        pass

    table = RuleTable(name="alone")

    def f(x):
        return x

    @table.rrule.register(f)
    def f_rrule(x: Abstract):
        return x, lambda y_bar: (y_bar,)

    assert table.find("reverse", f, (Late,)) is None
    with pytest.raises(NoRuleError):
        table.rrule(f, Late())
    Abstract.register(Late)
    assert table.find("reverse", f, (Late,)) is not None
    assert table.rrule(f, Late())[1](2.0) == (2.0,)


# --- Signatures that agree with those of their primals ---


def quotient(numerator, denominator, *, floor=False):
    return numerator / denominator


def powers(x, exponent, base=1.0):
    return base * x**exponent


def by_other_names(a: Array, b: Array, *, floor=False): ...


def exponent_by_keyword(x: Array, *, exponent, base=1.0): ...


def any_options(x: Array, **options): ...


def of_a_ufunc(y: Array, x: Array): ...


@pytest.mark.parametrize(
    ("primal", "function"),
    [
        (quotient, by_other_names),
        (powers, exponent_by_keyword),
        (powers, any_options),
        (np.arctan2, of_a_ufunc),
    ],
)
def test_what_agrees_is_taken(primal, function):
    table = RuleTable()
    table.rrule.register(primal)(function)
    assert [rule.function for rule in table.rules(primal)] == [function]


def test_a_sentinel_of_the_primal_may_be_anything_in_a_rule(rules):
    unset = object()

    def shifted(x, by=unset):
        return x if by is unset else x + by

    linear_rule(shifted, lambda y_bar, x, *, by=0.0: y_bar, table=rules)
    assert rules.rrule(shifted, np.ones(2))[1](np.ones(2))[0].tolist() == [1.0, 1.0]


def difference(x, y):
    return x - y


@pytest.mark.parametrize("names", ["x, y", "a, b", "x, b"])
def test_other_names_and_the_order_of_the_primal_are_taken(rules, names):
    scalar_rule(difference, names, "1", "-1", table=rules)
    assert difference in rules
