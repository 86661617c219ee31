"""Calls derived from a call: the same numbers in other memory layouts, narrower dtypes next to wider ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainrules_py.testing.coordinates import number_dtype
from chainrules_py.testing.trial import Trial

Array = NDArray[Any]


def layout_variants(trial: Trial) -> Iterator[Trial]:
    """The call with every NumPy array in Fortran order, with gaps in memory, and running backwards through it."""
    arrays = [index for index, arg in enumerate(trial.args) if type(arg) is np.ndarray and arg.size > 1]
    if not arrays:
        return
    for name, lay_out in (("Fortran order", _fortran), ("non-contiguous", _gaps), ("negative strides", _backwards)):
        args = tuple(lay_out(arg) if index in arrays else arg for index, arg in enumerate(trial.args))
        yield trial.variation(name, args)


def _fortran(array: Array) -> Array:
    return np.asfortranarray(array)


def _gaps(array: Array) -> Array:
    padded = np.empty([2 * n for n in array.shape], array.dtype)
    view = padded[tuple(slice(None, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def _backwards(array: Array) -> Array:
    return np.flip(np.flip(array).copy())


def dtype_variants(trial: Trial) -> Iterator[Trial]:
    """Each argument in single precision, and each complex one real, next to the others as they are; all in single precision."""
    wide = [index for index in trial.active if _narrow(trial.args[index]) is not None]
    if len(wide) == len(trial.active) > 0 and len(wide) > 1:
        yield trial.variation("all in single precision", _with(trial, {index: _narrow(trial.args[index]) for index in wide}))
    for index in wide:
        yield trial.variation(f"{trial.names[index]} in single precision", _with(trial, {index: _narrow(trial.args[index])}))
    complex_ones = [index for index in trial.active if _is_complex(trial.args[index])]
    for index in complex_ones if len(complex_ones) > 1 else []:
        real = np.ascontiguousarray(np.real(trial.args[index])).reshape(np.shape(trial.args[index]))
        yield trial.variation(f"{trial.names[index]} real", _with(trial, {index: real}))


def _with(trial: Trial, replaced: dict[int, Any]) -> tuple[Any, ...]:
    return tuple(replaced.get(index, arg) for index, arg in enumerate(trial.args))


def _narrow(arg: Any) -> Any:
    """A double precision NumPy array or scalar in single precision; None for everything else."""
    if not isinstance(arg, np.ndarray | np.generic) or (isinstance(arg, np.ndarray) and type(arg) is not np.ndarray):
        return None
    narrow = {"float64": "float32", "complex128": "complex64"}.get(arg.dtype.name)
    return None if narrow is None else arg.astype(narrow)


def _is_complex(arg: Any) -> bool:
    dtype = number_dtype(arg)
    return dtype is not None and dtype.kind == "c" and isinstance(arg, np.ndarray | np.generic)
