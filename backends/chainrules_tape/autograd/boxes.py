"""How programs for autograd tell traced values from plain ones.

A traced array is an `ArrayBox` here, by whichever level it is traced. Containers of traced values
are Python's own, so that `DictBox` and `SequenceBox` are names of these.
"""

from typing import Any

from chainrules_tape.core.values import resolved
from chainrules_tape.refusals.handles import TracedArray, moved

Box = ArrayBox = TracedArray
DictBox: type = dict
SequenceBox: type = tuple


def isbox(x) -> bool:
    """Tell whether a value is traced.

    >>> from chainrules_tape import grad
    >>> grad(lambda x: x if isbox(x) else 2 * x)(1.0)
    1.0
    """
    return issubclass(type(x), TracedArray)


def getval(x) -> Any:
    """The plain value of one that is traced, beneath all levels; other values as they are.

    >>> from chainrules_tape import grad
    >>> grad(lambda x: x * getval(x))(3.0)
    3.0
    """
    while issubclass(type(x := resolved(x)), TracedArray):
        if x.in_lanes:  # many plain values at once, which a rule multiplies its own by
            inner = getval(x.value)
            return x if inner is x.value else moved(x, inner)
        x = x.value
    return x
