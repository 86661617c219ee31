"""A stand-in for CuPy that needs no device: CuPy's namespace and manners, NumPy's arithmetic, and a
ledger.

It has the functions and methods that CuPy has, with the parameters that CuPy's have, and no others.
As CuPy it refuses NumPy arrays instead of copying them, takes numbers for arrays only where CuPy
does, and keeps results of shape () as arrays. What would make the host wait for the device, or copy
between them, is written into the ledger. It says nothing about kernels, streams, memory or time.
"""

import cupy
import numpy as np

from chainrules_cupy import fourier, scatter
from chainrules_cupy.namespace import completed
from chainrules_py.rulesets.formulas import chosen_entries
from chainrules_py.values.arrays import ArrayLibrary, register_library
from stand_ins.device_array import DeviceArray, to_host
from stand_ins.device_functions import Namespace, on_device, signature_of_method
from stand_ins.ledger import ledger as ledger

bare = Namespace(
    np,
    cupy,
    linalg=Namespace(np.linalg, cupy.linalg),
    fft=Namespace(np.fft, cupy.fft),
    lib=Namespace(
        np.lib, cupy.lib, stride_tricks=Namespace(np.lib.stride_tricks, cupy.lib.stride_tricks)
    ),
)
namespace = completed(bare)

COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
OPERATORS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "matmul": np.matmul,
    "pow": np.power,
    "mod": np.remainder,
    "floordiv": np.floor_divide,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
UNARY = {"neg": np.negative, "pos": np.positive, "invert": np.invert, "abs": np.absolute}
METHODS = (
    *("sum", "prod", "mean", "std", "var", "max", "min", "any"),
    *("all", "argmax", "argmin", "argsort", "cumsum", "cumprod"),
    *("ravel", "flatten", "reshape", "squeeze", "swapaxes", "transpose"),
    *("take", "repeat", "diagonal", "trace", "dot", "clip"),
    *("round", "conj", "conjugate", "copy", "astype", "fill"),
)


def binary(function):
    """An operator, reflected and in place, too."""

    def operate(self, other):
        if not isinstance(
            other, DeviceArray | bool | int | float | complex | np.generic | np.ndarray
        ):
            return NotImplemented
        return getattr(bare, function.__name__)(self, other)

    def reflected(self, other):
        if not isinstance(
            other, DeviceArray | bool | int | float | complex | np.generic | np.ndarray
        ):
            return NotImplemented
        return getattr(bare, function.__name__)(other, self)

    def in_place(self, other):
        function(self.host, to_host(other, function.__name__), out=self.host, casting="same_kind")
        return self

    return operate, reflected, in_place


def array_ufunc(self, ufunc, method, *inputs, **options):
    """A ufunc of NumPy's with an array of the device among its inputs."""
    if not hasattr(cupy, ufunc.__name__) or any(
        hasattr(x, "__array_ufunc__") and not is_known(x) for x in inputs
    ):
        return NotImplemented
    if ufunc.signature and any(hasattr(x, "__cupy_get_ndarray__") for x in inputs):
        raise TypeError(f"cupy.{ufunc.__name__} takes arrays of CuPy's alone")
    own = getattr(bare, ufunc.__name__)
    if ufunc in COMPARISONS.values():  # numpy/numpy#12142: a NumPy scalar arrives as an array
        inputs = tuple(x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs)
    return (own if method == "__call__" else getattr(own, method))(*inputs, **options)


def is_known(value):
    return isinstance(value, DeviceArray | np.ndarray | np.generic) or hasattr(
        value, "__cupy_get_ndarray__"
    )


def array_function(self, function, types, args, options):
    """A function of NumPy's with an array of the device among its arguments."""
    if not all(issubclass(cls, DeviceArray | np.ndarray) for cls in types):
        return NotImplemented
    target = bare
    for part in function.__module__.split(".")[1:]:
        target = getattr(target, part, None)
    if not isinstance(target, Namespace) or not hasattr(target, function.__name__):
        return NotImplemented
    return getattr(target, function.__name__)(*args, **options)


def behaviour():
    """What arrays do by the functions."""
    yield from {"__array_ufunc__": array_ufunc, "__array_function__": array_function}.items()
    for symbol, function in OPERATORS.items():
        for prefix, operation in zip(("", "r", "i"), binary(function), strict=True):
            yield f"__{prefix}{symbol}__", operation
    for symbol, function in COMPARISONS.items():
        yield f"__{symbol}__", binary(function)[0]
    for symbol, function in UNARY.items():
        yield f"__{symbol}__", lambda self, f=function: DeviceArray(f(self.host))
    for name in METHODS:
        yield name, on_device(getattr(np.ndarray, name), name, signature_of_method(name))


for _name, _value in behaviour():
    setattr(DeviceArray, _name, _value)


def add_chosen(buffer, mask, values, xp):
    """What CuPy's backend has a kernel for."""
    np.add(buffer.host, values.host, out=buffer.host, where=mask.host)


def implementation(primal):
    if primal is chosen_entries.add_chosen:
        return add_chosen
    if primal is chosen_entries.sharing:
        return None  # by a kernel of CuPy's alone
    return scatter.implementation(primal) or fourier.implementation(primal)


library = register_library(
    ArrayLibrary("stand-in", namespace, (DeviceArray,), priority=10, implementations=implementation)
)
