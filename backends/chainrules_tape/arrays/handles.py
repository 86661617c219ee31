"""The classes of traced values, with all that they answer, and in which module each answer is.

    TapeArray, TapeNumber    on a tape: a value and its slot
    DualArray, DualNumber    in forward mode: a value and its tangent
    LaneArray, LaneNumber    one example of many: a value that holds all of them
    SeriesArray, SeriesNumber  in Taylor mode: a value and its power series
    Stored...                after the first write: a part of a storage (`in_place.storages`)

A handle becomes a stored one by a change of its class, for all who hold it. The engine, which lies
below this module, makes handles of the classes that it is given here.
"""

from operator import getitem
from typing import Any

from numpy import invert

from chainrules_py.annotations import Function
from chainrules_py.values.operators import UNARY
from chainrules_py.values.python_numbers import OPERATORS
from chainrules_tape.arrays.arrays_of_numbers import function_of_numbers
from chainrules_tape.arrays.behaviour import ArrayBehaviour, NumberBehaviour, PythonBehaviour
from chainrules_tape.arrays.fast_dispatch import (
    TANGENTS,
    binary_forward,
    binary_on_tape,
    function_of,
    primitive_of,
    pushed_operation,
    reading_once,
    recorded_operation,
    ufunc_of,
    unary_forward,
    unary_on_tape,
)
from chainrules_tape.arrays.fast_lookup import FORWARD, REVERSE
from chainrules_tape.arrays.numbers import define_numbers, ufunc_of_numbers, without_modulus
from chainrules_tape.arrays.operators import (
    BINARY,
    define_logical_operators,
    define_operators,
    reflected,
    slow_getitem,
)
from chainrules_tape.arrays.protocols import array_function
from chainrules_tape.arrays.slow_operators import operator_of_numbers
from chainrules_tape.arrays.subclasses import ATTRIBUTES
from chainrules_tape.core import duals, plans, tape
from chainrules_tape.core.duals import DualHandle
from chainrules_tape.core.tape import TapeHandle
from chainrules_tape.in_place.behaviour import StoredBehaviour, UnwrittenArray
from chainrules_tape.in_place.first_write import UnwrittenValue
from chainrules_tape.in_place.flat import flat_of_number
from chainrules_tape.in_place.layouts import LAYING_OUT
from chainrules_tape.in_place.storages import STORED
from chainrules_tape.lanes import level as lanes
from chainrules_tape.lanes.behaviour import ArrayInLanes, NumberInLanes, class_of_number
from chainrules_tape.lanes.dispatch import (
    binary_in_lanes,
    function_in_lanes,
    getitem_in_lanes,
    unary_in_lanes,
)
from chainrules_tape.lanes.level import LaneHandle
from chainrules_tape.refusals.handles import APPARENT_CLASS
from chainrules_tape.series import level as series
from chainrules_tape.series.dispatch import (
    binary_of_series,
    unary_of_series,
)
from chainrules_tape.series.level import SeriesHandle


class StoredArray(StoredBehaviour, TapeHandle):
    """An array that was written to."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    storage = TapeHandle.__dict__["slot"]


class StoredDual(StoredBehaviour, DualHandle):
    """An array that was written to, and was a handle of forward mode before."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    storage = DualHandle.__dict__["tangent"]


class StoredInLanes(StoredBehaviour, LaneHandle):
    """An array that was written to, and was one in lanes before."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    in_lanes = False  # NumPy's view, in its place, is one of a single lane
    storage = LaneHandle.__dict__["storage"]


class StoredSeries(StoredBehaviour, SeriesHandle):
    """An array that was written to, in Taylor mode."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    storage = SeriesHandle.__dict__["node"]


OF_NUMBERS = {
    "reverse": (unary_on_tape, binary_on_tape),
    "forward": (unary_forward, binary_forward),
}
UFUNC_OF_NUMBERS = ufunc_of_numbers(OF_NUMBERS)


class OnTape(ArrayBehaviour, UnwrittenValue, TapeHandle):
    """The base of arrays and numbers on a tape, whose operations are recorded."""

    __slots__ = ()
    stored_class = StoredArray
    forms = tape.HANDLE_OF
    __array_ufunc__ = ufunc_of(unary_on_tape, binary_on_tape)
    __array_function__ = function_of(REVERSE, recorded_operation)
    __chainrules_call__ = primitive_of(__array_function__)


class TapeArray(UnwrittenArray, OnTape):
    """A handle on an array of a tape: what the differentiated function sees."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS


class TapeNumber(NumberBehaviour, OnTape):
    """A handle on a number of a tape, which has no length and is not iterable."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    flat = flat_of_number
    __array_ufunc__ = UFUNC_OF_NUMBERS
    __array_function__ = function_of_numbers(OnTape.__array_function__)


class TapeFloat(PythonBehaviour, TapeNumber):
    """A handle on a number of Python's."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS


class InForwardMode(ArrayBehaviour, UnwrittenValue, DualHandle):
    """The base of arrays and numbers with tangents, whose operations compute the next one."""

    __slots__ = ()
    stored_class = StoredDual
    forms = duals.HANDLE_OF
    __array_ufunc__ = ufunc_of(unary_forward, binary_forward)
    __array_function__ = function_of(FORWARD, pushed_operation)
    __chainrules_call__ = primitive_of(__array_function__)


class DualArray(UnwrittenArray, InForwardMode):
    """A handle on an array and its tangent."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS


class DualNumber(NumberBehaviour, InForwardMode):
    """A handle on a number and its tangent, which has no length and is not iterable."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    flat = flat_of_number
    __array_ufunc__ = UFUNC_OF_NUMBERS
    __array_function__ = function_of_numbers(InForwardMode.__array_function__)


class DualFloat(PythonBehaviour, DualNumber):
    """A handle on a number of Python's and its tangent."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS


class InLanes(UnwrittenValue, LaneHandle):
    """The base of arrays and numbers in lanes, whose operations compute all lanes."""

    __slots__ = ()
    stored_class = StoredInLanes
    forms = lanes.ARRAY_OF
    __array_ufunc__ = ufunc_of(unary_in_lanes, binary_in_lanes)
    __array_function__ = function_in_lanes
    __invert__ = unary_in_lanes(invert)


class LaneArray(InLanes, ArrayInLanes, UnwrittenArray):
    """A handle on an array of one example."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS


class LaneNumber(NumberInLanes, InLanes):
    """A handle on a number of one example."""

    __slots__ = ()
    flat = flat_of_number
    __class__: Any = property(class_of_number)


class InTaylorMode(ArrayBehaviour, UnwrittenValue, SeriesHandle):
    """The base of arrays and numbers with power series, which its level computes."""

    __slots__ = ()
    stored_class = StoredSeries
    forms = series.HANDLE_OF
    __array_ufunc__ = ufunc_of(unary_of_series, binary_of_series)
    __array_function__ = array_function


class SeriesArray(UnwrittenArray, InTaylorMode):
    """A handle on an array and its power series."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS


class SeriesNumber(NumberBehaviour, InTaylorMode):
    """A handle on a number and its power series, which has no length and is not iterable."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS
    flat = flat_of_number


class SeriesFloat(PythonBehaviour, SeriesNumber):
    """A handle on a number of Python's and its power series."""

    __slots__ = ()
    __class__: Any = APPARENT_CLASS


def late_limits(name: str) -> Function:
    """A function of `core.kinks`, which second derivatives alone import."""

    def call(*args) -> Function:
        from chainrules_tape.core import kinks

        limits: Function = getattr(kinks, name)
        return limits(*args)

    return call


tape.HANDLE_OF.give(TapeArray, TapeNumber, TapeFloat)
duals.HANDLE_OF.give(DualArray, DualNumber, DualFloat)
series.HANDLE_OF.give(SeriesArray, SeriesNumber, SeriesFloat)
lanes.ARRAY_OF.give(LaneArray, LaneNumber)
lanes.NUMBER_OF.give(LaneNumber, LaneNumber)
lanes.HANDLES |= lanes.NUMBER_OF.classes
for _classes in (tape.HANDLE_OF, duals.HANDLE_OF, series.HANDLE_OF, lanes.ARRAY_OF):
    _classes.give_attributes(ATTRIBUTES)
TANGENTS |= lanes.HANDLES
plans.laying_out.update(LAYING_OUT)
plans.limits.update(reverse=late_limits("with_limits"), forward=late_limits("without_limits"))
STORED.give(StoredArray, StoredDual, StoredInLanes, StoredSeries)
define_operators(
    OnTape,
    unary_on_tape,
    binary_on_tape,
    reading_once(binary_on_tape(getitem)),
)
define_operators(
    InForwardMode,
    unary_forward,
    binary_forward,
    binary_forward(getitem),
)
define_operators(InTaylorMode, unary_of_series, binary_of_series, slow_getitem)
for _name, _ufunc in OPERATORS.items():
    _make = unary_of_series if _name in UNARY else binary_of_series
    _operator = operator_of_numbers(_ufunc, _make)
    if _name == "pow":
        _operator = without_modulus(_operator)
    setattr(SeriesNumber, f"__{_name}__", _operator)
    if _name in BINARY:
        setattr(SeriesNumber, f"__r{_name}__", reflected(_operator))
define_numbers(OF_NUMBERS, (TapeNumber, TapeFloat, DualNumber, DualFloat))
define_operators(InLanes, unary_in_lanes, binary_in_lanes, getitem_in_lanes)
define_logical_operators(InLanes, binary_in_lanes)
