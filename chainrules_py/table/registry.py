"""The table of rules: it registers them, looks them up, and has `rrule`, `frule` and `batched`.

Everything that a table finds out it keeps in one `Memory`, which is replaced whole whenever a rule,
an alias or an array library arrives.
"""

from typing import Any

from chainrules_py.table.entry_points import BatchingRules, ForwardRules, ReverseRules
from chainrules_py.table.lookup import DEFAULT, Lookup


class RuleTable(Lookup):
    """Derivative rules by primal, mode and argument classes; a table with a `parent` is an overlay.

    >>> import numpy as np
    >>> mine = RuleTable(parent=default_rules, name="straight-through")
    >>> @mine.rrule.register(np.sign)
    ... def straight_through_rrule(x):
    ...     return np.sign(x), lambda y_bar: (y_bar,)
    >>> y, pullback = mine.rrule(np.sign, np.array([-2.0, 3.0]))
    >>> pullback(np.ones(2))
    (array([1., 1.]),)
    """

    def __init__(self, parent: "RuleTable | None" = None, name: str = "overlay") -> None:
        super().__init__(parent, name)
        self.rrule = ReverseRules(self)
        self.frule = ForwardRules(self)
        self.batched = BatchingRules(self)

    def __reduce__(self) -> Any:
        # By name: a process that unpickles a gradient has rules of its own. Other tables do not say
        # how they were made.
        return "default_rules" if self is default_rules else super().__reduce__()


default_rules = RuleTable(name=DEFAULT)
