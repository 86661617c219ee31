"""CuPy's functions on the pretended device: those that CuPy has, with its parameters, and NumPy's
arithmetic.
"""

import inspect
import re

import cupy
import numpy as np

from stand_ins.device_array import (
    DeviceArray,
    to_device,
    to_host,
    to_index,
    upload_argument,
    upload_number,
)
from stand_ins.ledger import NUMBERS, UPLOADS, UPLOADS_ANYWAY, ledger, waits

# of the functions that are no ufuncs: makers of arrays, and questions about dtypes and shapes
TAKES_NUMBERS = {
    *("array", "asarray", "arange", "zeros", "ones", "empty"),
    *("full", "eye", "identity", "tri", "linspace", "logspace"),
    *("indices", "fftfreq", "rfftfreq", "ix_", "tril_indices"),
    *("triu_indices", "diag_indices", "mask_indices"),
    *("result_type", "can_cast", "min_scalar_type"),
    *("promote_types", "common_type", "broadcast_shapes"),
    *("isscalar", "ndim", "shape", "size", "iscomplexobj", "isrealobj", "real", "imag"),
    *("bartlett", "blackman", "hamming", "hanning", "kaiser", "ravel_multi_index"),
}
JOINS = {"concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"}
AT = {"add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"}
UFUNC = inspect.signature(lambda *inputs, out=None, casting="same_kind", dtype=None: None)


def refuse_numbers(name, args):
    """CuPy's functions ask their first argument for its shape or methods; those that join take
    arrays alone.
    """
    if args and isinstance(args[0], NUMBERS) and name not in TAKES_NUMBERS:
        raise TypeError(f"{name}: a number ({args[0]!r}) for an array")
    if name in JOINS and not all(isinstance(part, DeviceArray) for part in args[0]):
        raise TypeError(f"{name}: only arrays can be joined")


def refuse_what_cupy_refuses(name, args, options):
    """Forms of calls that NumPy takes and CuPy does not."""
    if name == "tensordot" and not all(getattr(factor, "ndim", 0) for factor in args[:2]):
        axes = args[2] if len(args) > 2 else options.get("axes", 2)
        if axes not in (0, ((), ())):  # two lists are not two tuples
            raise ValueError("An input is zero-dim while axes has dimensions")
    if name == "solve" and args[1].ndim > 1 and args[0].shape[:-1] != args[1].shape[:-1]:
        raise ValueError(
            "a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b"
        )
    if name == "choose" and not hasattr(args[1], "shape"):
        raise AttributeError("a list has no shape")
    if name.endswith(("fft2", "fftn")) and -1 in (
        (args[1] if args[1:] else options.get("s")) or ()
    ):
        raise ValueError(
            f"{name}: CuPy takes -1 for a length without complaint, and gives one entry less"
        )


def on_device(function, name, signature=None):
    """A function or method of NumPy's as one of CuPy's."""

    def call(*args, **options):
        # a ufunc has any number of inputs
        if signature is not None and (options or signature is not UFUNC):
            signature.bind(*args, **options)
        if not isinstance(function, np.ufunc) and not is_method(function):
            refuse_numbers(name, args)
        refuse_what_cupy_refuses(name, args, options)
        if waits(name, signature, args, options):
            ledger.waits(name)
        if name in UPLOADS_ANYWAY:
            ledger.uploads(name)
        if name == "take" and args[1:] and isinstance(args[1], list | np.ndarray):
            ledger.uploads(name)
            args = (args[0], np.asarray(args[1]).tolist(), *args[2:])
        upload = name in UPLOADS
        if upload:
            upload_argument(args[0])
        given = [to_host(arg, name, upload) for arg in args]
        kept = {
            key: to_host(value, name, upload)
            for key, value in options.items()
            if key not in ("blocking", "stream")
        }
        if name in ("sort", "argsort"):
            kept["kind"] = "stable"  # as CuPy's always are
        if name.endswith("_like") and kept.get("shape") == ():
            del kept["shape"]  # CuPy takes no axes for no answer
        with np.errstate(all="ignore"):
            return to_device(function(*given, **kept))

    call.__name__ = name
    return call


def is_method(function):
    return isinstance(function, type(np.ndarray.sum))


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

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        if self.__name__ != "add":
            raise NotImplementedError(f"cupy.{self.__name__}.reduceat is not supported")
        if not isinstance(indices, DeviceArray):
            ledger.uploads("reduceat")
            indices = DeviceArray(indices)
        return on_device(self.ufunc.reduceat, "reduceat")(array, indices, axis, dtype, out)

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
    """Cython writes it into the first line of the documentation: ``_ndarray_base.sum(self,
    axis=None, ...) -> ...``.
    """
    line = (getattr(cupy.ndarray, name).__doc__ or "").strip().partition("\n")[0]
    words = re.sub(
        r"\b(Py_ssize_t|_ndarray_base|int) (?=\w)", "", line.partition("(")[2].rpartition(")")[0]
    )
    return inspect.signature(eval(f"lambda {words}: None"))
