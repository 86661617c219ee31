"""Which rule this engine uses for a call, in each mode, and whether it had to derive one mode from
the other.
"""

from typing import Any

from chainrules_py.rules.explanation import Explanation
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_tape.core.config import TapeConfig
from chainrules_tape.core.following import what_is_seen


class Description(str):
    """A text that prints as it is, as explanations do."""

    __repr__ = str.__str__


def explain(
    primal: Any, *args: Any, rules: RuleTable = default_rules, **options: Any
) -> Explanation | Description:
    """Which rules differentiate ``primal(*args)`` here, and where they are written.

    Of a compiled function: which programs it has, what they check, and why calls run on the tape.

    >>> print(explain(np.sin, np.ones(2)))  # doctest: +ELLIPSIS
    numpy.sin(ndarray)
      rrule: sin_rrule...
    """
    if hasattr(type(primal), "__chainrules_compiled__"):
        return Description(primal.explain())
    found = rules.explain(primal, *args, config=TapeConfig(rules), **options)
    seen = () if found.candidates else what_is_seen(primal)
    return found.replaced(seen=tuple(seen)) if seen else found
