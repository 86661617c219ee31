"""Functions that make arrays, ``zeros`` and its like, in SciPy's own modules.

Elsewhere in foreign code they make arrays that traced values may be written to, which compiled code
does not take. Much of SciPy's code hands what it makes to compiled code at once. It does so with
plain values alone, often because a rule has called it for its value. So a function of SciPy's gets
arrays of NumPy's, unless it holds a traced value, or one of SciPy's functions that have called it
does: in a variable, or in an attribute of an object there. Were one to write a traced value that it
came by later, that would be refused, as in code that is not seen through.
"""

from collections.abc import Callable, Iterable
from functools import update_wrapper
from inspect import unwrap
from itertools import takewhile
from types import FrameType
from typing import Any

from chainrules_py.introspection import (
    frame_above,
    frames_outward,
    module_name,
    variables_of_frame,
)
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.handles import HANDLES, TracedArray

CREATION = (
    *("zeros", "ones", "empty", "full", "eye", "identity", "copy", "array"),
    *("zeros_like", "ones_like", "empty_like", "full_like"),
)
SCIPY = "scipy."
IS_HEAP = 1 << 9  # the flag of classes that are made in Python


def made_in_scipy(make: Callable[..., Any]) -> Callable[..., Any]:
    """The function that makes an array, for foreign code: NumPy's in plain code of SciPy's."""
    original: Any = unwrap(make)

    def made(*args, **options) -> Any:
        is_plain = (
            open_levels
            and is_plain_in_scipy(frame_above(1))
            and not holds_traced((*args, *options.values()))
        )
        return original(*args, **options) if is_plain else make(*args, **options)

    return update_wrapper(made, make)


def is_plain_in_scipy(frame: FrameType) -> bool:
    """Whether a frame is SciPy's, and neither it nor those of SciPy's around it hold traced values."""
    if not module_name(frame).startswith(SCIPY):
        return False
    of_scipy = takewhile(lambda one: module_name(one).startswith(SCIPY), frames_outward(frame))
    return not any(holds_traced(variables_of_frame(one).values()) for one in of_scipy)


def holds_traced(values: Iterable[Any]) -> bool:
    """Whether some value is traced, or may be written to, or is an object with such an attribute."""
    values = tuple(values)
    if not HANDLES.isdisjoint(map(type, values)) or innermost(values) is not None:
        return True
    return any(
        issubclass(type(part), TracedArray)
        for value in values
        for part in attributes_of(value).values()
    )


def attributes_of(value) -> dict[str, Any]:
    """The attributes of an object, as they stand in it; none of a class or a module."""
    if isinstance(value, type):
        return {}
    found = getattr(value, "__dict__", None) if type(value).__flags__ & IS_HEAP else None
    return found if type(found) is dict else {}
