"""What the table says to people: which rule fires and why, and what to do where none does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chainrules_py.errors import AmbiguousRuleError, NoRuleError, OptionError
from chainrules_py.identity import qualified_name
from chainrules_py.rule import DOORS, MODES, Mode, Rule


@dataclass(frozen=True)
class Explanation:
    """Which rules fire for a call; prints as a person wants to read it."""

    primal: Any
    types: tuple[type, ...]
    reverse: Rule | None
    forward: Rule | None
    candidates: tuple[Rule, ...]

    def __str__(self) -> str:
        lines = [f"{qualified_name(self.primal)}({_names(self.types)})"]
        for mode in MODES:
            rule = self.reverse if mode == "reverse" else self.forward
            lines.append(f"  {DOORS[mode]}: {_written(rule) if rule else 'no rule'}")
            passed_over = [other for other in self.candidates if other.mode == mode and other is not rule]
            lines += [f"    passed over: {_written(other)}" for other in passed_over]
        return "\n".join(lines)


def no_rule_error(mode: Mode, primal: Any, types: tuple[type, ...], rules: Sequence[Rule]) -> NoRuleError:
    """The error for a call that no rule matches, with the signatures that came nearest."""
    candidates = [rule for rule in rules if rule.mode == mode]
    nearest = tuple(f"{rule.signature} at {rule.where}" for rule in candidates if rule.function is not None)
    opted_out = [f"; opted out at {rule.where}" for rule in candidates if rule.function is None]
    listed = f"; it has {', '.join(nearest)}" if nearest else ""
    return NoRuleError(
        f"{DOORS[mode]}({qualified_name(primal)})",
        f"no rule for ({_names(types)}){''.join(opted_out)}{listed}",
        f"write one with @{DOORS[mode]}.register, or scalar_rule, linear_rule or non_differentiable",
        mode=mode,
        primal=primal,
        types=types,
        nearest=nearest,
    )


def ambiguous_rule_error(mode: Mode, primal: Any, types: tuple[type, ...], candidates: Sequence[Rule]) -> AmbiguousRuleError:
    """The error for a call that several rules match equally well."""
    return AmbiguousRuleError(
        f"{DOORS[mode]}({qualified_name(primal)})",
        f"({_names(types)}) matches {' and '.join(map(_written, candidates))}, none of which is more specific",
        "register one for exactly these types",
        mode=mode,
        primal=primal,
        types=types,
        candidates=tuple(candidates),
    )


def option_error(rule: Rule, option: str, value: Any, got: str, instead: str) -> OptionError:
    """The error for an option that a rule would not honour."""
    return OptionError(
        rule.place,
        f"{got} (value {value!r})",
        instead,
        primal=rule.primal,
        option=option,
        value=value,
    )


def _written(rule: Rule) -> str:
    return f"{rule.name}{rule.signature} at {rule.where}"


def _names(types: tuple[type, ...]) -> str:
    return ", ".join(cls.__qualname__ for cls in types)
