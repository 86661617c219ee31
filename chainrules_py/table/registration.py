"""Put rules into a table, and take them out again.

Rules are kept by mode and primal; an overlay's come before its parent's. The rules of a pack of
this distribution are noted when the pack is imported, and made when somebody asks for their primal,
for all rules, or to be told of rules: to make all of them takes most of a second, and a program
uses a few. What a look-up finds is the same either way, because each one makes what is noted of its
primal before it looks; so making rules, unlike registering them, leaves the memory as it is.
"""

import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import FunctionType
from typing import Any, Self

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.calls.canonical import Adapt, Alias, CallNormalizer
from chainrules_py.errors import (
    HiddenRuleWarning,
    NoRuleError,
    RegistrationError,
    RuleRedefinitionWarning,
)
from chainrules_py.introspection import process_lock
from chainrules_py.rules.rule import ENTRY_POINTS, MODES, Mode, Rule, require_callable
from chainrules_py.table.generations import is_rule_of_ours, put_after
from chainrules_py.table.kept_rules import KeptRules, RulesOfMode
from chainrules_py.table.matching import hidden_by
from chainrules_py.table.memory import Memory
from chainrules_py.table.signature_checks import require_agreement
from chainrules_py.values import arrays, discovery
from chainrules_py.values.identity import home_module, made_of, qualified_name
from chainrules_py.values.late_names import warn_of_former
from chainrules_py.values.notebooks import html_table

MakeRules = Callable[[], Iterable[Rule]]
Told = Callable[[Rule], None]

MOST_FUNCTIONS = 2**14  # that may be asked for before all is forgotten: a lambda is new each time

MOST_HOLDING = 8  # functions that hold their rules, of which something may be remembered

# One for all tables: registration is rare, and an overlay's lookups reach into its parents. Who
# iterates over what registrations change does so over a copy, which is made in one step.
lock = process_lock()


class Registrations:
    """The rules and aliases of one table, its parent's behind them, and the memory of both."""

    def __init__(self, parent: "Registrations | None", name: str) -> None:
        if parent is not None and not isinstance(parent, Registrations):
            got = f"its parent is {parent!r}"
            instead = "pass a table, as in RuleTable(parent=default_rules, name='mine')"
            raise RegistrationError("RuleTable", got, instead, primal=None, rule=None)
        self._parent: Any = parent
        self.name, self.memory = name, Memory()
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._rules = KeptRules()
        self._since_forgotten = 0  # functions that hold their rules, and were made since then
        self._noted: dict[Any, list[MakeRules]] = {}
        self._told: set[int] = set()  # of which newer rules it was said that others are outdated
        self._taken_out: dict[Any, list[Rule]] = {}  # of this distribution, by mode and primal
        # how often a rule was put in or taken out here or in a parent, packs of ours aside
        self.revision = 0
        self.names: CallNormalizer = CallNormalizer(
            None if parent is None else parent.names, self._rules_of
        )
        self._subscribers: list[tuple[Told, Told | None]] = []
        self._overlays: list[weakref.ref[Registrations]] = []
        if parent is not None:
            parent._overlays.append(weakref.ref(self, parent._overlays.remove))
        arrays.on_register(self._forget_types)

    @property
    def parent(self) -> Self | None:
        """The table that is asked where this one has no rule, which stays the same."""
        return self._parent

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
        """Put a rule into this table; warns where it replaces one with the same signature, and where
        narrower ones hide it.
        """
        if not is_rule_of_ours(rule.where):
            # so that it comes after ours, whenever it comes
            self.names.load(rule.primal, batching=rule.mode == "batching")
        with lock:
            # for no modes: after a registration, nothing has been looked up
            self._make_noted(self.names.alias_of(rule.primal).primal, ())
            if not is_rule_of_ours(rule.where) and self._may_hold_rules(rule.primal):
                self.let_hold_rules(rule.primal)
            rule, replaced = self._put(rule)
            hiding = (
                [] if replaced is not None or is_rule_of_ours(rule.where) else self._hiding(rule)
            )
            if made_of(rule.primal) is None:  # engines note which functions with rules they miss
                self._forget()
            else:
                self._forget(rule.primal, (rule.mode,))
            subscribers = self._all_subscribers() if rule.mode in MODES else []
        undo = discovery.importing.undo
        if undo is not None and not discovery.importing.shipped:  # by a pack that may still fail
            back = [] if replaced is None else [replaced]
            undo.append(partial(self._change, (rule.mode, rule.primal), [rule], back))
        # called by us, by `declare`, by a maker, by whom it concerns
        if replaced is not None:
            _warn_of_redefinition(rule, replaced, stacklevel=5)
        if hiding:
            _warn_of_hiding(rule, hiding, stacklevel=5)
        for callback, _ in subscribers:
            callback(rule)
        return rule

    def let_hold_rules(self, function: Function) -> None:
        """Have a new function hold the rules that it gets, which nothing else keeps alive.

        What is remembered of such functions is forgotten from time to time, with all else.
        """
        with lock:
            self._rules.let_hold(function)
            self._since_forgotten += 1
            if self._since_forgotten >= MOST_HOLDING:
                self._since_forgotten = 0
                self._forget_all()

    def _may_hold_rules(self, primal) -> bool:
        """Whether a function written in Python gets its first rules: it may be gone before us."""
        is_new = type(primal) is FunctionType and not hasattr(primal, "__chainrules_own_rules__")
        return is_new and not self._has_rules(primal) and not self.names.is_alias(primal)

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
                primal = self.names.alias_of(primal).primal
                self._rules.expect(primal, modes)
                self._noted.setdefault(primal, []).append(make)
                self._forget(primal, modes)
        for rule in () if may_wait else make():
            self.add(rule)

    def remove(self, mode: Mode, primal, *types) -> Rule:
        """Take a rule out again: what it hid, in this table or its parent, holds from then on.

        So does the rule of this distribution that it replaced.
        """
        key, rules = self._rules_to_change(mode, primal)
        found = [rule for rule in rules if not types or rule.types == types]
        if len(found) != 1:
            listed = [rule.signature for rule in rules]
            function = f"{ENTRY_POINTS[mode]}.remove"
            name = qualified_name(key[1])
            instead = "this table has none"
            if listed:
                instead = (
                    f"name the classes of one, as {function}({name}, ...) of {', '.join(listed)}, or"
                    f" take all out by {function}_all({name})"
                )
            raise NoRuleError(
                f"{function}({name})",
                f"{len(found)} rules of table {self.name!r} match {types or 'no classes'}",
                instead,
                mode=mode,
                primal=key[1],
                types=types,
                nearest=tuple(listed),
            )
        self._change(key, found, [] if found[0].replaces is None else [found[0].replaces])
        return found[0]

    def remove_all(self, mode: Mode, primal) -> list[Rule]:
        """Take out all rules that this table has of a primal; those of its parent hold."""
        key, rules = self._rules_to_change(mode, primal)
        self._change(key, rules, [])
        return rules

    def restore(self, mode: Mode, primal) -> list[Rule]:
        """Put the rules of this distribution back that were replaced or taken out."""
        key, rules = self._rules_to_change(mode, primal)
        replacing = [rule for rule in rules if rule.replaces is not None]
        back = [rule.replaces for rule in replacing if rule.replaces is not None]
        back += self._taken_out.pop(key, [])
        self._change(key, replacing, back)
        return back

    def _rules_to_change(self, mode: Mode, primal) -> tuple[Any, list[Rule]]:
        """The key of the rules of a primal, and those that this table has."""
        self.names.load(primal, batching=mode == "batching")
        primal = self.names.alias_of(primal).primal
        with lock:
            self._make_noted(primal)
            return (mode, primal), list(self._rules.get((mode, primal), ()))

    def _change(self, key: Any, out: list[Rule], back: list[Rule]) -> None:
        """Take rules out, put others back, and tell subscribers of both."""
        with lock:
            remaining = [rule for rule in self._rules.get(key, ()) if rule not in out]
            if remaining or back:
                self._rules[key] = RulesOfMode([*remaining, *back])
            else:
                self._rules.pop(key, None)
            replaced = [rule.replaces for rule in out if rule.replaces is not None]
            ours = [rule for rule in out if is_rule_of_ours(rule.where)]
            ours += [rule for rule in replaced if rule not in back]
            if ours:
                self._taken_out.setdefault(key, []).extend(ours)
            self._forget()
            subscribers = self._all_subscribers() if key[0] in MODES else []
        for callback, removed in subscribers:
            if removed is not None:
                for rule in out:
                    removed(rule)
            for rule in back:
                callback(rule)

    def alias(self, other, primal, adapt: Adapt | None = None, reads_shapes: bool = False) -> None:
        """Declare `other` to be the same function as `primal`.

        `adapt(*args, **options)` rewrites its calls. Pass `reads_shapes=True` if it looks at the
        shapes of arrays: it is called with traced arrays then, whose shapes are those of one example.
        """
        with lock:
            stood_for_another = self.names.is_alias(other)  # of which something is remembered
            self.names.aliases[other] = Alias(primal, adapt, reads_shapes)
            if stood_for_another and not discovery.importing.shipped:
                self._forget()
            else:
                self._forget(other, ENTRY_POINTS)

    def on_new_rule(
        self, callback: Told, replay: bool = True, removed: Told | None = None
    ) -> Callable[[], None]:
        """Tell `callback` of each existing (with `replay`) and each future rule, once.

        Tell `removed` of each rule that is taken out: what it hid holds again. A rule of the same
        signature takes the place of the one before it. Returns the function that stops both.

        Rule packs that nobody has loaded yet count as future.
        """
        subscriber = callback, removed
        with lock:
            existing = list(self.rules()) if replay else []  # what is only noted exists, too
            self._subscribers.append(subscriber)
        for rule in existing:
            callback(rule)
        return partial(self._subscribers.remove, subscriber)

    def subscribe(self, *args, **options) -> Callable[[], None]:
        """The former name of `on_new_rule`."""
        warn_of_former("RuleTable.subscribe", "on_new_rule")
        return self.on_new_rule(*args, **options)

    def rules(self, primal: Any = None, modes: Iterable[Mode] = MODES) -> Iterator[Rule]:
        """All rules loaded so far, an overlay's before its parent's; of one primal where given.

        These are the rules of differentiation, unless other modes are named.
        """
        if primal is not None:
            self.names.load(primal, batching="batching" in modes)
            primal = self.names.alias_of(primal).primal
        yield from self._rules_of(primal, modes)

    def primals(self) -> Iterator[Any]:
        """List the functions, and other names of them, of which there are rules by now."""
        yield from [primal for _, primal in self._rules.copy()]
        yield from list(self.names.aliases)
        if self.parent is not None:
            yield from self.parent.primals()

    def made_rules(self) -> Iterator[Rule]:
        """List the rules that exist already; none of this distribution's is made for this."""
        yield from self._registered(None)

    def has_ufunc(self, primal) -> bool:
        """Whether a ufunc lies under a function, so that its calls are calls of this one."""
        own = any(
            alias.primal is primal and isinstance(name, np.ufunc)
            for name, alias in self.names.aliases.copy().items()
        )
        return own or (self.parent is not None and self.parent.has_ufunc(primal))

    def load_all(self) -> Self:
        """Import every rule pack that is installed, so that `rules()` lists everything there is."""
        discovery.load_all_rules()
        self._make_noted(None)
        return self

    def __contains__(self, primal) -> bool:
        if self._has_rules(self.names.alias_of(primal).primal):
            return True
        listed = self.names.is_listed(primal)
        return listed if listed is not None else next(self.rules(primal), None) is not None

    # Internals

    def _put(self, rule: Rule) -> tuple[Rule, Rule | None]:
        """Put a checked rule among the others; return it, and the rule that it replaced."""
        require_callable(rule.primal, rule.function)
        primal = self.names.alias_of(rule.primal).primal
        if primal is not rule.primal:
            rule = rule.replaced(primal=primal)
        require_agreement(rule, self.names.form(rule.primal))
        self._require_compatible_form(rule)
        rules = self._rules.setdefault((rule.mode, rule.primal), RulesOfMode())
        replaced = rules.like(rule)
        rule = put_after(rule, replaced, self.depth)
        rules.put(rule)
        if replaced is not None and says_again_what_is_elementwise(rule, replaced):
            replaced = None
        return rule, replaced

    def _hiding(self, rule: Rule) -> list[Rule]:
        """List rules for narrower classes of plain values, which go before a rule."""
        return hidden_by(rule, self._rules[rule.mode, rule.primal])

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
        names = self.names.form(rule.primal).names[: len(rule.types)]
        for other in self._forms_of(rule.primal):
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

    def _forms_of(self, primal) -> Iterator[Rule]:
        """A rule of a primal for each number of arguments and set of options."""
        for mode in MODES:
            yield from self._rules.get((mode, primal), RulesOfMode()).one_of_each_form()
        if self.parent is not None:
            yield from self.parent._forms_of(primal)

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
            yield from self._rules_of(self.names.alias_of(function).primal, modes)

    def _forget(self, primal=None, modes: Iterable[Mode] = ()) -> None:
        """Forget what was found out, if some of it is about the rules of this primal in these modes,
        or whatever it is about where no modes are given.

        Nothing is, of functions that were made just now, and as a rule of those of a pack of ours,
        which comes before its functions are asked for.
        """
        asked = self.memory.asked
        if not modes or (asked and not asked_of(primal, modes).isdisjoint(asked)):
            self.memory = Memory()
            self.revision += not discovery.importing.shipped
        if self._overlays:
            for overlay in self._living_overlays():
                overlay._forget(primal, modes)

    def _forget_all(self) -> None:
        """Forget what was found out, here, in the parents and in their overlays; no rule changed."""
        if self.parent is not None:
            self.parent._forget_all()
            return
        self.names.forget_forms()
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
            self._forget()

    def _all_subscribers(self) -> list[tuple[Told, Told | None]]:
        return self._subscribers + [
            subscriber
            for overlay in self._living_overlays()
            for subscriber in overlay._all_subscribers()
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


def _warn_of_hiding(rule: Rule, hiding: list[Rule], stacklevel: int) -> None:
    older = ", ".join(f"{other.name}{other.signature} at {other.where}" for other in hiding)
    message = (
        f"{rule.label}{rule.signature}: {rule.name} at {rule.where} loses to older rules for narrower"
        f" classes: {older}; annotate its arguments with these classes to replace them,"
        " or register it before them"
    )
    warnings.warn(HiddenRuleWarning(message), stacklevel=stacklevel)
