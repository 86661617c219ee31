"""The other libraries that are known by name, because their code asks traced values for plain ones.

Each has an entry in one table: what a user writes in place of calling it, and which of its
functions need another answer than most.
"""

from functools import partial
from types import FrameType

from chainrules_py.introspection import module_name
from chainrules_py.values.records import Record
from chainrules_tape.refusals.code_owners import ENGINE

_OWN_PRIMITIVE = (
    "put the call into a function of your own, mark that with @primitive, and write its rule"
)
_OF_VALUES = "compute with the values, x.values, and put the labels on afterwards"
_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "divmod")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_OPERATORS_OF_JAX = frozenset(
    f"_operator_{side}{name}" for name in (*_BINARY, *_COMPARISONS) for side in ("", "r")
)


class OtherLibrary(Record):
    """A package, or a module of one, by how it treats a traced value.

    `instead` is what a user writes in place of calling it; empty where nobody is advised so.
    `giving_way` are its functions that leave an operation to an operand which is no array,
    `taking_in` those that keep arrays of all libraries, and make plain ones of NumPy's numbers;
    `answering_nan` those that catch all errors of a conversion, and go on with nan.
    A library that `has_labels` asks for views of an array's memory, too.
    """

    instead: str = ""
    giving_way: frozenset[str] = frozenset()
    taking_in: frozenset[str] = frozenset()
    answering_nan: frozenset[str] = frozenset()
    has_labels: bool = False


# The more special ones come first.
LIBRARIES = {
    "numpy.ma": OtherLibrary(
        "pass numpy.asarray(a) of a masked array, and write numpy.where for its mask"
    ),
    "numpy.polynomial": OtherLibrary(
        "call its functions through chainrules_tape.numpy.polynomial, and its classes, such as"
        " Polynomial, within seen_through('numpy.polynomial')"
    ),
    "scipy.sparse": OtherLibrary(
        "write k * a for a * k and a.multiply(k), and (1 / k) * a for a / k, make matrices of traced"
        " entries by chainrules_tape.scipy.sparse (a + diags_array(v), not a.setdiag(v)), multiply"
        f" dense arrays by constant ones (a @ x, x @ a), or {_OWN_PRIMITIVE}",
        giving_way=frozenset({"_matmul_dispatch"}),
    ),
    "scipy": OtherLibrary(_OWN_PRIMITIVE),
    # its numbers, which SymPy's are as well, have digits of their own
    "mpmath": OtherLibrary(
        "compute with NumPy's and SciPy's functions; an expression of SymPy's is one of them by"
        " sympy.lambdify(symbols, expression)",
        answering_nan=frozenset({"from_float"}),
    ),
    "pandas": OtherLibrary(_OF_VALUES, has_labels=True),
    # asks for NumPy's arrays before it calls bottleneck's functions, which are compiled
    "xarray.core.nputils": OtherLibrary(giving_way=frozenset({"f"})),
    "xarray": OtherLibrary(
        "take x.data of a DataArray, which keeps the derivative, where it says x.values",
        taking_in=frozenset({"as_compatible_data", "from_array"}),
        has_labels=True,
    ),
    "dask.array": OtherLibrary(giving_way=frozenset({"is_valid_array_chunk"})),
    "jax._src.numpy.array_methods": OtherLibrary(giving_way=_OPERATORS_OF_JAX),
}
ADVISED = tuple(name for name, library in LIBRARIES.items() if library.instead)
# The packages whose code may stand between a line of the user's and the traced value it asks.
BETWEEN = frozenset({*ENGINE, *(name.partition(".")[0] for name in ADVISED)})


def functions_that_are(kind: str) -> dict[str, str]:
    """The functions of all libraries that are in one of their lists, each with its package."""
    return {
        function: f"{name}."
        for name, library in LIBRARIES.items()
        for function in getattr(library, kind)
    }


def is_function_of(functions: dict[str, str], frame: FrameType) -> bool:
    """Whether a frame is that of one of some functions, each given with its package."""
    function = frame.f_code.co_name
    if function not in functions:
        return False
    return f"{module_name(frame)}.".startswith(functions[function])


# Whether a frame is that of such a function: see `OtherLibrary`.
is_operation_of_another_library, takes_arrays_in, answers_nan = (
    partial(is_function_of, functions_that_are(kind))
    for kind in ("giving_way", "taking_in", "answering_nan")
)


def from_stand_in(module: str) -> str:
    """Say how to import the module that `chainrules_tape` has in the place of one of SciPy's."""
    parent, _, name = module.rpartition(".")
    return (
        f"write 'from chainrules_tape.{parent} import {name}', whose functions with a rule are"
        f" seen, or {_OWN_PRIMITIVE}"
    )
