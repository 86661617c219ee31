"""Mark code that never sees traced values: bodies of primitives, rules of users, pullbacks.

Functions that make an engine's own arrays elsewhere, such as `chainrules_tape.numpy.zeros`, make
NumPy's there: nothing traced will be written into them, and compiled code takes no others.
"""

from threading import get_ident
from typing import Any

from chainrules_py.annotations import Function

plain_threads: set[int] = set()  # those that run such code just now


def sees_plain_values() -> bool:
    """Whether the code that this thread runs sees plain values only."""
    return bool(plain_threads) and get_ident() in plain_threads


def say_plain(plain: bool) -> bool:
    """Say whether this thread runs such code next; returns what was said before."""
    thread = get_ident()
    before = thread in plain_threads
    if plain is not before:
        (plain_threads.add if plain else plain_threads.discard)(thread)
    return before


def plainly(function: Function, *args, **options) -> Any:
    """Call a function that sees plain values only.

    >>> plainly(sees_plain_values), sees_plain_values()
    (True, False)
    """
    thread = get_ident()
    if thread in plain_threads:
        return function(*args, **options)
    try:
        plain_threads.add(thread)
        return function(*args, **options)
    finally:
        plain_threads.discard(thread)
