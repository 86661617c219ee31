"""Errors of the kit: a rule is wrong, or a call says nothing about the rule."""

from dataclasses import dataclass

from chainrules_py.errors import ChainRulesError


@dataclass(frozen=True)
class Diagnosis:
    """The likely mistake: a word for programs, and a sentence for people."""

    kind: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


class CheckFailure(ChainRulesError, AssertionError):
    """A rule broke a promise: `check`, `mode`, `argument`, `diagnosis`, `entries`, `location`."""


class UnsuitableCallError(ChainRulesError, ValueError):
    """A call that cannot be checked, whatever its rule: `primal`, `argument`, `value`."""


class MissingSamplesError(ChainRulesError, LookupError):
    """A primal with a rule and without an example call: `primal`."""
