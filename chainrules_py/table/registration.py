"""Put rules into a table, and take them out again.

Rules are kept by mode and primal; an overlay's come before its parent's. The rules of a pack of
this distribution are noted when the pack is imported, and made when somebody asks for their primal,
for all rules, or to be told of rules: to make all of them takes most of a second, and a program
uses a few. What a look-up finds is the same either way, because each one makes what is noted of its
primal before it looks; so making rules, unlike registering them, leaves the memory as it is.
"""

import os
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Self

import numpy as np

from chainrules_py.calls.canonical import Adapt, Alias, CallNormalizer
from chainrules_py.calls.private_ufuncs import wrapped_ufuncs
from chainrules_py.errors import NoRuleError, RegistrationError, RuleRedefinitionWarning
from chainrules_py.rules.rule import ENTRY_POINTS, MODES, Mode, Rule, require_callable
from chainrules_py.table.kept_rules import KeptRules
from chainrules_py.table.matching import same_signature
from chainrules_py.table.memory import Memory
from chainrules_py.table.signature_checks import require_agreement
from chainrules_py.values import arrays, discovery
from chainrules_py.values.identity import home_module, made_of, qualified_name
from chainrules_py.values.notebooks import html_table

MakeRules = Callable[[], Iterable[Rule]]
_OURS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")  # where our rules are written

MOST_FUNCTIONS = 2**14  # that may be asked for before all is forgotten: a lambda is new each time

MOST_HOLDING = 8  # functions that hold their rules, of which something may be remembered

# One for all tables: registration is rare, and an overlay's lookups reach into its parents. Who
# iterates over what registrations change does so over a copy, which is made in one step.
lock = threading.RLock()


class Registrations:
    """The rules and aliases of one table, its parent's behind them, and the memory of both."""

    def __init__(self, parent: "Registrations | None", name: str) -> None:
        if parent is not None and not isinstance(parent, Registrations):
            got = f"its parent is {parent!r}"
            instead = "pass a table, as in RuleTable(parent=default_rules, name='mine')"
            raise RegistrationError("RuleTable", got, instead, primal=None, rule=None)
        self.parent, self.name, self.memory = parent, name, Memory()
        self._rules = KeptRules()
        self._since_forgotten = 0  # functions that hold their rules, and were made since then
        self._noted: dict[Any, list[MakeRules]] = {}
        # how often a rule was put in or taken out here or in a parent, packs of ours aside
        self.revision = 0
        self._names: CallNormalizer = CallNormalizer(
            None if parent is None else parent._names, self._rules_of
        )
        self._subscribers: list[Callable[[Rule], None]] = []
        self._overlays: list[weakref.ref[Registrations]] = []
        if parent is not None:
            parent._overlays.append(weakref.ref(self, parent._overlays.remove))
        arrays.on_register(self._forget_types)

    def __repr__(self) -> str:
        self._make_noted(None)
        rules_of = self._rules.copy()
        count = sum(len(rules) for (mode, _), rules in rules_of.items() if mode in MODES)
        return f"<RuleTable {self.name}: {count} rules>"

    def _repr_html_(self) -> str:
        counts: dict[str, dict[str, set[int]]] = {}
        for rule in self.rules():
            counts.setdefault(home_module(rule.primal), {}).setdefault(rule.mode, set()).add(
                id(rule.primal)
            )
        rows = [
            (home, *(len(by_mode.get(mode, ())) for mode in MODES))
            for home, by_mode in sorted(counts.items())
        ]
        return html_table(
            f"{self!r}, loaded so far",
            ("functions of", *(f"with {ENTRY_POINTS[mode]}" for mode in MODES)),
            rows,
        )

    def add(self, rule: Rule) -> Rule:
        """Put a rule into this table; warns where it replaces one with the same signature."""
        if not rule.where.startswith(_OURS):
            # so that it comes after ours, whenever it comes
            self._names.load(rule.primal, batching=rule.mode == "batching")
        with lock:
            self._make_noted_here_and_above(self._names.alias_of(rule.primal).primal)
            rule, replaced = self._put(rule)
            if made_of(rule.primal) is None:  # engines note which functions with rules they miss
                self._invalidate()
            else:
                self._forget(rule.primal, (rule.mode,))
            subscribers = self._all_subscribers() if rule.mode in MODES else []
        if replaced is not None:
            # called by us, by `declare`, by a maker, by whom it concerns
            _warn_of_redefinition(rule, replaced, stacklevel=5)
        for callback in subscribers:
            callback(rule)
        return rule

    def let_hold_rules(self, function: Callable[..., Any]) -> None:
        """Have a new function hold the rules that it gets, which nothing else keeps alive.

        What is remembered of such functions is forgotten from time to time, with all else.
        """
        with lock:
            self._rules.let_hold(function)
            self._since_forgotten += 1
            if self._since_forgotten >= MOST_HOLDING:
                self._since_forgotten = 0
                self._forget_all()

    def declare(self, primal, make: MakeRules, modes: Iterable[Mode] = MODES) -> None:
        """Put what `make` returns into this table, the rules of a primal for these modes.

        It is called at once, except for a pack of this distribution, where it is called when
        somebody asks for the rules.
        """
        with lock:
            may_wait = discovery.importing.shipped and not (
                self._subscribers or (self._overlays and self._all_subscribers())
            )
            if may_wait:
                primal = self._names.alias_of(primal).primal
                for mode in modes:
                    # rules are listed in the order in which they were declared
                    self._rules.setdefault((mode, primal), [])
                self._noted.setdefault(primal, []).append(make)
                self._forget(primal, modes)
        for rule in () if may_wait else make():
            self.add(rule)

    def remove(self, mode: Mode, primal, *types) -> Rule:
        """Take a rule out again: what it hid, in this table or its parent, holds from then on."""
        self._names.load(primal, batching=mode == "batching")
        primal = self._names.alias_of(primal).primal
        with lock:
            self._make_noted(primal)
            key = (mode, primal)
            rules = self._rules.get(key, [])
            found = [rule for rule in rules if not types or rule.types == types]
            if len(found) != 1:
                raise NoRuleError(
                    f"remove({mode}, {qualified_name(primal)})",
                    f"{len(found)} rules of table {self.name!r} match {types}",
                    "name the types of one of:"
                    f" {', '.join(rule.signature for rule in rules) or 'none'}",
                    mode=mode,
                    primal=primal,
                    types=types,
                    nearest=tuple(rule.signature for rule in rules),
                )
            remaining = [rule for rule in rules if rule is not found[0]]
            if remaining:
                self._rules[key] = remaining
            else:
                del self._rules[key]
            self._invalidate()
            return found[0]

    def alias(self, other, primal, adapt: Adapt | None = None, reads_shapes: bool = False) -> None:
        """Declare `other` to be the same function as `primal`.

        `adapt(*args, **options)` rewrites its calls. Pass `reads_shapes=True` if it looks at the
        shapes of arrays: it is called with traced arrays then, whose shapes are those of one example.
        """
        with lock:
            stood_for_another = self._names.is_alias(other)  # of which something is remembered
            self._names.aliases[other] = Alias(primal, adapt, reads_shapes)
            if stood_for_another and not discovery.importing.shipped:
                self._invalidate()
            else:
                self._forget(other, ENTRY_POINTS)

    def subscribe(
        self, callback: Callable[[Rule], None], replay: bool = True
    ) -> Callable[[], None]:
        """Tell `callback` of each existing (with `replay`) and each future rule, once.

        Returns the function that stops it.

        Rule packs that nobody has loaded yet count as future.
        """
        with lock:
            existing = list(self.rules()) if replay else []  # what is only noted exists, too
            self._subscribers.append(callback)
        for rule in existing:
            callback(rule)
        return partial(self._subscribers.remove, callback)

    def rules(self, primal: Any = None, modes: Iterable[Mode] = MODES) -> Iterator[Rule]:
        """All rules loaded so far, an overlay's before its parent's; of one primal where given.

        These are the rules of differentiation, unless other modes are named.
        """
        if primal is not None:
            self._names.load(primal, batching="batching" in modes)
            primal = self._names.alias_of(primal).primal
        yield from self._rules_of(primal, modes)

    def primals(self) -> Iterator[Any]:
        """List the functions, and other names of them, of which there are rules by now."""
        yield from [primal for _, primal in self._rules.copy()]
        yield from list(self._names.aliases)
        if self.parent is not None:
            yield from self.parent.primals()

    def made_rules(self) -> Iterator[Rule]:
        """List the rules that exist already; none of this distribution's is made for this."""
        yield from self._registered(None)

    def has_ufunc(self, primal) -> bool:
        """Whether a ufunc lies under a function, so that its calls are calls of this one."""
        own = any(
            alias.primal is primal and isinstance(name, np.ufunc)
            for name, alias in self._names.aliases.copy().items()
        )
        return own or (self.parent is not None and self.parent.has_ufunc(primal))

    def load_all(self) -> Self:
        """Import every rule pack that is installed, so that `rules()` lists everything there is."""
        discovery.load_all_rules()
        self._make_noted(None)
        return self

    def __contains__(self, primal) -> bool:
        if self._has_rules(self._names.alias_of(primal).primal):
            return True
        listed = self._names.is_listed(primal)
        return listed if listed is not None else next(self.rules(primal), None) is not None

    # Internals

    def _put(self, rule: Rule) -> tuple[Rule, Rule | None]:
        """Put a checked rule among the others; return it, and the rule that it replaced."""
        require_callable(rule.primal, rule.function)
        primal = self._names.alias_of(rule.primal).primal
        if primal is not rule.primal:
            rule = rule.replaced(primal=primal)
        require_agreement(rule, self._names.form(rule.primal))
        self._require_compatible_form(rule)
        key = rule.mode, rule.primal
        rules = self._rules.get(key, [])
        replaced = next((other for other in rules if same_signature(other, rule)), None)
        # another list: who reads the rules meanwhile finds those before, or those now
        self._rules[key] = [*(other for other in rules if other is not replaced), rule]
        if replaced is not None and says_again_what_is_elementwise(rule, replaced):
            replaced = None
        for ufunc, adapt in wrapped_ufuncs(rule.primal):
            is_known = self._names.alias_of(ufunc).primal is rule.primal
            if not is_known and next(self._registered(ufunc), None) is None:
                self.alias(ufunc, rule.primal, adapt)
        return rule, replaced

    def _has_rules(self, primal) -> bool:
        """Whether a primal has rules here or in a parent; none is made for this."""
        # what is noted has an entry without rules, and what was removed has none
        own = any((mode, primal) in self._rules for mode in MODES)
        return own or (self.parent is not None and self.parent._has_rules(primal))

    def _make_noted(self, primal, modes: Iterable[Mode] = MODES) -> None:
        """Make the rules of a primal, or of all, that were only noted so far.

        `modes` are those of the rules that are looked at.
        """
        if len(self.memory.asked) >= MOST_FUNCTIONS:
            self.memory = Memory()
        self.memory.asked |= asked_of(primal, modes)
        if self.parent is not None:
            self.parent._make_noted(primal, modes)
        self._make_noted_here(primal)

    def _make_noted_here_and_above(self, primal) -> None:
        # for a registration, after which nothing has been looked up
        if self.parent is not None:
            self.parent._make_noted_here_and_above(primal)
        self._make_noted_here(primal)

    def _make_noted_here(self, primal) -> None:
        if self._noted and (primal is None or primal in self._noted):
            with lock:
                for each in list(self._noted) if primal is None else [primal]:
                    self._make_noted_of(each)

    def _make_noted_of(self, primal) -> None:
        # Noted until they are made: a thread that does not find them here finds them among the
        # rules.
        put = [self._put(rule) for make in self._noted.get(primal, ()) for rule in make()]
        self._noted.pop(primal, None)
        for rule, replaced in put:
            if replaced is not None:
                _warn_of_redefinition(rule, replaced, stacklevel=2)

    def _require_compatible_form(self, rule: Rule) -> None:
        names = self._names.form(rule.primal).names[: len(rule.types)]
        for other in self._registered(rule.primal):
            both = set(names[len(other.types) :]) & (other.options or set())
            if both and not other.variadic:
                raise RegistrationError(
                    f"{rule.label} at {rule.where}",
                    f"dispatches on {', '.join(sorted(both))}, an option in {other.name} at"
                    f" {other.where}",
                    "take options by keyword only, as the primal's other rules do",
                    primal=rule.primal,
                    rule=rule.function,
                )

    def _registered(self, primal, modes: Iterable[Mode] = MODES) -> Iterator[Rule]:
        keys: list[tuple[Mode, Any]] = [(mode, primal) for mode in modes]
        if primal is None:
            keys = [(mode, each) for mode, each in self._rules.copy() if mode in modes]
        for key in keys:
            yield from self._rules.get(key, ())
        if self.parent is not None:
            yield from self.parent._registered(primal, modes)

    def _rules_of(self, primal, modes: Iterable[Mode] = MODES) -> Iterator[Rule]:
        """The rules of a primal, and of the function that it is a `primitive` of."""
        self._make_noted(primal, modes)
        yield from self._registered(primal, modes)
        if (function := made_of(primal)) is not None:
            yield from self._rules_of(self._names.alias_of(function).primal, modes)

    def _forget(self, primal, modes: Iterable[Mode]) -> None:
        """Forget what was found out, if some of it is about the rules of this primal in these modes.

        Nothing is, of functions that were made just now, and as a rule of those of a pack of ours,
        which comes before its functions are asked for.
        """
        if not asked_of(primal, modes).isdisjoint(self.memory.asked):
            self.memory = Memory()
            self.revision += not discovery.importing.shipped
        for overlay in self._living_overlays():
            overlay._forget(primal, modes)

    def _invalidate(self) -> None:
        """Forget what was found out from the rules, after they have changed."""
        self.memory = Memory()
        self.revision += not discovery.importing.shipped
        for overlay in self._living_overlays():
            overlay._invalidate()

    def _forget_all(self) -> None:
        """Forget what was found out, here, in the parents and in their overlays; no rule changed."""
        if self.parent is not None:
            self.parent._forget_all()
            return
        self._names.forget_forms()
        arrays.forget_implementations()
        tables: list[Registrations] = [self]
        for table in tables:
            table.memory = Memory()
            tables += table._living_overlays()

    def _living_overlays(self) -> "list[Registrations]":
        # a copy: an overlay that dies meanwhile takes its reference out
        references = self._overlays.copy()
        return [overlay for reference in references if (overlay := reference()) is not None]

    def _forget_types(self) -> None:
        with lock:
            self._invalidate()

    def _all_subscribers(self) -> list[Callable[[Rule], None]]:
        return self._subscribers + [
            callback
            for overlay in self._living_overlays()
            for callback in overlay._all_subscribers()
        ]


def asked_of(primal, modes: Iterable[Mode]) -> set[int]:
    """Return the marks of rules that were looked at: those of differentiation have one together."""
    return {hash((primal, mode == "batching")) for mode in modes}


def says_again_what_is_elementwise(rule: Rule, replaced: Rule) -> bool:
    """Whether both rules say that a function is elementwise, as each by classes does."""
    words = [getattr(one.axes, "kind", None) for one in (rule, replaced)]
    return words == ["elementwise", "elementwise"]


def _warn_of_redefinition(rule: Rule, replaced: Rule, stacklevel: int) -> None:
    message = (
        f"{rule.label}{rule.signature}: {rule.name} at {rule.where} replaces {replaced.name} at"
        f" {replaced.where}"
    )
    warnings.warn(RuleRedefinitionWarning(message), stacklevel=stacklevel)
