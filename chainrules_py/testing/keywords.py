"""Check that every keyword of a primal is tested, or refused by name.

    tested     some sample passes the keyword, so that the checks compare with a primal that obeys it
    refused    the rule does not list the keyword: `rrule` raises an OptionError that names it
    untested   the rule takes it and no sample does
    unknown    the rule takes a keyword that the primal does not have
    constant   the primal has no derivative: its rule hands every keyword on to it

A rule with ``**options`` takes every keyword, so each needs a sample.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from chainrules_py.calls.callform import CallForm
from chainrules_py.rules.rule import Rule
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.testing.samples import dtypes_of, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import signature_of

Status = Literal["tested", "refused", "untested", "unknown", "constant"]
BROKEN: frozenset[Status] = frozenset({"untested", "unknown"})


@dataclass(frozen=True)
class Keyword:
    """One keyword of one primal: tested, refused or neither."""

    primal: Any
    name: str
    status: Status

    def __str__(self) -> str:
        return f"{qualified_name(self.primal)}({self.name}=...): {self.status}"


def audit_keywords(primals: Iterable[Any], rules: RuleTable = default_rules) -> list[Keyword]:
    """The status of every keyword of every primal.

    >>> import numpy as np
    >>> from chainrules_py.testing import load_shipped
    >>> load_shipped()
    >>> found = audit_keywords([np.sum, np.sin])
    >>> [str(keyword) for keyword in found if keyword.name in ("axis", "casting")]
    ['numpy.sum(axis=...): tested', 'numpy.sin(casting=...): refused']
    """
    return [keyword for primal in primals for keyword in _audit(primal, rules)]


def untested_keywords(primals: Iterable[Any], rules: RuleTable = default_rules) -> list[Keyword]:
    """The keywords that a rule takes and nobody tests, or that do not exist."""
    return [keyword for keyword in audit_keywords(primals, rules) if keyword.status in BROKEN]


def _audit(primal, rules: RuleTable) -> Iterator[Keyword]:
    own = [rule for rule in rules.rules(primal) if rule.function is not None]
    tested = _sampled_options(primal, rules)
    form = CallForm.of(primal)
    positional = max((len(rule.types) for rule in own), default=0)
    names = [*form.names[positional:], *(name for name in form.defaults if name not in form.names)]
    for name in names:
        yield Keyword(primal, name, _status(name, own, tested))
    if not (form.names or form.defaults):
        return
    takes_anything = _takes_anything(primal)
    others = {option for rule in own for option in rule.options or ()} - set(names)
    for name in sorted(others):
        yield Keyword(primal, name, _status(name, own, tested) if takes_anything else "unknown")


def _takes_anything(primal) -> bool:
    """Whether the primal's own signature ends in ``**options``: `numpy.pad`."""
    return any(p.kind is p.VAR_KEYWORD for p in signature_of(primal).parameters.values())


def _status(name: str, rules: list[Rule], tested: frozenset[str]) -> Status:
    if all(not rule.differentiable for rule in rules):
        return "constant"
    if name in tested:
        return "tested"
    taken = any(rule.options is None or name in rule.options for rule in rules)
    return "untested" if taken else "refused"


def _sampled_options(primal, rules: RuleTable) -> frozenset[str]:
    """The keywords that samples pass, in the canonical form of their calls."""
    found: set[str] = set()
    for dtype in dtypes_of(primal):
        for sample in samples_of(primal, dtype):
            if sample.error is None:
                found |= rules.canonical(primal, sample.args, dict(sample.options))[2].keys()
    return frozenset(found)
