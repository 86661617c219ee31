"""Texts of recorded values: a text that is only printed has a place for each of them.

Elsewhere it is the text that the value has in the recorded run, and `texts.made` counts it.
"""

import re
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Shown(NamedTuple):
    """The place of a value in a text: its number among those shown, and how it is written."""

    number: int
    write: Callable[[Any], str]
    options: tuple[Any, ...] = ()  # NumPy's for printing, where code of the text sets them

    def text(self, values) -> str:
        """The text of the value, of those that a run has computed."""
        with np.printoptions(**dict(self.options)):
            return self.write(values[self.number])


class Texts(threading.local):
    """The values that the text shows that is just being made, in this thread."""

    values: list[Any] | None = None
    places: tuple[Shown, ...] = ()
    options: tuple[Any, ...] = ()
    made = 0


texts = Texts()
_PLACE = re.compile("\0([0-9]+)\0")


def text_of(value, write: Callable[[Any], str]) -> str:
    """The text of a recorded value, or its place in a text that is printed."""
    if texts.values is None:
        texts.made += 1
        return write(value.array)
    now = printing_options()
    place = Shown(len(texts.values), write, () if now == texts.options else now)
    is_array = type(value.array) is np.ndarray
    texts.values.append(value.copy("K") if is_array else value)  # it may be written to later
    texts.places += (place,)
    return f"\0{len(texts.places) - 1}\0"


def printing_options() -> tuple[Any, ...]:
    """How NumPy prints arrays just now."""
    return tuple(np.get_printoptions().items())


def parts_of_text(x, values: list[Any]) -> list[Any]:
    """The text of an object, in parts: strings, and the places of the values that are added to a list.

    >>> parts_of_text([1, 2], [])
    ['[1, 2]']
    """
    before = texts.values, texts.places, texts.options
    texts.values, texts.places, texts.options = values, (), printing_options()
    try:
        pieces = _PLACE.split(str(x))
        pieces[1::2] = [texts.places[int(number)] for number in pieces[1::2]]
        return pieces
    finally:
        texts.values, texts.places, texts.options = before
