"""Things that are made of functions, one for each, and kept for as long as somebody has them."""

from typing import Any
from weakref import WeakValueDictionary

from chainrules_py.annotations import Function


class MadeOnce:
    """A function whose results are made once for each arguments, and not kept alive by that.

    >>> class Box:
    ...     def __init__(self, content):
    ...         self.content = content
    >>> box_of = MadeOnce(Box)
    >>> one = box_of(max)
    >>> box_of(max) is one, box_of(min) is one
    (True, False)
    """

    def __init__(self, make: Function) -> None:
        self.make = make
        self._made: WeakValueDictionary[Any, Any] = WeakValueDictionary()

    def __call__(self, *given) -> Any:
        """Return what was made of these, or make it."""
        try:
            found = self._made.get(given)
        except TypeError:  # some of these cannot be hashed
            return self.make(*given)
        if found is None:
            found = self._made[given] = self.make(*given)
        return found
