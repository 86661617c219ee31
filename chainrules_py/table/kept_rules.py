"""Lists of rules by mode and primal, and who keeps them alive: the table, or the primal itself."""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any
from weakref import WeakValueDictionary

from chainrules_py.rules.rule import Mode, Rule

Key = tuple[Mode, Any]


class OwnRules(dict[Key, list[Rule]]):
    """The rules of one function in one table, which nothing but the function keeps alive."""


class KeptRules(MutableMapping[Key, list[Rule]]):
    """Rules by mode and primal. A rule refers to its primal, so that a table keeps both for good;
    a function that was let hold its own rules takes them with it.
    """

    def __init__(self) -> None:
        self._kept: dict[Key, list[Rule]] = {}
        # By the identity of the function, which the keys of its rules hold.
        self._held: WeakValueDictionary[int, OwnRules] = WeakValueDictionary()

    def let_hold(self, function: Callable[..., Any]) -> None:
        """Have a function that has no rules yet hold those which it gets."""
        own = OwnRules()
        function.__chainrules_own_rules__ = own  # type: ignore[attr-defined]
        self._held[id(function)] = own

    def copy(self) -> dict[Key, list[Rule]]:
        """All of them, in one step that other threads do not see half of."""
        found = self._kept.copy()
        for reference in self._held.valuerefs():
            own = reference()
            if own is not None:
                found.update(own)
        return found

    def _of(self, key: Key) -> dict[Key, list[Rule]]:
        own = self._held.get(id(key[1]))
        return self._kept if own is None else own

    def __getitem__(self, key: Key) -> list[Rule]:
        return self._of(key)[key]

    def __setitem__(self, key: Key, rules: list[Rule]) -> None:
        self._of(key)[key] = rules

    def __delitem__(self, key: Key) -> None:
        del self._of(key)[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.copy())

    def __len__(self) -> int:
        return len(self.copy())
