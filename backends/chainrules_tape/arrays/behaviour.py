"""What traced values do when NumPy, Python or the user asks them something: one table, installed on
the classes.

Four ways lead from plain code to `call`, and from there to a rule: operators, methods, and NumPy's
two protocols (`protocols`). Everything an ndarray has is in exactly one of the tables here or in
`asked_of_arrays` (a test holds them against ``dir(numpy.ndarray)``); what a newer NumPy adds is
refused by name. Operators, ufuncs of one or two arguments, functions and methods take the fast way
first (`fast_calls`); all else goes through `call`.
"""

import copy
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.arrays import Array
from chainrules_tape.arrays.fast_dispatch import (
    binary_forward,
    binary_on_tape,
    function_of,
    method_of,
    pushed,
    recorded,
    ufunc_of,
    unary_forward,
    unary_on_tape,
)
from chainrules_tape.arrays.fast_lookup import FORWARD, REVERSE
from chainrules_tape.arrays.layout_methods import layout_methods
from chainrules_tape.arrays.protocols import Operation, array_function, array_ufunc, chainrules_call
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.duals import DualArray, DualNumber
from chainrules_tape.core.levels import call
from chainrules_tape.core.tape import TapeArray, TapeNumber
from chainrules_tape.refusals import advice, errors
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.subclasses import refuse_view

BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "matmul": np.matmul,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "divmod": np.divmod,
}
COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
METHODS = (
    *(
        "sum",
        "prod",
        "mean",
        "std",
        "var",
        "max",
        "min",
        "any",
        "all",
        "argmax",
        "argmin",
        "argsort",
        "argpartition",
    ),
    *(
        "cumsum",
        "cumprod",
        "ravel",
        "flatten",
        "reshape",
        "squeeze",
        "swapaxes",
        "transpose",
        "take",
        "repeat",
        "compress",
    ),
    *(
        "choose",
        "diagonal",
        "trace",
        "dot",
        "clip",
        "round",
        "conj",
        "conjugate",
        "copy",
        "astype",
        "nonzero",
        "searchsorted",
    ),
)
ATTRIBUTES = {"T": np.transpose, "mT": np.matrix_transpose, "real": np.real, "imag": np.imag}
FACTS = ("dtype", "ndim", "size", "itemsize", "nbytes", "strides", "flags", "device")


# Operators


def operator_of(primal: Any) -> Operation:
    """The operator ``x @ other`` or the like by the general way; what meets a special tangent is
    left to that.
    """

    def operate(x1: Any, x2: Any) -> Any:
        if issubclass(type(x1), AbstractTangent) or issubclass(type(x2), AbstractTangent):
            return NotImplemented
        return call(primal, (as_operand(x1), as_operand(x2)), {})

    return operate


def unary_operator_of(primal: Any) -> Callable[[Any], Any]:
    """The operator ``-x`` or the like by the general way."""
    return lambda self: call(primal, (self,), {})


def reflected(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The function that calls an operation with its operands exchanged."""
    return lambda self, other: operation(other, self)


def getitem(self: TracedArray, index: Any) -> Any:
    """Read entries, ``x[index]``, by the general way."""
    return call(operator.getitem, (self, index), {})


def getitem_of_number(read: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Indexing of a number: ``x[()]`` and ``x[None]`` are read, and an integer is refused.

    Python iterates over whatever has indices, up to an IndexError: a loop over a number would end
    before it began.
    """

    def getitem(self: TracedArray, index: Any) -> Any:
        if type(index) is int:
            raise TypeError(
                "invalid index to scalar variable: a number is neither indexed nor iterated over"
            )
        return read(self, index)

    return getitem


# Python's protocols


def shape(self: TracedArray) -> tuple[int, ...]:
    """The shape of the value; a Python number has ()."""
    return np.shape(self.value)


def assignment(name: str) -> Callable[[Any, Any], Any] | None:
    """Assignment to an attribute: raises; None where NumPy has none either."""
    if name not in advice.ASSIGNMENTS:
        return None
    return lambda self, value: errors.raise_write_refused(
        f"x.{name} = v", self, advice.ASSIGNMENTS[name]
    )


def fact(name: str) -> property:
    """An attribute that has no derivative, such as `dtype`; a Python number has that of its NumPy
    scalar.
    """

    def read(self: TracedArray) -> Any:
        value = self.value
        return getattr(value if hasattr(value, "dtype") else np.asarray(value)[()], name)

    return property(read, assignment(name), doc=f"The {name} of the value.")


def attribute(primal: Any) -> property:
    """An attribute that is a function of the value, such as `T`."""
    name = primal.__name__
    return property(
        lambda self: call(primal, (self,), {}), assignment(name), doc=f"numpy.{name} of the value."
    )


def length(self: TracedArray) -> int:
    """The number of entries, or of rows, as ``len(x)`` gives it."""
    return len(self.value)


def iterate(self: TracedArray) -> Iterator[Any]:
    """Entries, or rows, one after the other."""
    if not self.shape:  # type: ignore[attr-defined]
        raise TypeError("iteration over a 0-d array")  # as NumPy says it
    return (self[index] for index in range(len(self.value)))  # type: ignore[index]


def contains(self: TracedArray, item: Any) -> bool:
    """Whether some entry is equal to `item`, as ``item in x`` asks."""
    return bool(np.any(self == item))


def text(self: TracedArray) -> str:
    """The value, and that it is traced."""
    return f"{type(self).__name__}({self.value!r})"


def short_text(self: TracedArray) -> str:
    """The value with the middle of long rows left out, and that it is traced."""
    with np.printoptions(threshold=20, edgeitems=2):
        return text(self)


def rounded(self: TracedArray, digits: int | None = None) -> Any:
    """Round as ``round(x, digits)`` does; a number without `digits` gives an integer."""
    value = plain(self)
    whole = digits is None and not issubclass(type(value), np.ndarray | Array)
    return round(value) if whole else call(np.round, (self, digits or 0), {})


def formatted(self: TracedArray, spec: str) -> str:
    """The value as an f-string shows it, and that it is traced."""
    return f"{type(self).__name__}({format(self.value, spec)})"


def refused_conversion(name: str) -> Callable[..., Any]:
    """The method of this name that raises, as a derivative would be dropped; a buffer of plain
    numbers gives a copy instead.
    """
    what, instead = advice.CONVERSIONS[name]

    def convert(self: TracedArray, *args: Any, **options: Any) -> Any:
        if self.level is None and name in advice.COPYING:
            return getattr(plain(self), name)(*args, **options)
        return errors.raise_lost_gradient(what, self, instead)

    return convert


def as_array(self: TracedArray, *args: Any, **options: Any) -> Any:
    """Raise where ``numpy.asarray(x)`` asks for a plain array, which would drop the derivative.

    A product of scipy.sparse is told that this is no array: it then leaves the product to
    ``x.__rmatmul__``.
    """
    if errors.is_asked_by_another_library():
        wrapped = np.empty((), object)
        wrapped[()] = self
        return wrapped
    what, instead = advice.CONVERSIONS["__array__"]
    return errors.raise_lost_gradient(what, self, instead)


def refused_method(name: str) -> Callable[[Any], Any]:
    """The method of Python's numbers of this name that raises, as a derivative would be dropped."""
    what, instead = advice.OF_NUMBERS[name]
    return lambda self: errors.raise_lost_gradient(what, self, instead)


def is_integer(self: TracedArray) -> bool:
    """Whether a number is a whole one, as Python's numbers answer it."""
    return float(plain(self)).is_integer()


def hexadecimal(self: TracedArray) -> str:
    """The value as ``x.hex()`` shows it, and that it is traced."""
    return f"{type(self).__name__}({float(plain(self)).hex()})"


def refused_write(name: str) -> Callable[..., Any]:
    """The method of this name that raises, because traced values are not written in place."""
    what, instead = advice.WRITES[name]
    return lambda self, *args, **options: errors.raise_write_refused(what, self, instead)


def memory(name: str) -> property:
    """The attribute that raises for a view of memory; AttributeError where Python asks whether
    there is such a thing.
    """

    def read(self: TracedArray) -> Any:
        if name.startswith("__") or self.level is None:
            raise AttributeError(
                f"x.{name}: a buffer, whose memory nobody else may have; use numpy.array(x).{name}"
            )
        errors.raise_lost_gradient(
            f"x.{name}", self, "use stop_gradient(x), if a constant is meant"
        )

    return property(read, assignment(name))


def newer(cls: type) -> dict[str, Any]:
    """What arrays have and no table here mentions, as a newer NumPy brings it: refused by name,
    unless a method has a rule.
    """
    names = [
        name for name in dir(np.ndarray) if not name.startswith("__") and not hasattr(cls, name)
    ]
    return {
        name: (method_of if callable(getattr(np.ndarray, name)) else memory)(name) for name in names
    }


def install(cls: type) -> None:
    """Install on a class everything that both modes have in common."""
    behaviour: dict[str, Any] = {
        "__array_priority__": 1e6,
        "__hash__": None,
        "__array_ufunc__": array_ufunc,
        "__array_function__": array_function,
        "__chainrules_call__": chainrules_call,
        "__getitem__": getitem,
        "__repr__": short_text,
        "__format__": formatted,
        "shape": property(shape, assignment("shape")),
        "__str__": text,
        "__bool__": lambda self: bool(self.value),
        "__round__": rounded,
        "__copy__": lambda self: self if self.is_number else np.copy(self),
        "__deepcopy__": lambda self, memo: copy.copy(self),
        **{f"__{name}__": operator_of(primal) for name, primal in (BINARY | COMPARISONS).items()},
        **{f"__r{name}__": reflected(operator_of(primal)) for name, primal in BINARY.items()},
        **{f"__{name}__": unary_operator_of(primal) for name, primal in UNARY.items()},
        **{name: fact(name) for name in FACTS},
        **{name: attribute(primal) for name, primal in ATTRIBUTES.items()},
        **{name: method_of(name) for name in METHODS},
        **layout_methods(array_function),
        **{name: refused_conversion(name) for name in advice.CONVERSIONS},
        "__array__": as_array,
        "view": refuse_view,
        **{name: refused_write(name) for name in advice.WRITES},
        **{name: memory(name) for name in advice.VIEWS_OF_MEMORY},
    }
    for name, value in behaviour.items():
        setattr(cls, name, value)


def install_sequence(cls: type) -> None:
    """Install what Python takes for the marks of a sequence: arrays have it, those without axes,
    too, and numbers have not.
    """
    for name, value in {"__len__": length, "__iter__": iterate, "__contains__": contains}.items():
        setattr(cls, name, value)


def install_number(cls: type) -> None:
    """Install what Python's numbers have and arrays have not."""
    for name in advice.OF_NUMBERS:
        setattr(cls, name, refused_method(name))
    for name, value in {"is_integer": is_integer, "hex": hexadecimal}.items():
        setattr(cls, name, value)


def install_fast_way(
    cls: type[TracedArray],
    unary: Callable[[Any], Operation],
    binary: Callable[[Any], Operation],
    function: Operation,
) -> None:
    """Install the operators, ufuncs, functions and methods of a class of handles."""
    fast: dict[str, Any] = {
        "__array_ufunc__": ufunc_of(unary, binary),
        "__array_function__": function,
        "__getitem__": (
            getitem_of_number(binary(operator.getitem))
            if cls.is_number
            else binary(operator.getitem)
        ),
        **{f"__{name}__": unary(primal) for name, primal in UNARY.items()},
        **{name: method_of(name, function) for name in METHODS},
        **layout_methods(function),
    }
    for name, primal in (BINARY | COMPARISONS).items():
        fast[f"__{name}__"] = operation = binary(primal)
        fast[f"__r{name}__"] = reflected(operation)
    for name, behaviour in fast.items():
        setattr(cls, name, behaviour)


install(TracedArray)
NEWER = newer(TracedArray)
for _name, _behaviour in NEWER.items():
    setattr(TracedArray, _name, _behaviour)
for _array, _number, *_way in (
    (TapeArray, TapeNumber, unary_on_tape, binary_on_tape, function_of(REVERSE, recorded)),
    (DualArray, DualNumber, unary_forward, binary_forward, function_of(FORWARD, pushed)),
):
    install_fast_way(_array, *_way)
    install_fast_way(_number, *_way)
install_number(TapeNumber)
install_number(DualNumber)
install_sequence(TapeArray)
install_sequence(DualArray)
