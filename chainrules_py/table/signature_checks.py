"""Check that a rule's signature agrees with its primal's, once, when the rule arrives.

A rule is called with the primal's arguments, in the primal's order. A rule with more or fewer of
them matches no call, or the wrong ones; a rule with them in another order computes wrong numbers.
Both are found when the rule is registered, and not by a call.
"""

from types import NoneType

from chainrules_py.calls.callform import CallForm
from chainrules_py.errors import RegistrationError
from chainrules_py.rules.rule import Rule
from chainrules_py.values.identity import qualified_name

# anything else may be a sentinel, whose meaning is the primal's own affair
_PLAIN = (bool, int, float, complex, str, NoneType)
_UNKNOWN = object()


def require_agreement(rule: Rule, form: CallForm) -> None:
    """Raise for a rule that cannot be called as its primal is."""
    if rule.function is None or rule.variadic is not None or not form.known:
        return
    _require_no_more(rule, form)
    _require_all_needed(rule, form)
    _require_order(rule, form)
    _require_defaults(rule, form)


def _require_no_more(rule: Rule, form: CallForm) -> None:
    if len(rule.types) > len(form.names):
        got = (
            f"takes {len(rule.types)} arguments, and {_called(rule)} has {len(form.names)}"
            f" ({_listed(form.names)})"
        )
        instead = "take one for each of them, options by keyword only"
        if rule.mode == "reverse":
            instead += "; register a rule that takes tangents first by frule.register"
        raise _disagreement(rule, got, instead)


def _require_all_needed(rule: Rule, form: CallForm) -> None:
    if rule.options is None:
        return
    given = form.names[: len(rule.types)]
    missing = [
        name
        for name in form.names
        if not (name in given or name in form.defaults or name in rule.options)
    ]
    if missing:
        got = (
            f"takes {len(rule.types)} arguments, and {_called(rule)} cannot be called without"
            f" {_listed(missing)}"
        )
        raise _disagreement(
            rule,
            got,
            f"take {_listed(missing)}, too: by position what is differentiated, else by keyword",
        )


def _require_order(rule: Rule, form: CallForm) -> None:
    for position, name in enumerate(rule.names):
        if name in form.names and form.names.index(name) != position:
            got = (
                f"its argument {position} is named {name!r}, which is argument"
                f" {form.names.index(name)} of {_called(rule)}"
            )
            raise _disagreement(
                rule, got, f"take them in the order ({_listed(form.names)}), or name them otherwise"
            )


def _require_defaults(rule: Rule, form: CallForm) -> None:
    for name, default in rule.defaults:
        known = form.defaults.get(name, _UNKNOWN)
        if isinstance(known, _PLAIN) and (type(known), known) != (type(default), default):
            got = (
                f"its option {name!r} is {default!r} by default, and that of {_called(rule)} is"
                f" {known!r}"
            )
            raise _disagreement(
                rule,
                got,
                f"write {name}={known!r}: what is passed at the primal's default is left to the"
                " rule's",
            )


def _called(rule: Rule) -> str:
    return qualified_name(rule.primal)


def _listed(names) -> str:
    return ", ".join(names)


def _disagreement(rule: Rule, got: str, instead: str) -> RegistrationError:
    where = f"{rule.label}, {rule.name} at {rule.where}"
    return RegistrationError(where, got, instead, primal=rule.primal, rule=rule.function)
