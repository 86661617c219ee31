"""What the kit raises: a rule that is wrong, or a call that says nothing about the rule."""

from dataclasses import dataclass

from chainrules_py.errors import ChainRulesError


@dataclass(frozen=True)
class Diagnosis:
    """What is probably wrong: a word that programs match, a sentence that people read."""

    kind: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


class CheckFailure(ChainRulesError, AssertionError):
    """A rule broke what it promises: `check`, `mode`, `primal`, `argument`, `diagnosis`, `entries`,
    `location`.
    """


class UnsuitableCallError(ChainRulesError, ValueError):
    """A call that cannot be checked, whatever its rule: `primal`, `argument`, `value`."""


class MissingSamplesError(ChainRulesError, LookupError):
    """A primal with a rule and without an example call: `primal`."""
