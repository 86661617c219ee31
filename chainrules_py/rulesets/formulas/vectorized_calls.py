"""The many calls of a function that one call of an `np.vectorize` object consists of.

A call sees an entry of each argument, or the slice that the signature says, and what is `excluded`
as a whole. `Calls` says what each sees, and puts results and tangents together again, with a row
per call in between:

    argument        shape (..., *core)   broadcast over the loop     rows (count, *core)
    result          shape (*loop, *core)                             rows (count, *core)

The dtype of a result is that of the first call's, if `otypes` does not say. Entries keep their
dtype: NumPy finds the result's in this way, too, and then calls the function with Python's numbers,
that is, in double precision.
"""

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np

from chainrules_py import NotDifferentiableError
from chainrules_py.annotations import Args, Options
from chainrules_py.makers.joint import array_of_parts, stacked_parts
from chainrules_py.projection.dense import namespace_of
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import is_container

Core = tuple[str, ...]  # the names of the axes that one call sees, or returns


class Varied(NamedTuple):
    """An argument of which each call sees another part: its rows, and the shape and dtype of the
    array that they come from.
    """

    rows: Any
    shape: tuple[int, ...]
    dtype: Any
    own: tuple[int, ...]  # the shape of a row


class Calls:
    """The calls that one call of a vectorised function is.

    Iterating gives the arguments and the options of each.
    """

    def __init__(self, vectorized, args: Args, options: Options) -> None:
        self.vectorized, self.args, self.options = vectorized, args, options
        given: dict[Any, Any] = {**dict(enumerate(args)), **options}
        arrays = {
            key: array_in(value) for key, value in given.items() if key not in vectorized.excluded
        }
        cores, self.made = cores_of(vectorized, len(arrays))
        self.sizes = core_sizes(vectorized, arrays, cores)
        pairs = {
            key: (array, len(core))
            for (key, array), core in zip(arrays.items(), cores, strict=True)
        }
        self.loop = np.broadcast_shapes(
            *[array.shape[: array.ndim - core] for array, core in pairs.values()]
        )
        self.count = prod(self.loop)
        self.varied = {key: self._varied(array, core) for key, (array, core) in pairs.items()}

    def _varied(self, array, core: int) -> Varied:
        own = array.shape[array.ndim - core :]
        return Varied(self._rows(array, own), array.shape, array.dtype, own)

    def _rows(self, array, own: tuple[int, ...]) -> Any:
        xp = namespace_of(array)
        return xp.reshape(xp.broadcast_to(array, (*self.loop, *own)), (self.count, *own))

    def __iter__(self) -> Iterator[tuple[list[Any], dict[str, Any]]]:
        return (
            self.with_parts({key: varied.rows[k] for key, varied in self.varied.items()})
            for k in range(self.count)
        )

    def with_parts(self, parts: dict[Any, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments and the options of a call that sees these parts of what is vectorised."""
        args = [parts.get(position, arg) for position, arg in enumerate(self.args)]
        return args, {name: parts.get(name, option) for name, option in self.options.items()}

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing to vectorise: NumPy then hands on what the function returns."""
        return not self.varied and self.vectorized.signature is None

    def result(self, results: Sequence[Any]) -> Any:
        """The results of all calls as that of the vectorised one."""
        if not results:
            return self._nothing()
        if self.is_bare:
            return results[0]
        self._require_count(results)
        if not isinstance(results[0], tuple):
            return self._output(results, 0)
        return tuple(self._output(column, k) for k, column in enumerate(zip(*results, strict=True)))

    def result_of_rows(self, rows) -> Any:
        """The vectorised result from that of all calls, along the first axis of each output."""
        columns = rows if isinstance(rows, tuple) else (rows,)
        one_of_each = [column[0] for column in columns]
        self._require_count([tuple(one_of_each) if isinstance(rows, tuple) else one_of_each[0]])
        found = []
        for k, (column, one) in enumerate(zip(columns, one_of_each, strict=True)):
            self._require_core([one], self.made[k] if self.made else ())
            found.append(self._in_loop(column, column.dtype, k))
        return tuple(found) if isinstance(rows, tuple) else found[0]

    def _nothing(self) -> Any:
        """The result where there are no calls, of which NumPy knows the class."""
        args, options = self.with_parts(
            {key: np.zeros(varied.shape, varied.dtype) for key, varied in self.varied.items()}
        )
        return self.vectorized(*args, **options)

    def _output(self, column: Sequence[Any], k: int) -> Any:
        self._require_core(column, self.made[k] if self.made else ())
        return self._in_loop(self.stacked(column), self.dtype_of(column[0]), k)

    def stacked(self, column: Sequence[Any]) -> Any:
        """The results of all calls in an array."""
        return stacked_parts(list(column))

    def dtype_of(self, y) -> Any:
        """The dtype of the result of one call."""
        return getattr(y, "dtype", None) or np.asarray(y).dtype

    def _in_loop(self, y, first: np.dtype[Any], k: int) -> Any:
        """An output with the axes of the loop, in the dtype of the first call or that of otypes."""
        otypes = self.vectorized.otypes
        dtype = np.dtype(first.char if otypes is None else otypes[k])
        xp = namespace_of(y)
        converted = y if y.dtype == dtype else self.converted(y, dtype)
        return xp.reshape(converted, (*self.loop, *y.shape[1:]))

    def converted(self, y, dtype: np.dtype[Any]) -> Any:
        """The results of all calls in the dtype of the output."""
        return namespace_of(y).astype(y, dtype)

    def _require_count(self, results: Sequence[Any]) -> None:
        # None: a result, and no tuple of them
        found = {len(part) if isinstance(part, tuple) else None for part in results}
        said = self.made if self.vectorized.signature is not None else self.vectorized.otypes
        if len(found) > 1 or (said is not None and (next(iter(found)) or 1) != len(said)):
            instead = "return as many each time as the signature or otypes say, in a tuple"
            refuse_call(
                self.vectorized,
                "result",
                f"tuples of the lengths {found} (None for no tuple)",
                instead,
            )

    def _require_core(self, column: Sequence[Any], core: Core) -> None:
        shapes = {getattr(part, "shape", None if is_container(part) else ()) for part in column}
        own = next(iter(shapes))
        if (
            len(shapes) > 1
            or own is None
            or len(own) != len(core)
            or own != tuple(map(self.sizes.get, core, own))
        ):
            instead = "return one number per call, or say in signature= which axes the results have"
            refuse_call(
                self.vectorized,
                "result",
                f"results of the shapes {shapes} for {core or 'numbers'}",
                instead,
            )


def array_in(value) -> Any:
    """An argument as an array; of an object with fields, NumPy makes one entry."""
    if is_container(value) and not isinstance(value, list | tuple):
        entry = np.empty((), object)
        entry[()] = value
        return entry
    value = array_of_parts(value)
    return value if hasattr(value, "shape") else np.asarray(value)


def cores_of(vectorized, count: int) -> tuple[list[Core], list[Core]]:
    """The axes that one call sees of each of so many arguments, and those that it returns."""
    if vectorized.signature is None:
        return [()] * count, []
    sides = re.sub(r"\s", "", vectorized.signature).split("->")
    taken, made = [
        [tuple(filter(None, core.split(","))) for core in re.findall(r"\((.*?)\)", side)]
        for side in sides
    ]
    if len(taken) != count:
        got = f"{count} arguments for the signature {vectorized.signature!r}"
        refuse_call(vectorized, "signature", got, f"pass {len(taken)}")
    return taken, made


def core_sizes(vectorized, arrays: dict[Any, Any], cores: Sequence[Core]) -> dict[str, int]:
    """The length of each axis that the signature names."""
    sizes: dict[str, int] = {}
    for (key, array), core in zip(arrays.items(), cores, strict=True):
        own = array.shape[max(array.ndim - len(core), 0) :]
        if len(own) != len(core) or any(
            sizes.setdefault(name, size) != size for name, size in zip(core, own, strict=True)
        ):
            got = (
                f"argument {key!r} of shape {array.shape} for {core} of the signature"
                f" {vectorized.signature!r}"
            )
            refuse_call(
                vectorized, key, got, f"pass arrays whose last axes fit the signature: {sizes}"
            )
    return sizes


def refuse_call(vectorized, argument, got: str, instead: str) -> NoReturn:
    """Raise: NumPy does not call the function so."""
    where = f"numpy.vectorize({qualified_name(vectorized.pyfunc)})"
    raise NotDifferentiableError(where, got, instead, primal=vectorized, argument=argument)
