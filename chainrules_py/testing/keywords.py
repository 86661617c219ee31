"""Find keywords of primals that a rule takes and nobody tests.

A keyword is tested if some sample passes it, so that the checks compare with a primal that obeys
it; it is refused by name if the rule does not list it. A rule with ``**options`` takes every
keyword, so each needs a sample. A primal without a derivative has a rule that hands every keyword
on to it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from chainrules_py.calls.callform import CallForm
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.testing.samples import dtypes_of, samples_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.signatures import signature_of


@dataclass(frozen=True)
class Keyword:
    """One keyword of one primal."""

    primal: Any
    name: str

    def __str__(self) -> str:
        return f"{qualified_name(self.primal)}({self.name}=...)"


def untested_keywords(primals: Iterable[Any], rules: RuleTable = default_rules) -> list[Keyword]:
    """The keywords that a rule takes and no sample passes, or that the primal does not have.

    >>> import numpy as np
    >>> from chainrules_py.testing import load_shipped
    >>> load_shipped()
    >>> untested_keywords([np.sum, np.sin])
    []
    """
    return [Keyword(primal, name) for primal in primals for name in _untested(primal, rules)]


def _untested(primal, rules: RuleTable) -> Iterator[str]:
    own = [rule for rule in rules.rules(primal) if rule.function is not None]
    is_constant = not any(rule.differentiable for rule in own)
    tested = _sampled_options(primal, rules)
    form = CallForm.of(primal)
    positional = max((len(rule.types) for rule in own), default=0)
    names = [*form.names[positional:], *(name for name in form.defaults if name not in form.names)]
    for name in names:
        is_taken = any(rule.options is None or name in rule.options for rule in own)
        if is_taken and not is_constant and name not in tested:
            yield name
    if not (form.names or form.defaults):
        return
    takes_anything = _takes_anything(primal)
    others = {option for rule in own for option in rule.options or ()} - set(names)
    for name in sorted(others):
        if not takes_anything or not (is_constant or name in tested):
            yield name


def _takes_anything(primal) -> bool:
    """Whether the primal's own signature ends in ``**options``: `numpy.pad`."""
    return any(p.kind is p.VAR_KEYWORD for p in signature_of(primal).parameters.values())


def _sampled_options(primal, rules: RuleTable) -> frozenset[str]:
    """The keywords that samples pass, in the canonical form of their calls."""
    found: set[str] = set()
    for dtype in dtypes_of(primal):
        for sample in samples_of(primal, dtype):
            if sample.error is None:
                found |= rules.canonical(primal, sample.args, dict(sample.options))[2].keys()
    return frozenset(found)
