"""NumPy's functions and methods that write into an array, said by assignments, and ``out=``.

An assignment has a rule (`rulesets.entries.writing`). What the others write where is computed from shapes, masks and positions;
the values are brought into place by operations that have rules, so nothing here differentiates.
"""

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.identity import qualified_name
from chainrules_tape.core.errors import AUGMENTED, InPlaceError
from chainrules_tape.core.handles import TracedArray, plain
from chainrules_tape.core.levels import writers
from chainrules_tape.in_place.first_write import stored
from chainrules_tape.in_place.sole_owners import replaced
from chainrules_tape.in_place.writing import written

_BUFFERS = "make the array that is written to by chainrules_tape.numpy: zeros, empty, full, array or copy"


def assign(target: Any, index: Any, values: Any) -> None:
    """``target[index] = values``; the target is traced or stored."""
    written(operator.setitem, (stored(target), index, values), {})


def require_target(primal: Any, target: Any) -> None:
    """Raise where a traced value is to be written into a plain array."""
    if not issubclass(type(target), TracedArray) or type(plain(target)) is not np.ndarray:
        got = "a traced value to be written into a plain array, which would hold it without its derivative"
        raise InPlaceError(qualified_name(primal), got, _BUFFERS, operation=primal, value=target)


def require_cast(primal: Any, values: Any, target: Any, casting: Any = "same_kind") -> None:
    """Raise where NumPy does not write values of this dtype into the array."""
    dtype = getattr(values, "dtype", None)
    if dtype is not None and not np.can_cast(dtype, target.dtype, casting):
        raise TypeError(f"{qualified_name(primal)}: cannot cast {dtype} to {target.dtype} by casting={casting!r}")


def repeated(values: Any, count: int) -> Any:
    """As many values, from the beginning again where they end."""
    flat = np.ravel(values) if hasattr(values, "shape") else np.atleast_1d(np.asarray(values))
    return flat if flat.shape == (count,) else flat[np.arange(count) % flat.size]


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """As ``numpy.copyto``."""
    require_target(np.copyto, dst)
    require_cast(np.copyto, src, dst, casting)
    if where is True:
        assign(dst, ..., src)
    else:
        mask = np.broadcast_to(plain(where), dst.shape)
        assign(dst, mask, np.broadcast_to(src, dst.shape)[mask])


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """As ``numpy.put``."""
    require_target(np.put, a)
    positions = np.ravel(plain(ind)).astype(np.intp)
    if mode != "raise":
        positions = positions % a.size if mode == "wrap" else np.clip(positions, 0, a.size - 1)
    elif positions.size and not (-a.size <= positions.min() and positions.max() < a.size):
        raise IndexError(f"numpy.put: an index is out of bounds for an array of {a.size} entries")
    if positions.size and np.size(v):
        assign(a, np.unravel_index(positions % a.size, a.shape), repeated(v, positions.size))


def putmask(a: Any, mask: Any, values: Any) -> None:
    """As ``numpy.putmask``."""
    require_target(np.putmask, a)
    where = np.broadcast_to(plain(mask), a.shape)
    if np.size(values):
        assign(a, where, repeated(values, a.size)[np.ravel(where)])


def place(arr: Any, mask: Any, vals: Any) -> None:
    """As ``numpy.place``."""
    require_target(np.place, arr)
    where = np.reshape(plain(mask), arr.shape).astype(bool)
    count = int(np.count_nonzero(where))
    if count:
        if not np.size(vals):
            raise ValueError("numpy.place: no values for a mask that holds somewhere")
        assign(arr, where, repeated(vals, count))


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None = -1) -> None:
    """As ``numpy.put_along_axis``."""
    require_target(np.put_along_axis, arr)
    places = np.asarray(plain(indices))
    if axis is None:
        put(arr, places, values)
        return
    index = list(np.ogrid[tuple(slice(n) for n in places.shape)])
    index[axis] = places
    assign(arr, tuple(index), values)


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """As ``numpy.fill_diagonal``."""
    require_target(np.fill_diagonal, a)
    order = np.zeros(a.shape, bool)
    np.fill_diagonal(order, True, wrap)
    positions = np.flatnonzero(order)
    assign(a, np.unravel_index(positions, a.shape), repeated(val, positions.size))


def at(ufunc: Any, a: Any, indices: Any, *values: Any) -> None:
    """As ``ufunc.at``: sums and differences; of the others, where an index repeats, each factor would need all before it."""
    from chainrules_py.rulesets.entries.writing import added_at  # a rule pack, loaded with the first rule that needs it

    require_target(ufunc.at, a)
    if ufunc is np.add or ufunc is np.subtract:
        written(added_at, (stored(a), indices, values[0] if ufunc is np.add else -values[0]), {})
        return
    hits = np.zeros(a.shape, int)
    np.add.at(hits, indices, 1)
    if np.any(hits > 1):
        where, got = f"numpy.{ufunc.__name__}.at", "an index that repeats"
        raise InPlaceError(where, got, "loop over the repetitions", operation=ufunc, value=a)
    x = stored(a)
    assign(x, indices, ufunc(x[indices], *values))


def out(primal: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function whose result goes into arrays that it is given by ``out=``; these are what it returns."""
    options = dict(options)
    given = options.pop("out")
    targets = given if isinstance(given, tuple) else (given,)
    mask = options.get("where", True)
    for target in targets:
        if target is not None and not (issubclass(type(target), TracedArray) and type(plain(target)) is np.ndarray):
            symbol = AUGMENTED.get(primal)
            augments = symbol is not None and args[:1] and args[0] is target
            if augments:
                y = replaced(primal, target, args, sys.getrefcount(target))
                if y is not None:
                    return y
                got = "a traced x written into a plain array a, which would lose its derivative"
                raise InPlaceError(
                    f"a {symbol}= x", got, f"write a = a {symbol} x, or {_BUFFERS}", operation=primal, value=target
                )
            got = "a plain array as out= of traced values, which would lose their derivative"
            raise InPlaceError(
                qualified_name(primal), got, f"use the result, y = f(x), or {_BUFFERS}", operation=primal, value=target
            )
    y = primal(*args, **options)
    results = y if isinstance(y, tuple) else (y,)
    for target, result in zip(targets, results, strict=False):
        if target is not None:
            if target.shape != np.shape(result):
                shapes = f"the result has the shape {np.shape(result)}, out= {target.shape}"
                raise ValueError(f"{qualified_name(primal)}: {shapes}")
            copyto(target, result, options.get("casting", "same_kind"), mask if isinstance(primal, np.ufunc) else True)
    found = tuple([result if target is None else target for target, result in zip(targets, results, strict=True)])
    return found if isinstance(y, tuple) else found[0]


def by_rule(primal: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], position: int) -> Any:
    """Call a function of somebody's own that writes into an argument, as its rule says."""
    require_target(primal, args[position])
    return written(primal, args, options, position)


writers.update(
    {
        np.copyto: copyto,
        np.put: put,
        np.putmask: putmask,
        np.place: place,
        np.put_along_axis: put_along_axis,
        np.fill_diagonal: fill_diagonal,
        "at": at,
        "out": out,
        "rule": by_rule,
    }
)


# Methods


def fill(self: Any, value: Any) -> None:
    """As ``numpy.ndarray.fill``."""
    assign(self, ..., value)


def sort(self: Any, axis: int = -1, kind: Any = None, order: Any = None, **options: Any) -> None:
    """As ``numpy.ndarray.sort``."""
    assign(self, ..., np.sort(self, axis, kind, order, **options))


def partition(self: Any, kth: Any, axis: int = -1, kind: Any = "introselect", order: Any = None) -> None:
    """As ``numpy.ndarray.partition``."""
    assign(self, ..., np.partition(self, kth, axis, kind, order))


METHODS: dict[str, Callable[..., Any]] = {"fill": fill, "sort": sort, "partition": partition, "put": put}
