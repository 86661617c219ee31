"""What an engine can do, and what it cannot, as ordinary dispatch."""

import numpy as np
import pytest

from chainrules_py import (
    Array,
    HandlesOverwriting,
    HasForwardsMode,
    HasReverseMode,
    NoForwardsMode,
    NoReverseMode,
    NoRuleError,
    RuleConfig,
    RuleTable,
    Tangent,
    default_rules,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.rules.rule import Linearity


class ForwardOnly(HasForwardsMode, NoReverseMode):
    """An engine that says that it has no reverse mode."""


class ReverseOnly(HasReverseMode, NoForwardsMode):
    """An engine that says that it has no forward mode."""


def apply(x):
    return np.asarray(x)


def table():
    rules = RuleTable()

    @rules.rrule.register(apply)
    def plain_rrule(x: Array):
        return "plain", None

    @rules.rrule.register(apply)
    def without_reverse_rrule(x: Array, *, config: NoReverseMode):
        return "without reverse", None

    @rules.rrule.register(apply)
    def with_reverse_rrule(x: Array, *, config: HasReverseMode):
        return "with reverse", config

    return rules


@pytest.mark.parametrize(
    ("config", "chosen"),
    [(RuleConfig(), "plain"), (ForwardOnly(), "without reverse"), (ReverseOnly(), "with reverse")],
)
def test_abilities_and_their_absence_are_dispatched_on(config, chosen):
    found = table().rule_for("reverse", apply, (np.ndarray,), config)
    assert found.name == f"{chosen.replace(' ', '_')}_rrule"


def test_an_engine_must_define_what_it_says_it_has():
    with pytest.raises(NotImplementedError, match="ReverseOnly"):
        rrule_via_ad(ReverseOnly(), np.sin, 1.0)
    with pytest.raises(NotImplementedError, match="ForwardOnly"):
        frule_via_ad(ForwardOnly(), (1.0,), np.sin, 1.0)


def test_an_engine_without_the_ability_is_told_so():
    with pytest.raises(NoRuleError) as caught:
        frule_via_ad(ReverseOnly(), (1.0,), np.sin, 1.0)
    assert (caught.value.mode, caught.value.primal) == ("forward", np.sin)
    assert "HasForwardsMode" in caught.value.instead


class KeepsTrack(HandlesOverwriting):
    """An engine that keeps track of writes."""


def test_what_writes_has_rules_for_engines_that_keep_track_of_it_alone():
    writing = [rule for rule in default_rules.load_all().rules() if rule.overwrites is not None]
    written = {rule.primal for rule in writing}
    assert written >= {np.copyto, np.put, np.putmask, np.place, np.put_along_axis}
    assert written >= {np.fill_diagonal, np.add.at, np.subtract.at}
    for rule in writing:
        types = tuple(cls if isinstance(cls, type) else np.ndarray for cls in rule.types)
        call = rule.mode, rule.primal, types
        assert default_rules.find(*call, config=KeepsTrack()) is not None, rule
        for config in (RuleConfig(), ReverseOnly(), ForwardOnly()):
            assert default_rules.find(*call, config=config) is None, rule
            with pytest.raises(NoRuleError, match="keeps track") as caught:
                default_rules.resolve(*call, config=config)
            assert rule.names[rule.overwrites] in caught.value.instead


def test_a_rule_that_writes_and_differentiates_asks_for_both():
    rules = RuleTable(name="own")

    def relax(f, u):
        """Call a function on an array until that stays as it is."""

    @rules.rrule.register(relax, overwrites="u")
    def relax_rrule(f: object, u: Array, *, config: HasReverseMode): ...

    class Both(HasReverseMode, HandlesOverwriting):
        """An engine with both abilities."""

    def rule_for(config):
        return rules.rule_for("reverse", relax, (object, np.ndarray), config)

    assert rule_for(KeepsTrack()) is rule_for(ReverseOnly()) is None
    assert "HasReverseMode and HandlesOverwriting" in str(rule_for(Both()))


def test_nothing_is_active_for_a_plain_caller():
    assert not RuleConfig().is_active(np.ones(1))


class GivesContainers(HasReverseMode, HasForwardsMode):
    """An engine whose transforms return containers like the arguments."""

    def rrule_via_ad(self, function, *args, **options):
        return function(*args, **options), lambda y_bar: ({"a": y_bar, "b": [2 * y_bar]}, y_bar)

    def frule_via_ad(self, dots, function, *args, **options):
        return function(*args, **options), (dots[0], [dots[1]])


def test_rules_get_the_tangents_of_containers_as_tangents():
    config, f = GivesContainers(), lambda given, x: (x, [x])
    bars = rrule_via_ad(config, f, {"a": 1.0, "b": [2.0]}, 3.0)[1](1.0)
    expected = Tangent[dict](a=1.0, b=Tangent[list](2.0))
    assert bars[0] == expected
    assert (bars[0] + bars[0])["b"][0] == 4.0
    y_dot = frule_via_ad(config, (1.0, 2.0), f, {}, 3.0)[1]
    assert y_dot == Tangent[tuple](1.0, Tangent[list](2.0))


LINEAR = {
    np.matmul: (Linearity((True, True), together=False), (np.ndarray, np.ndarray)),
    np.where: (Linearity((False, True, True), together=True), (np.ndarray,) * 3),
    np.concatenate: (Linearity((True,), together=True), (list,)),
    np.reshape: (Linearity((True,), together=False, value_only=frozenset({"copy"})), (np.ndarray,)),
    np.sin: (None, (np.ndarray,)),
}


@pytest.mark.parametrize("primal", LINEAR)
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_makers_say_what_is_linear(primal, mode):
    expected, types = LINEAR[primal]
    assert default_rules.rule_for(mode, primal, types).linear == expected
