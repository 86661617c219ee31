"""The other libraries that are known by name, because their code asks traced values for plain ones.

Each has an entry in one table: what a user writes in place of calling it, and which of its
functions leave an operation to the other operand where that is no array.
"""

from types import FrameType
from typing import NamedTuple

from chainrules_py.introspection import module_name

_OWN_PRIMITIVE = (
    "put the call into a function of your own, mark that with @primitive, and write its rule"
)
_OF_VALUES = "compute with the values, x.values, and put the labels on afterwards"
_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "divmod")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_OPERATORS_OF_JAX = frozenset(
    f"_operator_{side}{name}" for name in (*_BINARY, *_COMPARISONS) for side in ("", "r")
)


class OtherLibrary(NamedTuple):
    """A package, or a module of one, by how it treats a traced value.

    `instead` is what a user writes in place of calling it; empty where nobody is advised so.
    `giving_way` are its functions that leave an operation to an operand which is no array.
    A library that `has_labels` asks for views of an array's memory, too.
    """

    instead: str = ""
    giving_way: frozenset[str] = frozenset()
    has_labels: bool = False


# The more special ones come first.
LIBRARIES = {
    "numpy.ma": OtherLibrary(
        "pass numpy.asarray(a) of a masked array, and write numpy.where for its mask"
    ),
    "numpy.polynomial": OtherLibrary("call it through chainrules_tape.numpy.polynomial"),
    "scipy.sparse": OtherLibrary(
        "keep sparse matrices constant and multiply dense arrays by them (a @ x, x @ a), or"
        f" {_OWN_PRIMITIVE}",
        giving_way=frozenset({"_matmul_dispatch"}),
    ),
    "scipy": OtherLibrary(_OWN_PRIMITIVE),
    "pandas": OtherLibrary(_OF_VALUES, has_labels=True),
    "xarray": OtherLibrary(_OF_VALUES, has_labels=True),
    "dask.array": OtherLibrary(giving_way=frozenset({"is_valid_array_chunk"})),
    "jax._src.numpy.array_methods": OtherLibrary(giving_way=_OPERATORS_OF_JAX),
}
ADVISED = tuple(name for name, library in LIBRARIES.items() if library.instead)
# The packages whose code may stand between a line of the user's and the traced value it asks.
BETWEEN = frozenset({"chainrules_tape", *(name.partition(".")[0] for name in ADVISED)})
_GIVING_WAY = {
    function: f"{name}." for name, library in LIBRARIES.items() for function in library.giving_way
}


def is_operation_of_another_library(frame: FrameType) -> bool:
    """Whether a frame is that of an operation that leaves itself to an operand that is no array."""
    function = frame.f_code.co_name
    if function not in _GIVING_WAY:
        return False
    return f"{module_name(frame)}.".startswith(_GIVING_WAY[function])


def from_stand_in(module: str) -> str:
    """Say how to import the module that `chainrules_tape` has in the place of one of SciPy's."""
    parent, _, name = module.rpartition(".")
    return (
        f"write 'from chainrules_tape.{parent} import {name}', whose functions with a rule are"
        f" seen, or {_OWN_PRIMITIVE}"
    )
