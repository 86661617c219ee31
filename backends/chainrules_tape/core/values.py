"""What a value is to this engine: whether it has a tangent space, and a cotangent as a pullback may
see it.
"""

from typing import Any

from numpy import float64, ndarray

from chainrules_py.accumulation import accumulated
from chainrules_py.tangents import Tangent, entries, has_tangent, unthunk, with_entries
from chainrules_tape.refusals.handles import TracedArray

ONE = float64(1.0)


def is_differentiable(y: Any) -> bool:
    """Whether a value has a tangent space that this engine can carry: a real or complex number or
    array.
    """
    if type(y) is float or (type(y) is ndarray and y.dtype.kind == "f"):
        return True
    dtype = getattr(y, "dtype", None)
    return has_tangent(dtype) if dtype is not None else isinstance(y, float | complex)


def finished_cotangent(x_bar: Any, near: Any = None) -> Any:
    """A cotangent as a pullback may see it: the sum of what arrived, thunks forced, buffers that
    rules filled opened.

    A constant that a rule returned becomes an array of the library of `near`, another cotangent of
    the same sweep.
    """
    if type(x_bar) is ndarray:
        return x_bar
    if not issubclass(type(x_bar), TracedArray):
        x_bar = unthunk(accumulated(x_bar))
    if issubclass(type(x_bar), TracedArray):
        return x_bar.settled() if x_bar.is_stored else x_bar
    if isinstance(x_bar, Tangent):
        return with_entries(
            x_bar.primal_type,
            {key: finished_cotangent(part, near) for key, part in entries(x_bar).items()},
        )
    return x_bar
