"""Whether a function has rules at all, by whatever name and form it is called."""

from typing import Any

import numpy as np

from chainrules_py.table.registry import RuleTable

_WITHOUT_WEAK_REFERENCES = np.ufunc, type(np.sum), type(np.ndarray.sum)


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
    known: Any = table.memory.functions_with_rules
    if isinstance(primal, _WITHOUT_WEAK_REFERENCES):  # which live as long as their modules
        known = table.memory.of_engines["functions with rules"]
    try:
        return bool(known[primal])
    except KeyError:
        may_be_stored = True
    except TypeError:  # it cannot be hashed, or there are no weak references to it
        may_be_stored = False
    found = table.primal_of(primal, args, options) in table
    if may_be_stored:
        known[primal] = found
    return found
