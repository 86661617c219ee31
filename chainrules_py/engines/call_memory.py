"""What engines remember of calls, and for how long.

Calls of functions with rules are remembered by the table, as long as its rules stay as they are.
What holds a function without rules, or objects among the arguments, would keep these alive: a whole
program has a memory of its own, which ends with it, and all other calls share a small one.
"""

from types import BuiltinFunctionType, EllipsisType, FunctionType
from typing import Any
from weakref import ref

import numpy as np

from chainrules_py.checks.contract import debugging
from chainrules_py.table.registry import RuleTable

MOST_CALLS = 2**13  # constants are a part of what a call is, so that there is no end of kinds
MOST_WITH_OBJECTS = 32
_LASTING = (
    *(int, float, complex, str, bytes, type(None), type, EllipsisType),
    *(np.generic, np.dtype, np.ufunc, BuiltinFunctionType),
)


class CallMemory:
    """What engines have found out of the calls of one whole program since the last rule arrived."""

    def __init__(self) -> None:
        # the memory of the table from which it was found out, which it does not keep alive
        self._found: tuple[Any, dict[Any, dict[Any, Any]]] = type(None), {}

    def of_engine(self, engine, table: RuleTable) -> dict[Any, Any]:
        """The dictionary of an engine, by a table; emptied when it is full."""
        memory, found = self._found
        if memory() is not table.memory:
            _, found = self._found = ref(table.memory), {}
        return _with_room(found.setdefault(engine, {}), MOST_WITH_OBJECTS)

    def __reduce__(self) -> Any:  # another process finds all out again
        return CallMemory, ()


def memory_of_table(engine, table: RuleTable, is_lasting: bool) -> dict[Any, Any]:
    """The dictionary of an engine for calls of functions with rules; emptied when it is full.

    There is another one for calls that have arguments of other people's which nothing else may keep
    alive: `is_lasting` says that they have none.
    """
    if debugging():
        engine = engine, "debug"
    if is_lasting:
        return _with_room(table.memory.of_engines[engine], MOST_CALLS)
    return _with_room(table.memory.of_engines[engine, "objects"], MOST_WITH_OBJECTS)


def _with_room(found: dict[Any, Any], most: int) -> dict[Any, Any]:
    if len(found) >= most:
        found.clear()
    return found


def is_lasting(x) -> bool:
    """Whether a value may be kept for good: a number, a word, a function of a module.

    >>> is_lasting("same"), is_lasting(np.sin), is_lasting(lambda x: x), is_lasting(np.ones(3))
    (True, True, False, False)
    """
    if isinstance(x, FunctionType):
        return "<" not in x.__qualname__  # of <locals>, or <lambda>
    return isinstance(x, _LASTING)
