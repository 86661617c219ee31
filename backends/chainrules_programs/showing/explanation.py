"""Which rule this engine uses for a call, in each mode, and whether it had to derive one mode from
the other.
"""

from typing import Any

from chainrules_py.rules.explanation import Explanation, in_markdown
from chainrules_py.table.registry import RuleTable, default_rules


class TapeExplanation:
    """An explanation of the table, with what this engine makes of it."""

    def __init__(self, table: Explanation) -> None:
        self.table = table
        self.derived: set[str] = set()
        if table.reverse is None and table.forward is not None:
            self.derived.add("reverse")
        if table.forward is None and table.reverse is not None:
            self.derived.add("forward")

    def __str__(self) -> str:
        lines = [str(self.table)]
        for mode in sorted(self.derived):
            other = self.table.forward if mode == "reverse" else self.table.reverse
            lines.append(f"  chainrules_tape: {mode} mode is derived by linearity from {other}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return in_markdown(str(self), self.table.reverse or self.table.forward)


class Description(str):
    """A text that prints as it is, as explanations do."""

    __repr__ = str.__str__


def explain(
    primal: Any, *args: Any, rules: RuleTable = default_rules, **options: Any
) -> "TapeExplanation | Description":
    """Which rules differentiate ``primal(*args)`` here, and where they are written.

    Of a compiled function: which programs it has, what they check, and why calls run on the tape.

    >>> print(explain(np.sin, np.ones(2)))  # doctest: +ELLIPSIS
    numpy.sin(ndarray)
      rrule: sin_rrule...
    """
    if hasattr(type(primal), "__chainrules_compiled__"):
        return Description(primal.explain())
    return TapeExplanation(rules.explain(primal, *args, **options))
