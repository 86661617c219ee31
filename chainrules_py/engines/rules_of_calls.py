"""The rules of a call: whether there are any, and the value that is known while a rule runs on an
engine's own arrays, so that the rule does not compute it again.
"""

import threading
from collections.abc import Sequence
from operator import is_
from typing import Any

import numpy as np

from chainrules_py.annotations import Options
from chainrules_py.table.registry import RuleTable

Args = Sequence[Any]


class KnownCall(threading.local):
    """The arguments, the options and the value of the call whose rule is about to run."""

    call: tuple[Args, Options, Any] = ((), {}, None)

    def value_of(self, args: Args, options: Options) -> Any:
        """Return the value if this is that call, else None.

        A rule may call its primal elsewhere, too: at the tangent, or with another option.
        """
        own_args, own_options, value = self.call
        if len(args) != len(own_args) or not all(map(is_, args, own_args)):
            return None
        if not options and not own_options:
            return value
        return value if are_same_options(options, own_options) else None


def are_same_options(options: Options, others: Options) -> bool:
    """Tell whether options have the same names, and values that are certainly equal."""
    if options.keys() != others.keys():
        return False
    return all(is_same_constant(option, others[name]) for name, option in options.items())


def is_same_constant(x, y) -> bool:
    """Tell whether two values are one object, or equal numbers, strings or tuples of such."""
    if x is y:
        return True
    if type(x) is tuple is type(y):
        return len(x) == len(y) and all(map(is_same_constant, x, y))
    return type(x) is type(y) and isinstance(x, int | float | complex | str) and bool(x == y)


_WITHOUT_WEAK_REFERENCES = np.ufunc, type(np.sum), type(np.ndarray.sum)


def has_rules(table: RuleTable, primal: Any, args: tuple[Any, ...], options: Options) -> bool:
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
    found = table.names.primal_of(primal, args, options) in table
    if may_be_stored:
        known[primal] = found
    return found
