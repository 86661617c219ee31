"""The table whose rule runs now on an engine's own arrays.

A rule calls functions, which the engine differentiates in turn where it has somebody's second
derivative to compute: by the rules of the same table.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from chainrules_py.table.registry import RuleTable, default_rules

current_table: ContextVar[RuleTable] = ContextVar("current_table", default=default_rules)


@contextmanager
def rules_of(table: RuleTable) -> Iterator[None]:
    """Differentiate what is called meanwhile by the rules of a table."""
    token = current_table.set(table)
    try:
        yield
    finally:
        current_table.reset(token)
