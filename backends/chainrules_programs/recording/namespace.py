"""The namespace `xp` of rules on recorded values: NumPy, whose new arrays are written down, too.

NumPy hands over calls with a recorded value among the arguments. What has none is written down only
where the array may be written into later.
"""

import operator
from functools import partial, wraps
from typing import Any

import numpy as np

from chainrules_numpy.shortcuts import has_many_short_rows, sum_of_columns
from chainrules_programs.recording.operations import PLAIN, RecordedValue, recording_in
from chainrules_programs.recording.types import RECORDED, Recorded, astype, record_call
from chainrules_py.annotations import Function
from chainrules_py.engines import NamesOfNumPy
from chainrules_py.engines.own_functions import add_at, has_few_columns, is_basic
from chainrules_py.rulesets.formulas.known_values import is_of_host
from chainrules_py.values.arrays import making
from chainrules_py.values.identity import home_module, is_out_of_reach, takes_plain_values_only

MAKERS = (
    *("zeros", "ones", "empty", "full"),
    *("zeros_like", "ones_like", "empty_like", "full_like"),
)
CONVERTERS = ("asarray", "asanyarray", "array", "ascontiguousarray", "asfortranarray")


def converting(convert: Function) -> Function:
    """`asarray` and the like, which NumPy does not hand over."""

    @wraps(convert)
    def converter(value, dtype: Any = None, **layout) -> Any:
        recording = recording_in(value)
        if recording is None:
            return convert(value, dtype=dtype, **layout)
        if not issubclass(type(value), RecordedValue):
            stacked = np.stack([converter(part) for part in value])
            return stacked if dtype is None else stacked.astype(dtype)
        keeps = convert in (np.asarray, np.asanyarray) and not layout.get("copy")
        keeps = keeps and layout.get("order") in (None, "K", "A")
        if keeps and type(value) is Recorded and (dtype is None or value.dtype == dtype):
            return value
        options = {} if dtype is None else {"dtype": dtype}
        given = {
            name: option for name, option in layout.items() if option is not None or name == "copy"
        }
        return recording.call(convert, (value,), {**options, **given})

    return converter


def sum_of_recorded(a, axis: Any = None, **options) -> Any:
    """The sum of an array, in the order in which the tape adds the entries of a plain one."""
    along_one = type(a) is Recorded and type(axis) is int and not options
    if along_one and has_many_short_rows(a.array, axis):
        return sum_of_columns(a)
    return np.sum(a, axis, **options)


def taken(a, indices, *args, **options) -> Any:
    """``numpy.take``; NumPy's own does not see that the indices are recorded."""
    return record_call(np.take, (a, indices, *args), options)


def read_recorded(a, index) -> Any:
    """``a[index]``, of which the array may be a constant."""
    if type(a) is Recorded:
        return a.recording.read(a, index)
    recording = recording_in(index)
    return a[index] if recording is None else recording.read(a, index)


def added_at(buffer, index, values, xp) -> None:
    """``buffer[index] += values``: one step, where the index is known."""
    is_alike = getattr(values, "dtype", None) == buffer.dtype
    if is_alike and is_basic(index) and not has_few_columns(buffer.array[index]):
        buffer.recording.add_at(buffer, index, values)
    else:
        add_at(buffer, index, values, xp)


def view(shape, dtype, root, offset: int, strides) -> Any:
    """An array in the memory of a recorded one: ``numpy.ndarray`` with a buffer."""
    return record_call(np.ndarray, (shape, dtype, root, offset, strides), {})


def direct(ufunc: Function) -> Function:
    """A ufunc that writes its calls down without being asked by NumPy, which takes 1 us."""

    def call_directly(*args, **options) -> Any:
        if options:
            return ufunc(*args, **options)
        recording, given = None, []
        for x in args:
            if type(x) in RECORDED:
                recording = x.recording
                given.append(x.array)
            elif type(x) in PLAIN:
                given.append(x)
            else:
                return ufunc(*args)
        return ufunc(*args) if recording is None else recording.run_ufunc(ufunc, args, given)

    return wraps(ufunc)(call_directly)


OF_NUMPY: dict[str, Any] = {
    "astype": astype,
    "take": taken,
    # new arrays whenever the program runs
    **{name: partial(making.made, getattr(np, name)) for name in MAKERS},
    **{name: converting(getattr(np, name)) for name in CONVERTERS},
}
namespace = NamesOfNumPy(np, OF_NUMPY)
OWN: dict[Any, Any] = {
    **{getattr(np, name): function for name, function in OF_NUMPY.items()},
    np.sum: sum_of_recorded,
    add_at: added_at,
    operator.getitem: read_recorded,
    np.ndarray: view,
    float: lambda x: record_call(float, (x,), {}),
    is_of_host: lambda flags: True,  # what is asked of them is guarded
}


def implementation(primal) -> Any:
    """A function of this library for a primal, where that does not hand its calls over."""
    if primal in OWN:
        return OWN[primal]
    of_numpy: Any = getattr(np, getattr(primal, "__name__", ""), None)
    if isinstance(primal, np.ufunc) and of_numpy is primal:
        return direct(of_numpy)
    is_of_special = home_module(primal).startswith("chainrules_py.rulesets.scipy.special.")
    if takes_plain_values_only(primal) or is_out_of_reach(primal) or is_of_special:
        return lambda *args, **options: record_call(primal, args, options)
    return None
