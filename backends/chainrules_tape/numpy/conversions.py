"""Functions of NumPy that convert first, computed for traced values by others that have a rule."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy

from chainrules_py.annotations import Function
from chainrules_py.errors import BatchingError
from chainrules_tape.core.levels import call_traced, innermost, open_levels, untraced
from chainrules_tape.in_place.storages import STORED
from chainrules_tape.numpy.namespaces import interceptable, takes_the_place_of
from chainrules_tape.numpy.other_libraries import by_library, is_scipys
from chainrules_tape.refusals.handles import plain


def by_others(function) -> Callable[[Function], Any]:
    """Decorate the function to call in the place of one of NumPy's where values are traced."""

    def decorate(traced: Function):
        of_scipy = is_scipys(function)

        def chosen(*args, **options):
            given = (*args, *options.values())
            is_traced = open_levels and innermost(given) is not None
            may_be_view = open_levels or not of_scipy
            if is_traced or (may_be_view and any(type(arg) in STORED for arg in given)):
                return traced(*args, **options)
            # of another library, which differentiates by calling this function on traced values
            if not of_scipy:
                return function(*args, **options)
            y = by_library(chosen, args, options)
            return untraced(function, args, options) if y is NotImplemented else y

        return takes_the_place_of(function)(chosen)

    return decorate


@by_others(numpy.require)
def require(a, dtype: Any = None, requirements: Any = None) -> Any:
    """The array in a dtype, with the memory that `requirements` name; a copy only where needed."""
    # by their first letters, as NumPy does: "C_CONTIGUOUS" is "C"
    wanted = {str(requirement).upper()[0] for requirement in requirements or ()}
    orders = wanted & {"C", "F"}
    if len(orders) == 2:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = next(iter(orders), "A")
    y = converted_array(a, dtype, order if requirements else None, numpy.asanyarray)
    has_all = all(y.flags[flag] for flag in wanted - {"E"})
    return y if has_all else y.copy(order)


def converted_array(a, dtype, order: str | None, convert: Any = numpy.asarray) -> Any:
    """The array in a dtype and an order, as ``numpy.asarray`` gives it, or another function."""
    options = {"dtype": dtype, "order": order}
    given = {name: value for name, value in options.items() if value is not None}
    return interceptable(convert)(a, **given)


@by_others(numpy.asarray_chkfinite)
def asarray_chkfinite(a, dtype: Any = None, order: Any = None) -> Any:
    """The array; a ValueError if it is not finite."""
    y = converted_array(a, dtype, order)
    if not numpy.all(numpy.isfinite(y)):
        raise ValueError("array must not contain infs or NaNs")
    return y


@by_others(numpy.arange)
def arange(*bounds, **options) -> Any:
    """Equal steps from one bound up to another, linear in the start and the step.

    Their number is constant.
    """
    is_stop_alone = len(bounds) == 1 and "stop" not in options
    names = ("stop",) if is_stop_alone else ("start", "stop", "step", "dtype")
    by_name = dict(zip(names, bounds, strict=False))
    given = {"start": 0, "step": 1, "dtype": None, **by_name, **options}
    start, step, dtype = given["start"], given["step"], given["dtype"]
    count = int(numpy.ceil(number_in_all_lanes((given["stop"] - start) / step)))
    y = start + numpy.arange(max(count, 0)) * step
    return y if dtype is None else y.astype(dtype)


def number_in_all_lanes(x) -> Any:
    """The plain number that a value is in each lane; raises where these differ."""
    value = plain(x)
    if type(value) is not numpy.ndarray or not value.size:
        return value
    first, *others = value.reshape(-1)
    if any(other != first for other in others):
        got = "a number of entries that differs from lane to lane"
        instead = "make as many entries as the longest lane needs, and choose with numpy.where"
        raise BatchingError("numpy.arange", got, instead)
    return first


def fromiter(values: Iterable[Any], dtype: Any, *args: Any, **options: Any) -> Any:
    """The array of the numbers that an iterable gives, in a dtype."""
    if open_levels and innermost(values := list(values)) is not None:
        return call_traced(numpy.array, (values,), {"dtype": dtype})
    return numpy.fromiter(values, dtype, *args, **options)


@by_others(numpy.broadcast)
class broadcast:
    """The shape that arrays are broadcast to, as `numpy.broadcast` has it; without its iterator."""

    def __init__(self, *args) -> None:
        self.shape = numpy.broadcast_shapes(*map(numpy.shape, args))
        self.ndim = self.nd = len(self.shape)
        self.size = int(numpy.prod(self.shape))


@by_others(numpy.ndenumerate)
def ndenumerate(arr) -> Iterator[tuple[Any, Any]]:
    """The places of an array, one after the other, each with its entry then.

    >>> from chainrules_tape import grad
    >>> grad(lambda x: sum((1 + i) * v for (i,), v in ndenumerate(x)))(numpy.zeros(3))
    array([1., 2., 3.])
    """
    return ((place, arr[place]) for place in numpy.ndindex(*arr.shape))
