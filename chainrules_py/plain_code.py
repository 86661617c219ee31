"""Where code sees plain values only: in the body of a primitive, in a rule of one's own, and in its pullback.

Functions that make an engine's own arrays elsewhere, such as `chainrules_tape.numpy.zeros`, make NumPy's there: nothing traced
will be written into them, and compiled code takes no others.
"""

from collections.abc import Callable
from threading import local
from typing import Any


class Here(local):
    """What is known of the code that a thread runs just now."""

    is_plain: bool = False


here = Here()


def plainly(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function that sees plain values only.

    >>> plainly(lambda: here.is_plain), here.is_plain
    (True, False)
    """
    before = here.is_plain
    here.is_plain = True
    try:
        return function(*args, **options)
    finally:
        here.is_plain = before
