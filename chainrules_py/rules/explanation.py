"""Answers of the table for people: which rule a call has, and what to write where there is none."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from chainrules_py.errors import AmbiguousRuleError, NoRuleError, OptionError
from chainrules_py.rules.rule import ENTRY_POINTS, MODES, Mode, Rule
from chainrules_py.values.arrays import library_of
from chainrules_py.values.discovery import home_of, name_at_home, packs_not_imported
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.records import Record


class Explanation(Record):
    """The rules of a call, and those passed over; prints as a person wants to read it."""

    primal: Any
    types: tuple[type, ...]
    reverse: Rule | None
    forward: Rule | None
    candidates: tuple[Rule, ...]
    batching: Rule | None = None
    row: str = ""  # the place of what the rules read in a table
    seen: tuple[str, ...] = ()  # files and packages that its derivatives are seen through by
    ways: tuple[str, ...] = ()  # of a function that runs: which of its calls went by what

    @property
    def derived(self) -> set[Mode]:
        """The modes whose rule the engine makes of that of the other mode."""
        rules = [rule for rule in (self.reverse, self.forward) if rule is not None]
        return {rule.mode for rule in rules if rule.derived_from is not None}

    def __str__(self) -> str:
        reason = "" if self.candidates else reason_without_rule(self.primal)
        lines = [f"{qualified_name(self.primal)}({_names(self.types)}){reason}"]
        for mode in MODES:
            rule = self.reverse if mode == "reverse" else self.forward
            lines.append(f"  {ENTRY_POINTS[mode]}: {_of_derivatives(rule)}")
            passed_over = [
                other
                for other in self.candidates
                if other.mode == mode and other not in (rule, getattr(rule, "derived_from", None))
            ]
            lines += [f"    passed over: {_with_place(other)}" for other in passed_over]
        if self.row:
            lines.append(f"  they read the row at {self.row}")
        if self.candidates or self.batching is not None:
            lines.append(f"  {ENTRY_POINTS['batching']}: {_of_lanes(self.batching)}")
        else:
            lines += [f"  not imported: {pack}" for pack in packs_not_imported(self.primal)]
        lines += [f"  seen through: {name}" for name in self.seen]
        lines += [f"  {way}" for way in self.ways]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return in_markdown(str(self), self.reverse or self.forward)


def reason_without_rule(primal) -> str:
    """Why a function of NumPy or SciPy has no rule, as a clause; empty where nobody says why."""
    home, name = home_of(primal).partition("._")[0], name_at_home(primal)
    package = home.partition(".")[0]
    if package not in ("numpy", "scipy"):
        return ""
    # by its name: the rules for people stand beneath the rulesets
    reason_of = import_module("chainrules_py.rulesets.without_rules").reason_of
    listed = ("numpy", f"{home}.{name}") if package == "numpy" else (home, name)
    found = (reason_of(category, *listed) for category in ("no rule yet", "done by another"))
    return next((f" ({reason})" for reason in found if reason), "")


def in_markdown(text: str, rule: Rule | None) -> str:
    """Write an explanation for notebooks: its text, and the partials of its rule as formulas."""
    formulas = {} if rule is None else rule.formulas()
    shown = [f"$${as_fraction(of)} = {formula}$$" for of, formula in formulas.items()]
    return "\n\n".join([f"```text\n{text}\n```", *shown])


def as_fraction(derivative: str) -> str:
    r"""The name of a partial derivative in LaTeX.

    >>> as_fraction("dy/dx")
    '\\frac{\\partial y}{\\partial x}'
    """
    y, x = derivative.removeprefix("d").split("/d")
    return rf"\frac{{\partial {y}}}{{\partial {x}}}"


def no_rule_error(
    mode: Mode,
    primal,
    types: tuple[type, ...],
    rules: Sequence[Rule],
    alone: str | None = None,
) -> NoRuleError:
    """Make the error for a call that no rule matches, with the nearest signatures.

    `alone` is the name of a table without parent.
    """
    candidates = [rule for rule in rules if rule.mode == mode]
    nearest = tuple(
        f"{rule.signature} at {rule.where}" for rule in candidates if rule.function is not None
    )
    opted_out = [f"; opted out at {rule.where}" for rule in candidates if rule.function is None]
    listed = f"; it has {', '.join(nearest)}" if nearest else _in_the_other_mode(mode, rules)
    if not rules:
        listed = reason_without_rule(primal)
    packs = [] if rules else packs_not_imported(primal)
    if packs:
        listed = f"{listed}; packs that are installed and were not imported: {', '.join(packs)}"
    return NoRuleError(
        f"{ENTRY_POINTS[mode]}({qualified_name(primal)})",
        f"no rule for ({_names(types)}){''.join(opted_out)}{listed}",
        _what_to_do(mode, types, [rule for rule in candidates if rule.function], alone),
        mode=mode,
        primal=primal,
        types=types,
        nearest=nearest,
    )


def _in_the_other_mode(mode: Mode, rules: Sequence[Rule]) -> str:
    others = [
        f"{ENTRY_POINTS[rule.mode]}{rule.signature} at {rule.where}"
        for rule in rules
        if rule.mode != mode and rule.function
    ]
    return f"; in the other mode it has {', '.join(others)}" if others else ""


def _what_to_do(
    mode: Mode, types: tuple[type, ...], rules: Sequence[Rule], alone: str | None
) -> str:
    """Suggest another argument where the arguments are unusual, a rule where there is none."""
    write = (
        "write its program with composed, or a rule with scalar_rule, linear_rule or"
        f" @{ENTRY_POINTS[mode]}.register; if it has no derivative, say so by non_differentiable"
    )
    foreign = [
        cls
        for cls in types
        if hasattr(cls, "shape") and hasattr(cls, "dtype") and library_of(cls) is None
    ]
    if foreign and foreign[0].__module__.startswith("scipy.sparse"):
        return (
            f"a {foreign[0].__qualname__} is a constant: differentiate by an array, or by its entries,"
            " and make the matrix inside of the function by chainrules_tape.scipy.sparse"
        )
    if foreign:
        name = foreign[0].__qualname__
        joins = f"register_library(ArrayLibrary(name=..., namespace=..., array_types=({name},)))"
        if hasattr(foreign[0], "__array_namespace__"):
            joins = f"chainrules_array_api.join({name})"
        return (
            f"{name} is an array class of no library that is known here: let it in by"
            f" {joins}, or pass NumPy's arrays"
        )
    if rules and all(rule.overwrites is not None for rule in rules):
        written = rules[0].names[rules[0].overwrites or 0]
        return (
            f"it writes into its argument {written!r}: differentiate it by an engine that keeps track"
            " of that, whose config is a HandlesOverwriting; or compute a new array, as np.where and"
            " np.concatenate do"
        )
    if rules and {list, tuple} & set(types):
        return f"pass an array (numpy.asarray makes one of a list of numbers), or {write}"
    if rules and all(rule.abilities for rule in rules):
        wanted = f"{rules[0].name} asks for a {rules[0].abilities[0].__qualname__}"
        return f"differentiate it by an engine, or pass one as config=...: {wanted}"
    if alone is not None and not rules:
        return (
            f"table {alone!r} has no parent: make it by RuleTable(parent=default_rules), or {write}"
        )
    return write


def ambiguous_rule_error(
    mode: Mode, primal, types: tuple[type, ...], candidates: Sequence[Rule]
) -> AmbiguousRuleError:
    """The error for a call that several rules match equally well."""
    return AmbiguousRuleError(
        f"{ENTRY_POINTS[mode]}({qualified_name(primal)})",
        f"({_names(types)}) matches {' and '.join(map(_with_place, candidates))}, none of which is"
        " more specific",
        "register one for exactly these types",
        mode=mode,
        primal=primal,
        types=types,
        candidates=tuple(candidates),
    )


def option_error(rule: Rule, option: str, value, got: str, instead: str) -> OptionError:
    """The error for an option that a rule would not honour."""
    return OptionError(
        rule.place,
        f"{got} (value {value!r})",
        instead,
        primal=rule.primal,
        option=option,
        value=value,
    )


def _of_derivatives(rule: Rule | None) -> str:
    if rule is None:
        return "no rule"
    if rule.derived_from is not None:
        return f"derived by linearity from {rule.derived_from}"
    return _with_place(rule)


def _of_lanes(rule: Rule | None) -> str:
    """Say by which rule many examples are computed at once."""
    if rule is None:
        return "a loop, one call per lane"
    return _with_place(rule) if rule.axes is None else f"{rule.name} at {rule.where}"


def _with_place(rule: Rule) -> str:
    source = ", by its own source" if hasattr(rule.body, "is_own_source") else ""
    return f"{rule.name}{rule.signature} at {rule.where}{source}"


def _names(types: tuple[type, ...]) -> str:
    return ", ".join(cls.__qualname__ for cls in types)
