"""Describe a rule as data for JSON, and say in short where it is written."""

from pathlib import Path
from typing import Any

from chainrules_py.rules.rule import ENTRY_POINTS, Rule
from chainrules_py.values.identity import qualified_name


def rule_data(rule: Rule) -> dict[str, Any]:
    """A rule as data for JSON."""
    return {
        "function": qualified_name(rule.primal),
        "entry_point": ENTRY_POINTS[rule.mode],
        "rule": rule.name,
        "signature": rule.signature,
        "options": None if rule.options is None else sorted(rule.options),
        "differentiable": rule.differentiable and rule.function is not None,
        "formulas": rule.formulas(),
        "expressions": rule.expressions(),
        "where": rule.where,
    }


def short_place(rule: Rule) -> str:
    """Return the place of a rule as ``folder/file.py:12``, which an editor's search finds."""
    path = Path(rule.where)
    return f"{path.parent.name}/{path.name}"
