"""A call whose value is known while its rule runs, so that the rule does not compute it again."""

import threading
from collections.abc import Sequence
from operator import is_
from typing import Any

Args = Sequence[Any]
Options = dict[str, Any]


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
    return all(is_same(option, others[name]) for name, option in options.items())


def is_same(x, y) -> bool:
    """Tell whether two values are one object, or equal numbers, strings or tuples of such."""
    if x is y:
        return True
    if type(x) is tuple is type(y):
        return len(x) == len(y) and all(map(is_same, x, y))
    return type(x) is type(y) and isinstance(x, int | float | complex | str) and bool(x == y)
