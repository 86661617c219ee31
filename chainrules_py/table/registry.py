"""The table of rules: it registers them, looks them up, and has `rrule`, `frule` and `batched`.

Everything that a table finds out it keeps in one `Memory`, which is replaced whole whenever a rule,
an alias or an array library arrives.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from chainrules_py.annotations import Function
from chainrules_py.rules.rule import Rule
from chainrules_py.table.entry_points import BatchingRules, ForwardRules, ReverseRules
from chainrules_py.table.lookup import DEFAULT, Lookup, Resolved, require_table

F = TypeVar("F", bound=Function)


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

    def as_written(
        self,
        rule: Rule,
        primal,
        types: tuple[type, ...],
        needs: tuple[bool, ...] | None,
        tangents: tuple[type, ...] = (),
    ) -> Resolved:
        """A rule's own function; of one that was made of a body, what that calls has the rules of
        this table.
        """
        function = super().as_written(rule, primal, types, needs, tangents)
        if rule.body is None or self.parent is None:
            return function

        @wraps(function)
        def by_this_table(*args, **options):
            with rules_of(self):
                return function(*args, **options)

        return by_this_table

    def __reduce__(self) -> Any:
        # By name: a process that unpickles a gradient has rules of its own. Other tables do not say
        # how they were made.
        return "default_rules" if self is default_rules else super().__reduce__()


default_rules = RuleTable(name=DEFAULT)

# The table whose rules are asked where nobody names one: engines ask it, too.
current_table: ContextVar[RuleTable] = ContextVar("current_table", default=default_rules)

for _entry in (default_rules.rrule, default_rules.frule, default_rules.batched):
    _entry.in_force = current_table.get


def in_force(table: RuleTable) -> RuleTable:
    """Return the table that is asked where one was named: for the default one that in force."""
    return current_table.get() if table is default_rules else table


@contextmanager
def rules_of(table: RuleTable) -> Iterator[None]:
    """Use the rules of a table in all functions that are not told another one.

    This holds inside the block, in this thread or task, and for look-ups: a rule that is registered
    without a table goes to the default table.

    >>> import numpy as np
    >>> from chainrules_py import rrule, scalar_rule
    >>> mine = RuleTable(parent=default_rules, name="straight-through")
    >>> scalar_rule(np.sign, "x", "1.0", table=mine)
    >>> with rules_of(mine):
    ...     rrule(np.sign, -2.0)[1](1.0)
    (1.0,)
    """
    require_table(table, "rules_of")
    token = current_table.set(table)
    try:
        yield
    finally:
        current_table.reset(token)


def of_table_in_force(method: F) -> F:
    """Make a function of the default table's method that asks the table in force."""
    name = method.__name__

    @wraps(method)
    def ask(*args, **options):
        return getattr(current_table.get(), name)(*args, **options)

    return cast("F", ask)
