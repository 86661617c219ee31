"""Whether a function has rules at all, by whatever name and form it is called."""

from typing import Any

from chainrules_py.table.registry import RuleTable

KNOWN = "functions with rules"  # of what a table remembers for engines


def has_rules(
    table: RuleTable, primal: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> bool:
    """Whether the table has a rule, in either mode, for the function of a call.

    >>> import numpy as np
    >>> from chainrules_py import default_rules
    >>> has_rules(default_rules, np.sin, (0.0,), {}), has_rules(default_rules, print, (), {})
    (True, False)
    """
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
        known[primal] = found
    return found
