"""Lists with some of their items exchanged."""

from collections.abc import Iterable, Sequence
from typing import Any


def with_items_at(items: Sequence[Any], places: Iterable[int], others: Iterable[Any]) -> list[Any]:
    """A list of items, with others at some places.

    >>> with_items_at((1, 2, 3), [2, 0], ["c", "a"])
    ['a', 2, 'c']
    """
    own = dict(zip(places, others, strict=True))
    return [own.get(place, item) for place, item in enumerate(items)]
