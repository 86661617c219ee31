"""NumPy's two protocols, and `primitive`'s: how a call with a traced value among its arguments
comes to the tape.

These are slow dispatch, through `call`. A call of fast dispatch (`fast_dispatch`) comes here where
its key does not tell enough.
"""

from functools import cache
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.structure import kind
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.guests import answer_of
from chainrules_tape.core.levels import call_traced, writers
from chainrules_tape.refusals.handles import TracedArray, is_over_lanes
from chainrules_tape.refusals.instrumented_packages import arrays_of
from chainrules_tape.refusals.interrupts import notice

Operation = Function


def array_ufunc(self: TracedArray, ufunc, method: str, *inputs, **options) -> Any:
    """Call a ufunc, or one of its methods, with a traced value among its inputs, by slow dispatch."""
    if any(isinstance(x, AbstractTangent) for x in inputs):
        return NotImplemented  # tangents have operators of their own
    if method == "at":  # an index may be a tuple of arrays, which is no operand
        return writers["at"](ufunc, *inputs)
    inputs = tuple([as_operand(x) for x in inputs])
    if "out" in options:
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return writers["out"](function, inputs, options)
    if method != "__call__":
        return call_traced(getattr(ufunc, method), inputs, options)

    is_elementwise = ufunc.signature is None
    if is_elementwise and "where" in options:
        where = options.pop("where")
        if where is True:
            return call_traced(ufunc, inputs, options)
        return chosen_entries(ufunc, inputs, where, options)
    if is_elementwise and options.get("dtype") is not None:
        dtype = np.dtype(options.pop("dtype"))
        inputs = tuple([x.astype(dtype) if hasattr(x, "astype") else dtype.type(x) for x in inputs])
    return call_traced(ufunc, inputs, options)


def chosen_entries(ufunc, inputs: tuple[Any, ...], where, options: Options) -> Any:
    """Call a ufunc on the entries where a mask holds; the others, which NumPy leaves undefined, are
    constant zeros.
    """
    mask = where if hasattr(where, "dtype") else np.asarray(where)
    if mask.dtype != bool:
        raise TypeError(f"numpy.{ufunc.__name__}: got where={where!r}; pass an array of booleans")
    shape = np.broadcast_shapes(mask.shape, *map(np.shape, inputs))
    if is_over_lanes(mask):
        return chosen_in_lanes(ufunc, inputs, mask, options)
    mask = np.broadcast_to(mask, shape or (1,))
    entries = [np.broadcast_to(x, mask.shape)[mask] if hasattr(x, "dtype") else x for x in inputs]
    y = call_traced(ufunc, tuple(entries), options)
    if isinstance(y, tuple):
        return tuple([entries_in_zeros(part, mask, shape) for part in y])
    return entries_in_zeros(y, mask, shape)


def chosen_in_lanes(ufunc, inputs: tuple[Any, ...], mask, options: Options) -> Any:
    """`chosen_entries` by a mask that differs from lane to lane, which may choose as many entries as
    it likes: the ufunc is called on all, with numbers in the place of the others.
    """
    numbers = fine_numbers(ufunc, tuple([np.dtype(getattr(x, "dtype", type(x))) for x in inputs]))
    given = [np.where(mask, x, number) for x, number in zip(inputs, numbers, strict=True)]
    y = call_traced(ufunc, tuple(given), options)
    if isinstance(y, tuple):
        return tuple([np.where(mask, part, part.dtype.type(0)) for part in y])
    return np.where(mask, y, y.dtype.type(0))


@cache
def fine_numbers(ufunc, dtypes: tuple[np.dtype, ...]) -> tuple[Any, ...]:
    """Numbers of these dtypes for which a ufunc raises no floating-point error."""
    numbers: tuple[Any, ...] = ()
    for number in (0.5, 2.0, 1.0):
        numbers = tuple([np.array(number).astype(dtype)[()] for dtype in dtypes])
        try:
            with np.errstate(all="raise"):
                ufunc(*numbers)
        except FloatingPointError:
            continue
        break
    return numbers


def entries_in_zeros(entries, mask, shape: tuple[int, ...]) -> Any:
    """The entries where the mask holds, among zeros."""
    # a rule pack, loaded with the first rule that needs it
    from chainrules_py.rulesets.entries.scatter import scatter_add

    among_zeros = scatter_add(entries, index=mask, shape=mask.shape, dtype=entries.dtype)
    return among_zeros if shape else among_zeros[0]


def array_function(self: TracedArray, primal, types, args: Args, options: Options) -> Any:
    """Call a NumPy function with a traced value among its arguments, or in a list among them, by
    slow dispatch.
    """
    notice()  # what came while NumPy asked for the class of an argument
    if any(cls in arrays_of or issubclass(cls, AbstractTangent) for cls in types):
        return NotImplemented
    if any(map(answers_functions, types)):
        return NotImplemented
    if options.get("out") is not None:
        return writers["out"](primal, args, options)
    return call_traced(primal, args, options)


@cache
def answers_functions(cls: type) -> bool:
    """Tell whether an array with a unit or labels, which holds other arrays, computes NumPy's
    functions itself, as a quantity of pint's does; it calls them with what it holds.
    """
    has_own = "__array_function__" in dir(cls) and not issubclass(cls, np.ndarray | TracedArray)
    return has_own and kind(cls) == "declared" and answer_of(cls) is None


def chainrules_call(self: TracedArray, primal, args: Args, options: Options):
    """Call a function marked with `primitive` that has a traced value among its arguments."""
    return call_traced(primal, args, options)
