"""The rules of one primal and mode, and who keeps them alive: the table, or the primal itself."""

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any
from weakref import WeakValueDictionary

from chainrules_py.annotations import Function
from chainrules_py.rules.rule import Mode, Rule

Key = tuple[Mode, Any]


class RulesOfMode:
    """The rules of one primal and mode in one table.

    They are found by what they dispatch on, in a time that does not depend on how many there are.
    """

    __slots__ = ("_by_form", "_by_signature")

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._by_signature: dict[Any, Rule] = {}
        self._by_form: dict[Any, dict[Any, Rule]] = {}
        for rule in rules:
            self.put(rule)

    def __iter__(self) -> Iterator[Rule]:
        # a copy, made in one step: who reads the rules meanwhile finds those before, or those now
        return iter(tuple(self._by_signature.values()))

    def __len__(self) -> int:
        return len(self._by_signature)

    def like(self, rule: Rule) -> Rule | None:
        """The rule that dispatches on the same classes."""
        return self._by_signature.get(signature(rule))

    def put(self, rule: Rule) -> None:
        """Put a rule among the others, in the place of one like it."""
        key, other = signature(rule), self.like(rule)
        if other is not None:
            del self._by_form[form(other)][key]
        self._by_signature[key] = rule
        self._by_form.setdefault(form(rule), {})[key] = rule

    def one_of_each_form(self) -> Iterator[Rule]:
        """A rule for each number of arguments and set of options that there are."""
        for rules in self._by_form.values():
            yield from tuple(rules.values())[:1]


def signature(rule: Rule) -> tuple[Any, ...]:
    """What a rule dispatches on."""
    return rule.types, rule.variadic, rule.config


def form(rule: Rule) -> tuple[Any, ...]:
    """How many arguments a rule takes, and which options."""
    return len(rule.types), rule.options, rule.variadic is None


class OwnRules(dict[Key, RulesOfMode]):
    """The rules of one function in one table, which nothing but the function keeps alive.

    A copy of the function in another process has none.
    """

    def __reduce__(self) -> Any:
        return OwnRules, ()


class KeptRules(MutableMapping[Key, RulesOfMode]):
    """Rules by mode and primal. A rule refers to its primal, so that a table keeps both for good;
    a function that was let hold its own rules, as one of a user's is, takes them with it.
    """

    def __init__(self) -> None:
        self._kept: dict[Key, RulesOfMode] = {}
        # By the identity of the function, which the keys of its rules hold.
        self._held: WeakValueDictionary[int, OwnRules] = WeakValueDictionary()

    def let_hold(self, function: Function) -> None:
        """Have a function that has no rules yet hold those which it gets."""
        own = OwnRules()
        function.__chainrules_own_rules__ = own  # type: ignore[attr-defined]
        self._held[id(function)] = own

    def expect(self, primal, modes: Iterable[Mode]) -> None:
        """Make places for rules that are declared now and made later: all are listed in this order."""
        own = self._of(("reverse", primal))
        for mode in modes:
            if (mode, primal) not in own:
                own[mode, primal] = RulesOfMode()

    def copy(self) -> dict[Key, RulesOfMode]:
        """All of them, in one step that other threads do not see half of."""
        found = self._kept.copy()
        for reference in self._held.valuerefs():
            own = reference()
            if own is not None:
                found.update(own)
        return found

    def _of(self, key: Key) -> dict[Key, RulesOfMode]:
        own = self._held.get(id(key[1]))
        return self._kept if own is None else own

    def __getitem__(self, key: Key) -> RulesOfMode:
        return self._of(key)[key]

    def __setitem__(self, key: Key, rules: RulesOfMode) -> None:
        self._of(key)[key] = rules

    def __delitem__(self, key: Key) -> None:
        del self._of(key)[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.copy())

    def __len__(self) -> int:
        return len(self.copy())
