"""Whether a function has rules at all, by whatever name and form it is called."""

from typing import Any

from chainrules_py.table.registry import RuleTable

KNOWN = "functions with rules"  # of what a table remembers for engines
MOST_FUNCTIONS = 2**13  # a lambda is another function each time


def has_rules(
    table: RuleTable, primal: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> bool:
    """Whether the table has a rule, in either mode, for the function of a call.

    What `chainrules_tape.as_primitive` makes has none of its own: it is a program.

    >>> import numpy as np
    >>> from chainrules_py import default_rules
    >>> has_rules(default_rules, np.sin, (0.0,), {}), has_rules(default_rules, print, (), {})
    (True, False)
    """
    if getattr(type(primal), "is_whole_program", False):
        return False
    known = table.memory.of_engines[KNOWN]
    try:
        return bool(known[primal])
    except KeyError:
        is_hashable = True
    except TypeError:
        is_hashable = False
    canonical, _, _ = table.canonical(primal, args, options)
    found = canonical in table
    if is_hashable:
        if len(known) >= MOST_FUNCTIONS:
            known.clear()
        known[primal] = found
    return found
