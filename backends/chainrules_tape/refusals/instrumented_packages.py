"""The packages that are seen through, whose code is instrumented (`chainrules_foreign_code`).

Errors and handles look here whether code belongs to one, so it stands below the core.
"""

from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

from chainrules_py.introspection import module_name
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import TracedArray

packages: dict[str, None] = {}  # the names of packages and modules
# by the identity of their global variables, files and modules whose functions are lent other codes
files: dict[int, Any] = {}
# by the identity of functions that were differentiated, for as long as they live, what is lent for them
needed_by: dict[int, Any] = {}
# what finds functions of `chainrules_foreign_code` by their names: `chainrules_tape` has it here, which
# imports them when they are asked for first
foreign_code: list[Callable[[str], Any]] = []
# packages inside of others that take traced values by themselves, and stay as they are
left_out: set[str] = {
    "scipy.sparse._base",  # its products leave traced values to ``x.__rmatmul__``
}
# by class: the array that an object of this library stands for
arrays_of: dict[type, Callable[[Any], Any]] = {}


def is_seen(name: str) -> bool:
    """Whether a module is seen through: its name, or that of a package that it is in, was given.

    >>> is_seen("some_package.models")
    False
    """
    while name:
        if name in packages:
            return True
        if name in left_out:
            return False
        name = name.rpartition(".")[0]
    return False


def is_left_out(name: str) -> bool:
    """Whether a module is one of those that take traced values by themselves, or in one."""
    return any(f"{name}.".startswith(f"{each}.") for each in left_out)


IN_SCIPY = 'chainrules_tape.seen_through("scipy")'


def or_in_scipy(reason: str) -> str:
    """Why a function of SciPy's has no rule, and the scope in which its own code is differentiated."""
    return reason if is_seen("scipy") else f"{reason}; or try its own code, in the scope {IN_SCIPY}"


# classes of the last constant of code that is lent to functions while a derivative is open
markers: set[type] = set()


def is_exchanged(code: CodeType) -> bool:
    """Whether the code of a function asks for what takes traced values (`lent_code`)."""
    return type(code.co_consts[-1] if code.co_consts else None) in markers


def is_seen_through(frame: FrameType) -> bool:
    """Whether a frame runs code that is seen through."""
    return is_exchanged(frame.f_code) or is_seen(module_name(frame))


MADE_INSIDE = (
    "make the array inside of the function, by numpy.zeros or its like, or write into a copy of it,"
    " y = y.copy(): it was made outside, or is not of floats (dtype=float, not int)"
)


def instead_of_buffer(instead: str, frame: FrameType | None = None) -> str:
    """What to write in the place of a plain array that is written to: in code that is seen through,
    arrays that it makes take traced entries.
    """
    return MADE_INSIDE if is_seen_through(frame or calling_frame()) else instead


def stood_for(value) -> Any:
    """The traced value that an object of this library stands for; other values as they are."""
    return arrays_of[type(value)](value) if type(value) in arrays_of else value


def with_traced(value) -> Any:
    """A value with traced values in the place of objects that stand for them, in lists, tuples and
    dicts, too.
    """
    cls = type(value)
    if cls is list or cls is tuple:
        return cls(map(with_traced, value))
    if cls is dict:
        return {name: with_traced(part) for name, part in value.items()}
    return stood_for(value)


def array_of_object(value) -> Any:
    """The traced array that the method `__array__` of an instrumented class returns; other values
    as they are.

    NumPy calls that method, too, but refuses a result that is not its own array.
    """
    if type(value) in arrays_of:
        return stood_for(value)
    if not markers or hasattr(type(value), "__chainrules_level__"):  # traced, by any engine
        return value
    method = getattr(type(value), "__array__", None)
    if not isinstance(method, FunctionType):
        return value
    if not is_exchanged(method.__code__) and not is_seen(type(value).__module__):
        return value
    found = method(value)
    return found if issubclass(type(found), TracedArray) else value
