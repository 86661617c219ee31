"""Which rule is meant: the narrowest of those that match, which asks least of the engine."""

import pytest

from chainrules_py import AmbiguousRuleError, HasForwardsMode, HasReverseMode, RuleConfig
from chainrules_py.rules.rule import Rule
from chainrules_py.table.matching import Methods


class A:
    """A class."""


class B(A):
    """A narrower one."""


class Both(HasReverseMode, HasForwardsMode):
    """An engine with both modes."""


def rule(*types, more=None, config=RuleConfig):
    return Rule("reverse", len, types, len, variadic=more, config=config)


# rules of which the first is that for the classes; none where they are ambiguous
CHOICES = {
    "a narrower class": ([rule(B), rule(A)], (B,)),
    "a class of a union": ([rule(A), rule(A | int)], (B,)),
    "a class in one place": ([rule(B, A), rule(A, A)], (B, B)),
    "each in another place": ([rule(B, A), rule(A, B)], (B, B), "ambiguous"),
    "unions that meet": ([rule(A | int), rule(A | float)], (B,), "ambiguous"),
    "named before any number": ([rule(A, A), rule(A, more=A)], (B, B)),
    "more named before any number": ([rule(A, A, more=A), rule(A, more=A)], (B, B)),
    "narrower, of any number": ([rule(B, more=A), rule(A, A)], (B, A)),
    "what goes on narrower": ([rule(A, more=A), rule(A, more=object)], (B,)),
    "what goes on wider": ([rule(B, more=object), rule(A, more=A)], (B, B), "ambiguous"),
    "a narrower class, not the config": ([rule(B), rule(A, config=HasReverseMode)], (B,)),
    "a config of more": ([rule(A, config=HasReverseMode), rule(A)], (B,)),
    "two abilities": (
        [rule(A, config=HasReverseMode), rule(A, config=HasForwardsMode)],
        (B,),
        "ambiguous",
    ),
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_which_rule_is_chosen(choice):
    rules, types, *is_ambiguous = choice
    for given in (rules, rules[::-1]):
        methods = Methods(given)
        if is_ambiguous:
            with pytest.raises(AmbiguousRuleError):
                methods.most_specific(Both, types)
        else:
            assert methods.most_specific(Both, types) is rules[0]
