"""Reading and writing entries of many examples at once."""

import operator
from types import EllipsisType, NoneType
from typing import Any

from chainrules_py import Array, batched
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped

_BASIC = frozenset({int, slice, EllipsisType, NoneType})
_ALL = slice(None)


@batched.register(operator.getitem)
def getitem_batched(lanes: Lanes, a: Array, index: object, *, xp: Any) -> Any:
    """Read an index that is the same in all lanes behind these."""
    own = index if type(index) is tuple else (index,)
    if lanes == (True, False) and all(type(part) in _BASIC for part in own):
        return a[(_ALL, *own)]
    return looped(operator.getitem, lanes, (a, index), {})
