"""Look up which rule a call has, and the function that differentiates it.

* `canonical` brings a call to its canonical form: aliases, bound methods, callable objects, options
  by keyword (`calls.canonical`).
* `rule_for` finds the most specific rule, by the classes of the arguments (`matching`): an overlay
  asks itself first, and its parent when it has no matching rule.
* `resolve` turns that rule into a plain function for one pattern of types and needs.

Each looks into the memory first, and stores what it found out.
"""

import warnings
from abc import get_cache_token
from typing import TYPE_CHECKING, Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped, no_list_of_lanes
from chainrules_py.checks.contract import checked_rule, debugging
from chainrules_py.checks.guards import held, is_held_to_contract, is_proven
from chainrules_py.errors import AmbiguousRuleError, NoRuleError, OptionError, OutdatedRuleWarning
from chainrules_py.introspection import frame_above, users_level
from chainrules_py.rules.config import NO_CONFIG, HasReverseMode, RuleConfig
from chainrules_py.rules.rule import (
    ENTRY_POINTS,
    OTHER_MODE,
    Mode,
    Rule,
    require_mode,
    with_defaults,
)
from chainrules_py.table.generations import is_outdated
from chainrules_py.table.matching import matches, most_specific
from chainrules_py.table.python_values import is_of_numbers, with_pythons_value
from chainrules_py.table.registration import Registrations, lock
from chainrules_py.tangents import AbstractZero, with_entries
from chainrules_py.values import arrays, discovery
from chainrules_py.values.identity import lives_with_module, made_of, qualified_name
from chainrules_py.values.late_names import warn_of_former
from chainrules_py.values.structure import RECORDS, kind

if TYPE_CHECKING:  # errors, and explanations for people, come late
    from chainrules_py.rules.explanation import Explanation

Resolved = Function
DEFAULT = "default"


class Lookup(Registrations):
    """The rules of a table, found by primal, mode and argument classes."""

    def canonical(self, primal, args: Args, options: Options) -> tuple[Any, Args, Options]:
        """The canonical form of a call: primal, arguments by position, options by keyword.

        Python's functions of its own numbers stay what they are: they have values of their own.
        """
        try:
            if not options and is_of_numbers(primal, map(type, args)):
                self.names.load(primal)
                is_alias = self.names.is_alias(primal)
                if is_alias and (len(args) == 1 or self.names.alias_of(primal).keeps(args)):
                    return primal, args, options
            form = self.memory.canonical_forms[primal, len(args), *options]
        except (KeyError, TypeError):
            return self.names.canonical(primal, args, options, self.memory.canonical_forms)
        return form.primal, args, form.without_defaults(options) if options else options

    def resolve(
        self,
        mode: Mode,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None = None,
        config: RuleConfig = NO_CONFIG,
        tangents: tuple[type, ...] = (),
        debug: bool | None = None,
    ) -> Resolved:
        """Find the function that differentiates `primal` for these types, or raise NoRuleError.

        Its `xp` and `needs` are bound. With `debug`, or in debug mode, it checks what it promises.

        In forward mode, `tangents` are the classes of the tangents, where their library may be
        another than that of the values.
        """
        found = self.find(mode, primal, types, needs, config, tangents, debug)
        if found is None:
            alone = self.name if self.parent is None and self.name != DEFAULT else None
            from chainrules_py.rules.explanation import no_rule_error

            raise no_rule_error(mode, primal, types, list(self.rules(primal)), alone)
        return found

    def rule_and_function(
        self,
        mode: Mode,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None,
        config: RuleConfig = NO_CONFIG,
        tangents: tuple[type, ...] = (),
        debug: bool | None = None,
    ) -> tuple[Rule, Resolved]:
        """Find the rule of a canonical call, and its function, with the config bound where it wants
        one, or raise NoRuleError.
        """
        function = self.resolve(mode, primal, types, needs, config, tangents, debug)
        rule = self.rule_for(mode, primal, types, config)
        assert rule is not None, "resolve raises where there is no rule"
        if "config" in rule.wants:
            function = with_defaults(function, {"config": config})
        return rule, function

    def find(
        self,
        mode: Mode,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None = None,
        config: RuleConfig = NO_CONFIG,
        tangents: tuple[type, ...] = (),
        debug: bool | None = None,
    ) -> Resolved | None:
        """Like `resolve`, but None where there is no rule: for engines that branch."""
        try:
            found = self.memory.bound_functions[mode, primal, types, needs, config, *tangents]
        except KeyError:
            found = self._resolve(mode, primal, types, needs, config, tangents)
        except TypeError:
            require_hashable(primal, config)
            raise
        if found is None and self._have_classes_joined():
            found = self._resolve(mode, primal, types, needs, config, tangents)
        if found is not None and (debugging() if debug is None else debug):
            return self._checked(found, mode, primal, types, needs, config)
        return found

    def _checked(
        self,
        function: Resolved,
        mode: Mode,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None,
        config: RuleConfig,
    ) -> Resolved:
        """A resolved function that checks its promises; one that writes is not called twice."""
        rule = self.rule_for(mode, primal, types, config)
        if rule is None or rule.mode == "batching" or rule.overwrites is not None:
            return function
        return checked_rule(rule, function, needs)

    def _have_classes_joined(self) -> bool:
        """Whether a class has joined an abstract one since; what was found out is forgotten then."""
        if self.memory.classes == get_cache_token():
            return False
        with lock:
            self._forget_all()
        return True

    def in_lanes(
        self,
        primal,
        types: tuple[type, ...],
        lanes: Lanes,
        one_lane: Function | None = None,
    ) -> Resolved:
        """Find the function that computes all lanes of a call, or make the loop over them.

        `types` are the classes of the arguments, lanes included; `lanes` is explained in
        `batching`. `one_lane` is how the loop calls the primal where its library does not say so.
        """
        count, defaults = self._taken_in_lanes(primal, len(types))
        if count < len(types) or defaults:
            return self._rearranged_in_lanes(primal, types, lanes, count, defaults)
        rule = self.rule_for("batching", primal, types)
        by_name = {lane if type(lane) is str else lane[0] for lane in lanes[len(types) :]}
        if rule is not None and by_name <= rule.laned_options:
            return self.resolve("batching", primal, types, lanes)

        def loop(*args, **options):
            run = one_lane or arrays.making.implementation(primal, types)
            return looped(run, lanes, args, options)

        return loop

    def _taken_in_lanes(self, primal, given: int) -> tuple[int, Args]:
        """Count the positional arguments that rules for batching take of those which are given, and
        list the defaults of those that they take after these.
        """
        names = self.names
        modes: tuple[Mode, ...] = ("batching",)
        names.load(primal, batching=True)
        primal = names.alias_of(primal).primal
        count = min(given, names.arity(primal, given, modes))
        return count, names.defaults_after(primal, given, modes)

    def batching_rule(self, primal, types: tuple[type, ...]) -> Rule | None:
        """The rule for batching that `in_lanes` runs, for calls that leave out arguments, too."""
        count, defaults = self._taken_in_lanes(primal, len(types))
        return self.rule_for("batching", primal, (*types[:count], *map(type, defaults)))

    def _rearranged_in_lanes(
        self, primal, types: tuple[type, ...], lanes: Lanes, count: int, defaults: Args
    ) -> Resolved:
        """Find what computes all lanes where rules for batching take the arguments from place `count`
        on as options, or the defaults of arguments that the call leaves out.

        The rules of differentiation decide which are positional, and some take all that are given.
        """
        form, given = self.names.form(primal), len(types)
        names = form.names[count:given]
        pairs = zip(names, lanes[count:given], strict=False)
        by_name = [name if lane is True else (name, lane) for name, lane in pairs if lane]
        own = (*lanes[:count], *[False] * len(defaults), *by_name, *lanes[given:])
        run = self.in_lanes(primal, (*types[:count], *map(type, defaults)), own)

        def rearranged(*args, **options):
            named = dict(zip(names, args[count:], strict=True))
            return run(*args[:count], *defaults, **form.without_defaults(named), **options)

        return rearranged

    def rule_for(
        self, mode: Mode, primal, types: tuple[type, ...], config: RuleConfig = NO_CONFIG
    ) -> Rule | None:
        """The rule that fires for these types, opt-outs being no rule.

        Where there is none, or one that is outdated, and the engine has a reverse mode, it is made
        of that of the other mode.
        """
        key = (mode, primal, types, type(config))
        try:
            return self.memory.chosen_rules[key]
        except KeyError:
            require_mode(mode, "a look-up of a rule", ENTRY_POINTS)
            self._load_for(mode, primal, types)
        chosen = self.memory.chosen_rules
        with lock:
            rule = self._rule_or_opt_out(mode, primal, types, type(config))
            if mode != "batching" and isinstance(config, HasReverseMode):
                other = self._to_derive_from(rule, mode, primal, types, config)
                if other is not None:
                    from chainrules_py.table.derived_rules import derived_rule  # for few calls

                    rule = derived_rule(other)
        if rule is None and mode != "batching":
            raise_broken_pack(self, primal)
        is_opted_out = rule is not None and rule.function is None
        found = None if is_opted_out else rule
        if found is not None or lives_with_module(primal):
            chosen[key] = found
        return found

    def _to_derive_from(
        self, rule: Rule | None, mode: Mode, primal, types: tuple[type, ...], config: RuleConfig
    ) -> Rule | None:
        """The rule of the other mode, where there is none of this, or it is outdated."""
        other = OTHER_MODE[mode]
        others: list[Rule] = []
        if rule is not None:
            others = list(self._rules_of(primal, (other,)))
            if rule.function is None or not any(each.since for each in others):
                return None
        try:
            found = self._rule_or_opt_out(other, primal, types, type(config))
        except AmbiguousRuleError:
            if rule is None:
                raise
            return None  # nothing is known to be newer
        if found is None or found.function is None:
            return None
        beside = [each for each in others if matches(each, type(config), types)]
        return found if rule is None or is_outdated(rule, found, beside) else None

    def derivatives_given_output(
        self, out, primal, *args, rules: "Lookup | None" = None
    ) -> tuple[Any, ...]:
        """Compute the partials of a scalar rule, for engines that have the output already.

        `rules` is another table to ask.
        """
        if rules is not None:
            require_table(rules, "derivatives_given_output")
            return rules.derivatives_given_output(out, primal, *args)
        primal, args, _ = self.canonical(primal, args, {})
        rule = self.rule_for("reverse", primal, tuple(map(type, args)))
        if rule is None or rule.partials is None:
            raise NoRuleError(
                f"derivatives_given_output({qualified_name(primal)})",
                "its rule was not made by scalar_rule" if rule else "it has no rule",
                "use rrule or frule, which every rule has",
                mode="reverse",
                primal=primal,
                types=tuple(map(type, args)),
                nearest=(),
            )
        return rule.partials(out, *args)

    def partials(self, primal, out, *args, **options) -> tuple[Any, ...]:
        """The former name of `derivatives_given_output`."""
        warn_of_former("partials(f, out, *args)", "derivatives_given_output(out, f, *args)")
        return self.derivatives_given_output(out, primal, *args, **options)

    def check_options(
        self, rule: Rule, options: dict[str, Any], config: RuleConfig = NO_CONFIG
    ) -> None:
        """Refuse options that a rule does not take, or would not differentiate."""
        for name, value in options.items():
            if rule.options is not None and name not in rule.options:
                known = ", ".join(sorted(rule.options)) or "no options"
                got, instead = f"the option {name!r} has no rule", f"the rule takes {known}"
            elif rule.differentiable and config.is_active(value):
                got = f"the option {name!r} is active, and the rule does not differentiate it"
                instead = (
                    "pass a constant (stop_gradient(...) makes one) or write the function with it"
                    " as an argument"
                )
            else:
                continue
            from chainrules_py.rules.explanation import option_error

            raise option_error(rule, name, value, got, instead)

    def explain(
        self,
        primal,
        *args,
        config: RuleConfig = NO_CONFIG,
        rules: "Lookup | None" = None,
        **options,
    ) -> "Explanation":
        """Explain which rule a call has in each mode, why, and where it is written.

        `rules` is another table to ask.
        """
        if rules is not None:
            require_table(rules, "explain")
            return rules.explain(primal, *args, config=config, **options)
        primal, args, _ = self.canonical(primal, args, options)
        types = tuple(map(type, args))
        from chainrules_py.rules.explanation import Explanation

        reverse = self.rule_for("reverse", primal, types, config)
        row_of = getattr(reverse and reverse.function, "row_of", None)
        return Explanation(
            primal,
            types,
            row="" if row_of is None else row_of(*args),
            reverse=reverse,
            forward=self.rule_for("forward", primal, types, config),
            candidates=tuple(self.rules(primal)),
            batching=self.batching_rule(primal, types),
        )

    def _load_for(self, mode: Mode, primal, types: tuple[type, ...]) -> None:
        for cls in types:
            # a foreign type's backend joins before anything is decided or remembered
            arrays.library_of(cls)
        self.names.load(primal, batching=mode == "batching")

    def _resolve(
        self,
        mode: Mode,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None,
        config: RuleConfig,
        tangents: tuple[type, ...],
    ) -> Resolved | None:
        self._load_for(mode, primal, types)
        bound = self.memory.bound_functions
        rule = self.rule_for(mode, primal, types, config)
        function = None
        if rule is not None:
            if mode != "batching" and not isinstance(config, HasReverseMode):
                self._warn_if_outdated(rule, primal, types, config)
            function = held(rule, self.as_written(rule, primal, types, needs, tangents), needs)
            if mode == "batching" and not is_proven(rule) and needs is not None:
                function = no_list_of_lanes(primal, function, needs)
            if mode != "batching" and is_of_numbers(primal, types):

                def resolve(other: tuple[type, ...]) -> Resolved | None:
                    return self.find(mode, rule.primal, other, needs, config)

                function = with_pythons_value(mode, primal, function, resolve)
        if function is not None or lives_with_module(primal):
            bound[mode, primal, types, needs, config, *tangents] = function
        return function

    def _warn_if_outdated(
        self, rule: Rule, primal, types: tuple[type, ...], config: RuleConfig
    ) -> None:
        with lock:
            newer = self._to_derive_from(rule, rule.mode, primal, types, config)
        if newer is None or newer.since in self._told:
            return
        self._told.add(newer.since)
        register = f"{ENTRY_POINTS[rule.mode]}.register({qualified_name(primal)})"
        message = (
            f"{rule.label}{rule.signature}: {rule.name} at {rule.where} is used, and {newer.name} at"
            f" {newer.where} has replaced the {ENTRY_POINTS[newer.mode]} that it belongs to; write"
            f" the rule of this mode, too (@{register}), or differentiate by an engine with a reverse"
            " mode, which derives it"
        )
        warnings.warn(OutdatedRuleWarning(message), stacklevel=users_level(frame_above(1)))

    def as_written(
        self,
        rule: Rule,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None,
        tangents: tuple[type, ...] = (),
    ) -> Resolved:
        """A rule's own function with what is injected bound, and nothing checked."""
        library = arrays.library_of_types((*types, *tangents)).calling(primal)
        function = rule.bind(types, needs or (True,) * len(types), library)
        if rule.mode != "forward" or not is_held_to_contract(rule):
            return function
        records = [(k, cls) for k, cls in enumerate(types) if kind(cls) in RECORDS]
        return with_fields(function, records) if records else function

    def _rule_or_opt_out(
        self, mode: Mode, primal, types: tuple[type, ...], config: type[RuleConfig]
    ) -> Rule | None:
        """Find the rule of a function, or of that which it is a `primitive` of.

        Called with the lock held.
        """
        for function in (primal, made_of(primal)):
            if function is not None:
                named = self.names.alias_of(function).primal
                rule = self._most_specific(mode, named, types, config)
                if rule is not None:
                    return rule
        return None

    def _most_specific(
        self, mode: Mode, primal, types: tuple[type, ...], config: type[RuleConfig]
    ) -> Rule | None:
        """Find the rule in this table or its parents, an opt-out included.

        Called with the lock held.
        """
        self._make_noted(primal, (mode,))
        found = most_specific(self._rules.get((mode, primal), ()), config, types)
        if found is None and self.parent is not None:
            return self.parent._most_specific(mode, primal, types, config)
        return found


def with_fields(function: Resolved, records: list[tuple[int, type]]) -> Resolved:
    """A forward rule whose zeros for records have their fields: ``dots[0].weight`` is `ZERO`."""

    def frule(dots: Args, *args, **options) -> Any:
        given = list(dots)
        for place, cls in records:
            if isinstance(given[place], AbstractZero):
                given[place] = with_entries(cls, {})  # a rule may write into it
        return function(tuple(given), *args, **options)

    return frule


def raise_broken_pack(table: Lookup, primal) -> None:
    """Raise for a function without rules, for which a pack is installed that cannot be imported."""
    error = discovery.broken_pack(primal)
    if error is not None and not any(table.rules(primal)):
        raise error.with_traceback(None)


def require_table(rules, where: str) -> None:
    """Raise for what was passed as `rules` and is no table."""
    if not hasattr(rules, "resolve"):
        instead = "pass a table, such as RuleTable(parent=default_rules)"
        raise OptionError(
            where, f"rules is {rules!r}", instead, primal=None, option="rules", value=rules
        )


def require_hashable(primal, config: RuleConfig) -> None:
    """Raise for a config that cannot be the key of what is found out for it."""
    cls = type(config)
    if cls.__hash__ is None:
        raise OptionError(
            f"a rule of {qualified_name(primal)} for the config {cls.__qualname__}",
            "its objects cannot be hashed, as those of a dataclass that compares its fields",
            "declare it by @dataclass(frozen=True) or @dataclass(eq=False), make one, and keep it",
            primal=primal,
            option="config",
            value=config,
        )
