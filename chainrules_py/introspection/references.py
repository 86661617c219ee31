"""Count who holds an object, and keep notes on a code for as long as somebody holds it.

CPython counts references. How many of them a variable makes depends on its version, and is measured
once. Where nobody knows what a count means, it is nan, which is neither equal to another one nor
less: objects are taken to be shared.
"""

import sys
from collections.abc import Callable
from functools import wraps
from math import nan
from types import CodeType, FrameType
from typing import Any
from weakref import ref

from chainrules_py.introspection.frames import frames_outward
from chainrules_py.introspection.pythons import BYTECODE


def _unknown_count(x: object) -> float:
    return nan


# It is compared with another count that was taken alike; by itself it means nothing.
reference_count: Callable[[object], float] = sys.getrefcount if BYTECODE else _unknown_count


def uncounted(x: object, frame: FrameType) -> int:
    """How many references a count leaves out, beside one that a variable of a frame makes.

    Since Python 3.14 a variable lends what it holds to the calls in which it is an argument, and to
    those of operators. What they are lent is not counted: two functions have one array then.
    """
    if BYTECODE is None or not BYTECODE.lends:
        return 0
    holders = [
        name
        for caller in frames_outward(frame)
        for name, held in caller.f_locals.items()
        if held is x and name not in caller.f_code.co_cellvars + caller.f_code.co_freevars
    ]
    return max(len(holders) - 1, 0)


def _counted_as_argument(x: object) -> float:
    return reference_count(x)


def _references_of_a_variable() -> float:
    x = object()
    return _counted_as_argument(x)


_OF_ONE_VARIABLE = _references_of_a_variable()


def is_held_once(x: object) -> bool:
    """Whether an object is held by one variable of the caller, and by nothing else.

    While `torch.compile` evaluates frames, and for ever after a refusal of it, Python's calls hold
    their arguments once more. So a count that is too high is compared with one of just now.
    """
    count = reference_count(x)
    return count <= _OF_ONE_VARIABLE or count <= _references_of_a_variable()


def noted_of_each_code(most: int) -> Callable[[Callable[..., Any]], Any]:
    """Have a function of a code remember what it has found of each, but of so many at most.

    A code is known by its identity, since its hash reads all of it, and is not kept alive: one that
    was written while the program ran may hold all variables of its file.
    """

    def remembering(find: Callable[..., Any]) -> Any:
        known: dict[int, tuple[Any, dict[Any, Any]]] = {}

        @wraps(find)
        def found(code: CodeType, *rest) -> Any:
            key = id(code)
            noted = known.get(key)
            if noted is None:
                if len(known) >= most:
                    known.clear()
                known[key] = noted = ref(code, lambda _: known.pop(key, None)), {}
            notes = noted[1]
            if rest not in notes:
                notes[rest] = find(code, *rest)
            return notes[rest]

        return found

    return remembering
