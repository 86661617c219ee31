"""The array class of the stand-in for CuPy: its numbers lie on the host, and what would read them
there is written down.

Its arithmetic, its methods and NumPy's protocols are given to it by `stand_in`, which has the
functions.
"""

import operator

import numpy as np

from chainrules_py.values.arrays import library_of
from stand_ins.ledger import NUMBERS, is_device_array, is_stacked, ledger


def waiting(convert):
    def converted(self):
        ledger.waits(convert.__name__)
        return convert(self.host[()])

    return converted


def read_off(name):
    return property(lambda self: getattr(self.host, name))


def view(name):
    return property(lambda self: DeviceArray(getattr(self.host, name)))


class DeviceArray:
    """An array that only the stand-in's namespace computes with."""

    __array_priority__ = 100
    __hash__ = None
    shape, dtype, ndim, size = map(read_off, ("shape", "dtype", "ndim", "size"))
    strides, flags, itemsize, nbytes = map(read_off, ("strides", "flags", "itemsize", "nbytes"))
    T, real, imag = map(view, ("T", "real", "imag"))
    __bool__, __int__, __float__, __complex__ = map(waiting, (bool, int, float, complex))
    __index__ = waiting(operator.index)

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

    def get(self):
        ledger.waits("get")
        return self.host

    def item(self):
        ledger.waits("item")
        return self.host.item()

    def tolist(self):
        ledger.waits("tolist")
        return self.host.tolist()


# Between host and device


def to_host(value, what, upload=False):
    """The numbers of an argument; those of NumPy's arrays are refused, or copied where CuPy copies
    them.
    """
    if isinstance(value, DeviceArray):
        return value.host
    if isinstance(value, np.ndarray):
        if not upload:
            raise TypeError(f"{what}: Unsupported type {type(value)}")
        ledger.uploads(what)
    if hasattr(value, "__cupy_get_ndarray__"):
        return made_here(value).host
    if isinstance(value, list | tuple):
        return type(value)(to_host(part, what, upload) for part in value)
    return value


def made_here(constant):
    """What CuPy makes of a constant of the tape's by its protocol."""
    return constant.made(library_of(DeviceArray))


def to_device(value):
    """A result, on the device as CuPy leaves it there: only the results of `unique` have names for
    their parts.
    """
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
        return DeviceArray(value)
    if type(value).__name__.startswith("Unique"):
        return type(value)(*map(to_device, value))
    return (
        (list if isinstance(value, list) else tuple)(map(to_device, value))
        if isinstance(value, list | tuple)
        else value
    )


def to_index(index):
    """An index of NumPy's, with what CuPy does to take it."""
    if isinstance(index, tuple):
        return tuple(map(to_index, index))
    if hasattr(index, "__cupy_get_ndarray__"):
        index = made_here(index)
    if isinstance(index, DeviceArray):
        if index.dtype.kind == "b":
            ledger.waits("mask as index")
        return index.host
    if isinstance(index, np.ndarray | list | bool):
        ledger.uploads("index")
        if np.asarray(index).dtype.kind == "b":
            ledger.waits("mask as index")
    elif not (index is None or index is Ellipsis or isinstance(index, slice | int | np.integer)):
        raise IndexError(f"{type(index).__name__} is no index")
    return index


def upload_number(index, values):
    """A number written at an array of positions becomes an array, which is copied; at slices it is
    a kernel's parameter.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if isinstance(values, NUMBERS) and any(isinstance(part, DeviceArray | list) for part in parts):
        ledger.uploads("a number")


def upload_argument(value):
    """A number or a list of which CuPy makes an array by copying it."""
    if (
        isinstance(value, list | tuple)
        and any(map(is_device_array, value))
        and not is_stacked(value)
    ):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")
    if isinstance(value, NUMBERS | list | tuple) and not is_stacked(value):
        ledger.uploads("a number" if isinstance(value, NUMBERS) else "a list")
