"""A stand-in for CuPy that needs no device: CuPy's namespace and manners, NumPy's arithmetic, and a ledger.

It has the functions and methods that CuPy has, with the parameters that CuPy's have, and no others. As CuPy it refuses NumPy
arrays instead of copying them, takes numbers for arrays only where CuPy does, and keeps results of shape () as arrays. What
would make the host wait for the device, or copy between them, is written into the ledger: `WAITS` and `WAITS_IF` say what was
read in CuPy's sources. It says nothing about kernels, streams, memory or time.
"""

import inspect
import operator
import re

import cupy
import numpy as np

from chainrules_cupy import scatter
from chainrules_cupy.namespace import completed
from chainrules_py.arrays import ArrayLibrary, register_library

WAITS = {
    *("nonzero", "flatnonzero", "argwhere", "unique", "compress", "extract", "trim_zeros", "array_equal", "roots", "delete"),
    *("nanmax", "nanmin", "unravel_index", "bincount", "cond", "place", "asarray_chkfinite"),
    "polyfit",
}
WAITS_IF = {  # by the arguments as CuPy's function names them
    "where": lambda given: given.get("x") is None,
    "repeat": lambda given: not isinstance(given["repeats"], int | np.integer),
    "average": lambda given: given.get("weights") is not None,
    "quantile": lambda given: isinstance(given["q"], DeviceArray),
    "percentile": lambda given: isinstance(given["q"], DeviceArray),
    "choose": lambda given: given.get("mode", "raise") == "raise",
    "gradient": lambda given: any(getattr(spacing, "ndim", 0) for spacing in given.get("varargs", ())),
    "histogram": lambda given: given.get("range") is None or isinstance(given.get("bins"), DeviceArray),
    "histogramdd": lambda given: given.get("range") is None,
    "cov": lambda given: given.get("fweights") is not None or given.get("aweights") is not None,
    "lstsq": lambda given: given["a"].shape[0] > given["a"].shape[1],
    "real_if_close": lambda given: given["a"].dtype.kind == "c",
    "put": lambda given: given.get("mode", "wrap") == "raise",
}
UPLOADS = {"array", "asarray", "ascontiguousarray"}
COMPARISONS = {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"}


class Ledger(list):
    """What happened between host and device: ``("waits", "float")``, ``("copies to the device", "index")``."""

    def waits(self, what):
        self.append(("waits", what))

    def uploads(self, what):
        self.append(("copies to the device", what))


ledger = Ledger()


def to_host(value, what, upload=False):
    if isinstance(value, DeviceArray):
        return value.host
    if isinstance(value, np.ndarray):
        if not upload:
            raise TypeError(f"{what}: Unsupported type {type(value)}")
        ledger.uploads(what)
    if hasattr(value, "__cupy_get_ndarray__"):
        return value.made(library).host
    if isinstance(value, list | tuple):
        return type(value)(to_host(part, what, upload) for part in value)
    return value


def to_device(value):
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
        return DeviceArray(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(to_device, value))
    return type(value)(map(to_device, value)) if isinstance(value, list | tuple) else value


TAKES_NUMBERS = {  # of the functions that are no ufuncs: makers of arrays, and questions about dtypes and shapes
    *(
        "array",
        "asarray",
        "arange",
        "zeros",
        "ones",
        "empty",
        "full",
        "eye",
        "identity",
        "tri",
        "linspace",
        "logspace",
        "indices",
    ),
    *("fftfreq", "rfftfreq", "ix_", "tril_indices", "triu_indices", "diag_indices", "mask_indices", "result_type", "can_cast"),
    *("isscalar", "ndim", "shape", "size", "iscomplexobj", "isrealobj", "broadcast_shapes", "real", "imag"),
    *(
        "bartlett",
        "blackman",
        "hamming",
        "hanning",
        "kaiser",
        "ravel_multi_index",
        "min_scalar_type",
        "promote_types",
        "common_type",
    ),
}
JOINS = {"concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"}
NUMBERS = bool | int | float | complex | np.generic


def refuse_numbers(name, args):
    """CuPy's functions ask their first argument for its shape or methods; those that join take arrays alone."""
    if args and isinstance(args[0], NUMBERS) and name not in TAKES_NUMBERS:
        raise TypeError(f"{name}: a number ({args[0]!r}) for an array")
    if name in JOINS and not all(isinstance(part, DeviceArray) for part in args[0]):
        raise TypeError(f"{name}: only arrays can be joined")


def waits(name, signature, args, options):
    """Whether the host waits for the device in this form of a call."""
    if name in WAITS or name not in WAITS_IF:
        return name in WAITS
    return WAITS_IF[name](signature.bind(*args, **options).arguments)


def is_stacked(value):
    """Whether CuPy makes one array of arrays that are on the device already."""
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(part, DeviceArray) for part in value)


def on_device(function, name, signature=None):
    def call(*args, **options):
        if signature is not None:
            signature.bind(*args, **options)
        if not isinstance(function, np.ufunc) and not is_method(function):
            refuse_numbers(name, args)
        if waits(name, signature, args, options):
            ledger.waits(name)
        upload = name in UPLOADS
        if upload and isinstance(args[0], NUMBERS | list | tuple) and not is_stacked(args[0]):
            ledger.uploads("a number" if isinstance(args[0], NUMBERS) else "a list")
        given = [to_host(arg, name, upload) for arg in args]
        kept = {key: to_host(value, name, upload) for key, value in options.items() if key not in ("blocking", "stream")}
        if name in ("sort", "argsort"):
            kept["kind"] = "stable"  # as CuPy's always are
        with np.errstate(all="ignore"):
            return to_device(function(*given, **kept))

    call.__name__ = name
    return call


def is_method(function):
    return inspect.ismethoddescriptor(function)


UFUNC = inspect.signature(lambda *inputs, out=None, casting="same_kind", dtype=None: None)
AT = {"add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"}


class DeviceUfunc:
    """A ufunc with the parameters and the methods that CuPy's have."""

    def __init__(self, ufunc):
        self.ufunc, self.__name__ = ufunc, ufunc.__name__
        self.run = on_device(ufunc, self.__name__, UFUNC)

    def __call__(self, *args, **options):
        return self.run(*args, **options)

    def at(self, array, index, values):
        if self.__name__ not in AT or (self.__name__ == "add" and array.dtype.kind == "c"):
            raise TypeError(f"cupy.{self.__name__}.at does not take {array.dtype}")
        upload_number(index, values)
        self.ufunc.at(array.host, to_index(index), to_host(values, "at"))

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        self.only_sums_and_products()
        return on_device(self.ufunc.reduce, "reduce")(array, axis, dtype, out, keepdims)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        self.only_sums_and_products()
        return on_device(self.ufunc.accumulate, "accumulate")(array, axis, dtype, out)

    def only_sums_and_products(self):
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"cupy.{self.__name__} cannot reduce")


class Namespace:
    """The functions of a module of NumPy that its counterpart in CuPy has, too."""

    def __init__(self, host, device, **more):
        self.host, self.device = host, device
        self.__dict__.update(more)

    def __getattr__(self, name):
        if not hasattr(self.device, name):
            raise AttributeError(f"cupy has no {name}")
        found = getattr(self.host, name)
        if isinstance(found, np.ufunc):
            found = DeviceUfunc(found)
        elif callable(found) and not isinstance(found, type):
            found = on_device(found, name, signature_of(getattr(self.device, name, None)))
        setattr(self, name, found)
        return found


def signature_of(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def signature_of_method(name):
    """Cython writes it into the first line of the documentation: ``_ndarray_base.sum(self, axis=None, ...) -> ...``."""
    line = (getattr(cupy.ndarray, name).__doc__ or "").strip().partition("\n")[0]
    words = re.sub(r"\b(Py_ssize_t|_ndarray_base|int) (?=\w)", "", line.partition("(")[2].rpartition(")")[0])
    return inspect.signature(eval(f"lambda {words}: None"))


bare = Namespace(np, cupy, linalg=Namespace(np.linalg, cupy.linalg), fft=Namespace(np.fft, cupy.fft))
namespace = completed(bare)


def to_index(index):
    if isinstance(index, tuple):
        return tuple(map(to_index, index))
    if hasattr(index, "__cupy_get_ndarray__"):
        index = index.made(library)
    if isinstance(index, DeviceArray):
        if index.dtype.kind == "b":
            ledger.waits("mask as index")
        return index.host
    if isinstance(index, np.ndarray | list):
        ledger.uploads("index")
    elif not (index is None or index is Ellipsis or isinstance(index, slice | int | np.integer)):
        raise IndexError(f"{type(index).__name__} is no index")
    return index


def upload_number(index, values):
    """A number written at an array of positions becomes an array, which is copied; at slices it is a kernel's parameter."""
    parts = index if isinstance(index, tuple) else (index,)
    if isinstance(values, NUMBERS) and any(isinstance(part, DeviceArray | list) for part in parts):
        ledger.uploads("a number")


def binary(function):
    def operate(self, other):
        if not isinstance(other, DeviceArray | bool | int | float | complex | np.generic | np.ndarray):
            return NotImplemented
        return getattr(bare, function.__name__)(self, other)

    def reflected(self, other):
        if not isinstance(other, DeviceArray | bool | int | float | complex | np.generic | np.ndarray):
            return NotImplemented
        return getattr(bare, function.__name__)(other, self)

    def in_place(self, other):
        function(self.host, to_host(other, function.__name__), out=self.host, casting="same_kind")
        return self

    return operate, reflected, in_place


def waiting(convert):
    def converted(self):
        ledger.waits(convert.__name__)
        return convert(self.host[()])

    return converted


class DeviceArray:
    """An array that only `namespace` computes with."""

    __array_priority__ = 100
    __hash__ = None

    def __init__(self, host):
        self.host = np.asarray(host)

    def __repr__(self):
        return f"DeviceArray({self.host!r})"

    def __len__(self):
        return len(self.host)

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index):
        return DeviceArray(self.host[to_index(index)])

    def __setitem__(self, index, value):
        upload_number(index, value)
        self.host[to_index(index)] = to_host(value, "setitem")

    def __array__(self, *args, **options):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if not hasattr(cupy, ufunc.__name__) or any(hasattr(x, "__array_ufunc__") and not is_known(x) for x in inputs):
            return NotImplemented
        own = getattr(bare, ufunc.__name__)
        if ufunc.__name__ in COMPARISONS:  # numpy/numpy#12142: a NumPy scalar arrives as an array
            inputs = tuple(x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs)
        return (own if method == "__call__" else getattr(own, method))(*inputs, **options)

    def __array_function__(self, function, types, args, options):
        if not all(issubclass(cls, DeviceArray | np.ndarray) for cls in types):
            return NotImplemented
        target = bare
        for part in function.__module__.split(".")[1:]:
            target = getattr(target, part, None)
        if not isinstance(target, Namespace) or not hasattr(target, function.__name__):
            return NotImplemented
        return getattr(target, function.__name__)(*args, **options)

    def get(self):
        ledger.waits("get")
        return self.host

    def item(self):
        ledger.waits("item")
        return self.host.item()

    def tolist(self):
        ledger.waits("tolist")
        return self.host.tolist()


def is_known(value):
    return isinstance(value, DeviceArray | np.ndarray | np.generic) or hasattr(value, "__cupy_get_ndarray__")


NAMES = ("add", "sub", "mul", "truediv", "matmul", "pow", "mod", "floordiv", "and", "or", "xor")
UFUNCS = (
    *(np.add, np.subtract, np.multiply, np.divide, np.matmul, np.power, np.remainder, np.floor_divide),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor),
)
for _symbol, _function in zip(NAMES, UFUNCS, strict=True):
    for _prefix, _operation in zip(("", "r", "i"), binary(_function), strict=True):
        setattr(DeviceArray, f"__{_prefix}{_symbol}__", _operation)
for _symbol in ("lt", "le", "gt", "ge", "eq", "ne"):
    _names = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}
    setattr(DeviceArray, f"__{_symbol}__", binary(getattr(np, _names[_symbol]))[0])
for _symbol, _function in {"neg": np.negative, "pos": np.positive, "invert": np.invert, "abs": np.absolute}.items():
    setattr(DeviceArray, f"__{_symbol}__", lambda self, f=_function: DeviceArray(f(self.host)))
for _convert in (bool, int, float, complex, operator.index):
    setattr(DeviceArray, f"__{_convert.__name__}__", waiting(_convert))
for _name in ("shape", "dtype", "ndim", "size", "strides", "flags", "itemsize", "nbytes"):
    setattr(DeviceArray, _name, property(lambda self, n=_name: getattr(self.host, n)))
for _name in ("T", "real", "imag"):
    setattr(DeviceArray, _name, property(lambda self, n=_name: DeviceArray(getattr(self.host, n))))
for _name in (
    *("sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "argmax", "argmin", "argsort", "cumsum", "cumprod"),
    *("ravel", "flatten", "reshape", "squeeze", "swapaxes", "transpose", "take", "repeat", "diagonal", "trace", "dot", "clip"),
    *("round", "conj", "conjugate", "copy", "astype", "fill"),
):
    setattr(DeviceArray, _name, on_device(getattr(np.ndarray, _name), _name, signature_of_method(_name)))


library = register_library(
    ArrayLibrary("stand-in", namespace, (DeviceArray,), priority=10, implementations=scatter.implementation)
)
