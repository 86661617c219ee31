"""`map` and `functools.reduce`, as programs that call a function on one item after the other.

What is iterated over is a tuple or a list, whose cotangent is one of its own class, or an array,
which is read row by row. Anything else (a range, the keys of a dict) holds constants.
"""

from functools import reduce
from typing import Any

from chainrules_py import composed
from chainrules_py.rulesets.formulas.array_likes import Function


@composed(map, one_by_one=True)
def mapped_items(function: Function, *iterables: Any) -> Any:
    """A list: an iterator, which `map` itself returns, has no tangent."""
    return list(map(function, *iterables))


@composed(reduce, one_by_one=True)
def reduced_items(function: Function, iterable: Any, *initial: Any) -> Any:
    """What Python computes, of items and an initial value that are traced."""
    return reduce(function, iterable, *initial)
