"""The table of rules.

A table maps (mode, primal) to the methods of a `plum.Function` (see `matching`). Three things happen on top of its dispatch:

* `canonical` brings a call to its canonical form: aliases, bound methods, callable objects, options by keyword (`naming`).
* `resolve` turns the winning rule into a plain function for one pattern of types and needs, and remembers it. Everything
  remembered lives in one dictionary per table, which is *replaced* whenever a rule or an array library arrives: a thread
  that resolved against the old rules stores into the old dictionary, where nobody looks any more.
* An overlay asks itself first and its parent when it has no matching rule.
"""

import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from chainrules_py import arrays, discovery
from chainrules_py.agreement import require_agreement
from chainrules_py.callform import Arrangement
from chainrules_py.config import NO_CONFIG, RuleConfig
from chainrules_py.errors import NoRuleError, RegistrationError, RuleRedefinitionWarning
from chainrules_py.explanation import Explanation, no_rule_error, option_error
from chainrules_py.identity import made_of, qualified_name
from chainrules_py.matching import Methods, same_signature
from chainrules_py.naming import Adapt, Alias, Args, CallNormalizer, Options, load
from chainrules_py.rule import MODES, Mode, Rule, require_callable
from chainrules_py.wrappers import wrapped_ufuncs

Resolved = Callable[..., Any]

_lock = threading.RLock()  # one for all tables: registration is rare, and an overlay's lookups reach into its parents


class RuleTable:
    """Derivative rules by primal, mode and argument classes; `parent` makes it an overlay of another table.

    >>> import numpy as np
    >>> mine = RuleTable(parent=default_rules, name="straight-through")
    >>> @mine.rrule.register(np.sign)
    ... def straight_through_rrule(x):
    ...     return np.sign(x), lambda y_bar: (y_bar,)
    >>> y, pullback = mine.rrule(np.sign, np.array([-2.0, 3.0]))
    >>> pullback(np.ones(2))
    (array([1., 1.]),)
    """

    def __init__(self, parent: "RuleTable | None" = None, name: str = "overlay") -> None:
        from chainrules_py.entry_points import ForwardRules, ReverseRules  # they call back into tables

        if parent is not None and not isinstance(parent, RuleTable):
            got, instead = f"its parent is {parent!r}", "pass a table, as in RuleTable(parent=default_rules, name='mine')"
            raise RegistrationError("RuleTable", got, instead, primal=None, rule=None)
        self.parent, self.name = parent, name
        self._methods: dict[tuple[Mode, Any], Methods] = {}
        self._rules: dict[tuple[Mode, Any], list[Rule]] = {}
        self._names: CallNormalizer = CallNormalizer(None if parent is None else parent._names, self._rules_of)
        self._bound_functions: dict[Any, Resolved | None] = {}
        self._chosen_rules: dict[Any, Rule | None] = {}
        self._memories: dict[Any, dict[Any, Any]] = {}
        self._subscribers: list[Callable[[Rule], None]] = []
        self._overlays: weakref.WeakSet[RuleTable] = weakref.WeakSet()
        self.rrule = ReverseRules(self)
        self.frule = ForwardRules(self)
        if parent is not None:
            parent._overlays.add(self)
        arrays.on_register(self._forget_types)

    def __repr__(self) -> str:
        return f"<RuleTable {self.name}: {sum(map(len, self._rules.values()))} rules>"

    def __reduce__(self) -> Any:
        # By name: a process that unpickles a gradient has rules of its own. Other tables do not say how they were made.
        return "default_rules" if self is default_rules else super().__reduce__()

    # Registration

    def add(self, rule: Rule) -> Rule:
        """Put a rule into this table; warns where it replaces one with the same signature."""
        require_callable(rule.primal, rule.function)
        rule = replace(rule, primal=self._names.alias_of(rule.primal).primal)
        require_agreement(rule, self._names.form(rule.primal))
        self._refuse_conflicting_form(rule)
        with _lock:
            key = (rule.mode, rule.primal)
            rules = self._rules.setdefault(key, [])
            previous = next((r for r in rules if same_signature(r, rule)), None)
            if previous is not None:
                rules.remove(previous)
            rules.append(rule)
            if previous is None and key in self._methods:
                self._methods[key].add(rule)
            else:
                self._methods[key] = Methods(rules)
            for ufunc, adapt in wrapped_ufuncs(rule.primal):
                if next(self._registered(ufunc), None) is None:
                    self._names.aliases[ufunc] = Alias(rule.primal, adapt)
            self._invalidate()
            subscribers = self._all_subscribers()
        if previous is not None:
            message = f"{rule.label}{rule.signature}: {rule.name} at {rule.where} replaces {previous.name} at {previous.where}"
            warnings.warn(RuleRedefinitionWarning(message), stacklevel=3)
        for callback in subscribers:
            callback(rule)
        return rule

    def remove(self, mode: Mode, primal: Any, *types: Any) -> Rule:
        """Take a rule out of this table again: what it hid, in this table or its parent, is in force from then on."""
        primal = self._names.alias_of(primal).primal
        with _lock:
            key = (mode, primal)
            found = [r for r in self._rules.get(key, []) if not types or r.types == types]
            if len(found) != 1:
                raise NoRuleError(
                    f"remove({mode}, {qualified_name(primal)})",
                    f"{len(found)} rules of table {self.name!r} match {types}",
                    f"name the types of one of: {', '.join(r.signature for r in self._rules.get(key, [])) or 'none'}",
                    mode=mode,
                    primal=primal,
                    types=types,
                    nearest=tuple(r.signature for r in self._rules.get(key, [])),
                )
            self._rules[key].remove(found[0])
            self._methods[key] = Methods(self._rules[key])
            self._invalidate()
            return found[0]

    def alias(self, other: Any, primal: Any, adapt: Adapt | None = None) -> None:
        """Declare `other` to be the same function as `primal`; `adapt(*args, **options)` rewrites its calls."""
        with _lock:
            self._names.aliases[other] = Alias(primal, adapt)
            self._invalidate()

    def subscribe(self, callback: Callable[[Rule], None], replay: bool = True) -> Callable[[], None]:
        """Tell `callback` of each existing (with `replay`) and each future rule, once; returns the way to stop.

        Rule packs that nobody has loaded yet count as future.
        """
        with _lock:
            self._subscribers.append(callback)
            existing = list(self.rules()) if replay else []
        for rule in existing:
            callback(rule)
        return partial(self._subscribers.remove, callback)

    # Lookup

    def canonical(self, primal: Any, args: Args, options: Options) -> tuple[Any, Args, Options]:
        """The canonical form of a call: primal, arguments by position, options by keyword."""
        try:
            form = self._names.already_canonical[primal, len(args), *options]
        except (KeyError, TypeError):
            return self._names.canonical(primal, args, options)
        return form.primal, args, form.without_defaults(options) if options else options

    def arrangement(self, primal: Any, count: int, options: Iterable[str]) -> Arrangement | None:
        """How to bring calls with `count` positional arguments and options of these names to canonical form.

        None where that depends on more than their number and names: `canonical` does it call by call.
        """
        return self._names.arrangement(primal, count, options)

    def resolve(
        self,
        mode: Mode,
        primal: Any,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None = None,
        config: RuleConfig = NO_CONFIG,
    ) -> Resolved:
        """The function that differentiates `primal` for these types, with `xp` and `needs` bound; NoRuleError if none."""
        try:
            found = self._bound_functions[mode, primal, types, needs, config]
        except KeyError:
            found = self._resolve(mode, primal, types, needs, config)
        if found is None:
            alone = self.name if self.parent is None and self is not default_rules else None
            raise no_rule_error(mode, primal, types, list(self.rules(primal)), alone)
        return found

    def find(
        self,
        mode: Mode,
        primal: Any,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None = None,
        config: RuleConfig = NO_CONFIG,
    ) -> Resolved | None:
        """Like `resolve`, but None where there is no rule: for engines that branch."""
        try:
            return self._bound_functions[mode, primal, types, needs, config]
        except KeyError:
            return self._resolve(mode, primal, types, needs, config)

    def rule_for(self, mode: Mode, primal: Any, types: tuple[type, ...], config: RuleConfig = NO_CONFIG) -> Rule | None:
        """The rule that fires for these types, opt-outs being no rule."""
        fired, key = self._chosen_rules, (mode, primal, types, type(config))
        try:
            return fired[key]
        except KeyError:
            self._load_for(primal, types)
        if fired is not self._chosen_rules:
            return self.rule_for(mode, primal, types, config)  # loading brought rules
        with _lock:
            rule = self._most_specific(mode, self._names.alias_of(primal).primal, types, type(config))
            if rule is None and (function := made_of(primal)) is not None:
                rule = self._most_specific(mode, self._names.alias_of(function).primal, types, type(config))
        fired[key] = found = None if rule is None or rule.function is None else rule
        return found

    def rules(self, primal: Any = None) -> Iterator[Rule]:
        """All rules loaded so far, an overlay's before its parent's; of one primal where given."""
        if primal is not None:
            load(primal)
            primal = self._names.alias_of(primal).primal
        yield from self._rules_of(primal)

    def load_all(self) -> "RuleTable":
        """Import every rule pack that is installed, so that `rules()` lists everything there is."""
        discovery.load_all_rules()
        return self

    def __contains__(self, primal: Any) -> bool:
        return next(self.rules(primal), None) is not None

    def partials(self, primal: Any, out: Any, *args: Any) -> tuple[Any, ...]:
        """The partial derivatives of a scalar rule at `args`, for engines that already have the output."""
        primal, args, _ = self.canonical(primal, args, {})
        rule = self.rule_for("reverse", primal, tuple(map(type, args)))
        if rule is None or rule.partials is None:
            raise NoRuleError(
                f"partials({qualified_name(primal)})",
                "its rule was not made by scalar_rule" if rule else "it has no rule",
                "use rrule or frule, which every rule has",
                mode="reverse",
                primal=primal,
                types=tuple(map(type, args)),
                nearest=(),
            )
        return rule.partials(out, *args)

    def check_options(self, rule: Rule, options: dict[str, Any], config: RuleConfig = NO_CONFIG) -> None:
        """Refuse options that a rule does not take, and active values that it would not differentiate."""
        for name, value in options.items():
            if rule.options is not None and name not in rule.options:
                known = ", ".join(sorted(rule.options)) or "no options"
                raise option_error(rule, name, value, f"the option {name!r} has no rule", f"the rule takes {known}")
            if rule.differentiable and config.is_active(value):
                raise option_error(
                    rule,
                    name,
                    value,
                    f"the option {name!r} is active, and the rule does not differentiate it",
                    "pass a constant (stop_gradient(...) makes one) or write the function with it as an argument",
                )

    def explain(self, primal: Any, *args: Any, config: RuleConfig = NO_CONFIG, **options: Any) -> Explanation:
        """Which rule fires for a call in each mode, why, and where it is written."""
        primal, args, _ = self.canonical(primal, args, options)
        types = tuple(map(type, args))
        fired = {mode: self.rule_for(mode, primal, types, config) for mode in MODES}
        return Explanation(primal, types, fired["reverse"], fired["forward"], tuple(self.rules(primal)))

    def remembered(self, owner: Any) -> dict[Any, Any]:
        """What an engine may remember of its lookups here; replaced whenever a rule or a library arrives."""
        return self._memories.setdefault(owner, {})

    # Internals

    def _refuse_conflicting_form(self, rule: Rule) -> None:
        names = self._names.form(rule.primal).names[: len(rule.types)]
        for other in self._registered(rule.primal):
            both = set(names[len(other.types) :]) & (other.options or set())
            if both and not other.variadic:
                raise RegistrationError(
                    f"{rule.label} at {rule.where}",
                    f"dispatches on {', '.join(sorted(both))}, an option in {other.name} at {other.where}",
                    "take options by keyword only, as the primal's other rules do",
                    primal=rule.primal,
                    rule=rule.function,
                )

    def _registered(self, primal: Any) -> Iterator[Rule]:
        keys: list[tuple[Mode, Any]] = list(self._rules) if primal is None else [(mode, primal) for mode in MODES]
        for key in keys:
            yield from list(self._rules.get(key, ()))
        if self.parent is not None:
            yield from self.parent._registered(primal)

    def _rules_of(self, primal: Any) -> Iterator[Rule]:
        """The rules of a primal, and of the function that it is a `primitive` of."""
        yield from self._registered(primal)
        if (function := made_of(primal)) is not None:
            yield from self._registered(self._names.alias_of(function).primal)

    def _load_for(self, primal: Any, types: tuple[type, ...]) -> None:
        for cls in types:
            arrays.library_of(cls)  # a foreign type's backend joins before anything is decided or remembered
        load(primal)

    def _resolve(
        self, mode: Mode, primal: Any, types: tuple[type, ...], needs: tuple[bool, ...] | None, config: RuleConfig
    ) -> Resolved | None:
        self._load_for(primal, types)
        remembered = self._bound_functions
        rule = self.rule_for(mode, primal, types, config)
        function = None
        if rule is not None:
            library = arrays.library_of_types(types).calling(primal)
            function = rule.bind(types, needs or (True,) * len(types), library)
        remembered[mode, primal, types, needs, config] = function
        return function

    def _most_specific(self, mode: Mode, primal: Any, types: tuple[type, ...], config: type[RuleConfig]) -> Rule | None:
        methods = self._methods.get((mode, primal))
        found = None if methods is None else methods.most_specific(config, types)
        if found is None and self.parent is not None:
            return self.parent._most_specific(mode, primal, types, config)
        return found

    def _forget_types(self) -> None:
        with _lock:
            for methods in self._methods.values():
                methods.forget()
            self._invalidate()

    def _invalidate(self) -> None:
        # What others are computed from comes first: a thread that meets a new dictionary must not fill it from an old one.
        self._names.forget()
        self._chosen_rules = {}
        self._bound_functions = {}
        self._memories = {}
        self.rrule.forget()
        self.frule.forget()
        for overlay in self._overlays:
            overlay._invalidate()

    def _all_subscribers(self) -> list[Callable[[Rule], None]]:
        return self._subscribers + [callback for overlay in self._overlays for callback in overlay._all_subscribers()]


default_rules = RuleTable(name="default")
