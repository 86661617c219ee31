"""A call whose value is known while its rule runs, so that the rule does not compute it again."""

import threading
from collections.abc import Sequence
from typing import Any


class KnownCall(threading.local):
    """The arguments, options and value of the call whose rule is about to run."""

    args: Sequence[Any] = ()
    options: dict[str, Any]
    value: Any = None

    def __init__(self) -> None:
        self.options = {}

    def is_call(self, args: Sequence[Any], options: dict[str, Any]) -> bool:
        """Tell whether a call with these arguments and options is that one.

        A rule may call its primal elsewhere, too: at the tangent, or with another option.
        """
        own = self.options
        if len(args) != len(self.args) or options.keys() != own.keys():
            return False
        if not all(map(is_same, args, self.args)):
            return False
        return all(is_same(option, own[name]) for name, option in options.items())


def is_same(x: Any, y: Any) -> bool:
    """Tell whether two values are one object, or equal numbers, strings or tuples of such."""
    if x is y:
        return True
    if type(x) is tuple is type(y):
        return len(x) == len(y) and all(map(is_same, x, y))
    return type(x) is type(y) and isinstance(x, int | float | complex | str) and bool(x == y)
